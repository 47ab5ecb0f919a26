import { expect, it } from "vitest";
import { isPlainText, oneLine } from "../../../src/common/plain-text.ts";

it.each<[text: string, maxLength: number, line: string]>([
  ["12345", 5, "12345"],
  ["123456", 5, "1234…"],
  ["123😀6", 5, "123\ufffd…"],
  ["\na\r\n\tb\u2028c\u2029d\u0085e\u001b[31m\n", 50, "a b c d e [31m"],
  ["a\u202eb\u3164\u200bc", 50, "abc"],
  ["a\udb40\u200b\udc41b", 50, "a\ufffd\ufffdb"],
  ["<{%bogus%}> and <\u200b{%fg 1", 50, "<{ %bogus%}> and <{ %fg 1"],
  ["##teamcity[x and ##any-name[y", 50, "##teamcity [x and ##any-name [y"],
  ["\u2764\ufe0f", 50, "\u2764\ufe0f"],
  ["##[error]a ##vso[task.x]b ##\u200bVSO[c", 50, "## [error]a ##vso [task.x]b ##VSO [c"],
])("oneLine of %j, with a maximum length of %d, is %j", (text, maxLength, line) => {
  expect(oneLine(text, maxLength)).toBe(line);
});

it.each<[text: string, isPlain: boolean]>([
  ["whsec_a+b/c= #1 [x] \u00e4 \u2764\ufe0f ", true],
  ["a\nb", false],
  ["a\u061cb", false],
  ["a\ud800", false],
  ["a\ufffd", false],
  ["##[a", false],
  ["::add-mask::a", false],
  [" ::error file=a,line=1::b", false],
  ["::warning file=a:1::hello", false],
  ["::set-output name=a:b::c", false],
  ["  ::error title=x: y::z", false],
  ["a::b::c", true],
  ["::1", true],
  ["##vso[a", false],
  ["##teamcity[a", false],
  ["<{%a", false],
])("The text %j is plain: %s", (text, isPlain) => {
  expect(isPlainText(text)).toBe(isPlain);
});

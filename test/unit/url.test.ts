import { expect, it } from "vitest";
import { isSameUrl } from "../../src/provider/url-rules.ts";

it.each([
  ["HTTPS://EXAMPLE.com:443/in", "https://example.com/in"],
  ["https://example.com?a=b", "https://example.com/?a=b"],
  ["https://User:Pass@EXAMPLE.com:443#f", "https://User:Pass@example.com/#f"],
  ["https://bücher.example/ä", "https://xn--bcher-kva.example/ä"],
  ["no URL", "no URL"],
])("%s and %s are the same URL", (one, other) => {
  expect(isSameUrl(one, other)).toBe(true);
  expect(isSameUrl(other, one)).toBe(true);
});

it.each([
  ["https://example.com/in", "https://example.com/IN"],
  ["https://example.com/a/../b", "https://example.com/b"],
  ["https://example.com/?", "https://example.com/"],
  ["https://User@example.com/", "https://user@example.com/"],
  ["https://example.com:80/", "https://example.com/"],
  ["http://example.com/", "https://example.com/"],
  ["https://example.com./", "https://example.com/"],
  [" https://example.com", "https://example.com"],
])("%s and %s are different URLs", (one, other) => {
  expect(isSameUrl(one, other)).toBe(false);
});

import { expect, it } from "vitest";
import { normalizeUrl } from "../../../src/common/url-rules.ts";

it.each([
  ["HTTPS://EXAMPLE.com:443/in", "https://example.com/in"],
  ["https://example.com?a=b", "https://example.com/?a=b"],
  ["https://User:Pass@EXAMPLE.com:443#f", "https://User:Pass@example.com/#f"],
  ["https://bücher.example/größe", "https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe"],
  ["https://rx.example.com/{tenant}", "https://rx.example.com/%7Btenant%7D"],
  ["https://example.com/a/../b", "https://example.com/b"],
  ["no URL", "no URL"],
])("%s and %s are the same URL", (one, other) => {
  expect(normalizeUrl(one)).toBe(normalizeUrl(other));
});

it.each([
  ["https://example.com/in", "https://example.com/IN"],
  ["https://example.com/?", "https://example.com/"],
  ["https://User@example.com/", "https://user@example.com/"],
  ["https://example.com:80/", "https://example.com/"],
  ["http://example.com/", "https://example.com/"],
  ["https://example.com./", "https://example.com/"],
  ["https://example.com/~", "https://example.com/%7E"],
])("%s and %s are different URLs", (one, other) => {
  expect(normalizeUrl(one)).not.toBe(normalizeUrl(other));
});

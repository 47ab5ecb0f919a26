import { expect, it } from "vitest";
import {
  normalizeUrl,
  validateBaseUrl,
  validateReceiverUrl,
} from "../../../src/common/url-rules.ts";

const bothRules = [(url: string) => validateReceiverUrl(url, {}), validateBaseUrl] as const;

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

it.each([
  "https://undefined/a",
  "https://NULL:80",
  "https://undefined.example.com",
  "https://eu.null.example.com",
  "https://example.undefined",
  "https://undefined.",
  "https://https://example.com/x",
  "https://http:/example.com",
  "http://HTTP/",
  "https://$host",
  "https://$(host)/a",
  "https://{host}.b",
  "https://%24%7Bhost%7D.example",
  "https://a%28b%29.example",
])("The host of %s has no value: a receiver's URL and a base URL refuse it alike", (url) => {
  const [ofReceiver, ofBaseUrl] = bothRules.map((validate) => validate(url));

  expect(ofReceiver).toHaveLength(1);
  expect(ofBaseUrl).toEqual(ofReceiver);
});

it.each([
  "https://undefined-1.nullable.example",
  "https://http.example.com",
  "https://example.com/undefined/null",
  "https://example.com/https://{tenant}/$(x)",
])("The host of %s may be meant, in a receiver's URL and in a base URL", (url) => {
  expect(bothRules.flatMap((validate) => validate(url))).toEqual([]);
});

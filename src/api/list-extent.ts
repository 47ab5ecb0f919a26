import type { ListExtent } from "./http-exchange.js";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads the headers that announce further pages (`Link`: RFC 8288; `Content-Range`: RFC 9110,
 * section 14.4; the others by custom), and the age of a response that a cache has stored (RFC 9111,
 * section 5.1).
 */
export function extentOf(headers: Headers): ListExtent {
  // A server and a proxy can both send a header, and white space behind a value is no part of it.
  const valuesOf = (name: string) =>
    new Set([headers[name] ?? []].flat().map((value) => value.trim()));
  const isStored = [...valuesOf("age")].some((age) => Number(age) !== 0);
  const announcesPage = headers.link !== undefined || headers["content-range"] !== undefined;
  const namesPage = [...valuesOf("x-next-page"), ...valuesOf("next-page")].some(Boolean);
  return {
    mayBePartial: isStored || announcesPage || namesPage,
    totalCounts: [...valuesOf("x-total-count")],
  };
}

// Whether a list shows every webhook of its database that exists now: by its headers, its status
// and its fields (docs/api/README.md#complete-lists).

type Headers = Readonly<Record<string, string | string[] | undefined>>;

// A parameter `hit` of a cache in `Cache-Status`, as a structured field writes `true` (RFC 9211,
// section 2.1; RFC 9651, section 3.1.2).
const cacheHit = /; *hit(?:=\?1)?\s*(?:[;,]|$)/;

/** The facts by which headers say that a list may not hold every entry that exists now. */
export interface ListExtent {
  /** Whether a cache has stored the list, which then shows nothing that is certain now. */
  readonly isStored: boolean;
  /** Whether there may be further pages. */
  readonly mayBePartial: boolean;
  /** The numbers of entries that all pages have together, as they were sent. */
  readonly totalCounts: readonly string[];
}

/** What counts of a response with a list besides its body. */
export interface ListResponse {
  readonly statusCode: number;
  readonly extent?: ListExtent;
}

/**
 * Reads the headers that announce further pages (`Link`: RFC 8288; `Content-Range`: RFC 9110,
 * section 14.4; the others by custom), and those of a response that a cache has stored (`Age`:
 * RFC 9111, section 5.1; `Cache-Status`: RFC 9211; docs/api/README.md#stored-lists).
 */
export function extentOf(headers: Headers): ListExtent {
  // A server and a proxy can both send a header, and white space behind a value is no part of it.
  const valuesOf = (name: string) =>
    new Set([headers[name] ?? []].flat().map((value) => value.trim()));
  const hasAge = [...valuesOf("age")].some((age) => Number(age) !== 0);
  const isCacheHit = [...valuesOf("cache-status")].some((status) =>
    cacheHit.test(withoutStrings(status)),
  );
  const announcesPage = headers.link !== undefined || headers["content-range"] !== undefined;
  const namesPage = [...valuesOf("x-next-page"), ...valuesOf("next-page")].some(Boolean);
  return {
    isStored: hasAge || isCacheHit,
    mayBePartial: announcesPage || namesPage,
    totalCounts: [...valuesOf("x-total-count")],
  };
}

/** Empties the quoted strings of a structured field, such as the name of a cache. */
function withoutStrings(field: string): string {
  return field.replace(/"(?:\\.|[^"\\])*"/g, '""');
}

/**
 * Whether the list in the body of a response is certainly complete: by its headers, without status
 * 206 (RFC 9110, section 15.3.7), and without any further field, which could be the one of a
 * pagination.
 */
export function isCompleteList(
  { statusCode, extent }: ListResponse,
  body: object,
  entryCount: number,
): boolean {
  const { isStored = false, mayBePartial = false, totalCounts = [] } = extent ?? {};
  return (
    statusCode !== 206 &&
    !isStored &&
    !mayBePartial &&
    totalCounts.every((total) => total === String(entryCount)) &&
    Object.keys(body).every((name) => ["webhooks", "success"].includes(name))
  );
}

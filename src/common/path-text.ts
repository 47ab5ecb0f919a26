/** A place inside a value, such as `events[0]` or `data.tableId`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);
}

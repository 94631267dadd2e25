// The address of one view of a list: its path, what it is asked for, and the place on the page.

export type UrlQuery = Record<string, string | null | undefined>;

/** What has no value is left out of the address. `part` is a place on the page, as `#list`. */
export function buildViewUrl(path: string, query: UrlQuery, part = ""): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) asked.set(name, value);
  return path + (asked.size > 0 ? `?${asked}` : "") + part;
}

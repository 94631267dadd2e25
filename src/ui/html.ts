// Markup as a tagged template that escapes everything. Nothing is raw but what this file made itself, so a page cannot
// forget to escape. Values go between tags or into quoted attributes, nowhere else.

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

class Markup {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

export type Html = Markup;
export type Content = Html | string | number | null | undefined | false | readonly Content[];

function show(value: Content): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.toString();
  if (Array.isArray(value)) return value.map(show).join("");
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

/** Markup with every value escaped; null, undefined and false show nothing. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  let text = strings[0] ?? "";
  values.forEach((value, i) => {
    text += show(value) + strings[i + 1];
  });
  return new Markup(text);
}

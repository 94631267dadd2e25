// Compares the visible text of markup with a text, so that both are not shown one above the other.

/** Without space and the dashes of lists, and without the sign that something was cut off. */
const squeezed = (text: string) => text.replace(/…(?: \(\d+ more characters\))?$/, "").replace(/[\s-]+/g, "");

const REFERENCES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" } as const;

/**
 * Messages of other programs have plain text in addition to their markup. For sanitised markup only, whose tags are
 * regular.
 */
export const markupRepeatsPlainText = (markup: string, text: string): boolean =>
  squeezed(
    markup
      .replace(/<[^>]*>/g, "")
      .replace(/&(?:lt|gt|quot|amp);/g, (reference) => REFERENCES[reference as keyof typeof REFERENCES]),
  ).startsWith(squeezed(text));

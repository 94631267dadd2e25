// Whether bytes are an .html file: UTF-8 text whose first element is one of HTML's, and no other known type.

/** How files begin that are something else, although their bytes may be text. */
const OTHER_TYPES =
  /^(%PDF|%!PS|GIF8|PK\x03\x04|MZ|RIFF|OggS|fLaC|ID3|BM|\{\\rtf|#!|<\?|<!doctype\s+(?!html\b)|<svg\b)/i;

const ELEMENTS = new Set(
  (
    "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col " +
    "colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form frame " +
    "frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark " +
    "menu meta meter nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script " +
    "search section select small source span strong style sub summary sup table tbody td template textarea tfoot th " +
    "thead time title tr track u ul var video wbr"
  ).split(" "),
);

/** The text of a file in UTF-8, without its byte order mark; null when it is binary or in another encoding. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /[\x00-\x08\x0b\x0e-\x1f\x7f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

function firstElement(text: string): string | null {
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    if (text.startsWith("<!--", at)) {
      const end = text.indexOf("-->", at + 4);
      if (end < 0) return null;
      at = end;
      continue;
    }
    const name = /^<([a-z][a-z0-9-]*)(?=[\s/>])/i.exec(text.slice(at, at + 40))?.[1];
    if (name) return name.toLowerCase();
  }
  return null;
}

/** JSON that quotes markup is not HTML. */
function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function looksLikeHtml(bytes: Uint8Array): boolean {
  const text = textOf(bytes);
  if (text === null || OTHER_TYPES.test(text.trimStart().slice(0, 200)) || isJson(text)) return false;
  const first = firstElement(text);
  return first !== null && ELEMENTS.has(first);
}

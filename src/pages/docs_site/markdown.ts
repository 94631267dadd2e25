// Our own Markdown as a page. All text is escaped by the template. Anchors, pictures and line breaks are the only
// supported markup; any other markup is shown as text. Also extracts the text for the search.

import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";

/** A part of a page that has an address: a heading with what follows it, or a line with an anchor of its own. */
export interface DocSection {
  id: string;
  title: string;
  /** As headings have it; a line has LINE. */
  depth: number;
  text: string;
}

/** Below every heading. */
const LINE = 7;

export interface RenderedDoc {
  title: string;
  body: Html;
  sections: DocSection[];
}

/** Where a link of the page leads; null: to nothing that is served. */
type Lead = (link: string) => string | null;

const ANCHOR = /^<a id="([\w-]+)">$/;
const BREAK = "<br>";
const IMAGE = /^<img( \w+="[^"<>]*")+ ?\/?>$/;
const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };
const decoded = (text: string) => text.replace(/&(?:lt|gt|amp|quot|#39);/g, (found) => ENTITIES[found] ?? found);

/** As hosts of repositories spell the anchor of a heading. */
const slugifyHeading = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const BETWEEN_CELLS: Tokens.Text = { type: "text", raw: " · ", text: " · " };

const childrenOf = (token: Token): Token[] => {
  if (token.type === "list") return (token as Tokens.List).items;
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flat().flatMap(({ tokens }) => [...tokens, BETWEEN_CELLS]);
  }
  return ("tokens" in token && token.tokens) || [];
};

/** The text of these tokens. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const inside = childrenOf(token);
      if (inside.length > 0) return plain(inside) + (/^(list_item|paragraph)$/.test(token.type) ? " " : "");
      if (token.type === "html") return token.raw === BREAK ? " " : "";
      return token.type === "space" || token.type === "br" ? " " : decoded("text" in token ? token.text : "");
    })
    .join("");
}

/** Columns whose texts explain themselves: on a phone they need no label. */
const UNLABELLED = new Set(["Meaning", "Purpose", "Allows", "First sentence"]);

/** A long path or name may break after its separators. A text without a `wbr` stays on its line. */
const breakable = (text: string): HtmlContent =>
  text.length < (text.includes("/") ? 30 : 20)
    ? text
    : text.split(text.includes("/") ? /(?<=\/)(?=\w|\{)/ : /(?<=_)(?=\w)/).map((part) => [part, html`<wbr>`]);

/** Comments are for gen; one at the beginning of a line would end its paragraph. */
const withoutComments = (text: string): string =>
  text.replace(/^```[\s\S]*?^```|`[^`\n]*`|<!--[\s\S]*?-->/gm, (found) => (found.startsWith("<") ? "" : found));

/**
 * @param text of a page that begins with its title
 * @param findDarkForm the address of a picture's form for dark mode; null without one
 */
export function renderDoc(text: string, leadsTo: Lead, findDarkForm: Lead = () => null): RenderedDoc {
  const sections: DocSection[] = [];
  const used = new Map<string, number>();
  let title = "";

  function heading({ depth, tokens }: Tokens.Heading): Html {
    const words = plain(tokens);
    const bare = slugifyHeading(words);
    const times = used.get(bare) ?? 0;
    used.set(bare, times + 1);
    const id = times === 0 ? bare : `${bare}-${times}`;
    sections.push({ id, title: words, depth, text: "" });
    if (depth > 1) {
      const link = html`<a href="#${id}">${inline(tokens)}</a>`;
      if (depth === 2) return html`<h2 id="${id}">${link}</h2>`;
      return depth === 3 ? html`<h3 id="${id}">${link}</h3>` : html`<h4 id="${id}">${link}</h4>`;
    }
    title ||= words;
    return html`<h1 id="${id}">${inline(tokens)}</h1>`;
  }

  function link({ href, tokens, raw: written }: Tokens.Link): HtmlContent {
    // An address in a text, such as http://HOST:PORT, is a text.
    if (!written.startsWith("[")) return inline(tokens);
    const to = leadsTo(href);
    if (to === null)
      return html`<span class="source" title="${href.replace(
        /^(\.\.\/)+/,
        "",
      )}, in the source">${inline(tokens)}</span>`;
    const out = /^https?:/.test(to);
    return html`<a href="${to}"${out && html` rel="noopener noreferrer"`}>${inline(tokens)}</a>`;
  }

  function picture(src: string, alt: string, width?: string): Html {
    const to = leadsTo(src);
    if (to === null) return html`${alt}`;
    const image = (address: string, scheme?: "light" | "dark") =>
      html`<img${scheme && html` class="on-${scheme}"`} src="${address}" alt="${alt}"${
        width && html` width="${width}"`
      } loading="lazy">`;
    const dark = findDarkForm(src);
    return dark === null ? image(to) : html`${image(to, "light")}${image(dark, "dark")}`;
  }

  /** Any other markup is text. */
  function raw(markup: string): HtmlContent {
    const text = markup.trim();
    if (text === "</a>") return null;
    if (text === BREAK) return html`<br>`;
    const [, id] = ANCHOR.exec(text) ?? [];
    if (id !== undefined) return html`<a class="anchor" id="${id}" href="#${id}" aria-label="Link to ${id}">#</a>`;
    if (!IMAGE.test(text)) return markup;
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1];
    return picture(attribute("src") ?? "", decoded(attribute("alt") ?? ""), attribute("width"));
  }

  function inline(tokens: readonly Token[] = []): HtmlContent {
    return (tokens as MarkedToken[]).map((token): HtmlContent => {
      switch (token.type) {
        case "strong":
          return html`<strong>${inline(token.tokens)}</strong>`;
        case "em":
          return html`<em>${inline(token.tokens)}</em>`;
        case "del":
          return html`<del>${inline(token.tokens)}</del>`;
        case "codespan":
          return html`<code>${breakable(token.text)}</code>`;
        case "br":
          return html`<br>`;
        case "link":
          return link(token);
        case "image":
          return picture(token.href, token.text);
        case "html":
          return raw(token.raw);
        case "text":
          return token.tokens ? inline(token.tokens) : decoded(token.text);
        default:
          return decoded("text" in token ? token.text : token.raw);
      }
    });
  }

  function code({ text: lines }: Tokens.Code): Html {
    return html`<figure class="code"><pre tabindex="0" data-copy="this code"><code>${lines}</code></pre></figure>`;
  }

  function table({ header, rows }: Tokens.Table): Html {
    const names = header.map(({ tokens }) => plain(tokens));
    const labels = names.map((name) => !UNLABELLED.has(name) && html` data-label="${name}"`);
    // All tables that begin with the same column have the same widths.
    return html`<table class="t${labels.length} by-${slugifyHeading(names[0] ?? "")}"><thead><tr>${header.map(
      ({ tokens }) => html`<th scope="col">${inline(tokens)}</th>`,
    )}</tr></thead><tbody>${rows.map(
      (row) =>
        html`<tr>${row.map(({ tokens }, at) =>
          at === 0
            ? html`<th scope="row">${inline(tokens)}</th>`
            : html`<td${labels[at]}><span>${inline(tokens)}</span></td>`,
        )}</tr>`,
    )}</tbody></table>`;
  }

  function items({ ordered, start, items: of }: Tokens.List): Html {
    const lines = of.map((item) => {
      const [, id] = /<a id="([\w-]+)">/.exec(item.raw) ?? [];
      // The name in front is the title.
      const text = plain(item.tokens).replace(/^[^:]*: /, "");
      if (id !== undefined) sections.push({ id, title: id, depth: LINE, text });
      return html`<li>${blocks(item.tokens)}</li>`;
    });
    return ordered ? html`<ol start="${start || 1}">${lines}</ol>` : html`<ul>${lines}</ul>`;
  }

  function block(token: MarkedToken): HtmlContent {
    switch (token.type) {
      case "heading":
        return heading(token);
      case "paragraph":
        // A picture scrolls on a phone, also by the keyboard.
        return token.tokens.length === 1 && token.tokens[0]?.type === "image"
          ? html`<p class="picture" tabindex="0">${inline(token.tokens)}</p>`
          : html`<p>${inline(token.tokens)}</p>`;
      case "list":
        return items(token);
      case "code":
        return code(token);
      case "table":
        return table(token);
      case "blockquote":
        return html`<blockquote>${blocks(token.tokens)}</blockquote>`;
      case "html":
        return raw(token.raw);
      case "hr":
        return html`<hr>`;
      case "space":
        return null;
      default:
        return inline([token]);
    }
  }

  const blocks = (tokens: readonly Token[]): HtmlContent =>
    (tokens as MarkedToken[]).map((token) => [block(token), "\n"]);

  const body = html`${lexer(withoutComments(text)).map((token) => {
    const shown = blocks([token]);
    // Lines with an address are found by themselves.
    if (token.type !== "heading" && !/<a id="/.test(token.raw)) {
      const under = sections.findLast(({ depth }) => depth < LINE);
      if (under) under.text += ` ${plain([token])}`;
    }
    return shown;
  })}`;
  return { title, body, sections };
}

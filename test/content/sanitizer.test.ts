// The sanitiser alone. Harmless texts lose nothing. Payloads lose their active parts, and the report lists them. A
// second pass never finds work, and the work never grows faster than the input.

import fc from "fast-check";
import { parseDocument } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { findNeedlessInvisibleKind } from "../../src/model/fields/invisible_characters.ts";
import {
  ALLOWED_ATTRIBUTES,
  ALLOWED_ELEMENTS,
  ALLOWED_SCHEMES,
  MAX_NESTING_DEPTH,
} from "../../src/model/sanitizer/allow_list.ts";
import { type HtmlParent, parseHtml } from "../../src/model/sanitizer/parse_html.ts";
import { countScriptsAndUnseenContent, sanitizeHtml } from "../../src/model/sanitizer/sanitize.ts";
import { SanitizerReport } from "../../src/model/sanitizer/sanitizer_report.ts";
import { COMPARISON_PATTERN, FUZZ_PIECES, HARMLESS_MARKUP, HOSTILE_MARKUP } from "../cases/sanitizer_markup.ts";

const clean = (html: string) => sanitizeHtml(html);
/** The text as a browser has it, including that of dropped elements. */
function text(html: string): string {
  const words = (parent: HtmlParent): string =>
    parent.childNodes
      .map((child) => ("value" in child ? child.value : "childNodes" in child ? words(child) : ""))
      .join("");
  return words(parseHtml(html, new SanitizerReport()).root);
}
const only = (html: string) => clean(html).blocked.map((row) => `${row.kind} ${row.name} ${row.count}`);

/** The parts of the output, from a parser that the sanitiser does not share its tree with. */
function dangers(html: string): string[] {
  const found: string[] = [];
  let depth = 0;
  const walk = (nodes: readonly any[]): void => {
    depth++;
    for (const node of nodes) {
      if (node.type === "text") continue;
      if (!ALLOWED_ELEMENTS.has(node.name)) found.push(`${node.type} ${node.name}`);
      if (depth > MAX_NESTING_DEPTH) found.push("depth");
      for (const [name, value] of Object.entries<string>(node.attribs ?? {})) {
        if (!ALLOWED_ATTRIBUTES.get(node.name)?.has(name)) found.push(`attribute ${name}`);
        const link = name === "href" || name === "src" || name === "cite";
        if (link && !/^(?:https?:\/\/|mailto:|tel:|sms:|geo:)/i.test(value)) found.push(`url ${value}`);
        if (name === "style" && /[\\@{}<]|url|expression|position|\/\*/i.test(value)) found.push(`style ${value}`);
      }
      walk(node.children ?? []);
    }
    depth--;
  };
  walk(parseDocument(html).children);
  return found;
}

describe("harmless texts", () => {
  test.each(Object.entries(HARMLESS_MARKUP))("%s", (_name, html) => {
    const result = clean(html);
    expect(result.blocked).toEqual([]);
    expect(text(result.html)).toBe(text(html));
    expect(clean(result.html)).toEqual(result);
  });

  test("there are enough of them", () => expect(Object.keys(HARMLESS_MARKUP).length).toBeGreaterThanOrEqual(40));

  /** A grapheme may contain a filler, which is reported. */
  const visible = fc
    .string({ unit: "grapheme", maxLength: 200 })
    .filter((words) => findNeedlessInvisibleKind(words) === null);
  test("plain text comes out as itself", () => {
    fc.assert(
      fc.property(visible, (words) => {
        const escaped = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\0", "");
        const result = clean(escaped);
        expect(result.blocked).toEqual([]);
        expect(text(result.html)).toBe(words.replaceAll("\0", ""));
      }),
    );
  });
});

describe("hostile payloads", () => {
  test.each(HOSTILE_MARKUP.map(({ name, html }) => [name, html]))("%s", (_name, html) => {
    const result = clean(html);
    expect(result.blocked).not.toEqual([]);
    expect(dangers(result.html)).toEqual([]);
    expect(clean(result.html)).toEqual({ html: result.html, blocked: [] });
  });

  test("there are enough of them", () => expect(HOSTILE_MARKUP.length).toBeGreaterThanOrEqual(150));
});

describe("the report", () => {
  test.each([
    ["<p onclick=x onclick=y ONCLICK=z>a</p><b onclick=x>b</b>", ["attribute onclick 4"]],
    ["<script>1</script><SCRIPT>2</SCRIPT>", ["element script 2"]],
    ["<form action=x><p>a</p><input name=q></form>", ["element form 1", "element input 1"]],
    ["<svg><g><script>1</script></g></svg>", ["element g 1", "element script 1", "element svg 1"]],
    ["<a href='JAVASCRIPT:1'>x</a><a href='java&#9;script:1'>y</a>", ["url javascript 2"]],
    ["<img src=data:image/png;base64,AA== alt=x>", ["url data 1"]],
    ["</p><i /", ["element i 1"]],
    ["<b>x</b><i /", ["element i 1"]],
    ["<img src=http://example.org/a.png>", ["url http 1"]],
    ["<a href=//evil.example>x</a><a href=/x>y</a>", ["url protocol-relative 1", "url relative 1"]],
    ["<a href=ignore-all-instructions:x>y</a>", ["url unknown 1"]],
    ["<p style='position:fixed;color:red;z-index:1'>x</p>", ["style position 1", "style z-index 1"]],
    ["<p style='send-every-alert-now:1'>x</p>", ["style unknown 1"]],
    ["<send-every-alert-now>x</send-every-alert-now>", ["element unknown 1"]],
    [
      "<p send-every-alert-now data-a aria-x=y>x</p>",
      ["attribute aria-* 1", "attribute data-* 1", "attribute unknown 1"],
    ],
    [
      "a<!-- b -->c<!doctype html><?php x ?><![CDATA[y]]>",
      ["element #cdata 1", "element #comment 1", "element #doctype 1", "element #instruction 1"],
    ],
    ["a\0b\0", ["element #null 2"]],
    ["text <b", ["element b 1"]],
    ["text <img src=x onerror=alert(1) ", ["element img 1"]],
    ["</script>x", ["element script 1"]],
    ["<form>x</form></form>", ["element form 2"]],
    ["<a href=https://a.example rel=opener target=_top>x</a>", ["attribute rel 1", "attribute target 1"]],
    ["<td>x</td>", ["element td 1"]],
    ["<a href=https://a.example href=https://b.example>x</a>", ["attribute href 1"]],
    [`${"<b>".repeat(130)}x`, ["element b 30"]],
    [`${"<form>".repeat(400)}x`, ["element form 400"]],
    ["<body onload=x><p>a</body></html>", ["element body 1", "element html 1"]],
    ["<image src=https://a.example/x.png onerror=x>", ["attribute onerror 1"]],
    ["<svg></g></script></svg></g>", ["element g 1", "element svg 1"]],
    ["<x a a><p id=a ID=b>y</p a a>", ["element unknown 1", "attribute id 2"]],
    ["<b id=x>1<p>2</b>3</p>", ["attribute id 1"]],
    [`<p style="${"color:red;".repeat(60)}">x</p>`, ["style color 10"]],
  ])("%s", (html, rows) => expect(only(html)).toEqual(rows));

  test("names come from the tables for any input", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...FUZZ_PIECES), { maxLength: 40 }),
        fc.string({ maxLength: 30 }),
        (pieces, word) => {
          const rows = clean(`${pieces.join("")}<${word} ${word}="${word}" style="${word}:x" href="${word}:">`).blocked;
          for (const row of rows) {
            expect(row.name).toMatch(/^(?:#?[a-z0-9:-]{1,40}|data-\*|aria-\*)$/);
            expect(row.count).toBeGreaterThan(0);
          }
          expect(new Set(rows.map((row) => `${row.kind} ${row.name}`)).size).toBe(rows.length);
        },
      ),
    );
  });
});

describe("two judges", () => {
  // The second one has copies of the tables. A hole is made in the first one's, as a mistake would make it.
  test.each<[string, () => () => void, string, string]>([
    [
      "an attribute",
      () => {
        const rules = ALLOWED_ATTRIBUTES.get("p") as Map<string, "text">;
        rules.set("onclick", "text");
        return () => rules.delete("onclick");
      },
      "<p onclick=fired()>x</p>",
      "<p>x</p>",
    ],
    [
      "an element",
      () => {
        const [elements, rules] = [
          ALLOWED_ELEMENTS as Set<string>,
          ALLOWED_ATTRIBUTES as Map<string, ReadonlyMap<string, "text">>,
        ];
        elements.add("video");
        rules.set("video", new Map([["src", "text"]]));
        return () => elements.delete("video") && rules.delete("video");
      },
      "<video src=https://e.example>x</video>",
      "x",
    ],
    [
      "a scheme",
      () => {
        const links = ALLOWED_SCHEMES.link as Set<string>;
        links.add("javascript");
        return () => links.delete("javascript");
      },
      "<a href=javascript:fired()>x</a>",
      '<a rel="noopener noreferrer nofollow">x</a>',
    ],
  ])("%s that the first one lets through is stopped by the second, and reported", (_name, open, html, want) => {
    const close = open();
    try {
      expect(clean(html)).toEqual({ html: want, blocked: [{ kind: "element", name: "unknown", count: 1 }] });
    } finally {
      close();
    }
    expect(clean(html).html).toBe(want === "x" ? "x" : want.replace(' rel="noopener noreferrer nofollow"', ""));
  });
});

// rules#preview-html
describe("comparisons", () => {
  test.each([
    "if a<b and c>d then",
    "if (a<b && c>d)",
    "x<y and z>w",
    "levels[3]<i or 4>j",
    "<p>where a<b and c>d</p>",
    "<p>x<y and y<0 I <3 you</p>",
    "<p>x<y</p>",
    "is x<y ",
    "if a<b and c",
    "<b>n<m and</b> 2<k",
    "<p>a<b, b<c</p>",
    "<p title='a<b and c>d'>where a<b && c<d</p>",
  ])("%s loses nothing, so nothing is reported", (html) => {
    const result = clean(html);
    expect(result.blocked).toEqual([]);
    expect(text(result.html)).toBe(html.replace(/<\/?[pb]( title='[^']*')?>/g, ""));
    expect(clean(result.html)).toEqual(result);
  });

  test.each([
    ["a<b onclick>x</b>", ["attribute onclick 1"]],
    ["a<b onwhatever and c>x</b>", ["attribute unknown 3"]],
    ["a<b and=1>x</b>", ["attribute unknown 1"]],
    ["a<b hidden and>x</b>", ["attribute hidden 1", "attribute unknown 1"]],
    ["a<b hidden<i>x</i>", ["attribute unknown 1"]],
    ["a<script<script>x</script>", ["element script 1"]],
    ["x<y and z=1 <3", ["element unknown 1"]],
    ["a <b and c>x</b>", ["attribute unknown 2"]],
    ["a<script and c>x</script>", ["element script 1"]],
  ])("%s is markup", (html, rows) => expect(only(html)).toEqual(rows));
});

describe("structure", () => {
  test.each([
    ["the content of a form, a video or a button stays", "<form><video>a</video><button>b</button></form>", "ab"],
    ["contents of code and foreign elements are removed", "a<style>b</style><svg>c</svg><title>d</title>e", "ae"],
    ["HTML after an unclosed svg is not lost", "<svg><path d=1><p>after", "<p>after</p>"],
    ["a list of choices continues to its end tag", "<div><select><option>a</div>b</select>c", "<div>c</div>"],
    [
      "everything is closed, and bold text continues after a block as in a browser",
      "<div><b>x</div></div></section>y",
      "<div><b>x</b></div><b>y</b>",
    ],
    [
      "a cell keeps the end tags of its content to itself",
      "<b><table><tr><td>x</b>y</table>z",
      "<b><table><tbody><tr><td>xy</td></tr></tbody></table>z</b>",
    ],
    [
      "text is where a browser puts it",
      "<table>a<tr>b<td>c</table>",
      "ab<table><tbody><tr><td>c</td></tr></tbody></table>",
    ],
    ["a paragraph in a button ends the one around it", "<p>a<button><p>b</button>c", "<p>a</p><p>b</p>c<p></p>"],
    [
      "a link that a table moves into a link is next to it",
      "<a title=1><table><a title=2>x",
      '<a title="1"></a><a title="2">x</a><table></table>',
    ],
    ["a reading or bracket in another is removed", "<rt>a<rt>b<rp>(", "<rt>ab(</rt>"],
    ["a line feed at the beginning of a pre is one", "<pre>\n\na</pre>", "<pre>\n\na</pre>"],
    ["a refused picture leaves its description", "<img src=x alt=Pump>", '<img alt="Pump" />'],
    [
      "links are cut off from their opener",
      "<a href=https://a.example/>x</a>",
      '<a href="https://a.example/" rel="noopener noreferrer nofollow">x</a>',
    ],
  ])("%s", (_name, html, want) => expect(clean(html).html).toBe(want));
});

describe("any input", () => {
  const nonsense = fc.oneof(
    fc.array(fc.constantFrom(...FUZZ_PIECES), { maxLength: 60 }).map((pieces) => pieces.join("")),
    fc
      .array(fc.oneof(fc.constantFrom(...FUZZ_PIECES), fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 40 })
      .map((pieces) => pieces.join("")),
    fc
      .array(fc.constantFrom(...HOSTILE_MARKUP.map(({ html }) => html), ...Object.values(HARMLESS_MARKUP)), {
        maxLength: 4,
      })
      .map((pieces) => pieces.join("")),
    fc
      .tuple(fc.constantFrom(...HOSTILE_MARKUP.map(({ html }) => html)), fc.nat(400), fc.constantFrom(...FUZZ_PIECES))
      .map(([html, at, piece]) => html.slice(0, at) + piece + html.slice(at)),
  );

  // rules#sanitiser-is-stable
  test("is safe, is stable on a second pass, and is reported when it changed", () => {
    fc.assert(
      fc.property(nonsense, (html) => {
        const result = clean(html);
        expect(dangers(result.html)).toEqual([]);
        expect(clean(result.html)).toEqual({ html: result.html, blocked: [] });
        if (result.blocked.length === 0 && !COMPARISON_PATTERN.test(html)) expect(text(result.html)).toBe(text(html));
      }),
      // An element that is removed at its end must not have kept its contents from closing the elements around it.
      { numRuns: 3000, examples: [["<p><rp/><center/>\u200b"], ["<p><rp>(<b>x<center>y"]] },
    );
  });

  test("the library that checks the result never finds anything", () => {
    // Its finding would show as one "unknown" more than the elements that were really unknown.
    fc.assert(
      fc.property(nonsense, (html) => {
        const known = html.replace(/x-y|comment|ſ|\u212a/g, "b");
        const strange = new Set(
          [...known.replaceAll("\0", "").matchAll(/<\/?([a-z][^\t\n\f\r />]*)/gi)].map(([, name]) => name!),
        );
        fc.pre(
          [...strange].every((name) => /^[a-z0-9-]+$/i.test(name) && !only(`<${name}>`).includes("element unknown 1")),
        );
        expect(clean(known).blocked.filter((row) => row.kind === "element" && row.name === "unknown")).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("size", () => {
  const range = (count: number) => Array.from({ length: count }, (_, i) => i);
  const units: Record<string, string> = {
    bold: "<b>",
    div: "<div>",
    table: "<table>",
    cell: "<table><tr><td>",
    paragraph: "<p>",
    list: "<ul><li>",
    less: "<",
    comment: "<!--",
    entity: "&lt;",
    ampersand: "&",
    attributes: "<p a=1 b=2 c=3>",
    svg: "<svg>",
    break_out: "<svg><p>",
    end: "</b>",
    crossed: "<i><b></u>",
    style: "<p style='color:red;margin:1px'>",
    cdata: "<![CDATA[>",
    svg_cdata: "<svg><![CDATA[",
    link: "<a href=https://x.example/>z",
    select: "<select><option>",
    form: "<form></form>",
    math: "<math><mi>",
    quote: '"',
  };

  /** The work done, counted in nodes: what a time would show, without its noise. */
  function nodes(parent: HtmlParent): number {
    let count = 0;
    for (const child of parent.childNodes) count += 1 + ("childNodes" in child ? nodes(child) : 0);
    return count;
  }
  const work = (html: string) => nodes(parseHtml(html, new SanitizerReport()).root);

  test.each(Object.entries(units))("%s: work and output grow no faster than the input", (_name, unit) => {
    const large = unit.repeat(Math.floor(60_000 / unit.length));
    const result = clean(large);
    expect(work(large)).toBeLessThanOrEqual(large.length + 1);
    expect(result.html.length).toBeLessThanOrEqual(large.length * 8);
    expect(dangers(result.html)).toEqual([]);
  });

  test.each([
    ["one tag with 30,000 attributes", `<p ${"a ".repeat(30_000)}>`],
    ["one style with 6,000 declarations", `<p style="${"color:red;".repeat(6000)}">`],
    ["spaces inside an address", `<a href="https://a${" ".repeat(59_000)}b">`],
    ["spaces inside a style", `<p style="color:a${" ".repeat(59_000)}b">`],
    ["an unclosed quote", `<a title="${"x".repeat(59_000)}`],
    ["1,000 colours on 1,000 backgrounds", `<p style="${"color:red;background:blue;".repeat(1000)}">`],
    [
      "a long link that continues in 5,000 paragraphs",
      `<a href="https://a.example/${"x".repeat(40_000)}">${"<p>x".repeat(5000)}`,
    ],
    [
      "100 elements that go on in 7,000 paragraphs",
      `${range(100)
        .map((i) => `<b a${i}>`)
        .join("")}${"</p><p>x".repeat(7000)}`,
    ],
    [
      "a long link that 900 end tags copy",
      `${range(900)
        .map((i) => `<i a${i}>`)
        .join("")}<a title="${"x".repeat(30_000)}">${"<div>".repeat(9)}${"</i>".repeat(900)}`,
    ],
    ["end tags for 10,000 open elements", `<i><table><td>${"<b>".repeat(10_000)}${"</i>".repeat(7000)}`],
  ])("%s", (_name, html) => {
    const result = clean(html);
    expect(dangers(result.html)).toEqual([]);
    expect(result.html.length).toBeLessThanOrEqual(html.length * 8);
  });

  // rules#markup-bounds
  test("elements that go on in too many paragraphs end, and are reported", () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `<p>${i}`);
    const few = clean(`<p><b>${lines.slice(0, 500).join("")}`);
    expect([few.html.match(/<b>/g)?.length, few.blocked]).toEqual([501, []]);
    const many = clean(`<p><b>${lines.join("")}`);
    expect(many.html).toMatch(/<p><b>1000<\/b><\/p><p>1001<\/p>.*<p>1999<\/p>$/);
    expect(many.blocked).toEqual([{ kind: "element", name: "b", count: 1 }]);
  });
});

describe("layout document", () => {
  test.each([
    ["none", "<!doctype html><title>x</title><p onclick=alert(1)>y", 0],
    ["plain", "<script>1</script><SCRIPT src=x></SCRIPT>", 2],
    ["in svg, also self-closing", "<svg><script>1</script><script/><style><script>2</script></style></svg>", 3],
    ["unclosed", "<p><script>1", 1],
    ["cut off", "<p><script", 0],
    [
      "in comments and raw text none are counted",
      "<!--<script>--><textarea><script></textarea><title><script></title><xmp><script></xmp>",
      0,
    ],
    ["in attributes none are counted", '<p title="<script>">x</p>', 0],
    [
      "in noscript and template they are carried",
      "<noscript><script></script></noscript><template><script></script></template>",
      2,
    ],
    ["after a false CDATA section", "<![CDATA[><script>1</script>]]>", 1],
    ["in a true CDATA section none are counted", "<svg><![CDATA[><script>1</script>]]></svg>", 0],
    ["after foreign content has been left", "<svg><p><style><script></style><script></script>", 1],
  ])("script_count: %s", (_name, html, count) => {
    expect(countScriptsAndUnseenContent(html).script_count).toBe(count);
  });
});

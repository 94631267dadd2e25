// The docs as pages: every linked address exists, and no content runs as code. Also the search, and files as pages.

import { globSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { DOC_REDIRECTS } from "../../src/pages/docs_site/doc_pages_and_links.ts";
import { renderDoc } from "../../src/pages/docs_site/markdown.ts";
import { openWorld } from "../support/open_world.ts";
import { getPublicPage, type PublicPageAnswer } from "../support/public_pages.ts";
import { ROOT, readRules } from "../support/rule_citations.ts";

const PUBLIC_URL = "https://alerts.example.org";
const world = await openWorld({ settings: { PUBLIC_URL, PAGE_VIEWS_PER_MINUTE: "5" } });

const idsOf = ({ text }: PublicPageAnswer) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
const linksOf = ({ text }: PublicPageAnswer) =>
  [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, to]) => to!.replaceAll("&amp;", "&"));

/** Every page that is reached from the first, and every file that one of them requests. */
async function crawled(): Promise<Map<string, PublicPageAnswer>> {
  const seen = new Map<string, PublicPageAnswer>();
  const ahead = ["/docs"];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (seen.has(path)) continue;
    const page = await getPublicPage(world, path);
    seen.set(path, page);
    if (!page.headers.get("content-type")?.startsWith("text/html")) continue;
    for (const link of linksOf(page)) {
      const [to = ""] = link.split("#");
      if (/^\/(docs|static)\b/.test(to)) ahead.push(to);
    }
  }
  return seen;
}

// rules#docs-site
describe("every page", () => {
  let seen: Map<string, PublicPageAnswer>;
  let pages: [string, PublicPageAnswer][];
  beforeAll(async () => {
    seen = await crawled();
    pages = [...seen].filter(([path]) => path.startsWith("/docs") && !path.startsWith("/docs/pictures/"));
  });

  test("is reached, and so is all that it links to, down to the anchor", () => {
    expect([...seen].filter(([, { status }]) => status !== 200).map(([path]) => path)).toEqual([]);
    const files = globSync(["README.md", "SECURITY.md", "CHANGELOG.md", "docs/**/*.md"], { cwd: ROOT });
    expect(pages.length).toBeGreaterThanOrEqual(files.length);
    expect([...seen.keys()].filter((path) => path.startsWith("/docs/pictures/")).length).toBeGreaterThan(4);
    const dead = pages.flatMap(([path, page]) =>
      linksOf(page).flatMap((link) => {
        const [to = "", anchor] = link.split("#");
        if (anchor === undefined || !/^(\/docs|$)/.test(to)) return [];
        const target = to === "" ? page : seen.get(to);
        return target && idsOf(target).includes(anchor) ? [] : [`${path}: ${link}`];
      }),
    );
    expect(dead).toEqual([]);
  });

  test("has each id once, and a title of its own", () => {
    for (const [path, page] of pages) {
      const ids = idsOf(page);
      expect([path, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([path, []]);
    }
    const titles = pages.map(([, { text }]) => /<title>(.*)<\/title>/.exec(text)![1]);
    expect(new Set(titles).size).toBe(pages.length);
  });

  // rules#page-policy
  test("runs its own script only, requests no other server, and shows no unknown markup", () => {
    for (const [path, { text, headers }] of pages) {
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self'; img-src/);
      expect(headers.get("content-security-policy")).toContain("; script-src 'self'; connect-src 'self'; ");
      const rest = text.replace(
        /<script src="\/static\/(docs_site|session_hint|color_scheme)\.js\?v=[\w-]+"(?: defer)?><\/script>/g,
        "",
      );
      expect([path, rest.match(/<script|<style| style="| on\w+="|"javascript:/g)]).toEqual([path, null]);
      const outside = [...text.matchAll(/ src="([^"]*)"/g)].filter(([, to]) => !to!.startsWith("/"));
      expect([path, outside]).toEqual([path, []]);
      const said = text.replace(/<(code|title)[^>]*>[\s\S]*?<\/\1>/g, "");
      expect([path, said.match(/&lt;(!|\/?(a|img|br|div|script|details|summary|kbd|sub|sup)\b)[^&]*/g)]).toEqual([
        path,
        null,
      ]);
    }
  });

  test("has every rule under its name, and this server's address in the examples", () => {
    const index = new Set(idsOf(seen.get("/docs/reference/rules")!));
    for (const { name, page } of readRules()) {
      expect(index).toContain(name);
      expect(seen.get(`/${page.replace(/\.md$/, "")}`)!.text).toContain(` id="${name}"`);
    }
    expect(seen.get("/docs/start/first-alert")!.text).toContain(`API=${PUBLIC_URL}/api/v1`);
    for (const [path, { text }] of pages) expect([path, text.includes("localhost:8787")]).toEqual([path, false]);
  });
});

test("is cached a while, 304 to a client that has it, compressed on request, and without a body for HEAD", async () => {
  const first = await getPublicPage(world, "/docs/start/first-alert");
  const etag = first.headers.get("etag")!;
  expect(first.headers.get("cache-control")).toBe("public, max-age=300");
  expect(await getPublicPage(world, "/docs/start/first-alert", { headers: { "if-none-match": etag } })).toMatchObject({
    status: 304,
    text: "",
  });
  expect(await getPublicPage(world, "/docs/start/first-alert", { method: "HEAD" })).toMatchObject({
    status: 200,
    text: "",
  });
  const zipped = await getPublicPage(world, "/docs/start/first-alert", { headers: { "accept-encoding": "gzip" } });
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  expect((await getPublicPage(world, "/docs/start/first-alert", { method: "POST" })).status).toBe(404);
  for (const path of [
    "/docs/none",
    "/docs/..%2f..%2fpackage.json",
    "/docs/%ff",
    "/docs/pictures/none.png",
    "/docs/decisions/none",
  ])
    expect([path, (await getPublicPage(world, path)).status]).toEqual([path, 404]);
});

// rules#docs-site, rules#wrong-address
test("an unknown address has the search and the contents for a reader, and the envelope for a program", async () => {
  const { status, text } = await getPublicPage(world, "/docs/none");
  expect([status, text.match(/<h1>.*?<\/h1>/)?.[0]]).toEqual([404, "<h1>Page not found</h1>"]);
  expect(text).toContain('role="search" method="get" action="/docs"');
  expect(text).toContain('href="/docs/start/install"');
  expect(text).toContain('<meta name="robots" content="noindex">');
  const program = await getPublicPage(world, "/docs/none", { headers: { accept: "application/json" } });
  expect([program.status, JSON.parse(program.text).error.type]).toEqual([404, "not_found"]);
});

test("old addresses lead to the pages of today", async () => {
  const decision = ["decisions/0016-a-held-poll-is-a-poll", "decisions/0016-long-polling-is-stateless"] as const;
  for (const [old, now] of [...Object.entries(DOC_REDIRECTS), decision]) {
    const { status, headers } = await getPublicPage(world, `/docs/${old}`, { redirect: "manual" });
    expect([old, status, headers.get("location")]).toEqual([old, 301, `/docs/${now}`]);
    expect([now, (await getPublicPage(world, `/docs/${now}`)).status]).toEqual([now, 200]);
  }
});

describe("the search", () => {
  test("lists sections that contain all terms, those with a matching heading first", async () => {
    const { text } = await getPublicPage(world, "/docs?q=Webhook+secret");
    const listed = text.slice(text.indexOf('<ol class="found">'));
    const found = [...listed.matchAll(/<\/p><a\s+href="(\/docs\/[^"]+)">/g)].map(([, to]) => to!);
    expect(found.length).toBeGreaterThan(3);
    expect(new Set(found).size).toBe(found.length);
    for (const link of found.slice(0, 5)) {
      const [path, anchor] = link.split("#");
      expect(idsOf(await getPublicPage(world, path!))).toContain(anchor ?? idsOf(await getPublicPage(world, path!))[0]);
    }
    const named = await getPublicPage(world, "/docs?q=sent-is-frozen");
    expect(/<ol class="found"><li><p[^>]*>Rules › [^<]+<\/p><a\s+href="([^"]+)"/.exec(named.text)![1]).toBe(
      "/docs/reference/rules/alert-states#sent-is-frozen",
    );
    expect(named.text).toContain('<meta name="robots" content="noindex">');
  });

  test("shows the page, the heading and an extract of each section, with the terms marked", async () => {
    const { text } = await getPublicPage(world, "/docs?q=webhook+SECRET");
    const listed = text.slice(text.indexOf('<ol class="found">'));
    const items = [...listed.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item]) => item!);
    expect(text).toMatch(/role="status">\d+ sections for <strong>webhook secret<\/strong>, showing the best 30</);
    expect(items).toHaveLength(30);
    for (const item of items)
      expect(item).toMatch(/^<p class="crumbs[^>]+>[^<]+.*<\/p><a\s+href="[^"]+">.+<\/a><p\s+class="small">.+<\/p>$/s);
    expect(items[0]).toContain(">webhook-secret</a>");
    const marked = items.flatMap((item) => [...item.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, term]) => term!));
    // Each mark has the whole of its string of letters.
    for (const marks of marked) expect(marks).toMatch(/^\w*(webhook|secret)\w*$/i);
    expect(marked).toContain("webhooks");
    const special = await getPublicPage(world, "/docs?q=%7Bpusher_id%7D+%28");
    expect(special.status).toBe(200);
  });

  test("without a result names the terms, and proposes those that are found", async () => {
    const { text } = await getPublicPage(world, "/docs?q=webhook+zebra");
    expect(text).toMatch(/No section contains all the\s+words in <q>webhook zebra<\/q>/);
    expect(text).toMatch(/Search for <a href="\/docs\?q=webhook">webhook<\/a>: \d+ sections\./);
    expect(text).not.toContain("q=zebra");
    expect(text).toContain('href="/api/v1/docs"');
  });

  test("a hostile, empty or endless search shows instructions", async () => {
    const hostile = '"><script>alert(1)</script>';
    const { status, text } = await getPublicPage(world, `/docs?q=${encodeURIComponent(hostile)}`);
    expect([status, text.match(/<script(?! src="\/static\/(docs_site|session_hint|color_scheme)\.js\?v=)/g)]).toEqual([
      200,
      null,
    ]);
    expect(text).toContain("No section contains all the");
    expect((await getPublicPage(world, "/docs?q=")).text).toContain("Enter one or more words");
    const long = await getPublicPage(world, `/docs?q=${"a".repeat(5000)}`);
    expect([long.status, long.text.includes("a".repeat(101))]).toEqual([200, false]);
  });

  // rules#page-views
  test("one address has the same limit as for other public pages", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await getPublicPage(world, "/docs?q=a", {}, "198.51.100.9")).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

test("every text of a file stays text; only anchors, pictures and line breaks are supported", () => {
  const lead = (link: string) => (link.startsWith("https:") ? link : null);
  const { body } = renderDoc(
    `# A <b>title</b>\n\n<script>alert(1)</script>\n\nOne <img src="x" onerror="alert(1)"> ` +
      `[two](javascript:alert(1)) <a id="three"></a>three ![four](data:x) [five](https://a.example/"onx) ` +
      `&lt;six> \`<i>\` <br>\n\n<!-- limit:a -->7<!-- / --> seven`,
    lead,
  );
  const text = String(body);
  expect(text.match(/<(?!\/)(\w+)[^>]*>/g)).toEqual([
    '<h1 id="a-title">',
    "<p>",
    '<span class="source" title="javascript:alert(1), in the source">',
    '<a class="anchor" id="three" href="#three" aria-label="Link to three">',
    expect.stringMatching(/^<a href="https:\/\/a\.example\/(%22|&quot;)onx" rel="noopener noreferrer">$/),
    "<code>",
    "<br>",
    "<p>",
  ]);
  expect(text).toContain("&lt;six&gt;");
  expect(text).toContain("7 seven");
});

test("a picture on its own line is a region that the keyboard scrolls", () => {
  const { body } = renderDoc("# A\n\n![four](a.png)\n\nfive\n", (link) => `/${link}`);
  expect(String(body)).toContain('<p class="picture" tabindex="0"><img src="/a.png" alt="four" loading="lazy"></p>');
  expect(String(body)).toContain("<p>five</p>");
});

test("cells of a table are separate terms to a search", () => {
  const { sections } = renderDoc("# A\n\n| one | two |\n|---|---|\n| three<br>four | five |\n", () => null);
  expect(
    sections[0]!.text
      .trim()
      .split(/\s+/)
      .filter((word) => word !== "·"),
  ).toEqual(["one", "two", "three", "four", "five"]);
});

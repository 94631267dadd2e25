// The directory and the front page, without a browser: their results, page by page, for each kind of client. A search
// reads its index and finds the same as a scan of every channel.

import type { SqlEntityManager } from "@mikro-orm/sql";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPublicChannel, listDirectoryChannelsWithLocation } from "../../src/store/queries/public_pages.ts";
import {
  searchDirectoryChannels,
  splitIntoSearchTrigrams,
} from "../../src/store/queries/subscriptions_and_directory.ts";
import { suspend } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { getPublicPage } from "../support/public_pages.ts";
import { createHandle, World } from "../support/world.ts";

const world = await openWorld();

const handlesIn = (text: string) =>
  [...text.split("<template")[0]!.matchAll(/<h2 dir="auto"><a\s+href="\/c\/([^"]+)">/g)].map(([, handle]) => handle!);
const found = async (query: Record<string, string>) =>
  handlesIn((await getPublicPage(world, `/c?${new URLSearchParams(query)}`)).text);

// rules#directory-page
describe("the directory", () => {
  test("finds public active channels by the letters of name and tags and by category, newest first", async () => {
    const mark = createHandle();
    const of = (fields: Record<string, unknown>) => world.pusher({ name: `Find ${mark}`, ...fields });
    const plain = await of({ category: "travel" });
    const tagged = await world.pusher({ name: "Another", tags: [`x-${mark}`], category: "sports" });
    const paused = await of({});
    await world.rest("update_pusher", { pusher_id: paused.id, status: "paused" });
    await of({ is_public: false });
    await suspend(world, (await of({})).handle);
    expect(await found({ q: mark })).toEqual([tagged.handle, plain.handle]);
    expect(await found({ q: mark.slice(1).toUpperCase() })).toEqual([tagged.handle, plain.handle]);
    expect(await found({ q: mark, category: "travel" })).toEqual([plain.handle]);
    expect(await found({ q: `${mark}zz` })).toEqual([]);
    // As a handset finds them.
    const { body } = await world.handset("GET", `/channels?q=${mark}`, await world.device());
    expect(body.data.map(({ handle }: any) => handle)).toEqual([tagged.handle, plain.handle]);
  });

  test("letters are found composed and decomposed", async () => {
    const mark = createHandle();
    const composed = await world.pusher({ name: `CAF\u00c9 ${mark}` });
    const decomposed = await world.pusher({ name: `cafe\u0301 ${mark}` });
    for (const q of [`caf\u00e9 ${mark}`, `CAFE\u0301 ${mark}`])
      expect(await found({ q })).toEqual([decomposed.handle, composed.handle]);
  });

  test("pages lose and repeat nothing, by links alone", async () => {
    const mark = createHandle();
    const made: string[] = [];
    for (let n = 0; n < 50; n++) made.push((await world.pusher({ name: `Page ${mark}` })).handle);
    // Several have the same time, also where a page ends.
    await world.sql(
      "update pusher set created_at = date_trunc('hour', created_at) - (row.n / 5) * interval '1 second' from " +
        "(select id, row_number() over (order by id) n from pusher where name = ?) row where row.id = pusher.id",
      [`Page ${mark}`],
    );
    const seen: string[] = [];
    let path: string | undefined = `/c?${new URLSearchParams({ q: mark })}`;
    let pages = 0;
    while (path) {
      const { text } = await getPublicPage(world, path);
      seen.push(...handlesIn(text));
      path = /<a class="button plain" rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
      pages++;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(pages).toBe(3);
  });

  test.each([
    "q=%00&category=nothing&before=yesterday",
    `q=${"a".repeat(3000)}`,
    "before=2026-99-99T00%3A00%3A00.000000Z",
    "before=2026-02-31T00%3A00%3A00.000000Z",
    "q=%ff%fe",
    "q=a&q=b&q[]=c",
    "q=%25_%5C",
  ])("shows a page for ?%s", async (query) => {
    expect((await getPublicPage(world, `/c?${query}`)).status).toBe(200);
  });

  test("repeats the search text as text alone, and is closed to crawlers then", async () => {
    const { text } = await getPublicPage(world, `/c?${new URLSearchParams({ q: '"><script>alert(1)</script>' })}`);
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(text).not.toContain("<script>");
    expect(text).toContain("No channels found");
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect((await getPublicPage(world, "/c")).text).not.toContain("noindex");
  });

  test("may request the position of the device, and runs its own script alone", async () => {
    const { headers, text } = await getPublicPage(world, "/c");
    expect(headers.get("content-security-policy")).toContain("script-src 'self'; connect-src 'self'");
    expect(headers.get("permissions-policy")).toContain("geolocation=(self)");
    expect([...text.matchAll(/<script/g)]).toHaveLength(4);
    const held = { headers: { "if-none-match": headers.get("etag")! } };
    expect((await getPublicPage(world, "/c", held)).status).toBe(304);
  });

  // rules#near-me
  test("returns one list of channels with a circle, with its validator", async () => {
    const placed = await world.pusher({ name: "Placed", lat: 1, lon: 2, radius_km: 3 });
    const hidden = await world.pusher({ is_public: false, lat: 1, lon: 2, radius_km: 3 });
    const nowhere = await world.pusher();
    const { text, headers } = await getPublicPage(world, "/c/near.json");
    const { data, more } = JSON.parse(text);
    const handles = data.map(({ handle }: any) => handle);
    expect(more).toBe(false);
    expect(handles).toContain(placed.handle);
    expect(handles).not.toContain(hidden.handle);
    expect(handles).not.toContain(nowhere.handle);
    expect(data[0]).toMatchObject({ name: "Placed", lat: 1, lon: 2, radius_km: 3 });
    const held = { headers: { "if-none-match": headers.get("etag")! } };
    expect((await getPublicPage(world, "/c/near.json", held)).status).toBe(304);
    const zipped = await getPublicPage(world, "/c/near.json", { headers: { "accept-encoding": "gzip" } });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
  });
});

// rules#front-page
describe("the front page", () => {
  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

  test.each([
    [null, false],
    ["*/*", false],
    ["application/json", false],
    ["application/json, text/html;q=0.9", false],
    ["text/html;q=0", false],
    ["text/html;q=nonsense", false],
    [BROWSER, true],
    ["text/html, application/json", true],
    ["TEXT/HTML", true],
  ])("answers accept %s with a page: %s", async (accept, page) => {
    for (const method of ["GET", "HEAD"]) {
      const seen = await getPublicPage(world, "/", { method, headers: { accept: accept ?? "" } });
      expect(seen.status).toBe(200);
      expect(seen.headers.get("vary")).toBe("accept");
      expect(seen.headers.get("content-type")).toBe(page ? "text/html; charset=utf-8" : "application/json");
      if (method === "HEAD") expect(seen.text).toBe("");
    }
  });

  test("links people to pages, and programs to all addresses: each address responds", async () => {
    const page = (await getPublicPage(world, "/", { headers: { accept: BROWSER } })).text;
    for (const href of ["/c", "/app/", "/console", "/api/v1/docs", "/api/v1/openapi.json"])
      expect(page).toContain(`href="${href}"`);
    expect(page).toContain('data-copy="the address"><code>http://localhost:8787/mcp</code>');
    const copyScript = /src="(\/static\/copy\.js[^"]*)"/.exec(page)![1]!;
    expect((await getPublicPage(world, copyScript)).status).toBe(200);
    // A picture of a phone has an urgent alert and a normal one.
    expect(page).toContain('class="phone" aria-labelledby="examples"');
    expect([...page.matchAll(/<article class="(alert[^"]*)"/g)].map(([, classes]) => classes)).toEqual([
      "alert urgent",
      "alert",
    ]);
    const listed = JSON.parse((await getPublicPage(world, "/", { headers: { accept: "*/*" } })).text);
    expect(listed).toEqual({
      name: "Belfry",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      mcp: "http://localhost:8787/mcp",
      api: "http://localhost:8787/api/v1",
      handset: "http://localhost:8787/handset/v1",
      openapi: "http://localhost:8787/api/v1/openapi.json",
      docs: "http://localhost:8787/api/v1/docs",
      channels: "http://localhost:8787/c",
      console: "http://localhost:8787/console",
    });
    for (const address of [listed.openapi, listed.docs, listed.channels])
      expect((await getPublicPage(world, address)).status).toBe(200);
    expect((await getPublicPage(world, `${listed.api}/me`)).status).toBe(401);
    expect((await getPublicPage(world, `${listed.handset}/inbox`)).status).toBe(401);
  });

  test("crawlers read public pages and nothing else", async () => {
    const robots = await getPublicPage(world, "/robots.txt");
    expect(robots.text).toBe("User-agent: *\nAllow: /$\nAllow: /c$\nAllow: /c/\nAllow: /static/\nDisallow: /\n");
    const accept = (type: string) => getPublicPage(world, "/", { headers: { accept: type } });
    for (const { headers } of [robots, await accept("text/html"), await accept("application/json")])
      for (const name of ["x-content-type-options", "cache-control", "x-request-id"])
        expect([name, headers.get(name)]).toEqual([name, expect.any(String)]);
  });
});

// rules#search-is-indexed
describe("with 20,000 channels", () => {
  let many: World;
  const WORDS = ["river", "bridge", "bakery", "night", "watch", "harbour", "über", "日本語", "e\u0301t", "%_\\"];

  beforeAll(async () => {
    many = await World.open();
    await many.pusher({ handle: "the-rare-one", name: "Quixotry zwölf", tags: ["jazz"] });
    const workspace = "(select workspace_id from pusher limit 1)";
    const em = many.service.orm.em.fork() as SqlEntityManager;
    await em.execute(
      `insert into pusher (id, workspace_id, handle, name, category, description, requested_perms, alert_types, tags,
        is_public,
         gradient_from, gradient_to, initials, search_text, created_at)
       select gen_random_uuid(), ${workspace}, 'many-' || n, w || n, 'community', 'd', '{}', '{}', '{}', n % 10 <> 0,
         '#000000', '#000000', 'M', w || ' ' || n, now() - n * interval '1 second'
       from (select n, (array[${WORDS.map(() => "?").join(",")}])[1 + n % ${WORDS.length}] as w from generate_series(1,
         20000) n) s`,
      // Composed, as the service stores texts.
      WORDS.map((word) => word.normalize()) as never,
    );
    await em.transactional(async (inside) => {
      const on = inside as SqlEntityManager;
      // The triggers keep counters row by row; what is looked at here reads none.
      await on.execute("set local session_replication_role = replica");
      await on.execute(
        `insert into alert (id, pusher_id, status, title, sent_at)
         select gen_random_uuid(), p.id, 'sent', 'T', now() - n * interval '1 minute'
         from (select id from pusher limit 20) p, generate_series(1, 1000) n`,
      );
    });
    for (const table of ["pusher", "alert"]) await em.execute(`analyze ${table}`);
  });
  afterAll(() => many.close());

  interface Plan {
    "Node Type": string;
    "Relation Name"?: string;
    "Index Name"?: string;
    Plans?: Plan[];
  }
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

  /** PostgreSQL's plan of a statement; `values` is SQL by parameter. */
  async function planOf(
    mode: string,
    statement: { text: string; parameters: readonly (readonly [string, unknown])[] },
    values: Record<string, string>,
  ) {
    const em = many.service.orm.em.fork() as SqlEntityManager;
    return em.transactional(async (inside) => {
      const on = inside as SqlEntityManager;
      await on.execute(`set local plan_cache_mode = ${mode}`);
      await on.execute(`prepare measured as ${statement.text}`);
      const given = statement.parameters.map(([name]) => values[name]).join(", ");
      const [row] = await on.execute<any[]>(`explain (format json) execute measured${given && `(${given})`}`);
      await on.execute("deallocate measured");
      return nodes(row["QUERY PLAN"][0].Plan);
    });
  }

  test.each(["force_custom_plan", "force_generic_plan"])("no page reads all of them (%s)", async (mode) => {
    const list = (texts: string[]) => `array[${texts.map((one) => `'${one}'`).join(",")}]::text[]`;
    const search = (find: string) => ({
      device_id: "null",
      find: `'${find}'`,
      ngrams: list(splitIntoSearchTrigrams(find)),
      category: "null",
      before: "null",
      limit: "25",
    });
    const [busy] = await many.sql<{ handle: string }>(
      "select handle from pusher where id = (select pusher_id from alert limit 1)",
    );
    const plans = {
      rare: await planOf(mode, searchDirectoryChannels, search("quixotry")),
      none: await planOf(mode, searchDirectoryChannels, search("no such thing")),
      letter: await planOf(mode, searchDirectoryChannels, search("q")),
      common: await planOf(mode, searchDirectoryChannels, search("harbour 1")),
      channel: await planOf(mode, findPublicChannel, {
        handle: `'${busy!.handle}'`,
        code: "null",
        due: "false",
        limit: "10",
      }),
      placed: await planOf(mode, listDirectoryChannelsWithLocation, { limit: "1001" }),
    };
    for (const [name, plan] of Object.entries(plans)) {
      const whole = plan.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"]);
      expect([name, whole]).toEqual([name, whole.filter((table) => table !== "pusher" && table !== "alert")]);
    }
    const indexes = (plan: Plan[]) => plan.map((node) => node["Index Name"]).filter(Boolean);
    for (const name of ["rare", "none", "letter", "common"] as const)
      expect(indexes(plans[name])).toContain("pusher_search");
    expect(indexes(plans.channel)).toEqual(expect.arrayContaining(["pusher_handle", "alert_inbox"]));
    expect(indexes(plans.placed)).toContain("pusher_geofenced");
  });

  // rules#directory
  test("a search finds what looking at every channel would find", async () => {
    const device = await many.device();
    const piece = fc.oneof(
      fc.constantFrom(...WORDS, "quixotry", "jazz", "wölf", " 7", "1", "%", "_", "\\", "日", "ü", "É"),
      fc.string({ minLength: 1, maxLength: 4 }).filter((text) => text.trim() !== "" && !/[\p{C}]/u.test(text)),
    );
    await fc.assert(
      fc.asyncProperty(piece, piece, fc.nat(6), async (one, other, from) => {
        const find =
          [...one, ...other]
            .slice(from, from + 6)
            .join("")
            .trim() || "r";
        const wanted = await many.sql<{ handle: string }>(
          `select handle from pusher where is_public and status = 'active' and position(? in search_text) > 0
           order by created_at desc limit 20`,
          [find.normalize().toLowerCase()],
        );
        const query = new URLSearchParams({ q: find, limit: "20" });
        const { status, body } = await many.handset("GET", `/channels?${query}`, device);
        expect([find, status]).toEqual([find, 200]);
        expect(body.data.map(({ handle }: any) => handle)).toEqual(wanted.map(({ handle }) => handle));
      }),
      { numRuns: 60 },
    );
  });
});

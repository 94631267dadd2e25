// Every page that the console answers, as routes.ts lists them, with a workspace in use behind it: nothing sideways at three widths,
// nothing for axe, no heavy page. A new page is visited without a word here, or fails for want of an id. Walks of some pages look closer.
// PICTURES=docs/pictures keeps the pictures of docs/console.md.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join as joinPath } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { PAGES } from "../../src/console/routes.ts";
import { parseId, showId } from "../../src/domain/ids.ts";
import { addMember } from "../../src/operator/accounts.ts";
import grant_connection from "../../src/session/grant_connection.ts";
import { inBrowser, siteAndBrowser } from "../support/in_browser.ts";
import { register, request, USUAL } from "../support/oauth.ts";
import { SILENT, signedIn } from "../support/sessions.ts";
import { signIn, Visitor, watched } from "../support/site.ts";
import { inSeconds } from "../support/world.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const OWNER = { name: "Ada Ferreira", email: "owner@example.org", password: "correct horse battery" };
/** The most bytes that a page may take, with all that it asks for. */
const HEAVIEST = 150_000;
const PICTURES = process.env.PICTURES;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC",
  "base64",
);

/** They tell what went wrong when nothing led to them. */
const REFUSING = new Set(["/console/consent", "/api/auth/error"]);
/** Shown in a frame of another page, where scripts cannot look. */
const FRAMED = "/console/:workspace/channels/:pusher/alerts/:alert/page";

/** Widths, and where axe looks, in which scheme: the narrowest layout and the widest, and each colour once. */
const LOOKS = [
  [320, "light"],
  [390, null],
  [1280, "dark"],
] as const;

/** Drawn for docs/console.md. */
const DRAWN = [
  { name: "overview", path: "", width: 1280, height: 860, colorScheme: "light" },
  {
    name: "compose",
    path: "channels/:pusher/alerts/:alert/edit",
    width: 1280,
    height: 900,
    colorScheme: "light",
  },
  { name: "review", path: "channels/:pusher/alerts/:alert", width: 390, height: 844, colorScheme: "light" },
  { name: "statistics", path: "channels/:pusher/stats", width: 1280, height: 900, colorScheme: "dark" },
  { name: "webhooks", path: "webhooks/:webhook", width: 1280, height: 1320, colorScheme: "light" },
  { name: "audit", path: "audit", width: 1280, height: 900, colorScheme: "dark" },
] as const;

inBrowser("every page of the console", () => {
  const here = siteAndBrowser({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });
  /** What stands for a parameter of a path; where several pages say `:id`, the part before it tells which. */
  const ids: Record<string, string> = {};
  let signed: Awaited<ReturnType<BrowserContext["storageState"]>>;
  let authorize: string;

  beforeAll(async () => {
    const { site, browser } = here;
    await new Visitor(site.world, site.url).join(await site.link(), OWNER);
    const { page, context } = await watched(browser, site);
    await page.goto(`${site.url}/console`);
    await signIn(page, OWNER);
    await page.waitForURL(/wsp_/);
    ids.workspace = site.world.workspace.id;
    await inUse();
    await page.goto(`${site.url}/console/${ids.workspace}/files`);
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "platform-4.png", mimeType: "image/png", buffer: PNG });
    await page.getByRole("button", { name: "Upload" }).click();
    ids["files/:id"] = (await page.locator("tbody pre").first().textContent())!;
    await page.goto(`${site.url}/console/${ids.workspace}/keys`);
    ids["keys/:id"] = await idIn(page, /keys\/(\w+)\/revoke/);
    await page.goto(`${site.url}/console/${ids.workspace}/assistants`);
    ids["assistants/:id"] = await idIn(page, /assistants\/(\w+)\/disconnect/);
    await page.goto(`${site.url}/console/account`);
    ids["passkeys/:id"] = await idIn(page, /passkeys\/([^/"]+)\/remove/);
    ids["sessions/:id"] = (await site.world.sql("select id from auth.session limit 1"))[0].id;
    signed = await context.storageState();
    await context.close();
  });

  const idIn = async (page: Page, path: RegExp) => path.exec(await page.content())![1]!;
  /** A news desk with three channels, an assistant, subscribers, sent and planned alerts, and a webhook. */
  async function inUse(): Promise<void> {
    const { world } = here.site;
    await world.sql("update workspace set name = 'City Desk' where id = ?", [parseId("wsp", ids.workspace!)]);
    const [{ id: ownerId, user_id }] = await world.sql(
      "select id, user_id from member where email = ? and user_id is not null",
      [OWNER.email],
    );
    const { client_id } = (await register(world, { ...USUAL, client_name: "Desk assistant" })).body;
    authorize = request(client_id, { prompt: "consent", resource: `${here.site.url}/mcp` }).path;
    const caller = await signedIn(world, user_id, parseId("wsp", ids.workspace!)!);
    await world.service.dispatcher.session(grant_connection, caller, {
      args: {
        ...{ grant_id: globalThis.crypto.randomUUID(), client_id, pusher_id: null },
        scopes: ["pushers:read", "alerts:write"],
      },
      log: SILENT,
    });
    const ada = await world.key({ name: "Departure board", member: showId("mem", ownerId) });
    const robot = await world.key({
      name: "Timetable robot",
      member: showId("mem", ownerId),
      scopes: "pushers:read,alerts:read,alerts:write",
    });
    const rui = { workspace: world.workspace.id, email: "rui@example.org", role: "editor" };
    ids["members/:id"] = (await addMember(world.service.orm.em.fork() as never, rui)).id;

    const trains = await world.pusher(
      {
        handle: "night-trains",
        name: "Night Trains",
        category: "travel",
        city: "Lisbon",
        description: "Delays and tracks of the trains that leave after nine",
        requested_perms: ["notify", "sound", "vibrate"],
      },
      ada,
    );
    const river = await world.pusher(
      {
        handle: "tejo-floods",
        name: "Tejo Flood Desk",
        city: "Santarém",
        requested_perms: ["notify", "sound", "full"],
      },
      ada,
    );
    const hall = await world.pusher(
      { handle: "coliseu", name: "Coliseu Concerts", city: "Porto", requested_perms: ["notify"] },
      ada,
    );
    ids.pusher = trains.id;
    await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        world.device(
          trains.handle,
          ...(i % 3 === 0 ? [river.handle] : []),
          ...(i % 4 === 0 ? [hall.handle] : []),
        ),
      ),
    );
    const write = async (key: string, pusher_id: string, fields: object) => {
      const { status, body } = await world.rest("create_alert", { pusher_id, ...fields }, key);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    };
    await write(ada, hall.id, {
      title: "Doors open at 20:00 for Ana Moura",
      send: true,
      send_at: inSeconds(86_400),
    });
    await write(ada, river.id, {
      title: "Sandbags at the fire station until 18:00",
      priority: "important",
      send: true,
    });
    const sent = await write(ada, trains.id, {
      title: "21:39 to Faro leaves from track 7",
      body: "Track 2 is closed for repairs.",
      send: true,
      requires_ack: true,
    });
    const reports = ["read", "ack"].map((kind) => ({ alert_id: sent.id, kind }));
    await world.handset("POST", "/reports", await world.device(trains.handle), { reports });
    const call = { pusher_id: trains.id };
    const draft = await world.mcp(
      "create_alert",
      {
        ...call,
        title: "Night train to Porto leaves 25 minutes late",
        body: "The 22:10 waits for the ferry from Barreiro. It leaves from track 4.",
        layout: "html",
        html: "<h2>Track 4, at 22:35</h2><p>Seats 1 to 60 board from the front, the sleeping car from the rear.</p>",
        priority: "important",
        sound: "chime",
        requires_ack: true,
        actions: [{ type: "open_url", label: "Live board", url: "https://example.org/board" }],
        review_note: "The control room told me at 21:50. The ferry is due at 22:20.",
      },
      robot,
    );
    ids.alert = draft.body.id;
    await world.rest("update_alert", { ...call, alert_id: ids.alert, sound: "bell" }, robot);
    ids.invite = (await world.rest("create_invite", { ...call, label: "Poster at platform 4" }, ada)).body.id;
    await world.sql(
      `insert into channel_day (pusher_id, day, published, reads, acks)
       select id, current_date - n, 1 + (n * 7) % 4, 9 + (n * 13) % 17, 3 + (n * 5) % 9
       from pusher cross join generate_series(1, 29) n where handle in ('night-trains', 'tejo-floods')`,
    );
    const { body: hook } = await world.rest(
      "create_webhook",
      {
        url: "https://93.184.216.34/belfry",
        events: ["alert.sent", "alert.cancelled", "subscriber.created"],
      },
      ada,
    );
    ids.webhook = hook.id;
    await world.sql(
      `insert into webhook_delivery (id, endpoint_id, event_id, event, body, ok, status, failure, duration_ms, created_at)
       select gen_random_uuid(), ?, gen_random_uuid(), (array['alert.sent', 'subscriber.created'])[1 + n % 2], '{}', n > 3,
         case when n > 3 then 204 when n > 1 then 502 end, case when n > 3 then null when n > 1 then 'status' else 'timeout' end,
         case when n > 1 then 40 + n * 17 else 5000 end, now() - n * interval '11 minutes'
       from generate_series(1, 9) n`,
      [parseId("whk", hook.id)],
    );
    await world.sql(
      "update webhook_endpoint set created_at = now() - interval '40 days', url = 'https://board.example.org/belfry', failure_count = 20, disabled_at = now() - interval '9 minutes', last_delivery_at = now() - interval '11 minutes', last_status = null",
    );
    await world.sql(
      `insert into auth.passkey (id, name, "userId", "publicKey", "credentialID", counter, "deviceType", "backedUp", "createdAt")
       values ('one', 'Laptop', ?, '', '', 0, 'multiDevice', true, now())`,
      [user_id],
    );
  }

  /** An address with an id for each parameter. @throws Error for a parameter that nothing above stands for */
  function addressOf(path: string): string {
    if (path === "/api/auth/oauth2/authorize") return authorize;
    return path.replace(/(\w*)\/:(\w+)/g, (_, before: string, name: string) => {
      const id = ids[name] ?? ids[`${before}/:${name}`];
      if (!id) throw new Error(`nothing stands for :${name} of ${path}`);
      return `${before}/${id}`;
    });
  }

  const visitor = (path: string, options = {}) => {
    const open = PAGES.some((page) => page.path === path && page.for === "anyone");
    const known = !open || /consent|authorize/.test(path);
    return watched(here.browser, here.site, known ? { ...options, storageState: signed } : options);
  };

  /** All bytes that a page brought, as long as they are unpacked. */
  const weight = (page: Page) =>
    page.evaluate<number>(
      `["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
        .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`,
    );

  const read = PAGES.filter(({ method, path }) => method === "GET" && path !== FRAMED);

  test.each(read.map(({ path }) => path))("GET %s", async (path) => {
    const { context, page, faults } = await visitor(path);
    const at = here.site.url + addressOf(path);
    if (/\.(csv|svg|png)$/.test(path)) {
      const file = await context.request.get(at);
      expect([file.status(), (await file.body()).length < HEAVIEST]).toEqual([200, true]);
      return context.close();
    }
    const answer = (await page.goto(at))!;
    expect(answer.status() < (REFUSING.has(path) ? 500 : 300)).toBe(true);
    expect(await weight(page)).toBeLessThan(HEAVIEST);
    expect(faults).toEqual([]);
    await page.evaluate("for (const more of document.querySelectorAll('details')) more.open = true");
    await page.evaluate(AXE);
    for (const [width, colorScheme] of LOOKS) {
      await page.emulateMedia({ colorScheme: colorScheme ?? "light" });
      await page.setViewportSize({ width, height: 844 });
      expect([width, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([width, width]);
      if (colorScheme === null) continue;
      // Colours that are still on their way to the other scheme are nobody's.
      await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
      const { violations } = await page.evaluate<any>("axe.run()");
      const found = violations.flatMap(({ id, nodes }: any) =>
        nodes.map(({ html }: any) => `${id}: ${html}`),
      );
      expect([colorScheme, width, found]).toEqual([colorScheme, width, []]);
    }
    await context.close();
  });

  test("the page of an alert in its frame is small, and asks for nothing", async () => {
    const { context, page, faults } = await visitor(FRAMED);
    const answer = (await page.goto(here.site.url + addressOf(FRAMED)))!;
    expect([answer.status(), (await answer.body()).length < HEAVIEST]).toEqual([200, true]);
    expect(answer.headers()["content-security-policy"]).toContain("sandbox");
    expect(faults.filter((fault) => !fault.startsWith("inline"))).toEqual([]);
    await context.close();
  });

  test.each(PICTURES ? DRAWN : [])("draws $name", async ({ name, path, width, height, colorScheme }) => {
    const { context, page } = await visitor(path, { colorScheme, viewport: { width, height } });
    await page.goto(here.site.url + addressOf(`/console/:workspace/${path}`));
    const picture = sharp(await page.screenshot()).png({ palette: true, effort: 10 });
    writeFileSync(joinPath(PICTURES!, `console_${name}.png`), await picture.toBuffer());
    await context.close();
  });
});

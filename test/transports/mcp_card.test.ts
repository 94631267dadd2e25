// The card in a chat (MCP Apps): which clients get it, and what it draws in a host made of the package's own bridge.

import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { LATEST_PROTOCOL_VERSION, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge";
import { EXTENSION_ID } from "@modelcontextprotocol/ext-apps/server";
import type { Frame, Page } from "playwright-core";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { CARD_URI, MCP_APP_CONTENT_TYPE, supportsMcpCards, UI_EXTENSION } from "../../src/api/transports/mcp_card.ts";
import { getToolList } from "../../src/api/transports/mcp_tool_list.ts";
import { renderToolResultCard, type ToolResultCard } from "../../src/pages/web_app/mcp_card/tool_result_card.ts";
import { launchBrowser, type SharedBrowser } from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { listAxeFindings } from "../support/page_checks.ts";
import { ROOT } from "../support/processes.ts";
import { World } from "../support/world.ts";

const EXTENSION = { [UI_EXTENSION]: { mimeTypes: [MCP_APP_CONTENT_TYPE] } };
const WITH_CARD = [
  ...["create_alert", "duplicate_alert", "get_alert", "get_alert_stats", "get_pusher_stats", "preview_html"],
  "update_alert",
];

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world?.close();
});

async function connect(mode: "auto" | "legacy", extensions?: Record<string, any>): Promise<Client> {
  const capabilities = extensions ? { extensions } : {};
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
      authProvider: { token: async () => world.owner },
      fetch: (url, init) => {
        const headers = new Headers(init?.headers);
        headers.set("host", "localhost");
        return Promise.resolve(world.service.app.fetch(new Request(url, { ...init, headers })));
      },
    }),
  );
  return client;
}

test("the names and versions are the package's", () => {
  expect([UI_EXTENSION, MCP_APP_CONTENT_TYPE]).toEqual([EXTENSION_ID, RESOURCE_MIME_TYPE]);
  expect(LATEST_PROTOCOL_VERSION).toBe("2026-01-26");
});

test.each([
  [{ extensions: EXTENSION }, true],
  [undefined, false],
  [null, false],
  [{ extensions: null }, false],
  [{ extensions: { [UI_EXTENSION]: {} } }, false],
  [{ extensions: { [UI_EXTENSION]: { mimeTypes: MCP_APP_CONTENT_TYPE } } }, false],
  [{ extensions: { [UI_EXTENSION]: { mimeTypes: ["text/html"] } } }, false],
])("a client with the capabilities %j: %s", (capabilities, draws) => {
  expect(supportsMcpCards(capabilities)).toBe(draws);
});

// rules#mcp-card
describe.each(["auto", "legacy"] as const)("a client: %s", (mode) => {
  test("with the extension, it gets the card for seven tools", async () => {
    const client = await connect(mode, EXTENSION);
    expect(client.getServerCapabilities()).toMatchObject({ resources: {}, extensions: { [UI_EXTENSION]: {} } });
    const { tools } = await client.listTools();
    const carded = tools.filter(({ _meta }) => _meta !== undefined);
    expect(carded.map(({ name }) => name).sort()).toEqual(WITH_CARD);
    for (const { _meta } of carded) expect(_meta).toEqual({ ui: { resourceUri: CARD_URI } });
    expect(tools.map(({ _meta, ...tool }) => tool)).toEqual(JSON.parse(JSON.stringify(getToolList(OPERATIONS).tools)));
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([[CARD_URI, MCP_APP_CONTENT_TYPE]]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    const { contents } = await client.readResource({ uri: CARD_URI });
    expect(contents).toEqual([
      {
        uri: CARD_URI,
        mimeType: MCP_APP_CONTENT_TYPE,
        text: expect.any(String),
        _meta: { ui: { prefersBorder: false } },
      },
    ]);
    const { text } = contents[0] as { text: string };
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    // Browsers do not request the namespaces of drawings.
    expect(text.replaceAll("http://www.w3.org/", "")).not.toMatch(/\b(?:src|href)="?https?:|@import|url\(h/);
    await expect(client.readResource({ uri: "ui://belfry/other.html" })).rejects.toMatchObject({
      code: -32_602,
      data: { uri: "ui://belfry/other.html" },
    });
    await client.close();
  });

  test.each([undefined, { [UI_EXTENSION]: { mimeTypes: ["text/plain"] } }])(
    "with the extensions %j, it sees no card and no resources",
    async (extensions) => {
      const client = await connect(mode, extensions);
      const { resources, extensions: offered, ...others } = client.getServerCapabilities()!;
      expect([resources, offered]).toEqual([undefined, undefined]);
      expect(Object.keys(others).sort()).toEqual(["prompts", "tools"]);
      const { tools } = await client.listTools();
      expect(tools).toEqual(JSON.parse(JSON.stringify(getToolList(OPERATIONS).tools)));
      // The client itself does not send it without the capability.
      const read = client.request({ method: "resources/read", params: { uri: CARD_URI } });
      await expect(read).rejects.toMatchObject({ code: -32_602, data: { uri: CARD_URI } });
      const list = client.request({ method: "resources/list" });
      await expect(list).rejects.toThrow(/-32601|Method not found/);
      await client.close();
    },
  );
});

describe("statistics of an alert", () => {
  const drawStats = (body: object) =>
    renderToolResultCard({
      body: { reach: 9, totals: { reads: 5 }, buckets: [], note: "Devices prune <old> reports.", ...body },
      ...({ isError: false, channel: null, now: new Date(0) } satisfies Omit<ToolResultCard, "body">),
    }).toString();

  test("bars are at their times: half hours in the first six hours, then hours", () => {
    const starts = ["2026-11-20T08:00:00.000000Z", "2026-11-20T13:30:00.000000Z", "2026-11-20T17:00:00.000000Z"];
    const html = drawStats({ buckets: starts.map((start) => ({ start, reads: 1, acks: 0 })) });
    const bars = [...html.matchAll(/<rect [^>]*x="([^"]+)"[^>]*width="([^"]+)"/g)].map(([, x, width]) => [x, width]);
    expect(bars).toEqual([
      ["0.5%", "4%"],
      ["55.5%", "4%"],
      ["91%", "8%"],
    ]);
  });

  test("days are at equal distances", () => {
    const buckets = ["19", "20", "21", "22"].map((day) => ({ date: `2026-11-${day}`, reads: 2, acks: 0 }));
    const places = [...drawStats({ buckets }).matchAll(/ x="([^"]+)"/g)].map(([, x]) => x);
    expect(places).toEqual(["2.5%", "27.5%", "52.5%", "77.5%"]);
  });

  test.each([[[]], [[{ start: "2026-11-20T08:00:00.000000Z", reads: 0, acks: 1 }]]])(
    "totals whose times are pruned have no bars: %j",
    (buckets) => {
      const html = drawStats({ buckets });
      expect(html).toMatch(/Reported reads<\/dt><dd>5</);
      expect(html).not.toMatch(/∞|NaN|class="bars"/);
    },
  );

  // rules#stats-note
  test("the note is the hint, and a sample is named", () => {
    expect(drawStats({})).toContain(`<p class="hint">Devices prune &lt;old&gt; reports.</p>`);
    expect(drawStats({ sampled: false })).not.toContain("sample");
    expect(drawStats({ sampled: true })).toContain("The bars show a sample of the reports. The totals are exact.");
    expect(drawStats({ note: undefined })).toContain("These counts come from device reports.");
  });
});

/** The script of a chat: it shows the card in a sandboxed frame, through the package's bridge. */
async function buildHost(): Promise<string> {
  const { output } = await build({
    input: join(ROOT, "test/support/mcp_card_host.js"),
    platform: "browser",
    write: false,
    logLevel: "silent",
    output: { format: "iife" },
  });
  return output[0].code.replaceAll("</script", "<\\/script");
}

const HOSTILE = `</script></style></main><img src=x onerror="top.hit=1"><script>hit=1</script>'"\${1}`;

describeInBrowser("in a host", () => {
  let browser: SharedBrowser;
  let client: Client;
  let page: Page;
  let html: string;
  let pusher_id: string;
  /** Requests that left the browser. A blocked one does not reach the route. */
  const requests: string[] = [];
  const opened: string[] = [];
  const called: string[] = [];
  let opens = true;
  /** The host calls tools after it. */
  let found = Promise.resolve();

  beforeAll(async () => {
    client = await connect("auto", EXTENSION);
    const { contents } = await client.readResource({ uri: CARD_URI });
    html = (contents[0] as { text: string }).text;
    pusher_id = (await world.pusher({ name: `Quay ${HOSTILE}`.slice(0, 60) })).id;
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 390, height: 844 }, timezoneId: "Europe/Paris" });
    await page.route("http://away.test/**", (route) => {
      requests.push(route.request().url());
      return route.abort();
    });
    const script = await buildHost();
    await page.route("http://chat.test/", (route) =>
      route.fulfill({ contentType: "text/html", body: `<!doctype html><body><script>${script}</script>` }),
    );
    await page.exposeFunction("openLink", ({ url }: { url: string }) => {
      opened.push(url);
      return opens ? {} : { isError: true };
    });
    await page.exposeFunction("callTool", async (call: { name: string; arguments: Record<string, unknown> }) => {
      called.push(call.name);
      await found;
      return client.callTool(call);
    });
    await page.goto("http://chat.test/");
  });
  afterAll(async () => {
    await browser?.close();
    await client?.close();
  });

  /** Calls a tool as the model would, and shows its result. */
  async function show(
    name: string,
    input: Record<string, unknown>,
    {
      theme = "light",
      capabilities = { openLinks: {}, serverTools: {} } as object,
      textOnly = false,
      locale = "en",
      timeZone = "UTC",
    } = {},
  ): Promise<{ frame: Frame; result: any }> {
    const whole = await client.callTool({ name, arguments: input });
    const result = textOnly ? { content: whole.content } : whole;
    const hostContext = { theme, locale, timeZone };
    await page.evaluate((opening) => (globalThis as any).openCard(opening), {
      ...{ html, hostContext, capabilities, input, result },
    });
    const frame = page.frames().at(-1)!;
    await frame.waitForSelector("#card > :not(p.hint:only-child)");
    return { frame, result };
  }

  const compose = (more: Record<string, unknown> = {}) => ({
    pusher_id,
    title: "Ferry moved to pier 4",
    body: "The ferry of 07:30 leaves from pier 4.",
    priority: "urgent",
    sound: "siren",
    requires_ack: true,
    actions: [
      { type: "reply", label: "Are you on board?", choices: ["Yes", "No"] },
      { label: "Timetable", url: "https://example.org/t" },
    ],
    ...more,
  });

  const background = (frame: Frame) =>
    frame.evaluate(`getComputedStyle(document.querySelector(".alert")).borderTopColor`);

  test("an alert is drawn as devices show it, and its button opens the review page", async () => {
    const { frame, result } = await show("create_alert", compose());
    await frame.waitForSelector(".reach");
    const text = await frame.innerText("#card");
    for (const part of ["Draft", "Ferry moved to pier 4", "URGENT", "Acknowledge", "Are you on board?", "Siren"])
      expect(text.toLowerCase()).toContain(part.toLowerCase());
    expect(text).toContain("This alert could reach 0 devices.");
    const [note] = result.structuredContent.notes;
    expect(text).toContain(note.message);
    expect(await frame.locator("button").allInnerTexts()).toEqual(["Open review page"]);
    expect(await frame.locator("a").count()).toBe(0);
    const before = called.length;
    await frame.click("#review");
    await expect.poll(() => opened.at(-1)).toBe(result.structuredContent.review_url);
    // Only reading calls, and none by the button.
    expect(called.slice(before)).toEqual([]);
    expect([...new Set(called)]).toEqual(["get_pusher"]);
    expect(await page.locator("iframe").evaluate((element) => element.clientHeight)).toBeGreaterThan(300);
  });

  test("the host's theme decides about the colours, also later", async () => {
    const { frame } = await show("create_alert", compose(), { theme: "dark" });
    const dark = await background(frame);
    await frame.waitForSelector(".reach");
    expect(await listAxeFindings(frame as unknown as Page, "dark")).toEqual([]);
    await page.evaluate(() => (globalThis as any).changeContext({ theme: "light" }));
    await expect.poll(() => background(frame)).not.toBe(dark);
    expect(await listAxeFindings(frame as unknown as Page)).toEqual([]);
    expect(await page.evaluate(() => (globalThis as any).closeCard())).toEqual({});
  });

  test("a refused link leaves the address as text", async () => {
    opens = false;
    const { frame, result } = await show("create_alert", compose());
    await frame.click("#review");
    await expect.poll(() => frame.innerText("#address")).toBe(result.structuredContent.review_url);
    opens = true;
    expect(await frame.locator("[role=status]").getAttribute("id")).toBe("address");
    // A context that the host sends later, as after a change of size, draws no part again.
    await frame.evaluate("globalThis.before = [...document.querySelectorAll('#card *')]");
    const containerDimensions = { width: 390, maxHeight: 700 };
    await page.evaluate((context) => (globalThis as any).changeContext(context), {
      theme: "dark",
      containerDimensions,
    });
    await expect.poll(() => frame.evaluate("document.documentElement.dataset.colorScheme")).toBe("dark");
    expect(await frame.innerText("#address")).toBe(result.structuredContent.review_url);
    expect(await frame.evaluate("document.activeElement.id")).toBe("review");
    expect(await frame.evaluate("before.every((element) => element.isConnected)")).toBe(true);
  });

  test("a channel that is found later keeps the focus and the refused address", async () => {
    opens = false;
    let release = () => {};
    found = new Promise((resolve) => {
      release = resolve;
    });
    const { frame, result } = await show("create_alert", compose());
    await frame.click("#review");
    await expect.poll(() => frame.innerText("#address")).toBe(result.structuredContent.review_url);
    expect(await frame.locator(".reach").count()).toBe(0);
    release();
    await frame.waitForSelector(".reach");
    expect(await frame.innerText("#address")).toBe(result.structuredContent.review_url);
    expect(await frame.evaluate("document.activeElement.id")).toBe("review");
    opens = true;
  });

  test.each([
    ["en_US", "America/New_York", "Nov 20, 2100, 4:30 AM"],
    ["de-CH", "Asia/Kolkata", "20.11.2100, 15:00"],
    ["en", "Mars/Olympus", "20 Nov 2100, 09:30 UTC"],
    ["en_US.UTF-8", "Asia/Kolkata", "20 Nov 2100, 09:30 UTC"],
  ])("times of the host %s, %s: %s", async (locale, timeZone, words) => {
    const input = compose({ send_at: "2100-11-20T09:30:00Z" });
    const { frame } = await show("create_alert", input, { locale, timeZone });
    await frame.waitForSelector(".reach");
    const readTime = async () => (await frame.innerText(".alert time")).replaceAll(/\s/g, " ");
    expect(await readTime()).toBe(words);
    await page.evaluate((context) => (globalThis as any).changeContext(context), { locale: "en_GB", timeZone: "UTC" });
    await expect.poll(readTime).toBe("20 Nov 2100, 09:30");
  });

  test("a host without tools, which passes on texts only, shows the alert without its channel", async () => {
    const before = called.length;
    const { frame } = await show("create_alert", compose(), { capabilities: {}, textOnly: true });
    expect(await frame.innerText(".alert h3")).toBe("Ferry moved to pier 4");
    expect(await frame.locator(".reach").count()).toBe(0);
    expect(called).toHaveLength(before);
  });

  test("hostile texts stay texts", async () => {
    const actions = [
      { type: "reply", label: HOSTILE.slice(0, 40), choices: [HOSTILE.slice(0, 40)] },
      { label: HOSTILE.slice(9, 49), url: "https://example.org/" },
    ];
    const { frame } = await show("create_alert", compose({ title: HOSTILE.slice(0, 120), body: HOSTILE, actions }));
    await frame.waitForSelector(".reach");
    expect(await frame.innerText(".alert .text")).toBe(HOSTILE);
    expect(await frame.locator("#card img, #card script, #card style").count()).toBe(0);
    expect(await frame.locator("#card button").count()).toBe(1);
    expect(await frame.evaluate("globalThis.hit")).toBeUndefined();
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
  });

  test("the policy of the file stops scripts, pictures and requests", async () => {
    const { frame } = await show("get_pusher_stats", { pusher_id });
    const outcome = await frame.evaluate(async () => {
      const { document, fetch } = globalThis as any;
      document.body.insertAdjacentHTML("beforeend", `<img src="http://away.test/1" onerror="hit = 1">`);
      const script = document.createElement("script");
      script.textContent = "hit = 2";
      document.body.append(script);
      return fetch("http://away.test/2").then(
        () => "sent",
        () => "stopped",
      );
    });
    expect([outcome, await frame.evaluate("globalThis.hit")]).toEqual(["stopped", undefined]);
    expect(requests).toEqual([]);
  });

  test("cleaned markup is drawn in a frame without scripts", async () => {
    const input = { html: `<p>Pier <b>4</b></p><script>hit=1</script><p onclick="hit=1">now</p>` };
    const { frame } = await show("preview_html", input);
    await frame.waitForSelector("iframe.paper");
    await expect.poll(() => page.frames().at(-1)!.innerText("body")).toMatch(/Pier 4\s+now/);
    expect(await frame.innerText(".flash")).toMatch(/script[\s\S]*onclick/);
  });

  test("statistics are drawn as bars, and a refusal as its message", async () => {
    const { result } = await show("create_alert", compose({ send: true }));
    const { frame } = await show("get_pusher_stats", { pusher_id, period: "week" });
    expect(await frame.locator(".bars rect").count()).toBeGreaterThan(0);
    expect(await frame.innerText(".bars figcaption")).toContain("Alerts sent");
    expect(await listAxeFindings(frame as unknown as Page)).toEqual([]);
    const alert_id = result.structuredContent.id;
    const stats = await show("get_alert_stats", { pusher_id, alert_id });
    expect(await stats.frame.innerText(".figures")).toMatch(/Current reach\s+0/);
    expect(await stats.frame.innerText("#card")).toContain("Yes: 0");
    // No label is broken within a word.
    for (const width of [320, 390, 560, 760]) {
      await page.setViewportSize({ width, height: 844 });
      const broken = `[...document.querySelectorAll(".figures dt")].filter((label) => {
        label.style.overflowWrap = "normal";
        return label.scrollWidth > label.clientWidth;
      }).map((label) => label.textContent)`;
      expect([width, await stats.frame.evaluate(broken)]).toEqual([width, []]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const refused = await show("get_alert", { pusher_id, alert_id: "alr_0" });
    expect(await refused.frame.innerText(".flash.problem")).toBe(refused.result.structuredContent.error.message);
  });
});

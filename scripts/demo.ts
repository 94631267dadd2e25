#!/usr/bin/env node
// The main task over HTTP, printed step by step. An owner creates a channel and sends; a handset finds it, joins, polls
// and acknowledges. A person subscribes in a browser and receives the alert, where a browser is available (--show opens
// its window). It runs against a running server (BELFRY_URL and BELFRY_API_KEY, or --url and --key), or one of its own
// in a temporary folder. Exit 0 only when every step succeeded.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { OPERATIONS } from "../operations/index.ts";
import { buildRestRequest } from "../src/operation/build_rest_request.ts";
import { findFreePort, listenHttp } from "../src/program/boot/http_server.ts";
import { openServiceWithoutListening } from "../src/program/boot/service.ts";
import { loadClientSettings, loadConfig } from "../src/store/config/load_settings.ts";
import { DemoPerson } from "./demo_browser.ts";

// ---- where to play ------------------------------------------------------------------------------------------------

interface Stage {
  url: string;
  key: string;
  where: string;
  /** Set if the browser is visible. */
  shown: boolean;
  close(): Promise<void>;
}

async function stage(): Promise<Stage> {
  const options = { url: { type: "string" }, key: { type: "string" }, show: { type: "boolean" } } as const;
  const { values } = parseArgs({ options });
  const shown = values.show ?? false;
  const settings = loadClientSettings();
  const url = values.url ?? settings.url;
  const key = values.key ?? settings.key;
  if (url && key) return { url: url.replace(/\/+$/, ""), key, where: "your server", shown, close: async () => {} };
  if (values.url || values.key || url)
    throw new Usage(
      "A running server needs both its address and a key: --url and --key, or BELFRY_URL and BELFRY_API_KEY.",
    );
  return ownServer(shown);
}

class Usage extends Error {}

/** A server of its own, in a folder that is removed afterwards. */
async function ownServer(shown: boolean): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), "belfry-demo-"));
  const host = "127.0.0.1";
  const own = { HOST: host, PORT: String(await findFreePort(host)), DATA_DIR: dataDir, LOG_LEVEL: "error" };
  const config = loadConfig(own, {});
  const service = await openServiceWithoutListening(config);
  const listening = await listenHttp(service.app, config);
  return {
    url: config.publicUrl,
    key: service.made!.key,
    where: "a server of its own",
    shown,
    close: async () => {
      await listening.close();
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

// ---- the output ----------------------------------------------------------------------------------------------------

const colourful = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code: number) => (text: string) => (colourful ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, green, red, yellow, cyan] = [1, 2, 32, 31, 33, 36].map(paint) as ((text: string) => string)[];

const say = (line = "") => console.log(line);

type Who = "owner" | "handset" | "person";

/** One step: its actor, its action and its result. A failed step ends the demo. */
async function step<T>(who: Who, what: string, act: () => Promise<[T, string]>): Promise<T> {
  const name = { owner: cyan!, handset: yellow!, person: green! }[who](who.padEnd(8));
  try {
    const [result, outcome] = await act();
    say(`${green!("✓")} ${name} ${what}`);
    if (outcome) say(`           ${dim!(outcome)}`);
    return result;
  } catch (error) {
    say(`${red!("✗")} ${name} ${what}`);
    throw error;
  }
}

function hold(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

/** Rows under headings, as wide as their contents. */
function table(headings: string[], rows: string[][]): void {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: string[]) => `  ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join("   ")}`.trimEnd();
  say(dim!(line(headings)));
  for (const row of rows) say(line(row));
}

// ---- who speaks ---------------------------------------------------------------------------------------------------

// biome-ignore lint/suspicious/noExplicitAny: each step looks into the answer of another operation
type Body = any;

interface Answer {
  status: number;
  body: Body;
  etag: string | null;
}

async function request(url: string, init: RequestInit, expected: number[]): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const body = text === "" ? null : JSON.parse(text);
  const { status } = response;
  if (!expected.includes(status))
    throw new Error(`${init.method} ${new URL(url).pathname} answered ${status}: ${body?.error?.message ?? "nothing"}`);
  return { status, body, etag: response.headers.get("etag") };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The owner speaks the API: an operation by its name. */
function ownerOf({ url, key }: Stage) {
  return async (name: string, args: Record<string, unknown> = {}): Promise<Body> => {
    const tool = OPERATIONS.find((candidate) => candidate.name === name)!;
    const { method, path, headers, body } = buildRestRequest(tool, args);
    const init = { method, headers: { ...headers, ...bearer(key) }, body: body ?? null };
    return (await request(url + path, init, [tool.http.status])).body;
  };
}
type Owner = ReturnType<typeof ownerOf>;

/** The handset keeps its token and the validator of what it last saw. */
class Handset {
  readonly #url: string;
  #token = "";
  #etag: string | null = null;
  inbox: Body[] = [];

  constructor(url: string) {
    this.#url = `${url}/handset/v1`;
  }

  call(method: string, path: string, body?: unknown, expected = [200], more: Record<string, string> = {}) {
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const headers = { ...json, ...more, ...(this.#token ? bearer(this.#token) : {}) };
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    return request(this.#url + path, init, expected);
  }

  async register(): Promise<void> {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    const facts = { platform: "cli", app_version: "1.0.0", locale: "en", timezone };
    this.#token = (await this.call("POST", "/devices", facts, [201])).body.token;
  }

  /** Requests the inbox unless it is unchanged. Returns the status. */
  async poll(): Promise<number> {
    const known = this.#etag ? { "if-none-match": this.#etag } : undefined;
    const { status, body, etag } = await this.call("GET", "/inbox", undefined, [200, 304], known);
    if (status === 200) this.inbox = body.data;
    this.#etag = etag;
    return status;
  }
}

/** The counts of an alert: of its channel, and of itself where the service has that operation. */
async function counts(owner: Owner, path: { pusher_id: string; alert_id: string }) {
  const { subscribers, alerts_sent } = await owner("get_pusher", { pusher_id: path.pusher_id });
  const counted = OPERATIONS.some(({ name }) => name === "get_alert_stats");
  const totals = counted ? (await owner("get_alert_stats", path)).totals : null;
  return { subscribers, alerts_sent, totals } as {
    subscribers: number;
    alerts_sent: number;
    totals: { reads: number; acks: number } | null;
  };
}

// ---- the play -----------------------------------------------------------------------------------------------------

async function play(at: Stage): Promise<void> {
  const owner = ownerOf(at);
  const handset = new Handset(at.url);
  const handle = `demo-${randomBytes(4).toString("hex")}`;
  const name = `Harbour ferry ${handle.slice(5)}`;
  say(`${bold!("Belfry, start to end")}  ${dim!(`${at.url} (${at.where})`)}\n`);

  const pusher = await step("owner", "opens a channel", async () => {
    const fields = {
      category: "travel",
      description: "Departures of the harbour ferry",
      requested_perms: ["notify", "sound"],
    };
    const made = await owner("create_pusher", { handle, name, ...fields });
    return [made, `${made.url}  ${made.id}`];
  });
  const channel = { pusher_id: pusher.id as string };
  const person = await DemoPerson.find(at.shown);
  try {
    const alert = await step("owner", "composes an alert, as a draft", async () => {
      const made = await owner("create_alert", {
        ...channel,
        title: "The 18:40 leaves from pier 3",
        body: "Pier 2 is closed this evening.",
        priority: "important",
        requires_ack: true,
      });
      hold(made.status === "draft", `it is ${made.status}`);
      return [made, `"${made.title}"  ${made.status}`];
    });
    const path = { ...channel, alert_id: alert.id as string };

    await step("handset", "registers, without name or account", async () => [await handset.register(), ""]);
    await step("handset", "finds the channel in the directory", async () => {
      const { body } = await handset.call("GET", `/channels?q=${encodeURIComponent(name)}`);
      const card = body.data.find((found: Body) => found.handle === handle);
      hold(card !== undefined, "the directory does not have it");
      return [card, `${card.name}: ${card.description}`];
    });
    await step("handset", "joins", async () => {
      const { body } = await handset.call("PUT", `/subscriptions/${handle}`, { permissions: ["notify"] });
      return [body, `allows ${body.permissions.join(", ")}`];
    });
    await step("handset", "polls: a draft is nothing to see", async () => {
      await handset.poll();
      hold(handset.inbox.length === 0, "the draft is visible");
      return [null, "inbox empty"];
    });

    if (person) {
      await step("person", "opens the channel's page in a browser, and subscribes", async () => {
        await person.subscribe(pusher.url);
        return [null, pusher.url];
      });
    } else say(dim!("  person   is not here: no browser could be started (CHROMIUM names one), so it is not played"));
    const asked = Date.now();
    await step("owner", "sends it", async () => {
      const sent = await owner("send_alert", path);
      hold(sent.status === "sent", `it is ${sent.status}`);
      return [sent, `visible since ${sent.sent_at}`];
    });
    if (person) {
      await step("person", "sees it, and it rings", async () => {
        const rang = await person.hears(alert.title);
        return [null, `${rang - asked} ms after the owner's request to send`];
      });
      await step("person", "leaves the channel; nothing of them stays", async () => [await person.leave(name), ""]);
    }
    await step("owner", "sends it again, by mistake: nothing happens twice", async () => {
      const again = await owner("send_alert", path);
      return [again, `still visible since ${again.sent_at}`];
    });
    await step("handset", "polls and has it", async () => {
      const status = await handset.poll();
      hold(status === 200 && handset.inbox[0]?.id === alert.id, "the alert is not in the inbox");
      return [null, `"${handset.inbox[0].title}"`];
    });
    await step("handset", "polls again: 304, nothing new, nothing to transfer", async () => {
      hold((await handset.poll()) === 304, "the answer was sent again");
      return [null, ""];
    });
    await step("handset", "reports that it was read and acknowledged", async () => {
      const reports = ["read", "ack"].map((kind) => ({ alert_id: alert.id, kind }));
      const { body } = await handset.call("POST", "/reports", { reports });
      hold(body.accepted === 2, `${body.accepted} of 2 accepted`);
      return [null, `${body.accepted} accepted`];
    });
    await step("handset", "reports the same again, for the network is bad: counted once", async () => {
      await handset.call("POST", "/reports", { reports: [{ alert_id: alert.id, kind: "ack" }] });
      return [null, ""];
    });

    const wrong = await step("owner", "sends a second alert, which is wrong", async () => {
      const made = await owner("create_alert", { ...channel, title: "The 18:40 is cancelled", send: true });
      await handset.poll();
      hold(handset.inbox.length === 2, "the handset does not see it");
      return [made, `"${made.title}"  ${made.status}`];
    });
    await step("owner", "withdraws it", async () => {
      const cancelled = await owner("cancel_alert", { ...channel, alert_id: wrong.id });
      return [cancelled, cancelled.note];
    });
    await step("handset", "polls: the inbox is a state, and no longer contains it", async () => {
      await handset.poll();
      hold(handset.inbox.length === 1 && handset.inbox[0].id === alert.id, "the withdrawn alert is still there");
      return [null, ""];
    });
    const later = await step("owner", "schedules a third for tomorrow; no worker has to be awake then", async () => {
      const send_at = new Date(Date.now() + 86_400_000).toISOString();
      const made = await owner("create_alert", { ...channel, title: "Winter timetable", send: true, send_at });
      hold(made.status === "scheduled", `it is ${made.status}`);
      return [made, `becomes visible at ${made.send_at}`];
    });
    await step("owner", "and cancels it before anyone saw it", async () => {
      const cancelled = await owner("cancel_alert", { ...channel, alert_id: later.id });
      hold(cancelled.sent_at === null, "it had become visible");
      return [cancelled, ""];
    });

    const numbers = await step("owner", "looks at the counts", async () => {
      const seen = await counts(owner, path);
      hold(seen.subscribers === 1, `${seen.subscribers} subscribers`);
      hold(seen.alerts_sent === 1, `${seen.alerts_sent} alerts sent`);
      hold(seen.totals === null || (seen.totals.reads === 1 && seen.totals.acks === 1), "the reports do not add up");
      return [seen, "the reports of devices; deliveries are not counted"];
    });

    say(`\n${bold!("The handset's inbox")}`);
    table(
      ["sent_at", "channel", "priority", "title"],
      handset.inbox.map((row) => [row.sent_at, row.handle, row.priority, row.title]),
    );
    say(`\n${bold!("The owner's counts")}`);
    table(
      ["subscribers", "alerts_sent", ...(numbers.totals ? ["reads", "acks"] : [])],
      [
        [
          numbers.subscribers,
          numbers.alerts_sent,
          ...(numbers.totals ? [numbers.totals.reads, numbers.totals.acks] : []),
        ].map(String),
      ],
    );
  } finally {
    await person?.close();
    // A key that may not delete channels leaves the demo's channel behind; that is not a failure.
    const left = await handset.call("DELETE", `/subscriptions/${handle}`, undefined, [204]).catch(() => null);
    const gone =
      left &&
      (await owner("delete_pusher", channel).then(
        () => true,
        () => false,
      ));
    say(dim!(gone ? "\nThe channel is deleted again." : `\nThe channel ${handle} stays.`));
  }
}

async function main(): Promise<number> {
  let at: Stage | null = null;
  try {
    at = await stage();
    await play(at);
    say(green!("Every step succeeded."));
    return 0;
  } catch (error) {
    const { message, code = "" } = error as Error & { code?: string };
    console.error(
      `${red!("demo:")} ${(error as Error).cause instanceof Error ? `${at?.url} cannot be reached` : message}`,
    );
    return error instanceof Usage || code.startsWith("ERR_PARSE_ARGS") ? 2 : 1;
  } finally {
    await at?.close();
  }
}

process.exitCode = await main();

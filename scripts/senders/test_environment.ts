// The environment of the senders: a service of its own as `npm start` runs it, a person at the console and in the app,
// a listening machine, and an assistant. Everything ends and is removed with the folder.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import type { IngestSourceProgramId } from "../../src/model/fields/sender_programs.ts";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { DEMO_TIMEOUT_MS, openBrowser, subscribeSilently } from "../demo_browser.ts";

const ROOT = join(import.meta.dirname, "../..");

/** In the app: records when each alert first appears on the page. */
const WATCH = `
  globalThis.seenAt = {};
  new MutationObserver(() => {
    for (const { id } of document.querySelectorAll('h3[id^="alr_"]'))
      globalThis.seenAt[id.replace("-title", "")] ??= Date.now();
  }).observe(document, { childList: true, subtree: true });`;

/** Repeats a query until it has a result. */
export async function waitUntil<T>(what: string, ask: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const since = Date.now(); Date.now() - since < DEMO_TIMEOUT_MS; await pause(20)) {
    const found = await ask();
    if (found !== undefined) return found;
  }
  throw new Error(`${what}: not within ${DEMO_TIMEOUT_MS / 1000} seconds`);
}

// biome-ignore lint/suspicious/noExplicitAny: each step looks into the answer of another operation
type ToolCall = (tool: string, args: Record<string, unknown>) => Promise<any>;

export interface SenderEnvironment {
  handle: string;
  folder: string;
  /** An assistant's calls, over MCP. */
  call: ToolCall;
  /** Connects a sender in the console; returns the text to paste, in its order. */
  connect(program: IngestSourceProgramId, maySend: boolean): Promise<string[]>;
  /** The last request on the page of the sender that was connected last. */
  became(): Promise<string>;
  /** When an alert was first there, in milliseconds since 1970: in the app, and as a line of `belfry listen`. */
  heard(id: string): Promise<{ app: number; listener: number }>;
  app: Page;
  close(): Promise<void>;
}

export async function openSenderEnvironment(): Promise<SenderEnvironment> {
  const browser = await openBrowser();
  if (!browser) throw new Error("no browser could be started; CHROMIUM names one");
  const folder = mkdtempSync(join(tmpdir(), "belfry-senders-"));
  // The user that a service of root lends to its database must get through.
  chmodSync(folder, 0o711);
  const children: ChildProcess[] = [];
  const port = await findFreePort("127.0.0.1");
  const url = `http://localhost:${port}`;
  const settings = { DATA_DIR: join(folder, "data"), PORT: String(port), NTFY_HOST: "127.0.0.1" };
  const start = (args: string[], more: Record<string, string> = {}) => {
    const { PATH = "", HOME = "" } = process.env;
    const own = { cwd: ROOT, env: { PATH, HOME, ...more } };
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], own);
    children.push(child);
    child.stderr.pipe(process.stderr);
    return createInterface(child.stdout);
  };
  const close = async () => {
    await browser.close();
    for (const child of children.reverse()) {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill()) await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const server = start(["src/main.ts"], { ...settings, LOG_LEVEL: "warn" });
    await once(server, "line");
    const credentials = join(settings.DATA_DIR, "credentials.json");
    const { key, console: link } = await waitUntil("the first start", () => {
      const made = JSON.parse(readFileSync(credentials, "utf8"));
      return made.console ? made : undefined;
    });
    await waitUntil("the service", async () => {
      const answer = await fetch(`${url}/readyz`).catch(() => null);
      return answer?.ok || undefined;
    });

    const client = new Client({ name: "senders", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const call: ToolCall = async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
      return result.structuredContent;
    };
    const handle = "harbour-watch";
    const channel = await call("create_pusher", {
      ...{ handle, name: "Harbour watch", category: "community", requested_perms: ["notify"] },
      description: "What our programs have to say.",
    });

    const desk = await browser.newPage();
    desk.setDefaultTimeout(DEMO_TIMEOUT_MS);
    await desk.goto(link);
    const form = desk.locator("form", { has: desk.getByLabel(/password/i) });
    await form.getByLabel("Your name").fill("Robin");
    await form.getByLabel("E-mail address").fill("robin@example.org");
    await form.getByLabel(/password/i).fill("correct horse battery");
    await form.getByRole("button").click();
    await desk.waitForURL(/console\/wsp_/);
    const senders = `${/.*wsp_\w+/.exec(desk.url())![0]}/channels/${channel.id}/senders`;

    const app = await browser.newPage({ viewport: { width: 390, height: 844 } });
    app.setDefaultTimeout(DEMO_TIMEOUT_MS);
    await app.addInitScript({ content: WATCH });
    await app.goto(`${url}/app/#join=${handle}`);
    await subscribeSilently(app);
    await app.goto(`${url}/app/#`);

    const lines = new Map<string, number>();
    const state = join(folder, "listener.json");
    start(["src/cli.ts", "listen", handle, "--url", url, "--state", state]).on("line", (line) =>
      lines.set(JSON.parse(line).id, Date.now()),
    );
    await waitUntil("belfry listen", async () => {
      const { subscribers } = await call("get_pusher", { pusher_id: handle });
      return subscribers === 2 || undefined;
    });

    return {
      ...{ handle, folder, call, app },
      async connect(program, maySend) {
        await desk.goto(senders);
        // The form is folded once there is a sender.
        await desk.goto(`${senders}#new`);
        await desk.getByLabel("Program").selectOption(program);
        await desk.getByLabel("Send without approval").setChecked(maySend);
        await desk.getByRole("button", { name: "Create key" }).click();
        await desk.getByText("Copy the key now").waitFor();
        return desk.locator("pre.copy").allTextContents();
      },
      async became() {
        await desk.getByRole("link", { name: "I have copied it" }).click();
        return (await desk.locator("tbody .badge").first().textContent()) ?? "";
      },
      async heard(id) {
        const seen = (of: string): number | undefined => Reflect.get(globalThis, "seenAt")[of];
        return {
          app: await waitUntil("the browser", () => app.evaluate(seen, id)),
          listener: await waitUntil("belfry listen", () => lines.get(id)),
        };
      },
      close: async () => {
        await client.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

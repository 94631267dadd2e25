// A service on a listening socket with its console, and two visitors. A browser records everything that a page must not
// do. A simple client keeps cookies and fills forms without a browser.

import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { createMemberLink } from "../../src/identity/auth/one_time_links.ts";
import { findMemberOrFirstOwner } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import type { ServiceOverrides } from "../../src/program/boot/service_options_and_resources.ts";
import { freePort } from "./free_port.ts";
import { WAIT } from "./wait.ts";
import { World } from "./world.ts";

const chromiumPath = process.env.CHROMIUM;

/** Debian's headless shell, installed with the browser: it draws the same pages for half the CPU. */
const shellPath = [`${chromiumPath}-headless-shell`].find((path) => existsSync(path));

/**
 * Options that any test may need, so that they share a browser: sound that waits for a touch, and a name for this
 * machine. Drawing has no process of its own, which saves a twentieth of the CPU.
 */
const ARGS = [
  "--no-sandbox --disable-gpu --disable-quic --no-first-run",
  "--disable-background-networking --disable-component-update --disable-sync",
  "--autoplay-policy=document-user-activation-required --in-process-gpu",
]
  .flatMap((line) => line.split(" "))
  .concat("--host-resolver-rules=MAP alerts.test 127.0.0.1");

const launched = new Map<string | undefined, Promise<Browser>>();

/** The browser options of a test, in addition to pages. */
export interface BrowserNeeds {
  /** Parts that the headless shell lacks, such as notifications. */
  whole?: boolean;
}

/** A browser's share of a test file. */
export type SharedBrowser = Pick<Browser, "newContext" | "newPage" | "close">;

/**
 * The browser with these needs that the tests of a process share; it ends with the process. `close` takes away what
 * was opened by this share alone. Its pages wait for as long as any test.
 */
export async function launchBrowser({ whole = false }: BrowserNeeds = {}): Promise<SharedBrowser> {
  const executablePath = (whole ? undefined : shellPath) ?? chromiumPath;
  const starting = launched.get(executablePath) ?? chromium.launch({ executablePath, args: ARGS, ...WAIT });
  launched.set(executablePath, starting);
  const browser = await starting;
  const opened: BrowserContext[] = [];
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(WAIT.timeout);
    opened.push(context);
    return context;
  };
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    close: async () => {
      for (const context of opened) await context.close();
    },
  };
}

export class ConsoleSite {
  readonly world: World;
  readonly url: string;
  readonly #listening: ListeningServer;

  private constructor(world: World, url: string, listening: ListeningServer) {
    this.world = world;
    this.url = url;
    this.#listening = listening;
  }

  /** `name` is the one that browsers know it by; it must lead to this machine. */
  static async open({
    name,
    ...options
  }: ServiceOverrides & { settings?: Record<string, string>; name?: string } = {}): Promise<ConsoleSite> {
    const host = "127.0.0.1";
    const port = await freePort();
    const url = `http://${name ?? host}:${port}`;
    const settings = { ...options.settings, HOST: host, PORT: String(port), ...(name ? { PUBLIC_URL: url } : {}) };
    const world = await World.open({ ...options, settings });
    return new ConsoleSite(world, url, await listenHttp(world.service.app, { host, port }));
  }

  /** A one-time link for the first workspace's owner, or for the member that is named. */
  async link(member?: string): Promise<string> {
    const em = this.world.service.orm.em.fork();
    const { id } = await findMemberOrFirstOwner(em, member ? { member } : { workspace: this.world.workspace.id });
    return createMemberLink(em, this.url, id, "operator");
  }

  async close(): Promise<void> {
    await this.#listening.close();
    await this.world.close();
  }
}

/**
 * A browser of its own with the violations of its pages: requests to other origins, broken policies, inline scripts or
 * styles.
 */
export async function openWatchedPage(
  browser: SharedBrowser,
  site: ConsoleSite,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
  const context = await browser.newContext({ ...options, bypassCSP: false });
  const faults: string[] = [];
  const page = await context.newPage();
  page.on("request", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin !== site.url && pathname !== "/callback") faults.push(`asked ${request.url()}`);
  });
  page.on("console", (message) => {
    if (/Content Security Policy|Refused/i.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("response", async (response) => {
    if (!response.headers()["content-type"]?.startsWith("text/html")) return;
    const policy = response.headers()["content-security-policy"] ?? "";
    if (new URL(response.url()).origin === site.url && !policy.startsWith("default-src 'none'"))
      faults.push(`no policy on ${response.url()}`);
  });
  page.on("load", async () => {
    const found = await page
      .locator("script:not([src]), style, [style], [onclick], [onload]")
      .count()
      .catch(() => 0);
    if (found > 0 && page.url().startsWith(site.url)) faults.push(`inline script or style on ${page.url()}`);
  });
  return { context, page, faults };
}

/** Follows a one-time link in a browser. The form has fields for data that the link does not contain. */
export async function joinByOneTimeLink(
  page: Page,
  link: string,
  person: { name: string; email: string; password: string },
): Promise<void> {
  await page.goto(link);
  const form = page.locator("form", { has: page.getByLabel(/password/i) });
  await form.waitFor();
  const [name, email] = [form.getByLabel("Your name"), form.getByLabel("E-mail address")];
  if (await name.count()) await name.fill(person.name);
  if (await email.isEditable()) await email.fill(person.email);
  await form.getByLabel(/password/i).fill(person.password);
  await form.getByRole("button").click();
}

export async function signIn(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.getByLabel("E-mail address").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

export interface WatchedPage {
  status: number;
  text: string;
  headers: Headers;
}

let visitors = 0;

/** Cookies and forms without a browser, in process. */
export class HttpVisitor {
  readonly world: World;
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** One's own, since attempts to sign in are counted by it. */
  readonly address = `198.51.100.${++visitors % 250}`;

  constructor(world: World, url = "http://localhost:8787") {
    this.world = world;
    this.url = url;
  }

  async #ask(path: string, init: RequestInit = {}, address = this.address): Promise<WatchedPage> {
    const headers = new Headers({ accept: "text/html", ...Object.fromEntries(new Headers(init.headers)) });
    if (this.cookies.size > 0 && !headers.has("cookie"))
      headers.set("cookie", [...this.cookies].map((pair) => pair.join("=")).join("; "));
    const response = await this.world.service.app.fetch(new Request(this.url + path, { ...init, headers }), address);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "" || /max-age=0/i.test(cookie)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<WatchedPage> {
    return this.#ask(path, { headers });
  }

  /** The token that the forms of a page carry. */
  async token(path: string): Promise<string> {
    const { text } = await this.get(path);
    return [...text.matchAll(/name="form_token" value="([^"]+)"/g)].at(-1)?.[1] ?? "";
  }

  /** Sends a form as a page at `from` would; fields and headers may be given otherwise. */
  async post(
    path: string,
    fields: Record<string, string | string[]>,
    options: { from?: string; token?: string | null; headers?: Record<string, string>; address?: string } = {},
  ): Promise<WatchedPage> {
    const token = options.token === undefined ? await this.token(options.from ?? path) : options.token;
    const body = new URLSearchParams(token === null ? [] : [["form_token", token]]);
    for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one);
    const text = body.toString();
    const headers = {
      origin: this.url,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(text.length),
      ...options.headers,
    };
    return this.#ask(path, { method: "POST", headers, body: text }, options.address);
  }

  /** Sends a form with files, as a page at `path` would. */
  async send(path: string, fields: Record<string, string>, files: Record<string, File> = {}): Promise<WatchedPage> {
    const body = new FormData();
    body.set("form_token", await this.token("/console/account"));
    for (const [name, value] of Object.entries({ ...fields, ...files })) body.set(name, value);
    return this.#ask(path, { method: "POST", headers: { origin: this.url }, body });
  }

  /** Joins by a one-time link and stays signed in. */
  async join(link: string, person: { name: string; email: string; password: string }): Promise<WatchedPage> {
    const { pathname, hash } = new URL(link);
    return this.post(pathname, { token: hash.slice(1), ...person });
  }

  /** Opens a one-time link, as a browser without script does: by pasting it. */
  open(link: string): Promise<WatchedPage> {
    return this.post("/console/welcome/open", { link }, { from: "/console/welcome" });
  }
}

/** The owner of a world's first workspace, after joining it. */
export const OWNER = { name: "Owner", email: "owner@example.org", password: "correct horse battery" };

/** A member whom an operator has added, joined and signed in without a browser; `url` is the service's address. */
export async function signInMember(
  world: World,
  person: { name: string; email: string; password: string },
  url?: string,
): Promise<HttpVisitor> {
  const visitor = new HttpVisitor(world, url);
  const [{ id }] = await world.sql("select id from member where email = ?", [person.email]);
  const answer = await visitor.join(await world.service.people.newLink(id), person);
  if (answer.status !== 303) throw new Error(`joining: ${answer.status}`);
  return visitor;
}

/** The first workspace's owner, joined and signed in without a browser. */
export const signInOwner = (world: World, url?: string): Promise<HttpVisitor> => signInMember(world, OWNER, url);

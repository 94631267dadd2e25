// Follows every link and every form of every page, in each role. Every address leads to a page, and no link leads to a
// page that the role may not open. Screen readers can read each page. Without a browser, on a workspace in use.

import { describe, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { HttpVisitor, OWNER, signInMember, signInOwner } from "../support/console_site.ts";
import { unescapeHtml } from "../support/form_controls.ts";
import { openWorld } from "../support/open_world.ts";
import { createSampleWorkspace } from "../support/sample_workspace.ts";

const URL_OF_ALL = "http://localhost:8787";
/** Parts that an address has only where its page wrote them. */
const UNSAID = /null|undefined|NaN|\[object|=(&|#|$)/;
const LINKS = /\s(?:href|src|data-live)="([^"]+)"/g;
const FORMS = /<form\b[^>]*>/g;
/** The place to which a script of ours sends a form's values. */
const SENDS = /\sdata-(?:shown|uploads|begin)="(\/console\/[^"]*)"/g;

/** Filters and pages of a list combine without end. The nearest addresses of each list have all of its links. */
const QUERIES_OF_A_PATH = 12;

/** Parts that a script draws, and a phone's own document in a frame. */
const SCRIPTED = /^\/app\/|\/page$/;

const attribute = (tag: string, name: string) => unescapeHtml(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

/** Problems for screen readers: a missing or second title, skipped heading levels, and buttons without a name. */
function wrongByEar(markup: string): string[] {
  const page = markup.replace(/<template.*?<\/template>/gs, "");
  const words = (inner: string) => inner.replace(/<[^>]*>/g, "").trim();
  const levels = [...page.matchAll(/<h([1-6])\b/g)].map(([, level]) => Number(level));
  const skips = levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1).map((level) => `a skip to h${level}`);
  const titles = levels.filter((level) => level === 1).length;
  const silent = [...page.matchAll(/<(a|button)\b([^>]*)>(.*?)<\/\1>/gs)]
    .filter(([, , attributes = "", inner = ""]) => !/aria-label="[^"]/.test(attributes) && words(inner) === "")
    .map(([whole]) => `without a name: ${whole.slice(0, 80)}`);
  return [...(titles === 1 ? [] : [`${titles} titles`]), ...skips, ...silent];
}

/** Follows all links of a page, each address once. Records errors, opened pages, and the targets of forms. */
async function crawl(visitor: HttpVisitor, ...first: string[]) {
  const wrong: string[] = [];
  const opened = new Map<string, string>();
  const written = new Set<string>();
  const next = first.map((path) => ({ path, from: "" }));
  const places: { path: string; place: string; from: string }[] = [];
  const queries = new Map<string, Set<string>>();
  /** An address of ours that a page names; null for one of another origin. */
  const named = (address: string, from: string): URL | null => {
    // The part behind the # must exist on the page.
    if (UNSAID.test(address.replace(/#.*/, ""))) wrong.push(`${from} names ${address}`);
    const url = new URL(address, URL_OF_ALL + from);
    return url.origin === URL_OF_ALL ? url : null;
  };
  const lead = (address: string, from: string) => {
    const url = named(address, from);
    if (!url) return;
    const path = url.pathname + url.search;
    // The docs are the same for all visitors, and test/public_pages/docs_site.test.ts visits them.
    if (/^\/docs\b/.test(from)) return;
    const known = queries.get(url.pathname) ?? new Set();
    queries.set(url.pathname, known);
    if (!known.has(url.search) && known.size === QUERIES_OF_A_PATH) return;
    known.add(url.search);
    next.push({ path, from });
    // In the app it is a route.
    if (/^#[\w-]+$/.test(url.hash)) places.push({ path, place: url.hash.slice(1), from });
  };
  for (let step = next.shift(); step; step = next.shift()) {
    const { path, from } = step;
    if (opened.has(path)) continue;
    const { status, headers, text } = await visitor.get(path);
    if (status >= 400) wrong.push(`${from} leads to ${path}: ${status}`);
    const page = headers.get("content-type")?.startsWith("text/html") ? text : "";
    opened.set(path, page);
    if (page.startsWith("<!doctype") && !SCRIPTED.test(path))
      wrong.push(...wrongByEar(page).map((what) => `${path}: ${what}`));
    const goes = headers.get("location");
    if (goes) lead(goes, path);
    for (const [, address = ""] of page.matchAll(LINKS)) lead(unescapeHtml(address), path);
    for (const [, address = ""] of page.matchAll(SENDS)) written.add(address);
    for (const [form] of page.matchAll(FORMS)) {
      const action = attribute(form, "action") || path;
      if (attribute(form, "method") === "post") written.add(named(action, path)!.pathname);
      else lead(action, path);
    }
  }
  for (const { path, place, from } of places)
    if (opened.get(path) && !opened.get(path)!.includes(` id="${place}"`))
      wrong.push(`${from} leads to no #${place} of ${path}`);
  return { wrong, opened: opened.size, written: [...written] };
}

const world = await openWorld();
const owner = await signInOwner(world, URL_OF_ALL);
await createSampleWorkspace({ world, url: URL_OF_ALL }, owner);

describe("every link of every page", () => {
  async function member(role: string): Promise<HttpVisitor> {
    const person = { ...OWNER, email: `${role}@example.org` };
    const em = world.service.orm.em.fork();
    await addWorkspaceMember(em as never, { workspace: world.workspace.id, email: person.email, role });
    return signInMember(world, person, URL_OF_ALL);
  }

  test.each(["stranger", "viewer", "editor", "admin", "owner"])("leads somewhere for %s", async (role) => {
    const stranger = role === "stranger";
    const visitor = stranger ? new HttpVisitor(world, URL_OF_ALL) : role === "owner" ? owner : await member(role);
    const { wrong, opened, written } = await crawl(visitor, "/", "/c", `/console/${world.workspace.id}/`);
    expect(wrong).toEqual([]);
    expect(opened).toBeGreaterThan(stranger ? 10 : 150);
    // Without its token a form does nothing, and may be shown again; a wrong address is reported first.
    const refused = written.map(async (at) => [at, (await visitor.post(at, {}, { token: null })).status]);
    const undone = (await Promise.all(refused)).filter(([, status]) => status !== 403 && status !== 409);
    expect(undone).toEqual([]);
  });
});

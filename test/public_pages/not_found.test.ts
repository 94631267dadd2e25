// Unknown addresses: a page for a browser, the one envelope for a program, on every path (rules#wrong-address).

import { expect, test } from "vitest";
import { signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();
const cookie = [...(await signInOwner(world)).cookies].map((pair) => pair.join("=")).join("; ");

const NOWHERE = "0".repeat(26);
const PATHS = [
  ...[
    "/nowhere",
    "/nowhere/else?x=1",
    "/api/v1/nowhere",
    "/handset/v1/nowhere",
    "/static/nowhere.css",
    "/app/nowhere/else",
  ],
  ...["/c/nobody-has-this", "/c/nobody-has-this/feed.atom", `/assets/ast_${NOWHERE}/x`, "/assets/nowhere"],
  ...[
    "/console/nowhere",
    `/console/wsp_${NOWHERE}/`,
    "/console/WORKSPACE/nowhere",
    `/console/WORKSPACE/channels/psh_${NOWHERE}`,
  ],
];
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

async function asked(path: string, accept: string | null) {
  const request = new Request(`http://localhost:8787${path.replace("WORKSPACE", world.workspace.id)}`, {
    headers: { cookie, ...(accept && { accept }) },
  });
  const response = await world.service.app.fetch(request, "198.51.100.9");
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

// rules#wrong-address
test.each(PATHS)("%s", async (path) => {
  const page = await asked(path, BROWSER);
  expect([page.status, page.type]).toEqual([404, "text/html; charset=utf-8"]);
  expect(page.text).toMatch(/<h1>.+<\/h1>/);
  expect(page.text).not.toContain(path.slice(1));
  for (const accept of ["*/*", "application/json", null]) {
    const { status, type, text } = await asked(path, accept);
    expect([accept, status, type]).toEqual([accept, 404, "application/json"]);
    expect(JSON.parse(text).error).toMatchObject({ type: "not_found" });
  }
});

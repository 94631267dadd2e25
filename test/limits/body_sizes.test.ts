// Bodies above the limit, for every route. Each reads at most its permitted size and reports it in its own error shape,
// and the response arrives.

import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { MAX_BODY_BYTES } from "../../src/operation/define_operation.ts";
import { signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const ORIGIN = "http://localhost:8787";
const CHUNK = 16 * 1024;
const OFFERED = 16 * 1024 * 1024;

test("4 MiB only where alerts are written, 16 KiB on handset routes but reports and imports, 64 KiB elsewhere", () => {
  const boundOf = ({ http }: { http: { maxBody?: number } }) => http.maxBody ?? MAX_BODY_BYTES.usual;
  const large = OPERATIONS.filter((tool) => boundOf(tool) !== MAX_BODY_BYTES.usual).map(({ name }) => name);
  expect(large).toEqual(["create_alert", "update_alert", "duplicate_alert", "preview_html"]);
  const reading = HANDSET_OPERATIONS.filter(({ http }) => ["POST", "PUT", "PATCH"].includes(http.method));
  expect(Object.fromEntries(reading.map((operation) => [operation.name, boundOf(operation)]))).toEqual({
    register_device: MAX_BODY_BYTES.handset,
    update_device: MAX_BODY_BYTES.handset,
    put_subscription: MAX_BODY_BYTES.handset,
    import_subscriptions: MAX_BODY_BYTES.usual,
    create_transfer: MAX_BODY_BYTES.handset,
    link_owner: MAX_BODY_BYTES.handset,
    put_push_endpoint: MAX_BODY_BYTES.handset,
    take_over: MAX_BODY_BYTES.handset,
    post_reports: MAX_BODY_BYTES.usual,
  });
});

const world = await openWorld();
const owner = await signInOwner(world);
const device = await world.device();

describe("on a service", () => {
  const routes = () =>
    world.service.app.routes.map(({ method, route, meta }) => ({
      // A route for all other methods reports an unsupported method.
      method: method || (route === "/mcp" ? "POST" : "PROPFIND"),
      reads: ["POST", "PUT", "PATCH"].includes(method ?? "") || route === "/mcp",
      path: (route ?? "").replace(/:\w+/g, "x").replace("**", "x"),
      maxBody: meta?.maxBody ?? MAX_BODY_BYTES.usual,
    }));

  /** Offers far more than any route accepts, with a length or without; returns the accepted size. */
  async function flood({ method, path, maxBody }: ReturnType<typeof routes>[number], declared: boolean) {
    let taken = 0;
    const body = new ReadableStream(
      {
        pull(to) {
          taken += CHUNK;
          to.enqueue(Buffer.alloc(CHUNK, "x"));
          if (taken >= OFFERED) to.close();
        },
      },
      { highWaterMark: 0 },
    );
    // Files come by nothing smaller.
    const type = path.startsWith("/console")
      ? maxBody > MAX_BODY_BYTES.alerts
        ? "multipart/form-data; boundary=x"
        : "application/x-www-form-urlencoded"
      : path.startsWith("/api/auth/oauth2/") && !path.endsWith("register")
        ? "application/x-www-form-urlencoded"
        : "application/json";
    const query = path === "/console/assets" ? "?kind=image" : "";
    const request = new Request(ORIGIN + path.replace("/console/x/", workspacePath()) + query, {
      method,
      duplex: "half",
      headers: {
        host: "localhost",
        "content-type": type,
        "content-length": String(OFFERED),
        authorization: `Bearer ${path.startsWith("/handset") ? await handsetFor(path) : world.owner}`,
        accept: "application/json, text/event-stream",
        ...(path.startsWith("/console")
          ? {
              cookie: [...owner.cookies].map((pair) => pair.join("=")).join("; "),
              origin: ORIGIN,
              "sec-fetch-site": "same-origin",
            }
          : {}),
      },
      body,
    } as RequestInit);
    if (!declared) request.headers.delete("content-length");
    const response = await world.service.app.fetch(request);
    return { status: response.status, text: await response.text(), taken };
  }
  /** One that removes itself is of use once. */
  const handsetFor = (path: string) => (path.endsWith("/devices/me") ? world.device() : device);
  const workspacePath = () => `/console/${world.workspace.id}/`;

  test("there are routes of every kind", () => {
    const paths = routes().map(({ path }) => path);
    for (const start of ["/api/v1/", "/handset/v1/", "/mcp", "/api/auth/oauth2/", "/console/", "/readyz"])
      expect(paths.filter((path) => path.startsWith(start)).length).toBeGreaterThan(0);
    expect(routes().filter(({ reads }) => reads).length).toBeGreaterThan(20);
  });

  // rules#body-bounds
  test.each([true, false])("every route stops at its limit (with a length: %s)", async (declared) => {
    const wrong: object[] = [];
    for (const route of routes()) {
      if (route.method === "GET" || route.method === "HEAD") continue;
      const { status, text, taken } = await flood(route, declared);
      const most = declared ? CHUNK : route.maxBody + 2 * CHUNK;
      // The authorization server speaks OAuth's own language.
      const oauth = route.path.startsWith("/api/auth/");
      const refused = oauth
        ? status === 400 && JSON.parse(text).error === "invalid_request"
        : // Other programs know a status for it.
          (status === 422 || (status === 413 && /^\/(ntfy|gotify)|\/ingest(\/api\/v2\/alerts)?$/.test(route.path))) &&
          /larger than|at most/.test(text);
      // An address that only names the right one reads nothing.
      const unread = status === 404 && taken === 0;
      if (taken > most || status >= 500 || (route.reads && !refused && !unread))
        wrong.push({ ...route, status, taken, text: text.slice(0, 200) });
    }
    expect(wrong).toEqual([]);
  });

  test("a body within the limit reaches the authorization server as it was sent", async () => {
    const send = (path: string, body: string, type: string) =>
      world.request("POST", path, { body, headers: { "content-type": type } });
    const registered = await send(
      "/api/auth/oauth2/register",
      JSON.stringify({
        client_name: "x",
        redirect_uris: ["http://127.0.0.1:7/cb"],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code"],
        response_types: ["code"],
      }),
      "application/json",
    ).catch((error) => error);
    expect(registered.body ?? registered).toMatchObject({ redirect_uris: ["http://127.0.0.1:7/cb"] });
  });
});

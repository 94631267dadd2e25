// A client whose types are generated from the served document: it compiles, it runs, and its compiler detects losses in
// the document. openapi.test.ts tests the general guarantee that nothing documented is removed.

import createClient from "openapi-fetch";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { createPostmanCollection } from "../../scripts/postman_collection.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { createHandle, World } from "../support/world.ts";
import { compileClient, generateTypes } from "../typed_client/compile.ts";

/** Read when it runs: its types are on no disk. */
const CLIENT = new URL("../typed_client/client.ts", import.meta.url).href;

const LOST =
  "test/typed_client/client.ts no longer compiles with the types of /api/v1/openapi.json: programs of others would " +
  "break alike";

let world: World;
let listening: ListeningServer;
let url: string;
let document: Record<string, any>;

beforeAll(async () => {
  const [host, port] = ["127.0.0.1", await findFreePort("127.0.0.1")];
  url = `http://${host}:${port}`;
  world = await World.open({ settings: { PUBLIC_URL: url } });
  listening = await listenHttp(world.service.app, { host, port });
  document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as Record<string, any>;
});
afterAll(async () => {
  await listening?.close();
  await world?.close();
});

test("it compiles, and its compiler refuses what the service would", async () => {
  expect(await compileClient(document), LOST).toEqual([]);
});

test("it detects the removal of a path, a method, a field and a value", async () => {
  const { paths, components, ...rest } = structuredClone(document);
  delete paths["/api/v1/pushers/{id}/alerts/{alertId}"];
  delete paths["/api/v1/pushers/{id}/alerts"].get;
  delete components.schemas.Pusher.properties.id;
  components.schemas.CreateAlertRequest.properties.priority.enum.splice(1);
  const found = (await compileClient({ ...rest, paths, components })).join("\n");
  expect(found).toContain('"/api/v1/pushers/{id}/alerts/{alertId}"\' is not assignable');
  expect(found).toContain('"/api/v1/pushers/{id}/alerts"\' is not assignable');
  expect(found).toContain("Property 'id' does not exist");
  expect(found).toContain("Type '\"urgent\"' is not assignable");
});

test("it calls every kind of operation", async () => {
  const { callEveryOperation, sendWrongCategory } = await import(CLIENT);
  const { error, noted, ...rest } = await callEveryOperation(url, world.owner, createHandle());
  expect(error).toBeUndefined();
  expect(noted).toContain("full");
  expect(rest).toEqual({ edited: "Hi", sent: "sent", page: [1, null], refused: "conflict" });
  expect(await sendWrongCategory(url, world.owner)).toBe(422);
});

test("every code sample that creates something has an Idempotency-Key", () => {
  const operations = Object.values<Record<string, any>>(document.paths).flatMap((methods) =>
    Object.values<any>(methods),
  );
  const creating = operations.filter(({ parameters = [] }) =>
    parameters.some(({ $ref }: { $ref?: string }) => $ref?.endsWith("/IdempotencyKey")),
  );
  expect(creating.length).toBeGreaterThan(5);
  for (const { operationId, "x-codeSamples": samples = [] } of creating)
    for (const { lang, source } of samples)
      expect([operationId, lang, source.toLowerCase()]).toEqual([
        operationId,
        lang,
        expect.stringContaining("idempotency-key"),
      ]);
});

/** Sends a request of the collection, as Postman and Bruno do: variables and path variables filled in. */
async function sendFromCollection({ request }: any, path: Record<string, string>): Promise<any> {
  const filled = (text: string) =>
    text.replaceAll("{{baseUrl}}", url).replace("{{$guid}}", crypto.randomUUID()).replace("{{apiKey}}", world.owner);
  const target = filled(request.url.raw).replace(/(?<=\/):(\w+)/g, (_, name: string) => path[name]!);
  const headers: Record<string, string> = { authorization: `Bearer ${world.owner}` };
  for (const { key, value, disabled } of request.header) if (!disabled) headers[key] = filled(value);
  return (await fetch(target, { method: request.method, headers, body: request.body?.raw })).json();
}

test("the collection for Postman has a request for each operation, and the four verbs of an alert work", async () => {
  const requests: any[] = createPostmanCollection(document).item.flatMap(({ item }: any) => item);
  const named = new Map(requests.map((one) => [one.request.description, one]));
  const known = [...OPERATIONS, ...HANDSET_OPERATIONS].map(({ name }) => name);
  expect([...named.keys()].sort()).toEqual([...known, "healthz", "ingest", "readyz"].sort());
  for (const { name } of OPERATIONS.filter(({ creates }) => creates))
    expect([name, named.get(name).request.header]).toEqual([
      name,
      expect.arrayContaining([expect.objectContaining({ key: "Idempotency-Key", value: "{{$guid}}" })]),
    ]);
  const { id } = await world.pusher();
  const call = (name: string, alertId = "") => sendFromCollection(named.get(name), { id, alertId });
  const first = await call("create_alert");
  expect(first).toMatchObject({ status: "draft" });
  const statuses = [];
  for (const name of ["update_alert", "schedule_alert", "cancel_alert"])
    statuses.push((await call(name, first.id)).status);
  expect(statuses).toEqual(["draft", "scheduled", "cancelled"]);
  expect(await call("send_alert", (await call("create_alert")).id)).toMatchObject({ status: "sent" });
});

// rules#named-operations
test("generated clients have a method for each of the four verbs, with the same requests", async () => {
  const named: Record<string, any> = (await (await fetch(`${url}/api/v1/openapi-named.json`)).json()) as any;
  const path = "/api/v1/pushers/{id}/alerts/{alertId}";
  const verbs = Object.entries<any>(named.paths).filter(([key]) => key.startsWith(path) && /\}(#\w+)?$/.test(key));
  expect(verbs.map(([key, { patch }]) => [key.slice(path.length), patch?.operationId])).toEqual([
    ["", "update_alert"],
    ["#send", "send_alert"],
    ["#schedule", "schedule_alert"],
    ["#cancel", "cancel_alert"],
  ]);
  const ids = Object.values<any>(named.paths)
    .flatMap((methods) => Object.values<any>(methods))
    .map((one) => one.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(OPERATIONS.map(({ name }) => name)));
  expect(await generateTypes(named)).toMatch(/send_alert: \{/);
  const client = createClient<any>({ baseUrl: url, headers: { authorization: `Bearer ${world.owner}` } });
  const { id } = await world.pusher();
  const alert = await world.alert(id);
  const one = { params: { path: { id, alertId: alert.id } } };
  const statuses = [];
  for (const action of ["send", "cancel"])
    statuses.push(((await client.PATCH(`${path}#${action}`, { ...one, body: { action } })).data as any).status);
  expect(statuses).toEqual(["sent", "cancelled"]);
});

// The cost of a request is limited before it is parsed in detail, by the number of its values and the length of texts
// and markup. Costs are CPU time relative to other costs of the same run, never a clock, with a margin. Without these
// limits the cost is a hundred times as high.

import { describe, expect, test } from "vitest";
import { openWorld } from "../support/open_world.ts";

const ACCEPT = { accept: "application/json, text/event-stream" };

const world = await openWorld();
const path = `/api/v1/pushers/${(await world.pusher()).id}/alerts`;

describe("on a service", () => {
  /** CPU milliseconds of the cheapest of three calls, and the last answer. */
  async function costOf(call: () => Promise<any>): Promise<{ ms: number; answer: any }> {
    let ms = Number.POSITIVE_INFINITY;
    let answer: any;
    for (let i = 0; i < 3; i++) {
      const before = process.cpuUsage();
      answer = await call();
      const { user, system } = process.cpuUsage(before);
      ms = Math.min(ms, (user + system) / 1000);
    }
    return { ms, answer };
  }
  const post = (body: string, to = path) =>
    world.request("POST", to, { token: world.owner, body, ...(to === "/mcp" ? { headers: ACCEPT } : {}) });

  const many = (of: string, bytes: number) =>
    Array(Math.floor(bytes / (of.length + 1)))
      .fill(of)
      .join(",");
  const call = (args: string) =>
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_alert","arguments":{"pusher_id":"psh_x",' +
    `${args.slice(1)}}}`;
  const shapes: [string, string, string | null][] = [
    ["tiny elements of an array", `{"title":"x","actions":[${many("1", 3.8e6)}]}`, null],
    ["empty objects", `{"title":"x","actions":[${many("{}", 3.8e6)}]}`, null],
    ["tiny elements of an unknown field", `{"title":"x","other":[${many('""', 3.8e6)}]}`, null],
    ["many unknown fields", `{"title":"x",${Array.from({ length: 300_000 }, (_, i) => `"k${i}":1`).join(",")}}`, null],
    ["a long title", `{"title":"${"x".repeat(3.8e6)}"}`, "title"],
    ["a long address", `{"title":"x","image_url":"https://${"x".repeat(3.8e6)}"}`, "image_url"],
    ["a long tag", `{"title":"x","tts_lang":"${"x-".repeat(1.9e6)}"}`, "tts_lang"],
  ];
  test.each(shapes)("%s", async (_name, body, param) => {
    // The cost of reading and parsing a body of that size in any case.
    const plain = await costOf(() => post(`["${"x".repeat(3.8e6)}"]`));
    const rest = await costOf(() => post(body));
    const mcp = await costOf(() => post(call(body), "/mcp"));
    expect(rest.answer.body.error).toMatchObject({ type: "invalid_request", param });
    const overMcp = mcp.answer.body.error ?? mcp.answer.body.result.structuredContent.error;
    expect(overMcp).toMatchObject({ type: "invalid_request", param });
    expect(rest.ms).toBeLessThan(plain.ms * 10 + 100);
    expect(mcp.ms).toBeLessThan(plain.ms * 10 + 100);
  });

  // rules#json-bounds
  test("a batch of tiny messages at /mcp", async () => {
    const plain = await costOf(() => post(`["${"x".repeat(3.8e6)}"]`));
    const batch = await costOf(() => post(`[${many("1", 3.8e6)}]`, "/mcp"));
    expect(batch.ms).toBeLessThan(plain.ms * 10 + 100);
  });

  // Sanitising costs by length: markup beyond the limit is eight times as long, and would cost that or more.
  describe("markup above its layout's limit is refused before it is sanitised", () => {
    const unit = '<p onclick="a()">Tide <b>at <i style="color:red">noon</i></b></p>';
    const markup = (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    const json = (layout: string, html: string) => JSON.stringify({ title: "x", layout, html });

    test("by create, as a draft", async () => {
      const within = await costOf(() => post(json("html", markup(60_000))));
      const beyond = await costOf(() => post(json("html", markup(500_000))));
      expect(within.answer.status).toBe(201);
      expect(beyond.answer.body.error).toMatchObject({ type: "invalid_request", param: "html" });
      expect(beyond.ms).toBeLessThan(within.ms * 3);
    });

    test("by update, for any layout of the row", async () => {
      const { body: page } = await post(json("document", markup(500_000)));
      const patch = (body: object) => () =>
        world.request("PATCH", `${path}/${page.id}`, { token: world.owner, body: JSON.stringify(body) });
      const turned = await costOf(patch({ layout: "html" }));
      expect(turned.answer.body.error).toMatchObject({ type: "invalid_request", param: "html" });
      const within = await costOf(patch({ layout: "html", html: markup(60_000) }));
      expect(within.answer.status).toBe(200);
      const beyond = await costOf(patch({ html: markup(500_000) }));
      expect(beyond.answer.body.error).toMatchObject({ type: "invalid_request", param: "html" });
      expect(turned.ms).toBeLessThan(within.ms * 3);
      expect(beyond.ms).toBeLessThan(within.ms * 3);
    });

    test("a refused body is not stored", async () => {
      const { body: stored } = await post(json("html", "<p>kept</p>"));
      const edited = await world.request("PATCH", `${path}/${stored.id}`, {
        token: world.owner,
        body: JSON.stringify({ html: markup(70_000) }),
      });
      expect(edited.status).toBe(422);
      const { body: after } = await world.request("GET", `${path}/${stored.id}`, { token: world.owner });
      expect(after.html).toBe("<p>kept</p>");
    });
  });
});

// A program as somebody writes it whose types are made from our OpenAPI document. `paths.ts` is not stored: compile.ts creates
// it, and compiles this file with it. The test in test/transports/typed_client.test.ts runs it.

import createClient from "openapi-fetch";
import type { paths } from "./paths.ts";

/** Calls every kind of operation once; the answers' texts come back. */
export async function callEveryOperation(url: string, key: string, handle: string) {
  const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } });
  const { data: pusher, error } = await client.POST("/api/v1/pushers", {
    body: { handle, name: "Typed", category: "ai", description: "From a typed client" },
    params: { header: { "Idempotency-Key": "typed-1" } },
  });
  const id: string = pusher!.id;
  const { data: alert } = await client.POST("/api/v1/pushers/{id}/alerts", {
    params: { path: { id } },
    body: { title: "Hello", priority: "urgent" },
  });
  const noted: string[] = alert!.notes.map(({ capability }) => capability);

  const one = { params: { path: { id, alertId: alert!.id } } };
  const edited = await client.PATCH("/api/v1/pushers/{id}/alerts/{alertId}", { ...one, body: { title: "Hi" } });
  const sent = await client.PATCH("/api/v1/pushers/{id}/alerts/{alertId}", { ...one, body: { action: "send" } });
  const { data: page } = await client.GET("/api/v1/pushers/{id}/alerts", {
    params: { path: { id }, query: { status: "sent", limit: 1 } },
  });
  const next: string | null = page!.meta.next_before;
  const refused = await client.DELETE("/api/v1/pushers/{id}/alerts/{alertId}", one);
  return {
    error,
    noted,
    edited: edited.data!.title,
    sent: sent.data!.status,
    page: [page!.data.length, next],
    refused: refused.error!.error.type,
  };
}

/** What the compiler refuses, and the service's status for it. */
export async function sendWrongCategory(url: string, key: string): Promise<number> {
  const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } });
  const { response } = await client.POST("/api/v1/pushers", {
    // @ts-expect-error the category is not one of the list, and fields are missing
    body: { handle: "x", category: "ferries" },
  });
  return response.status;
}

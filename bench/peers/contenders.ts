// The compared programs, and how Belfry does the work that all of them can do.

import type { OpenWorld } from "../bench_databases.ts";
import { ALERT_ARGUMENTS, bearer, INBOX, pollRequest, sendRequests } from "../case_requests.ts";
import type { HttpLoad, LoadTarget } from "../load_generators.ts";
import { channelPath, HOT_CHANNEL } from "../seed_database.ts";

/** A publish that is stored when it is answered; a poll that finds fifty; a poll that finds nothing new. */
export type PeerWork = "send" | "inbox" | "unchanged";

export interface Contender {
  name: string;
  /** Created again for every round: each round ends in another state. */
  works: Partial<Record<PeerWork, () => HttpLoad | Promise<HttpLoad>>>;
  /** Microseconds that its connections in PostgreSQL have used; null: it has none, or they cannot be read. */
  databaseCpu(): Promise<number | null>;
  /** The open handsets, and the messages to them; null: not measured here. */
  open: OpenContender | null;
}

export interface OpenContender {
  target: LoadTarget;
  /** The head that the handset with this number sends. */
  ask(handset: number): string;
  send(title: string): Promise<void>;
}

/** A peer's text is as long as an alert's. */
export const MESSAGE_TEXT = ALERT_ARGUMENTS.body;

export async function postText(url: string, headers: Record<string, string>, body: string): Promise<string> {
  const answer = await fetch(url, { method: "POST", headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return text;
}

export const inboxRequest = (path: string, headers: Record<string, string>) =>
  [
    `GET ${path} HTTP/1.1`,
    ...Object.entries({ host: "localhost", ...headers }).map(([k, v]) => `${k}: ${v}`),
    "\r\n",
  ].join("\r\n");

/**
 * In the default configuration: with its request log, on the database that it starts itself. Cards in the format of its
 * own clients.
 */
export async function openBelfry(world: OpenWorld): Promise<Contender> {
  const target = await world.delivered();
  const { key, pollers, reporters } = world.tokens;
  const path = `${INBOX}?limit=50&view=lean`;
  const polls = async (status: number, headersOf: (etag: string) => object): Promise<HttpLoad> => {
    const polled = await Promise.all(pollers[1].map((token) => pollRequest(target, token, path)));
    if (JSON.parse(polled[0]!.body).data.length !== 50) throw new Error("an inbox without a full page");
    return {
      ...{ kind: "http", target, status },
      requests(connection) {
        const { token, etag } = polled[connection % polled.length]!;
        return [{ path, headers: { ...bearer(token), ...headersOf(etag) } }];
      },
    };
  };
  return {
    name: "Belfry",
    works: {
      send: () => sendRequests(world, target),
      inbox: () => polls(200, () => ({})),
      unchanged: () => polls(304, (etag) => ({ "if-none-match": etag })),
    },
    databaseCpu: () => world.databaseCpu(),
    open: {
      target,
      ask: (handset) =>
        inboxRequest(`${INBOX}/stream?view=lean`, { ...bearer(reporters[handset]!), accept: "text/event-stream" }),
      send: async (title) => {
        const headers = { ...bearer(key), "content-type": "application/json" };
        const body = JSON.stringify({ title, body: MESSAGE_TEXT, send: true });
        await postText(`${target.url}${channelPath(HOT_CHANNEL)}/alerts`, headers, body);
      },
    },
  };
}

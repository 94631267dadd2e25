// Gotify as it is delivered, on SQLite, or on a PostgreSQL: an application for each channel, and one client that reads.

import { randomBytes } from "node:crypto";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { ALERT_ARGUMENTS, JSON_BODY } from "../case_requests.ts";
import { WRITTEN_CHANNELS } from "../seed_database.ts";
import { type Contender, inboxRequest, MESSAGE_TEXT, postText } from "./contenders.ts";
import { startProgram } from "./peer_program.ts";

export interface GotifyDatabase {
  url: string;
  cpu(): Promise<number | null>;
}

/** As its driver reads it: an address has no place for the folder of a socket. */
const described = (url: string) => {
  const { username, password, hostname, port, pathname } = new URL(url);
  const words = { host: hostname, port, user: username, password, dbname: pathname.slice(1), sslmode: "disable" };
  return Object.entries(words)
    .filter(([, word]) => word !== "")
    .map(([name, word]) => `${name}='${decodeURIComponent(word)}'`)
    .join(" ");
};

/** @param database null: its own SQLite */
export async function startGotify(file: string, folder: string, database: GotifyDatabase | null) {
  const port = await findFreePort("127.0.0.1");
  const env: Record<string, string> = {
    GOTIFY_SERVER_LISTENADDR: "127.0.0.1",
    GOTIFY_SERVER_PORT: String(port),
    ...(database ? { GOTIFY_DATABASE_DIALECT: "postgres", GOTIFY_DATABASE_CONNECTION: described(database.url) } : {}),
  };
  const program = await startProgram(file, ["serve"], { port, folder, env });
  try {
    const { target } = program;
    const admin = { ...JSON_BODY, authorization: `Basic ${btoa("admin:admin")}` };
    const tokenOf = async (kind: "application" | "client", name: string): Promise<string> =>
      JSON.parse(await postText(`${target.url}/${kind}`, admin, JSON.stringify({ name }))).token;
    const key = (token: string) => ({ "x-gotify-key": token });
    const publish = (token: string, title: string) =>
      postText(
        `${target.url}/message`,
        { ...key(token), ...JSON_BODY },
        JSON.stringify({ title, message: MESSAGE_TEXT }),
      );
    const client = await tokenOf("client", "bench");
    const watched = await tokenOf("application", "watched");
    const written: string[] = [];
    for (let i = 0; i < WRITTEN_CHANNELS.count; i++) written.push(await tokenOf("application", `written ${i}`));
    for (let i = 0; i < 50; i++) await publish(watched, `Alert ${i}`);
    const contender: Contender = {
      name: database ? "Gotify on PostgreSQL" : "Gotify on SQLite",
      works: {
        send: () => ({
          kind: "http",
          target,
          status: 200,
          mayRefuse: true,
          requests: (connection) =>
            written.map((_, i) => ({
              method: "POST",
              path: "/message",
              headers: { ...key(written[(i + connection) % written.length]!), ...JSON_BODY },
              body: JSON.stringify({ title: ALERT_ARGUMENTS.title, message: ALERT_ARGUMENTS.body }),
            })),
        }),
        // A client's request. The API cannot poll for new messages only.
        inbox: () => ({
          kind: "http",
          target,
          status: 200,
          mayRefuse: true,
          requests: () => [{ path: "/message?limit=50", headers: key(client) }],
          verify: (body) => JSON.parse(body).messages.length === 50,
        }),
      },
      databaseCpu: database?.cpu ?? (async () => null),
      open: {
        target,
        ask: () =>
          inboxRequest("/stream", {
            ...{ ...key(client), connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
            "sec-websocket-key": randomBytes(16).toString("base64"),
          }),
        send: async (title) => void (await publish(watched, title)),
      },
    };
    return { contender, stop: program.stop };
  } catch (error) {
    await program.stop();
    throw error;
  }
}

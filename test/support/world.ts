// A whole service of its own for a test file, on a copy of the template database. It provides keys, handsets, a movable
// clock, the emitted events, and calls over REST and MCP.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { inject } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { MAX_RESULT_BYTES } from "../../src/api/transports/mcp_results.ts";
import {
  addWorkspaceMember,
  type CreateKeyInput,
  createEmptyWorkspace,
  createKey,
} from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { ERROR_TYPE_STATUSES } from "../../src/model/api_error.ts";
import type { DomainEvent } from "../../src/model/domain/domain_events.ts";
import { buildRestRequest } from "../../src/operation/build_rest_request.ts";
import type { OwnerOperation } from "../../src/operation/define_operation.ts";
import { openServiceWithoutListening, type Service } from "../../src/program/boot/service.ts";
import type { ServiceOverrides } from "../../src/program/boot/service_options_and_resources.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { freshCell } from "./citus_cells.ts";
import { executeInLockOrder } from "./lock_order.ts";
import { withDatabase } from "./postgres_server.ts";
import "./password_cost.ts";
import { addOmittedDefaults } from "./lean_rows.ts";
import { checkResponseSchema } from "./response_checks.ts";

export interface Answer {
  status: number;
  /** The JSON body; null without one. */
  body: any;
  headers: Headers;
}

let copies = 0;

const UNLIMITED = {
  "pusher-creations": 1e9,
  "alert-sends": 1e9,
  "device-registrations": 1e9,
  "webhook-calls": 1e9,
  "joins-on-channel": 1e9,
  "joins-of-device": 1e9,
  "joins-of-address": 1e9,
};

/** On a busy machine a call may wait long. Tests of the limits themselves set their own. */
const PATIENCE = {
  DATABASE_CONNECT_TIMEOUT_MS: "120000",
  DATABASE_STATEMENT_TIMEOUT_MS: "120000",
  DATABASE_LOCK_TIMEOUT_MS: "120000",
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: "120000",
};

let admin: ReturnType<typeof createOrm> | undefined;
/** Creates databases, once for a process: discovering all entities takes longer than copying a database. */
function administrator(url: string): SqlEntityManager {
  admin ??= createOrm({ databaseUrl: url, databasePoolSize: 2 });
  return admin.em.fork() as SqlEntityManager;
}

/**
 * A fresh database as settings, migrated unless it shall be empty, and a function that removes it. With
 * BELFRY_TEST_CELLS it is a cell of TEST_CITUS_URL instead.
 */
export async function freshDatabase({
  empty = false,
} = {}): Promise<{ settings: Record<string, string>; remove(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), "belfry-world-"));
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true });
  const secret = "a secret of the tests that is long enough";
  if (process.env.BELFRY_TEST_CELLS && !empty) {
    const cell = await freshCell();
    const settings = { DATA_DIR: dataDir, DATABASE_URL: cell.url, SECRET: secret, ...PATIENCE };
    return { settings, remove: () => cell.remove().finally(removeFolder) };
  }
  const { url, template, thrownAway } = inject("database");
  const name = `${template}_${process.pid}_${++copies}`;
  const em = administrator(url);
  const from = empty ? "template0" : template;
  await em.execute(`create database ${name} template ${from} strategy file_copy`);
  // Nothing here outlives a crash of the server, so no commit waits for the disk.
  if (!thrownAway) await em.execute(`alter database ${name} set synchronous_commit = off`);
  const databaseUrl = withDatabase(url, name);
  return {
    settings: { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, SECRET: secret, ...PATIENCE },
    remove: async () => {
      removeFolder();
      if (!thrownAway) await em.execute(`drop database if exists ${name} with (force)`);
    },
  };
}

export class World {
  readonly service: Service;
  readonly events: DomainEvent[];
  /** Key of the first workspace's owner, with every scope. */
  readonly owner: string;
  readonly workspace: { id: string };
  /** The data that another process would need to open the same database. */
  readonly settings: Record<string, string>;
  readonly #remove: () => Promise<void>;

  /** The events of what was done to alerts. Those of subscribers may come a second after what caused them. */
  get acts(): DomainEvent[] {
    return this.events.filter(({ event }) => event.startsWith("alert."));
  }

  /** The data directory, which has the uploaded files. */
  get dataDir(): string {
    return this.settings.DATA_DIR!;
  }

  private constructor(parts: {
    service: Service;
    settings: Record<string, string>;
    events: DomainEvent[];
    owner: string;
    workspace: { id: string };
    remove: () => Promise<void>;
  }) {
    this.service = parts.service;
    this.settings = parts.settings;
    this.events = parts.events;
    this.owner = parts.owner;
    this.workspace = parts.workspace;
    this.#remove = parts.remove;
  }

  /** Opens a service on a fresh database. `limits: true` keeps the operations' own limits, which tests rarely want. */
  static async open(
    options: ServiceOverrides & { settings?: Record<string, string>; limits?: boolean } = {},
  ): Promise<World> {
    const { settings, remove } = await freshDatabase();
    const events: DomainEvent[] = [];
    const { settings: more, limits, ...serviceOptions } = options;
    const config = loadConfig({
      LOG_LEVEL: process.env.BELFRY_TEST_LOG ?? "silent",
      REDIS_URL: "",
      ...settings,
      ...more,
    });
    const service = await openServiceWithoutListening(config, {
      publish: (event) => events.push(event),
      limitNow: () => 0,
      ...(limits ? {} : { limitMax: UNLIMITED }),
      ...serviceOptions,
    });
    const em = service.orm.em.fork() as SqlEntityManager;
    const workspace = await createEmptyWorkspace(em, { name: "Test workspace" });
    await addWorkspaceMember(em, { workspace: workspace.id, email: "owner@example.org", role: "owner" });
    const { key } = await createKey(em, { workspace: workspace.id, scopes: "all" }, new Date());
    return new World({ service, settings, events, owner: key, workspace, remove });
  }

  /** A second service on the same PostgreSQL database, as another process would be; it shares the list of events. */
  async replica(more: Record<string, string> = {}, options: ServiceOverrides = {}): Promise<World> {
    const { settings, events, owner, workspace } = this;
    const config = loadConfig({ LOG_LEVEL: "silent", REDIS_URL: "", ...settings, ...more });
    const service = await openServiceWithoutListening(config, {
      publish: (event) => events.push(event),
      limitNow: () => 0,
      limitMax: UNLIMITED,
      ...options,
    });
    return new World({ service, settings, events, owner, workspace, remove: async () => {} });
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.#remove();
  }

  /** Only closes the service; what it wrote stays for other processes until `remove`. */
  leave(): Promise<void> {
    return this.service.close();
  }

  remove(): Promise<void> {
    return this.#remove();
  }

  /**
   * Raw SQL with `?` parameters, for changes that only time or an operator could make. Writes keep the program's lock
   * order.
   */
  sql<Row = any>(text: string, parameters: unknown[] = []): Promise<Row[]> {
    return executeInLockOrder(this.service.orm.em.fork() as SqlEntityManager, text, parameters);
  }

  /** A key in the first workspace, unless another one is named; scopes default to all. */
  async key(options: Partial<CreateKeyInput> = {}): Promise<string> {
    const em = this.service.orm.em.fork() as SqlEntityManager;
    const workspace = options.member ? undefined : (options.workspace ?? this.workspace.id);
    const { key } = await createKey(em, { scopes: "all", ...options, workspace }, new Date());
    return key;
  }

  /** A key of a new member with this role, optionally restricted to channels. */
  async memberKey(role: string, pushers?: string[], options: Partial<CreateKeyInput> = {}): Promise<string> {
    const em = this.service.orm.em.fork() as SqlEntityManager;
    const email = `m${++copies}@example.org`;
    const member = await addWorkspaceMember(em, { workspace: this.workspace.id, email, role, pushers });
    return this.key({ ...options, member: member.id });
  }

  /** A key of a workspace that shares nothing with the first one. */
  async foreignKey(): Promise<string> {
    const em = this.service.orm.em.fork() as SqlEntityManager;
    const workspace = await createEmptyWorkspace(em, { name: "Another workspace" });
    await addWorkspaceMember(em, { workspace: workspace.id, email: "owner@example.com", role: "owner" });
    return this.key({ workspace: workspace.id });
  }

  /** One request; every response is compared with the declared shapes. */
  async request(method: string, path: string, init: RequestInit & { token?: string | null } = {}): Promise<Answer> {
    const { token, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (token) headers.set("authorization", `Bearer ${token}`);
    if (typeof rest.body === "string" && !headers.has("content-type")) headers.set("content-type", "application/json");
    if (!headers.has("host")) headers.set("host", "localhost");
    const request = new Request(`http://localhost${path}`, { ...rest, method, headers });
    const response = await this.service.app.fetch(request);
    const text = await response.text();
    const answer = { status: response.status, body: text === "" ? null : parse(text), headers: response.headers };
    checkResponseSchema(method, path, answer, rest.body);
    return answer;
  }

  /** A tool over REST. `key` null sends no credential. */
  rest(tool: string, args: Record<string, unknown> = {}, key: string | null = this.owner): Promise<Answer> {
    const { method, path, headers, body } = buildRestRequest(findOperation(tool), args);
    return this.request(method, path, { token: key, headers, body });
  }

  /** The same over MCP (2025 form): the structured content, and the status that REST would have had. */
  async mcp(tool: string, args: Record<string, unknown> = {}, key: string | null = this.owner): Promise<Answer> {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
    const answer = await this.request("POST", "/mcp", {
      token: key,
      headers: { accept: "application/json, text/event-stream" },
      body: JSON.stringify(message),
    });
    return fromMcp(findOperation(tool), answer, args.view);
  }

  /** A handset call. */
  handset(method: string, path: string, token: string | null, body?: unknown, headers: Record<string, string> = {}) {
    return this.request(method, `/handset/v1${path}`, {
      token,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** A registered handset's token, joined to the channels of these handles. */
  async device(...handles: string[]): Promise<string> {
    const facts = { platform: "android", app_version: "1.0.0", locale: "en", timezone: "Europe/Lisbon" };
    const { body } = await this.handset("POST", "/devices", null, facts);
    for (const handle of handles) await this.handset("PUT", `/subscriptions/${handle}`, body.token, {});
    return body.token;
  }

  /** A new channel of the first workspace; any field may be given. */
  async pusher(fields: Record<string, unknown> = {}, key = this.owner): Promise<any> {
    const answer = await this.rest(
      "create_pusher",
      { handle: createHandle(), name: "A channel", category: "community", description: "For tests", ...fields },
      key,
    );
    if (answer.status !== 201) throw new Error(`create_pusher: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A new alert of a channel, in any status. */
  async alert(pusherId: string, fields: Record<string, unknown> = {}): Promise<any> {
    const answer = await this.rest("create_alert", { pusher_id: pusherId, title: "An alert", ...fields });
    if (answer.status !== 201) throw new Error(`create_alert: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

let handles = 0;
export const createHandle = () => `t${process.pid.toString(36)}-${(++handles).toString(36)}`;

/** A time this number of seconds from now. */
export const timeInSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

export function findOperation(name: string) {
  const tool = OPERATIONS.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

function parse(text: string): unknown {
  // The 2025 form of MCP answers with an event stream of one message.
  const event = /^data: (.+)$/m.exec(text);
  try {
    return JSON.parse(event && !text.startsWith("{") ? event[1]! : text);
  } catch {
    return text;
  }
}

/** A tool result in REST's terms. A refusal by the protocol itself already is in them. */
function fromMcp(tool: OwnerOperation, answer: Answer, view: unknown): Answer {
  const { result } = answer.body ?? {};
  if (!result) return answer;
  const body = result.structuredContent;
  if (JSON.stringify(body) !== result.content[0].text) throw new Error("text and structured content differ");
  if (Buffer.byteLength(result.content[0].text) > MAX_RESULT_BYTES) throw new Error(`${tool.name}: too long`);
  const headers = new Headers(result._meta ?? {});
  if (result.isError) return { status: statusOf(body), body, headers };
  return { status: tool.http.status, body: addOmittedDefaults(tool, view, body), headers };
}

const statusOf = (body: any) => ERROR_TYPE_STATUSES[body.error.type as keyof typeof ERROR_TYPE_STATUSES];

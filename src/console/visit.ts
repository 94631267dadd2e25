// A page is a record: method, path, who may open it, and what it answers. A visit is what the record is given; it sees no
// database, only sign-in, the rules for members and keys, and operations through dispatch().

import type { Assets } from "../assets/surroundings.ts";
import type { Authorize } from "../auth/authorize.ts";
import type { Connections } from "../auth/connections.ts";
import type { Joining } from "../auth/joining.ts";
import type { MemberKeys } from "../auth/member_keys.ts";
import type { Members } from "../auth/members.ts";
import type { People, Session } from "../auth/people.ts";
import type { Caller, Log } from "../context.ts";
import type { Dispatcher } from "../dispatch.ts";
import type { Role } from "../entities/member.ts";
import type { ApiError } from "../errors.ts";
import type { Mail } from "../mail.ts";
import type { Tool } from "../tool.ts";
import type { FlashCode } from "./flash.ts";
import type { Forms, SentFile } from "./forms.ts";
import type { Content, Html } from "./html.ts";

export interface ConsoleDeps {
  people: People;
  joining: Joining;
  connections: Connections;
  authorize: Authorize;
  members: Members;
  keys: MemberKeys;
  assets: Assets;
  dispatcher: Dispatcher;
  tools: readonly Tool[];
  forms: Forms;
  /** Null where no mail server is configured. */
  mail: Mail | null;
  publicUrl: string;
  now(): Date;
}

export interface PageOptions {
  status?: number;
  section?: string;
  narrow?: boolean;
  onwards?: string;
  linkScript?: boolean;
  cookies?: readonly string[];
}

export interface Visit {
  deps: ConsoleDeps;
  request: Request;
  url: URL;
  address: string | null;
  log: Log;
  /** Named parts of the path. */
  params: Record<string, string>;
  /** What the form sent; empty for GET. */
  form: URLSearchParams;
  /** The file that a form brought, on pages that take one; null when none was chosen. */
  file: SentFile | null;
  session: Session | null;
  caller: Caller | null;
  /** The hidden field that every form carries. */
  token: Html;
  now: Date;
  page(title: string, body: Content, options?: PageOptions): Response;
  /** Another page of ours, optionally with a message on top of it. */
  goTo(path: string, flash?: FlashCode, cookies?: readonly string[]): Response;
}

export interface PersonVisit extends Visit {
  session: Session;
}

export interface MemberVisit extends PersonVisit {
  caller: Caller;
  /** Path of the workspace, with a slash at its end. */
  base: string;
  /** Runs an operation as the signed-in member. */
  call(tool: string, args?: Record<string, unknown>): Promise<any>;
}

export interface Page {
  method: "GET" | "POST";
  path: string;
  for: "anyone" | "person" | "member";
  least: Role;
  /** The most bytes of a file that its form may bring; none when left out. */
  maxFile?: number;
  answer(visit: Visit): Promise<Response>;
  /** The page again, for a form that could not be read; without it the refusal is a page of its own. */
  unread?(visit: Visit, error: ApiError): Promise<Response>;
}

type Method = Page["method"];

/** A page before sign-in. */
export const openPage = (
  method: Method,
  path: string,
  answer: (visit: Visit) => Promise<Response>,
): Page => ({ method, path, for: "anyone", least: "viewer", answer });

/** A page of a signed-in person, of no workspace. */
export const personPage = (
  method: Method,
  path: string,
  answer: (visit: PersonVisit) => Promise<Response>,
): Page => ({ method, path, for: "person", least: "viewer", answer: answer as Page["answer"] });

/** A page of a workspace, below /console/{workspace}/. Others than its members get 404, lesser roles 403. */
export const memberPage = (
  method: Method,
  path: string,
  least: Role,
  answer: (visit: MemberVisit) => Promise<Response>,
): Page => ({
  method,
  path: `/console/:workspace${path}`,
  for: "member",
  least,
  answer: answer as Page["answer"],
});

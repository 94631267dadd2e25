// Only additions (rules#additive): what one version of openapi.json documented and a later one does not.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, read by the names that its standard gives
type Json = Record<string, any>;
type Direction = "request" | "answer";

/** Every documented thing that `after` removes, renames, retypes or newly demands, one line each. */
export function findBreakingChanges(before: Json, after: Json): string[] {
  const found: string[] = [];
  const compare = new Comparison(before, after, found);
  for (const [path, methods] of Object.entries<Json>(before.paths ?? {}))
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      if (!after.paths?.[path]) found.push(`${at}: the path was removed`);
      else if (!after.paths[path][method]) found.push(`${at}: the operation was removed`);
      else compare.operation(at, operation, after.paths[path][method]);
    }
  for (const [event, { post }] of Object.entries<Json>(before.webhooks ?? {})) {
    const later = after.webhooks?.[event]?.post;
    if (!later) found.push(`event ${event}: it was removed`);
    else compare.schemas(`event ${event}`, bodySchema(post.requestBody), bodySchema(later.requestBody), "answer");
  }
  return [...new Set(found)];
}

const bodySchema = (body: Json | undefined): Json | undefined => body?.content?.["application/json"]?.schema;
const typesOf = (schema: Json): string[] => [schema.type ?? []].flat();
const valuesOf = (schema: Json): unknown[] | null =>
  schema.enum ?? (schema.const === undefined ? null : [schema.const]);

/** Limits whose tightening refuses input that was accepted before: +1 when a larger value is tighter. */
const BOUNDS: Record<string, 1 | -1> = {
  minLength: 1,
  minItems: 1,
  minimum: 1,
  exclusiveMinimum: 1,
  maxLength: -1,
  maxItems: -1,
  maximum: -1,
};

class Comparison {
  readonly #before: Json;
  readonly #after: Json;
  readonly #found: string[];

  constructor(before: Json, after: Json, found: string[]) {
    this.#before = before;
    this.#after = after;
    this.#found = found;
  }

  operation(at: string, before: Json, after: Json): void {
    if (before.operationId !== after.operationId)
      this.#found.push(`${at}: operationId ${before.operationId} became ${after.operationId}`);
    this.#scopes(at, before, after);
    this.#parameters(at, before.parameters ?? [], after.parameters ?? []);
    const [earlier, later] = [before.requestBody, after.requestBody];
    if (earlier && !later) this.#found.push(`${at}: the body was removed`);
    if (later?.required && !earlier?.required) this.#found.push(`${at}: the body became required`);
    if (earlier && later) this.schemas(`${at} body`, bodySchema(earlier), bodySchema(later), "request");
    for (const [status, response] of Object.entries<Json>(before.responses ?? {})) {
      const now = after.responses?.[status];
      if (!now) {
        this.#found.push(`${at}: answer ${status} was removed`);
        continue;
      }
      const [one, other] = [resolve(response, this.#before), resolve(now, this.#after)];
      for (const header of Object.keys(one.headers ?? {}))
        if (!other.headers?.[header]) this.#found.push(`${at} ${status}: header ${header} was removed`);
      this.schemas(`${at} ${status}`, bodySchema(one), bodySchema(other), "answer");
    }
  }

  /** A key that sufficed must still suffice. */
  #scopes(at: string, before: Json, after: Json): void {
    // The condition of a scope may be a parameter that clients of the earlier version do not send.
    const known = new Set((before.parameters ?? []).map(({ name }: Json) => name));
    const isOld = (one: Json) => (scope: string) => {
      const [, name] = /^`(\w+)` is given$/.exec(one["x-also-requires"][scope]) ?? [];
      return name === undefined || known.has(name);
    };
    const scopes = (operation: Json): Map<string, string[]> =>
      new Map(
        (operation["x-operations"] ?? [{ ...operation, name: operation.operationId }]).map((one: Json) => [
          one.name,
          [one["x-required-scope"], ...Object.keys(one["x-also-requires"] ?? {}).filter(isOld(one))].filter(Boolean),
        ]),
      );
    const later = scopes(after);
    for (const [name, needed] of scopes(before)) {
      const now = later.get(name);
      if (!now) this.#found.push(`${at}: ${name} was removed`);
      for (const scope of now ?? [])
        if (!needed.includes(scope)) this.#found.push(`${at}: ${name} newly needs the scope ${scope}`);
    }
  }

  #parameters(at: string, before: Json[], after: Json[]): void {
    const keyed = (list: Json[], document: Json) =>
      new Map(list.map((item) => resolve(item, document)).map((item) => [`${item.in} parameter ${item.name}`, item]));
    const [earlier, later] = [keyed(before, this.#before), keyed(after, this.#after)];
    for (const [name, parameter] of earlier) {
      const now = later.get(name);
      if (!now) this.#found.push(`${at}: ${name} was removed`);
      else this.schemas(`${at} ${name}`, parameter.schema, now.schema, "request");
    }
    for (const [name, parameter] of later)
      if (parameter.required && !earlier.get(name)?.required) this.#found.push(`${at}: ${name} is newly required`);
  }

  schemas(at: string, before: Json | undefined, after: Json | undefined, direction: Direction): void {
    if (!before) return;
    if (!after) {
      this.#found.push(`${at}: its content was removed`);
      return;
    }
    const [one, other] = [flatten(before, this.#before), flatten(after, this.#after)];
    this.#alternatives(at, one, other, direction);
    if (one.options || other.options) return;
    this.#types(at, one, other, direction);
    for (const [keyword, sign] of Object.entries(BOUNDS)) {
      if (direction === "answer" || other[keyword] === undefined) continue;
      if (one[keyword] === undefined || (other[keyword] - one[keyword]) * sign > 0)
        this.#found.push(`${at}: ${keyword} is tighter`);
    }
    for (const [name, field] of Object.entries<Json>(one.properties ?? {})) {
      const now = other.properties?.[name];
      if (!now) this.#found.push(`${at}: field ${name} was removed`);
      else this.schemas(`${at}.${name}`, field, now, direction);
    }
    const [was, is] = [one.required ?? [], other.required ?? []];
    if (direction === "request")
      for (const name of is.filter((field: string) => !was.includes(field)))
        this.#found.push(`${at}: field ${name} is newly required`);
    else
      for (const name of was.filter((field: string) => !is.includes(field)))
        if (other.properties?.[name]) this.#found.push(`${at}: field ${name} may now be missing`);
    if (one.items) this.schemas(`${at}[]`, one.items, other.items, direction);
  }

  /** Requests must take what they took; answers must stay what they were. */
  #types(at: string, one: Json, other: Json, direction: Direction): void {
    const [was, is] = [typesOf(one), typesOf(other)];
    const [sub, sup] = direction === "request" ? [was, is] : [is, was];
    const widened = sup.length === 0 || sub.every((type) => sup.includes(type) || wider(type, sup));
    if (!widened || (sub.length === 0 && sup.length > 0))
      this.#found.push(`${at}: retyped from ${was.join("|") || "any"} to ${is.join("|") || "any"}`);
    if (one.format !== other.format && (direction === "request" ? other.format : one.format))
      this.#found.push(`${at}: format ${one.format ?? "none"} became ${other.format ?? "none"}`);
    const [had, has] = [valuesOf(one), valuesOf(other)];
    if (had && has)
      for (const value of had.filter((candidate) => !has.includes(candidate)))
        this.#found.push(`${at}: value ${value} was removed`);
    else if (has && direction === "request") this.#found.push(`${at}: it is newly limited to a list of values`);
  }

  /** Alternatives are matched by their title, or by the shape that they refer to. */
  #alternatives(at: string, one: Json, other: Json, direction: Direction): void {
    if (!one.options && !other.options) return;
    const named = (schema: Json, document: Json): Map<string, Json> =>
      new Map(
        (schema.options ?? [schema.self]).map((option: Json, i: number) => [
          resolve(option, document).title ?? option.$ref ?? typesOf(option)[0] ?? String(i),
          option,
        ]),
      );
    const later = named(other, this.#after);
    for (const [name, option] of named(one, this.#before)) {
      const now = later.get(name);
      if (now) this.schemas(`${at} (${name.split("/").at(-1)})`, option, now, direction);
      else this.#found.push(`${at}: the alternative ${name.split("/").at(-1)} was removed`);
    }
  }
}

const wider = (type: string, types: string[]) => type === "integer" && types.includes("number");

function resolve(node: Json, document: Json): Json {
  if (typeof node.$ref !== "string") return node;
  const target = node.$ref
    .slice(2)
    .split("/")
    .reduce((at: Json | undefined, key: string) => at?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  return target ? resolve(target, document) : {};
}

/** References followed, `allOf` merged; `options` are its alternatives where it has any. */
function flatten(schema: Json, document: Json): Json {
  const node = resolve(schema, document);
  const options = node.oneOf ?? node.anyOf;
  const merged: Json = { ...node, self: schema, ...(options ? { options } : {}) };
  for (const part of node.allOf ?? []) {
    const inner = flatten(part, document);
    merged.type ??= inner.type;
    merged.properties = { ...inner.properties, ...merged.properties };
    merged.required = [...new Set([...(merged.required ?? []), ...(inner.required ?? [])])];
  }
  return merged;
}

/** The versions of openapi.json that must stay valid: the last commit's, the branching point's, the last release's. */
export function readCommittedApiVersions(): { versions: Map<string, Json>; reason: string | null } {
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  const git = (...args: string[]): string | null => {
    try {
      return execFileSync("git", args, {
        cwd,
        encoding: "utf8",
        maxBuffer: 1 << 26,
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    } catch {
      return null;
    }
  };
  const head = git("rev-parse", "HEAD");
  if (head === null) return { versions: new Map(), reason: "this is not a git repository" };
  const refs = [head, git("merge-base", "HEAD", "main"), git("describe", "--tags", "--abbrev=0")];
  const versions = new Map<string, Json>();
  for (const ref of refs.filter((candidate) => candidate !== null)) {
    const text = git("show", `${ref}:openapi.json`);
    if (text) versions.set(ref, JSON.parse(text));
  }
  return { versions, reason: versions.size === 0 ? "no commit contains an openapi.json yet" : null };
}

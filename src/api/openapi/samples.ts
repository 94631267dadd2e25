// The same request in several languages, made by the function that the command line makes its requests with.

import { type ClientRequest, requestFor } from "../../operation/request.ts";
import type { Http } from "../../operation/tool.ts";
import { EXAMPLE_IDEMPOTENCY_KEY } from "./examples.ts";
import { go, lines, python, type Where } from "./samples_elsewhere.ts";

interface Sampled {
  http: Http;
  creates?: boolean;
  streams?: true;
}

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** `title` tells apart the operations of one route. */
export function codeSamples(
  operation: Sampled,
  args: Record<string, unknown>,
  { title, ...options }: Omit<Where, "answers" | "streams"> & { title?: string },
): CodeSample[] {
  const key = operation.creates ? { idempotency_key: EXAMPLE_IDEMPOTENCY_KEY } : {};
  const request = requestFor(operation, { ...args, ...key });
  const streams = operation.streams === true;
  const where = { ...options, streams, answers: operation.http.status !== 204 };
  const sample = (label: string, write: typeof curl, lang = label) => ({
    lang,
    label: title ? `${label} · ${title}` : label,
    source: write(request, where),
  });
  return [
    sample("curl", curl, "Shell"),
    sample("JavaScript", javascript),
    sample("Python", python),
    sample("Go", go),
  ];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const PROPER: Record<string, string> = {
  "content-type": "Content-Type",
  "idempotency-key": "Idempotency-Key",
};

function curl(
  { method, path, headers, body }: ClientRequest,
  { publicUrl, variable, streams }: Where,
): string {
  const parts = [
    `curl ${streams ? "-sSN" : "-sS"} ${method === "GET" ? "" : `-X ${method} `}${quoted(publicUrl + path)}`,
    variable && `-H "Authorization: Bearer $${variable}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${PROPER[name] ?? name}: ${value}`)}`),
    body && `-d ${quoted(JSON.stringify(JSON.parse(body), null, 2).replaceAll("\n", "\n  "))}`,
  ];
  return parts.filter(Boolean).join(" \\\n  ");
}

function javascript(request: ClientRequest, { publicUrl, variable, answers, streams }: Where): string {
  const { method, path, headers, body } = request;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the reader's template, not ours
  const bearer = variable && "authorization: `Bearer ${env.VARIABLE}`".replace("VARIABLE", variable);
  const others = Object.entries(headers).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  const sent = bearer ? [bearer, ...others] : others;
  const options = lines(
    method !== "GET" && `method: "${method}",`,
    sent.length === 1 && `headers: { ${sent[0]} },`,
    sent.length > 1 && ["headers: {", ...sent.map((line) => `  ${line},`), "},"],
    body !== undefined && `body: JSON.stringify(${objectLiteral(JSON.parse(body))}),`,
  );
  return lines(
    variable && ['import { env } from "node:process";', ""],
    `const response = await fetch(${JSON.stringify(publicUrl + path)}${options ? ", {" : ");"}`,
    options && [options.replace(/^/gm, "  "), "});"],
    "if (!response.ok) throw new Error((await response.json()).error.message);",
    streams
      ? "for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);"
      : answers && "console.log(await response.json());",
  );
}

/** JSON as people write it in JavaScript: no quotes around names that need none. */
function objectLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([a-z_]+)":/gm, "$1$2:");
}

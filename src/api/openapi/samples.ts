// The same request in several languages, made by the function that the command line makes its requests with.

import { type ClientRequest, requestFor } from "../../operation/request.ts";
import type { Http } from "../../operation/tool.ts";
import { EXAMPLE_IDEMPOTENCY_KEY } from "./examples.ts";
import { go, python } from "./samples_elsewhere.ts";

interface Sampled {
  http: Http;
  creates?: boolean;
}

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** Which variable of the environment holds the credential; null where none is needed. */
export type CredentialVariable = "BELFRY_API_KEY" | "BELFRY_DEVICE_TOKEN" | null;

/** `title` tells apart the operations of one route. */
export function codeSamples(
  operation: Sampled,
  args: Record<string, unknown>,
  options: { publicUrl: string; variable: CredentialVariable; title?: string },
): CodeSample[] {
  const key = operation.creates ? { idempotency_key: EXAMPLE_IDEMPOTENCY_KEY } : {};
  const request = requestFor(operation, { ...args, ...key });
  const label = (language: string) => (options.title ? `${language} · ${options.title}` : language);
  const answers = operation.http.status !== 204;
  return [
    { lang: "Shell", label: label("curl"), source: curl(request, options) },
    { lang: "JavaScript", label: label("JavaScript"), source: javascript(request, options, answers) },
    { lang: "Python", label: label("Python"), source: python(request, { ...options, answers }) },
    { lang: "Go", label: label("Go"), source: go(request, { ...options, answers }) },
  ];
}

type Where = { publicUrl: string; variable: CredentialVariable };

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const PROPER: Record<string, string> = {
  "content-type": "Content-Type",
  "idempotency-key": "Idempotency-Key",
};

function curl({ method, path, headers, body }: ClientRequest, { publicUrl, variable }: Where): string {
  const lines = [`curl -sS ${method === "GET" ? "" : `-X ${method} `}${quoted(publicUrl + path)}`];
  if (variable) lines.push(`-H "Authorization: Bearer $${variable}"`);
  for (const [name, value] of Object.entries(headers))
    lines.push(`-H ${quoted(`${PROPER[name] ?? name}: ${value}`)}`);
  if (body !== undefined)
    lines.push(`-d ${quoted(JSON.stringify(JSON.parse(body), null, 2).replaceAll("\n", "\n  "))}`);
  return lines.join(" \\\n  ");
}

function javascript(
  { method, path, headers, body }: ClientRequest,
  { publicUrl, variable }: Where,
  answers: boolean,
): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the reader's template, not ours
  const bearer = "`Bearer ${env.VARIABLE}`".replace("VARIABLE", variable ?? "");
  const sent = [
    ...(variable ? [`authorization: ${bearer}`] : []),
    ...Object.entries(headers).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}",`]),
    ...(sent.length === 1 ? [`headers: { ${sent[0]} },`] : []),
    ...(sent.length > 1 ? ["headers: {", ...sent.map((line) => `  ${line},`), "},"] : []),
    ...(body === undefined ? [] : `body: JSON.stringify(${objectLiteral(JSON.parse(body))}),`.split("\n")),
  ];
  return [
    ...(variable ? ['import { env } from "node:process";', ""] : []),
    `const response = await fetch(${JSON.stringify(publicUrl + path)}${options.length > 0 ? ", {" : ");"}`,
    ...(options.length > 0 ? [...options.map((line) => `  ${line}`), "});"] : []),
    "if (!response.ok) throw new Error((await response.json()).error.message);",
    ...(answers ? ["console.log(await response.json());"] : []),
  ].join("\n");
}

/** JSON as people write it in JavaScript: no quotes around names that need none. */
function objectLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([a-z_]+)":/gm, "$1$2:");
}

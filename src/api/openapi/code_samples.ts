// The same request in several languages, made by the function that the command line uses. Each sample needs only the
// language's own library.

import { type BuiltRestRequest, buildRestRequest } from "../../operation/build_rest_request.ts";
import type { HttpRoute } from "../../operation/define_operation.ts";
import { EXAMPLE_IDEMPOTENCY_KEY } from "./examples.ts";

interface CodeSampleOptions {
  publicUrl: string;
  /** The environment variable of the credential; null without one. */
  variable: "BELFRY_API_KEY" | "BELFRY_DEVICE_TOKEN" | null;
  /** Reports if there is a body to read. */
  answers: boolean;
  /** Reports if the response continues, event by event, until the client stops it. */
  streams: boolean;
}

type Line = string | false | null;

/** The lines without false or null. */
const joinLines = (...all: (Line | Line[])[]): string =>
  all
    .flat()
    .filter((line) => typeof line === "string")
    .join("\n");

const text = (value: string) => JSON.stringify(value);

function createPythonSample({ method, path, headers, body }: BuiltRestRequest, where: CodeSampleOptions): string {
  const { publicUrl, variable, answers, streams } = where;
  const sent = joinLines(
    variable && `        "Authorization": "Bearer " + os.environ["${variable}"],`,
    Object.entries(headers).map(([name, value]) => `        ${text(name)}: ${text(value)},`),
  );
  return joinLines(
    ((answers && !streams) || body !== undefined) && "import json",
    variable && "import os",
    ["import urllib.request", "", "request = urllib.request.Request("],
    `    ${text(publicUrl + path)},`,
    method !== "GET" && `    method="${method}",`,
    sent !== "" && ["    headers={", sent, "    },"],
    body !== undefined && `    data=json.dumps(${literal(JSON.parse(body))}).encode(),`,
    ")",
    answers
      ? [
          "with urllib.request.urlopen(request) as response:",
          streams
            ? '    for line in response:\n        print(line.decode(), end="")'
            : "    print(json.dumps(json.load(response)))",
        ]
      : "urllib.request.urlopen(request).close()",
  );
}

const WORDS: Record<string, string> = { null: "None", true: "True", false: "False" };

/** JSON as Python writes it, with a comma behind each entry. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 4)
    .replace(/("(?:[^"\\]|\\.)*")|\b(?:null|true|false)\b/g, (word, string) => string ?? WORDS[word])
    .replace(/([^{[,])\n/g, "$1,\n")
    .replaceAll("\n", "\n    ");

function createGoSample({ method, path, headers, body }: BuiltRestRequest, where: CodeSampleOptions): string {
  const { publicUrl, variable, answers, streams } = where;
  const pretty = body && JSON.stringify(JSON.parse(body), null, "\t");
  const quoted = body && pretty?.includes("`") ? text(body) : `\`${pretty}\``;
  const inside = joinLines(
    body !== undefined && `body := strings.NewReader(${quoted})`,
    `request, err := http.NewRequest("${method}", ${text(publicUrl + path)}, ${body === undefined ? "nil" : "body"})`,
    FAILING,
    variable && `request.Header.Set("Authorization", "Bearer "+os.Getenv("${variable}"))`,
    Object.entries(headers).map(([name, value]) => `request.Header.Set(${text(name)}, ${text(value)})`),
    "response, err := http.DefaultClient.Do(request)",
    FAILING,
    ["defer response.Body.Close()", "if response.StatusCode >= 400 {"],
    ["\tfmt.Fprintln(os.Stderr, response.Status)", "\tos.Exit(1)", "}"],
    streams
      ? ["_, err = io.Copy(os.Stdout, response.Body)", ...FAILING]
      : answers && ["answer, err := io.ReadAll(response.Body)", ...FAILING, "fmt.Println(string(answer))"],
  );
  return joinLines(
    ["package main", "", "import (", '\t"fmt"'],
    answers && '\t"io"',
    ['\t"net/http"', '\t"os"'],
    body !== undefined && '\t"strings"',
    [")", "", "func main() {", inside.replace(/^/gm, "\t"), "}"],
  );
}

const FAILING = ["if err != nil {", "\tpanic(err)", "}"];

interface Sampled {
  http: HttpRoute;
  creates?: boolean;
  streams?: true;
}

/** `title` distinguishes the operations of one route. */
export function createCodeSamples(
  operation: Sampled,
  args: Record<string, unknown>,
  { title, ...options }: Omit<CodeSampleOptions, "answers" | "streams"> & { title?: string },
) {
  const key = operation.creates ? { idempotency_key: EXAMPLE_IDEMPOTENCY_KEY } : {};
  const request = buildRestRequest(operation, { ...args, ...key });
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
    sample("Python", createPythonSample),
    sample("Go", createGoSample),
  ];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const PROPER: Record<string, string> = { "content-type": "Content-Type", "idempotency-key": "Idempotency-Key" };

function curl(
  { method, path, headers, body }: BuiltRestRequest,
  { publicUrl, variable, streams }: CodeSampleOptions,
): string {
  const parts = [
    `curl ${streams ? "-sSN" : "-sS"} ${method === "GET" ? "" : `-X ${method} `}${quoted(publicUrl + path)}`,
    variable && `-H "Authorization: Bearer $${variable}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${PROPER[name] ?? name}: ${value}`)}`),
    body && `-d ${quoted(JSON.stringify(JSON.parse(body), null, 2).replaceAll("\n", "\n  "))}`,
  ];
  return parts.filter(Boolean).join(" \\\n  ");
}

function javascript(request: BuiltRestRequest, { publicUrl, variable, answers, streams }: CodeSampleOptions): string {
  const { method, path, headers, body } = request;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the reader's template, not ours
  const bearer = variable && "authorization: `Bearer ${env.VARIABLE}`".replace("VARIABLE", variable);
  const others = Object.entries(headers).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  const sent = bearer ? [bearer, ...others] : others;
  const options = joinLines(
    method !== "GET" && `method: "${method}",`,
    sent.length === 1 && `headers: { ${sent[0]} },`,
    sent.length > 1 && ["headers: {", ...sent.map((line) => `  ${line},`), "},"],
    body !== undefined && `body: JSON.stringify(${objectLiteral(JSON.parse(body))}),`,
  );
  return joinLines(
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

// The same request in Python and Go, with what both bring along and nothing else.

import type { ClientRequest } from "../../operation/request.ts";

export interface Where {
  publicUrl: string;
  /** Which variable of the environment holds the credential; null where none is needed. */
  variable: "BELFRY_API_KEY" | "BELFRY_DEVICE_TOKEN" | null;
  /** Whether there is a body to read. */
  answers: boolean;
  /** Whether that goes on, event by event, until somebody stops it. */
  streams: boolean;
}

type Line = string | false | null;

/** The lines that there are; what is false or null is none. */
export const lines = (...all: (Line | Line[])[]): string =>
  all
    .flat()
    .filter((line) => typeof line === "string")
    .join("\n");

const text = (value: string) => JSON.stringify(value);

export function python({ method, path, headers, body }: ClientRequest, where: Where): string {
  const { publicUrl, variable, answers, streams } = where;
  const sent = lines(
    variable && `        "Authorization": "Bearer " + os.environ["${variable}"],`,
    Object.entries(headers).map(([name, value]) => `        ${text(name)}: ${text(value)},`),
  );
  return lines(
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

export function go({ method, path, headers, body }: ClientRequest, where: Where): string {
  const { publicUrl, variable, answers, streams } = where;
  const pretty = body && JSON.stringify(JSON.parse(body), null, "\t");
  const quoted = body && pretty?.includes("`") ? text(body) : `\`${pretty}\``;
  const inside = lines(
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
  return lines(
    ["package main", "", "import (", '\t"fmt"'],
    answers && '\t"io"',
    ['\t"net/http"', '\t"os"'],
    body !== undefined && '\t"strings"',
    [")", "", "func main() {", inside.replace(/^/gm, "\t"), "}"],
  );
}

const FAILING = ["if err != nil {", "\tpanic(err)", "}"];

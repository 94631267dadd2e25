// The same request in Python and Go, with what both bring along and nothing else.

import type { ClientRequest } from "../../operation/request.ts";

export interface Where {
  publicUrl: string;
  /** Which variable of the environment holds the credential; null where none is needed. */
  variable: string | null;
  /** Whether there is a body to read. */
  answers: boolean;
}

const text = (value: string) => JSON.stringify(value);

export function python({ method, path, headers, body }: ClientRequest, where: Where): string {
  const { publicUrl, variable, answers } = where;
  const sent = [
    ...(variable ? [`"Authorization": "Bearer " + os.environ["${variable}"],`] : []),
    ...Object.entries(headers).map(([name, value]) => `${text(name)}: ${text(value)},`),
  ];
  const needed = [(answers || body !== undefined) && "json", variable && "os", "urllib.request"].filter(
    (name) => typeof name === "string",
  );
  return [
    ...needed.map((name) => `import ${name}`),
    "",
    "request = urllib.request.Request(",
    `    ${text(publicUrl + path)},`,
    ...(method === "GET" ? [] : [`    method="${method}",`]),
    ...(sent.length > 0 ? ["    headers={", ...sent.map((line) => `        ${line}`), "    },"] : []),
    ...(body === undefined ? [] : [`    data=json.dumps(${literal(JSON.parse(body), "    ")}).encode(),`]),
    ")",
    ...(answers
      ? ["with urllib.request.urlopen(request) as response:", "    print(json.dumps(json.load(response)))"]
      : ["urllib.request.urlopen(request).close()"]),
  ].join("\n");
}

/** JSON as Python writes it. */
function literal(value: unknown, indent: string): string {
  const deeper = `${indent}    `;
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Array.isArray(value)
    ? value.map((entry) => literal(entry, deeper))
    : Object.entries(value).map(([name, entry]) => `${text(name)}: ${literal(entry, deeper)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return `${open}${close}`;
  return `${open}\n${entries.map((entry) => `${deeper}${entry},\n`).join("")}${indent}${close}`;
}

export function go({ method, path, headers, body }: ClientRequest, where: Where): string {
  const { publicUrl, variable, answers } = where;
  const sent = [
    ...(variable ? [`request.Header.Set("Authorization", "Bearer "+os.Getenv("${variable}"))`] : []),
    ...Object.entries(headers).map(([name, value]) => `request.Header.Set(${text(name)}, ${text(value)})`),
  ];
  const packages = ["fmt", answers && "io", "net/http", "os", body !== undefined && "strings"].filter(
    (name) => typeof name === "string",
  );
  const pretty =
    body === undefined ? "" : JSON.stringify(JSON.parse(body), null, "\t").replaceAll("\n", "\n\t");
  const quoted = pretty.includes("`") ? text(JSON.stringify(JSON.parse(body ?? "null"))) : `\`${pretty}\``;
  const lines = [
    ...(body === undefined ? [] : [`body := strings.NewReader(${quoted})`]),
    `request, err := http.NewRequest("${method}", ${text(publicUrl + path)}, ${body === undefined ? "nil" : "body"})`,
    ...FAILING,
    ...sent,
    "response, err := http.DefaultClient.Do(request)",
    ...FAILING,
    "defer response.Body.Close()",
    "if response.StatusCode >= 400 {",
    "\tfmt.Fprintln(os.Stderr, response.Status)",
    "\tos.Exit(1)",
    "}",
    ...(answers
      ? ["answer, err := io.ReadAll(response.Body)", ...FAILING, "fmt.Println(string(answer))"]
      : []),
  ];
  return [
    "package main",
    "",
    "import (",
    ...packages.map((name) => `\t"${name}"`),
    ")",
    "",
    "func main() {",
    ...lines.map((line) => `\t${line}`),
    "}",
  ].join("\n");
}

const FAILING = ["if err != nil {", "\tpanic(err)", "}"];

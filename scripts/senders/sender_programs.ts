// The senders: real programs, configured with the console's text. Programs that no registry has are represented by the
// message in their documentation.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import type { IngestSourceProgramId } from "../../src/model/fields/sender_programs.ts";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import type { SenderEnvironment } from "./test_environment.ts";

/** The folder for its files, and the processes that run until the alert arrives. */
export interface SenderRun extends Pick<SenderEnvironment, "folder"> {
  running: ChildProcess[];
}

export interface Sender {
  name: string;
  /** The program's name in the console. */
  as: IngestSourceProgramId;
  /** The program that it needs on the PATH; empty: a message from its documentation. */
  needs: string[];
  /** Makes it send. Returns the response that it got, in a line. */
  send(pasted: string[], at: SenderRun): Promise<string>;
}

export const listMissingNeeds = ({ needs }: Sender): string[] =>
  needs.filter(
    (program) => !(process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program))),
  );

/** The message of our response, in the field that its adapter has for it; else its first line. */
function saidIn(text: string): string {
  try {
    const body = JSON.parse(text);
    const told = body.belfry ?? body.extras?.["belfry::alert"] ?? body.alerts?.[0];
    return told.said;
  } catch {
    return text.trim().split("\n", 1)[0]!;
  }
}

async function run(program: string, args: string[], { folder }: SenderRun): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: folder };
  const started = promisify(execFile)(program, args, { env, timeout: 60_000 });
  // Some would read it.
  started.child.stdin?.end();
  const { stdout } = await started;
  return `exit 0: ${saidIn(stdout) || "(prints nothing)"}`;
}

/** Started in a folder of its own with these files. */
function monitor(program: string, args: string[], files: Record<string, string>, at: SenderRun): void {
  const cwd = mkdtempSync(join(at.folder, `${program}-`));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  at.running.push(spawn(program, args, { cwd, stdio: "ignore" }));
}

/** A Prometheus in which something fires at once. */
async function prometheus(alerting: string, at: SenderRun): Promise<void> {
  const files = {
    "prometheus.yml": `global: {evaluation_interval: 1s}\nrule_files: [rules.yml]\n${alerting}\n`,
    "rules.yml": `groups:
  - name: harbour
    rules:
      - {alert: QuayFloods, expr: vector(1), labels: {severity: critical}, annotations: {summary: The quay floods}}
`,
  };
  const listen = `--web.listen-address=127.0.0.1:${await findFreePort("127.0.0.1")}`;
  // If Alertmanager is not ready yet, the message is sent again soon.
  const often = "--rules.alert.resend-delay=1s";
  const args = ["--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", often, listen];
  monitor("prometheus", args, files, at);
}

async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
  return `${answer.status}: ${saidIn(await answer.text())}`;
}

const shell = (name: string, as: IngestSourceProgramId, line: number): Sender => ({
  name,
  as,
  needs: ["curl"],
  send: (pasted, at) => run("sh", ["-c", pasted[line]!], at),
});

/** A message of its documentation, to the pasted address, with headers made of what else is pasted. */
const documented = (
  name: string,
  as: IngestSourceProgramId,
  headers: (pasted: string[], body: string) => Record<string, string>,
  body = JSON.stringify(SAMPLE_PAYLOADS[as].body),
  line = 0,
): Sender => ({
  name,
  as,
  needs: [],
  send: (pasted) => post(pasted[line]!, body, { ...SAMPLE_PAYLOADS[as].headers, ...headers(pasted, body) }),
});

const signatureOf = (secret: string, body: string) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** The key, in a line that contains one. */
const keyIn = (text: string) => /bfk_\w+/.exec(text)![0];

export const SENDERS: readonly Sender[] = [
  shell("curl, to ntfy's address", "ntfy", 5),
  {
    ...{ name: "ntfy's command line", as: "ntfy", needs: ["ntfy"] },
    send: ([server, topic, token = ""], at) =>
      run("ntfy", ["publish", "-k", token, "-t", "ntfy", `${server}/${topic}`, "m"], at),
  },
  {
    ...{ name: "Apprise, its plugin for ntfy", as: "ntfy", needs: ["apprise"] },
    send: (pasted, at) => run("apprise", ["-b", "m", pasted[3]!], at),
  },
  {
    ...{ name: "shoutrrr, to ntfy", as: "ntfy", needs: ["shoutrrr"] },
    send: (pasted, at) => run("shoutrrr", ["send", "-u", pasted[4]!, "-m", "m"], at),
  },
  shell("curl, to Gotify's address", "gotify", 3),
  {
    ...{ name: "Gotify's command line", as: "gotify", needs: ["gotify"] },
    send: ([url = "", token = ""], at) => run("gotify", ["push", "--url", url, "--token", token, "m"], at),
  },
  {
    ...{ name: "Apprise, its plugin for Gotify", as: "gotify", needs: ["apprise"] },
    send: (pasted, at) => run("apprise", ["-b", "m", pasted[2]!], at),
  },
  {
    ...{ name: "Prometheus and Alertmanager", as: "alertmanager" },
    needs: ["prometheus", "prometheus-alertmanager"],
    async send([config = ""], at) {
      const listen = `127.0.0.1:${await findFreePort("127.0.0.1")}`;
      const files = { "alertmanager.yml": config.replace("route:", "route:\n  group_wait: 0s") };
      const args = ["--config.file=alertmanager.yml", "--storage.path=am", "--cluster.listen-address="];
      monitor("prometheus-alertmanager", [...args, `--web.listen-address=${listen}`], files, at);
      await prometheus(`alerting: {alertmanagers: [{static_configs: [{targets: ["${listen}"]}]}]}`, at);
      return "(sends on)";
    },
  },
  {
    ...{ name: "Prometheus alone", as: "prometheus", needs: ["prometheus"] },
    async send([alerting = ""], at) {
      await prometheus(alerting, at);
      return "(sends on)";
    },
  },
  documented("Grafana", "grafana", ([, key = ""]) => ({ authorization: `Bearer ${key}` })),
  documented("GitHub, signed", "github", (pasted, body) => ({
    "content-type": pasted[1]!,
    "x-hub-signature-256": signatureOf(pasted[2]!, body),
  })),
  documented("GitLab", "gitlab", ([, token = ""]) => ({ "x-gitlab-token": token })),
  documented("Uptime Kuma", "uptime_kuma", ([, headers = ""]) => JSON.parse(headers)),
  documented("Healthchecks", "healthchecks", ([, , headers = ""]) =>
    Object.fromEntries(headers.split("\n").map((line) => line.split(": "))),
  ),
  shell("curl, a CloudEvent", "cloudevents", 0),
  shell("curl, JSON", "json", 0),
  documented(
    "JSON with a template",
    "json",
    ([line = ""]) => ({ authorization: `Bearer ${keyIn(line)}` }),
    JSON.stringify({ job: { name: "Night run", result: "done" } }),
    1,
  ),
  shell("curl, plain text", "text", 0),
];

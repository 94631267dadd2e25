// Real proxies with the own lines of docs/how-to/https.md, on ports of a test; nginx with as many replicas as there
// are.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const PROXIES = ["nginx", "caddy"] as const;
type Proxy = (typeof PROXIES)[number];

const HOST = "127.0.0.1";
const PAGE = readFileSync(join(import.meta.dirname, "../../docs/how-to/https.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)![1]!;

function configuration(proxy: Proxy, port: number, replicas: number[], folder: string): string {
  if (proxy === "caddy")
    return `{\n admin off\n auto_https off\n}\n${block("caddy")
      .replace("alerts.example.org", `http://:${port}`)
      .replace("127.0.0.1:8787", `${HOST}:${replicas[0]}`)}`;
  const server = block("nginx")
    .replace("listen 443 ssl;", `listen ${HOST}:${port};`)
    .replace(/ssl_certificate.*\n/g, "")
    .replace(/^ *server 127.0.0.1:8787.*\n/m, "")
    .replace(/^( *server )127.0.0.1:8788(.*\n)/m, (_, before, after) =>
      replicas.map((replica) => `${before}${HOST}:${replica}${after}`).join(""),
    );
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `daemon off; worker_processes 2; ${user} pid ${folder}/pid; error_log ${folder}/error.log;
    events {} http { access_log off; ${paths.join(" ")} ${server} }`;
}

/** Starts one in front of the replicas; what it writes lies in `folder`. `edit` changes the page's lines. */
export function startProxy(
  proxy: Proxy,
  port: number,
  replicas: number[],
  folder: string,
  edit = (lines: string) => lines,
): ChildProcess {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "conf");
  writeFileSync(file, edit(configuration(proxy, port, replicas, folder)));
  if (proxy === "nginx") return spawn("nginx", ["-p", folder, "-c", file], { stdio: "ignore" });
  return spawn("caddy", ["run", "--adapter", "caddyfile", "--config", file], {
    stdio: "ignore",
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
}

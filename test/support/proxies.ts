// Real proxies with the own lines of docs/how-to/https.md, on ports of a test; nginx with as many replicas as there
// are.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const PROXIES = ["nginx", "caddy"] as const;
/** Each set-up of the page's table, and the program that plays it. */
export const SETUPS = {
  nginx: "nginx",
  caddy: "caddy",
  haproxy: "haproxy",
  "Nginx Proxy Manager": "nginx",
  Synology: "nginx",
} as const;
type Proxy = keyof typeof SETUPS;

const HOST = "127.0.0.1";
const PAGE = readFileSync(join(import.meta.dirname, "../../docs/how-to/https.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)![1]!;

/** The directives that two programs with a page for their settings write for a host, with WebSockets turned on. */
const GENERATED: Partial<Record<Proxy, (port: number, target: string) => string>> = {
  "Nginx Proxy Manager": (port, target) => `
    client_max_body_size 2000m; proxy_read_timeout 90s; proxy_send_timeout 90s; proxy_http_version 1.1; gzip on;
    server { listen ${HOST}:${port}; server_name alerts.example.org;
      location / {
        proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;
        proxy_set_header Host $host; proxy_set_header X-Real-IP $remote_addr;
        proxy_set_header X-Forwarded-Scheme $scheme; proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_pass ${target}$request_uri; } }`,
  Synology: (port, target) => `
    map $http_upgrade $connection_upgrade { default upgrade; "" close; } client_max_body_size 0;
    server { listen ${HOST}:${port}; server_name alerts.example.org;
      location / {
        proxy_connect_timeout 60; proxy_read_timeout 90; proxy_send_timeout 90; proxy_intercept_errors off;
        proxy_http_version 1.1;
        proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
        proxy_set_header Host $http_host; proxy_set_header X-Real-IP $remote_addr;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;
        proxy_pass ${target}; }
      error_page 403 404 500 502 503 504 /dsm_error_page; }`,
};

function configuration(proxy: Proxy, port: number, replicas: number[], folder: string): string {
  if (proxy === "caddy")
    return `{\n admin off\n auto_https off\n}\n${block("caddy")
      .replace("alerts.example.org", `http://:${port}`)
      .replace("127.0.0.1:8787", `${HOST}:${replicas[0]}`)}`;
  if (proxy === "haproxy")
    return block("haproxy")
      .replace(/bind .*/, `bind ${HOST}:${port}`)
      .replace("127.0.0.1:8787", `${HOST}:${replicas[0]}`);
  const generated = GENERATED[proxy]?.(port, `http://${HOST}:${replicas[0]}`);
  const server =
    generated ??
    block("nginx")
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

/** Starts one for the replicas; its output is in `folder`. `edit` changes the page's lines. */
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
  if (proxy === "haproxy") return spawn("haproxy", ["-f", file], { stdio: "ignore" });
  if (SETUPS[proxy] === "nginx") return spawn("nginx", ["-p", folder, "-c", file], { stdio: "ignore" });
  return spawn("caddy", ["run", "--adapter", "caddyfile", "--config", file], {
    stdio: "ignore",
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
}

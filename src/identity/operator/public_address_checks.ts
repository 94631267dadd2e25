// Checks of `belfry doctor` at PUBLIC_URL, through the proxy: whether Belfry answers there, passes WebSockets and
// hides its metrics.

import { randomBytes } from "node:crypto";
import { explainTlsOrHostNameError } from "../../model/connection_error_messages.ts";
import { createFindingBuilder, getErrorReason, type HealthFinding } from "./health_finding.ts";

const ASK_MS = 5_000;

/** ntfy's code for a WebSocket address that was requested without an upgrade. */
const NOT_UPGRADED = 40016;

const ask = (url: string) => fetch(url, { signal: AbortSignal.timeout(ASK_MS), redirect: "manual" });

/** The findings about the address; a service that does not answer there is the only one. */
export async function checkPublicUrlReachable(publicUrl: string | undefined): Promise<HealthFinding[]> {
  const { ok, warning, skipped } = createFindingBuilder("service");
  if (publicUrl === undefined) return [skipped("PUBLIC_URL cannot be used")];
  let response: Response;
  try {
    response = await ask(`${publicUrl}/healthz`);
  } catch (error) {
    const explained = explainTlsOrHostNameError(publicUrl, error);
    if (explained) return [warning(explained.problem, explained.solution)];
    const says = `cannot be reached at ${publicUrl} from this machine (${getErrorReason(error)})`;
    return [warning(says, "start it, or check PUBLIC_URL, its DNS name and the proxy")];
  }
  const way = "check that the proxy forwards to this server";
  if (response.status !== 200) return [warning(`${publicUrl}/healthz returned ${response.status}`, way)];
  const health: unknown = await response.json().catch(() => null);
  if ((health as { status?: unknown } | null)?.status !== "ok")
    return [
      warning(
        `a different program is responding at ${publicUrl}`,
        `set PUBLIC_URL to the address of Belfry, or ${way}`,
      ),
    ];
  return [
    ok(`is responding at ${publicUrl}`),
    ...(await Promise.all([checkWebSocket(publicUrl), checkMetrics(publicUrl)])).flat(),
  ];
}

async function checkWebSocket(publicUrl: string): Promise<HealthFinding[]> {
  const { ok, warning } = createFindingBuilder("websocket");
  const answer = await requestUpgrade(`${publicUrl}/ntfy/belfry-doctor/ws`).catch(() => null);
  if (answer === null) return [];
  if (!answer.includes(`"code":${NOT_UPGRADED}`)) return [ok(`works at ${publicUrl}`)];
  return [
    warning(
      `the proxy at ${publicUrl} does not forward WebSockets, which ntfy clients use`,
      `forward the Upgrade and Connection headers (${publicUrl}/docs/how-to/https)`,
    ),
  ];
}

/** The body of the refusal; empty for a connection that was upgraded. @throws the error of the connection */
async function requestUpgrade(address: string): Promise<string> {
  const { request } = await import(address.startsWith("https:") ? "node:https" : "node:http");
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
  return new Promise((resolve, reject) => {
    const asked = (request as typeof import("node:http").request)(address, { headers, timeout: ASK_MS }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve(body));
      response.on("error", reject);
    });
    asked.on("upgrade", (_, socket) => {
      socket.destroy();
      resolve("");
    });
    asked.on("timeout", () => asked.destroy(new Error("no response")));
    asked.on("error", reject);
    asked.end();
  });
}

const LOCAL = /^(localhost|127\.[\d.]+|\[::1\])$/;

async function checkMetrics(publicUrl: string): Promise<HealthFinding[]> {
  if (LOCAL.test(new URL(publicUrl).hostname)) return [];
  const response = await ask(`${publicUrl}/metrics`).catch(() => null);
  if (response?.status !== 200 || !(await response.text()).includes("belfry_")) return [];
  const says = `${publicUrl}/metrics is open to everyone`;
  return [
    createFindingBuilder("metrics").warning(says, `block /metrics in the proxy (${publicUrl}/docs/how-to/https)`),
  ];
}

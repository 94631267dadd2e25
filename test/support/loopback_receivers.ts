// Receivers on loopback, well-behaved and hostile, and certificates for them. Must not know what is tested with them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));
}

/** A receiver that answers over HTTP. `respond` gets the request once its body is in. */
export async function startHttpReceiver(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  let connections = 0;
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "", headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(chunks) });
    respond(request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  const port = await listen(server);
  return {
    port,
    requests,
    connections: () => connections,
    open: () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A receiver on bare TCP: `serve` gets the connection as soon as it is established. */
export async function startTcpReceiver(serve: (socket: Socket) => void = () => {}) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.resume(); // a socket that is not read does not notice its end
    serve(socket);
  });
  const port = await listen(server);
  return {
    port,
    connections: () => connections,
    open: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A self-signed certificate for one host name, made by openssl. */
export function createCertificate(host: string): { key: string; cert: string } {
  const dir = mkdtempSync(join(tmpdir(), "belfry-tls-"));
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  try {
    execFileSync("openssl", [...request, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

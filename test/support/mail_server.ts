// A small mail server: it takes every mail and keeps it as one text.

import { createServer, type Server, type Socket } from "node:net";
import { findFreePort } from "../../src/program/boot/http_server.ts";

export class MailServer {
  /** The received mails, one plain text a mail, in the order of arrival. */
  readonly taken: string[] = [];
  /** Its response to a command in place of accepting it. */
  refuses: { command: RegExp; answer: string } | null = null;
  readonly #server: Server;
  /** The address for SMTP_URL. */
  readonly url: string;

  private constructor(port: number) {
    this.url = `smtp://127.0.0.1:${port}`;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async open(): Promise<MailServer> {
    const port = await findFreePort("127.0.0.1");
    const mails = new MailServer(port);
    await new Promise<void>((resolve) => mails.#server.listen(port, "127.0.0.1", resolve));
    return mails;
  }

  /** The port is closed; received mails stay. */
  close(): void {
    this.#server.close();
  }

  /** The link in the last mail to an address; null without one. */
  linkTo(email: string): string | null {
    const mail = this.taken.findLast((text) => text.includes(`To: ${email}\n`));
    return /http:\/\/\S+welcome#[\w-]{43}/.exec(mail ?? "")?.[0] ?? null;
  }

  #serve(socket: Socket): void {
    let mail: string | null = null;
    socket.write("220 test\r\n");
    socket.on("data", (data) => {
      for (const line of data.toString().split("\r\n").slice(0, -1)) {
        if (mail !== null && line !== ".") mail += `${line}\n`;
        else if (mail !== null) {
          // Long lines are folded on the wire.
          this.taken.push(mail.replace(/=\n/g, "").replaceAll("=3D", "="));
          mail = null;
          socket.write("250 taken\r\n");
        } else if (this.refuses?.command.test(line)) socket.write(`${this.refuses.answer}\r\n`);
        else if (/^DATA/i.test(line)) {
          mail = "";
          socket.write("354 go on\r\n");
        } else socket.write(/^QUIT/i.test(line) ? "221 bye\r\n" : "250 ok\r\n");
      }
    });
    socket.on("error", () => {});
  }
}

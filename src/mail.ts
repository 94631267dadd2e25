// Mail, where a server for it is configured. Everything works without: what a mail would say is shown to whoever asked
// for it, so a mail that cannot be sent is a line in the log and nothing else.

import { createTransport } from "nodemailer";
import type { Config } from "./config.ts";
import type { Log } from "./context.ts";

export interface Message {
  to: string;
  subject: string;
  text: string;
}

/** Sends a message without being waited for. Never throws. */
export type Mail = (message: Message) => void;

const WAIT_MS = 10_000;

/** Null when no server is configured. */
export function createMail({ smtpUrl, mailFrom, publicUrl }: MailConfig, log: Log): Mail | null {
  if (smtpUrl === null) return null;
  const bounds = { connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: WAIT_MS };
  const transport = createTransport({
    url: smtpUrl,
    ...bounds,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const from = mailFrom ?? `Belfry <belfry@${new URL(publicUrl).hostname}>`;
  return (message) => {
    transport
      .sendMail({ from, ...message })
      // Neither the address nor the link of the mail belongs into a log.
      .catch((error: { code?: string }) =>
        log.warn({ code: error.code ?? "unknown" }, "a mail was not sent"),
      );
  };
}

type MailConfig = Pick<Config, "smtpUrl" | "mailFrom" | "publicUrl">;

/** The mail that brings a one-time link. */
export const linkMail = (to: string, workspace: string, link: string): Message => ({
  to,
  subject: "Your link to Belfry",
  text: `You were added to the workspace ${workspace.replace(/\s+/g, " ")} on Belfry.

Follow this link once, within seven days, to set a password and sign in:
${link}

If you did not expect this, do nothing: the link ends by itself.
`,
});

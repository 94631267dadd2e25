// Mail, where a server for it is configured. Everything works without: what a mail would say is shown to whoever asked
// for it, together with whether the mail server took it.

import type { Config } from "../../store/config/all_settings.ts";
import type { Log } from "../../store/handler_context.ts";
import { LINK_LIFETIMES } from "./one_time_links.ts";

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
}

/** Sends a message and tells whether the mail server took it, within ten seconds. Never rejects. */
export type SendMail = (message: MailMessage) => Promise<boolean>;

const WAIT_MS = 10_000;

/** Null when no server is configured. `note` is told of each mail whether it was sent. */
export function createMailer(
  { smtpUrl, mailFrom, publicUrl }: MailConfig,
  log: Pick<Log, "warn">,
  note?: (sent: boolean) => void,
): SendMail | null {
  if (smtpUrl === null) return null;
  const opening = openTransport(smtpUrl);
  const from = mailFrom ?? `Belfry <belfry@${new URL(publicUrl).hostname}>`;
  return async (message) => {
    // Each step has its own bound above. This one bounds all of them for whoever waits for the answer.
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject({ code: "ETIMEDOUT" }), WAIT_MS);
    try {
      await Promise.race([opening.then((transport) => transport.sendMail({ from, ...message })), late]);
      note?.(true);
      return true;
    } catch (error) {
      log.warn(reasonOf(error as MailError), "an e-mail could not be sent");
      note?.(false);
      return false;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The library is read only where a server is configured. */
async function openTransport(url: string) {
  const bounds = { connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: WAIT_MS };
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    ...bounds,
    dnsTimeout: WAIT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Greets the mail server and signs in, and sends nothing. @throws what came of it. */
export async function verifyMailServer(url: string): Promise<void> {
  await (await openTransport(url)).verify();
}

interface MailError {
  code?: string;
  /** The step of the protocol; `CONN` before anything of the mail was said. */
  command?: string;
  responseCode?: number;
  message?: string;
}

/**
 * Where it failed, and by which number. Neither the address nor the link of the mail belongs into a log, so no words
 * after the first step.
 */
const reasonOf = ({ code = "unknown", command, responseCode, message }: MailError) => ({
  code,
  ...(command && { command }),
  ...(responseCode && { answered: responseCode }),
  ...(command === "CONN" && { why: message }),
});

type MailConfig = Pick<Config, "smtpUrl" | "mailFrom" | "publicUrl">;

const UNEXPECTED = "If you did not expect this e-mail, ignore it.";

/** The mail that brings a one-time link which somebody made for this person. */
export const createLinkMail = (to: string, workspace: string, link: string, joined: boolean): MailMessage => ({
  to,
  subject: joined ? "Reset your Belfry password" : `Join ${workspace} on Belfry`,
  text: `${
    joined
      ? `You can now reset your Belfry password. Your account is a member of the workspace ${workspace}.`
      : `You were added to the workspace ${workspace} on Belfry.`
  }

Open this link within ${LINK_LIFETIMES.manager}. It works once.
${link}

${UNEXPECTED} The person who created the link also has it.
`,
});

/** The mail that a draft waits, to who wants it; as its alert, it says nothing that the draft says. */
export const createDraftMail = (to: string, draft: { channel: string; asker: string; url: string }): MailMessage => ({
  to,
  subject: `${draft.channel}: a draft awaits review`,
  text: `“${draft.asker}” submitted a draft for review on the channel ${draft.channel}. It is not sent until a member approves it.

${draft.url}

You subscribed to these e-mails. To stop them, open the list of drafts.
`,
});

/** The mail that a person asked for on the sign-in page. */
export const createResetMail = (to: string, link: string): MailMessage => ({
  to,
  subject: "Reset your Belfry password",
  text: `A password reset was requested for your Belfry account.

Open this link within ${LINK_LIFETIMES.person}. It works once.
${link}

${UNEXPECTED} Without this link, nobody can reset your password.
`,
});

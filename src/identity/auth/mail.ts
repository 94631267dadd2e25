// E-mail, if a server is configured. Everything works without it: the content is shown to the requester, with the
// result of the mail server.

import { isolateText } from "../../model/domain/text_isolation.ts";
import type { Config } from "../../store/config/all_settings.ts";
import type { Log } from "../../store/handler_context.ts";
import { ONE_TIME_LINK_LIFETIME_TEXTS } from "./one_time_links.ts";

interface MailMessage {
  to: string;
  subject: string;
  text: string;
}

/** Sends a message within ten seconds, and resolves to the mail server's acceptance. Never rejects. */
export type SendMail = (message: MailMessage) => Promise<boolean>;

const WAIT_MS = 10_000;

/** Creates the mailer; null without a configured server. `note` gets the result of each mail. */
export function createMailer(
  { smtpUrl, mailFrom, publicUrl }: MailConfig,
  log: Pick<Log, "warn">,
  note?: (sent: boolean) => void,
): SendMail | null {
  if (smtpUrl === null) return null;
  const opening = openTransport(smtpUrl);
  const from = mailFrom ?? `Belfry <belfry@${new URL(publicUrl).hostname}>`;
  return async (message) => {
    // Each step has its own timeout above. This one limits all of them.
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
  return createTransport({ url, ...bounds, dnsTimeout: WAIT_MS, disableFileAccess: true, disableUrlAccess: true });
}

/**
 * Connects and authenticates to the mail server without sending.
 * @throws the error
 */
export async function verifyMailServer(url: string): Promise<void> {
  await (await openTransport(url)).verify();
}

interface MailError {
  code?: string;
  /** The protocol step; `CONN` before the first command. */
  command?: string;
  responseCode?: number;
  message?: string;
}

/**
 * Returns the step and code of a failure. The log must contain neither the address nor the link, so it has no text
 * after the first step.
 */
const reasonOf = ({ code = "unknown", command, responseCode, message }: MailError) => ({
  code,
  ...(command && { command }),
  ...(responseCode && { answered: responseCode }),
  ...(command === "CONN" && { why: message }),
});

type MailConfig = Pick<Config, "smtpUrl" | "mailFrom" | "publicUrl">;

const UNEXPECTED = "If you did not expect this e-mail, you can ignore it.";

/** The e-mail with a one-time link that another person created. */
export const createMemberLinkMail = (to: string, workspace: string, link: string, joined: boolean): MailMessage => ({
  to,
  subject: joined ? "Reset your Belfry password" : `Join ${isolateText(workspace)} on Belfry`,
  text: `${
    joined
      ? `You can now reset your Belfry password. Your account is a member of the workspace ${isolateText(workspace)}.`
      : `You were added to the workspace ${isolateText(workspace)} on Belfry.`
  }

Open this link within ${ONE_TIME_LINK_LIFETIME_TEXTS.manager}. It works once.
${link}

${UNEXPECTED} The person who created the link also has a copy.
`,
});

/** The e-mail about a waiting draft. Like its alert, it contains nothing of the draft. */
export const createDraftReviewMail = (
  to: string,
  draft: { channel: string; asker: string; url: string },
): MailMessage => ({
  to,
  subject: `${isolateText(draft.channel)}: a draft awaits review`,
  text:
    `“${isolateText(draft.asker)}” submitted a ` +
    `draft for review on the channel ${isolateText(draft.channel)}. It will not be sent until a member approves it.

${draft.url}

You receive these e-mails because you subscribed to them. To stop them, open Drafts in the console.
`,
});

/** The e-mail that a person requested on the sign-in page. */
export const createResetMail = (to: string, link: string): MailMessage => ({
  to,
  subject: "Reset your Belfry password",
  text: `A password reset was requested for your Belfry account.

Open this link within ${ONE_TIME_LINK_LIFETIME_TEXTS.person}. It works once.
${link}

${UNEXPECTED} Your password cannot be reset without this link.
`,
});

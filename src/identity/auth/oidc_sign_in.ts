// Signing in with an OpenID Connect provider: the way there, the answer, and a message for each refusal. Attempts are
// limited by network address, and an account with two-factor authentication still needs its code.

import { ApiError, forbidden, unavailable } from "../../model/api_error.ts";
import type { Log } from "../../store/handler_context.ts";
import type { AccountAudit } from "./account_audit.ts";
import {
  INTERNAL_OIDC_BEGIN_PATH,
  INTERNAL_OIDC_FINISH_PATH,
  OIDC_ACCOUNT_RESPONSE_HEADER,
  type OidcErrorReason,
  type OidcReturnTarget,
  oidcReturnTargetSchema,
} from "./oidc_types.ts";
import {
  type AcceptedSignIn,
  createOAuthQueryArgument,
  readSignInResponse,
  type SignInLibraryClient,
} from "./sign_in.ts";
import type { SignInLibrary } from "./sign_in_library.ts";
import type { SignInThrottle } from "./sign_in_throttle.ts";

const failed = (message: string) => new ApiError("sign_in_failed", message);
const EXPIRED = "The sign-in expired or was already used. Start it again.";

/** The refusals; `name` is the provider's. */
const REFUSALS: Record<OidcErrorReason, (name: string) => ApiError> = {
  unavailable: (name) =>
    unavailable("identity_provider_unavailable", `${name} is not responding. Try again in a few minutes.`, 60),
  client_rejected: (name) =>
    failed(`${name} rejected this server. Ask the operator to check the log and the OIDC settings.`),
  invalid_answer: (name) => failed(`The response from ${name} is not valid. Start again, or contact the operator.`),
  expired: () => failed(EXPIRED),
  cancelled: (name) => failed(`${name} did not sign you in. Start again, or use a different method.`),
  no_email: (name) =>
    forbidden("not_permitted", `${name} did not share your e-mail address. Ask its administrator to change that.`),
  email_unverified: (name) =>
    forbidden("not_permitted", `${name} has not verified your e-mail address. Verify it there, then sign in again.`),
  not_invited: () =>
    forbidden("not_permitted", "You are not a member of any workspace here. Ask an owner to add your e-mail address."),
  account_exists: (name) =>
    forbidden(
      "not_permitted",
      `Your e-mail address already has an account here. Sign in to it, then connect ${name} on your account page.`,
    ),
  connected_elsewhere: (name) =>
    forbidden("not_permitted", `This ${name} user is connected to a different account. Disconnect it there first.`),
};

const readState = ({ url }: Request): string => new URL(url).searchParams.get("state") ?? "";

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

export function createOidcSignIn(options: {
  name: string;
  /** True while passwords are turned off. */
  only: boolean;
  library: SignInLibrary;
  throttle: SignInThrottle;
  ask: SignInLibraryClient;
  accountLog: AccountAudit;
  log: Log;
}) {
  const { name, only, library, throttle, ask, accountLog, log } = options;

  function refusal(reason: string | undefined, detail: string | undefined): ApiError {
    const known = reason !== undefined && Object.hasOwn(REFUSALS, reason) ? (reason as OidcErrorReason) : "expired";
    log.warn({ reason: known, detail }, "a sign-in with OIDC was refused");
    return REFUSALS[known](name);
  }

  /** @throws ApiError for a refusal of the library. */
  async function requireSuccess(answer: Response): Promise<void> {
    // The library refuses a state by a redirect to its own error page.
    if (answer.status >= 300 && answer.status < 400) throw refusal("expired", "no valid state");
    if (answer.ok) return;
    const { code, message } = (await answer.json().catch(() => ({}))) as { code?: string; message?: string };
    if (answer.status >= 500) throw new Error(`the sign-in library returned ${answer.status}`);
    throw refusal(code, message);
  }

  return {
    name,
    only,

    /**
     * The address at the provider, and the cookie that its answer belongs to. With `connect`, the signed-in person
     * adds the provider as a sign-in method. @throws 429, 503.
     */
    async begin(target: OidcReturnTarget, from: Request, address: string | null, connect = false) {
      await throttle.countAddress(address);
      const answer = await ask(INTERNAL_OIDC_BEGIN_PATH, { headers: from.headers, body: { target, connect }, address });
      await requireSuccess(answer);
      const { url } = (await answer.json()) as { url: string };
      return { url, cookies: answer.headers.getSetCookie() };
    },

    /** The page that follows an answer; null for a state that is unknown, used or expired. */
    findTarget: async (from: Request): Promise<OidcReturnTarget | null> =>
      oidcReturnTargetSchema.safeParse(await library.findOidcTarget(readState(from))).data ?? null,

    /**
     * Checks the answer that the provider sent the browser back with. Null: it connected a signed-in person.
     * @throws 401, 403, 429, 503.
     */
    async finish(from: Request, oauthQuery: string | null, address: string | null): Promise<AcceptedSignIn | null> {
      const query = new URL(from.url).searchParams;
      if (query.has("error")) throw refusal("cancelled", /^[\w-]{1,60}$/.exec(query.get("error") ?? "")?.[0]);
      const body = { code: query.get("code") ?? "", iss: query.get("iss"), ...createOAuthQueryArgument(oauthQuery) };
      const path = `${INTERNAL_OIDC_FINISH_PATH}?${new URLSearchParams({ state: readState(from) })}`;
      const answer = await throttle.attemptPasskey(address, async () => {
        const answer = await ask(path, { headers: from.headers, body, address });
        await requireSuccess(answer);
        return answer;
      });
      const account = new URLSearchParams(answer.headers.get(OIDC_ACCOUNT_RESPONSE_HEADER) ?? "");
      const [id, email] = [account.get("id"), account.get("email")];
      if (id === null || email === null) return null;
      const opened = await readSignInResponse(answer, email, throttle);
      if (!opened.owesSecond) await accountLog.done("sign_in_oidc", id);
      return opened;
    },
  };
}

// Types and paths of sign-in with an OpenID Connect provider. No library is loaded here, since most services need none.

import { z } from "zod";
import type { Config } from "../../store/config/all_settings.ts";

/** Endpoints of the sign-in library, which no route serves. */
export const INTERNAL_OIDC_BEGIN_PATH = "/oidc/begin";
export const INTERNAL_OIDC_FINISH_PATH = "/sign-in/oidc";

/** Names the account that a sign-in opened, for our own code: a hook of the library may replace the body. */
export const OIDC_ACCOUNT_RESPONSE_HEADER = "x-belfry-account";

/** The page to which the provider returns, below PUBLIC_URL. */
export const OIDC_CALLBACK_PATH = "/console/sign-in/oidc/callback";

/** The page that follows the provider. It is stored with the state. */
export const oidcReturnTargetSchema = z.object({
  next: z.string(),
  oauthQuery: z.string().nullable(),
  kept: z.string().nullable(),
});
export type OidcReturnTarget = z.output<typeof oidcReturnTargetSchema>;

/** Each reason has a message for the person (oidc_sign_in.ts). */
export type OidcErrorReason =
  | "unavailable"
  | "client_rejected"
  | "invalid_answer"
  | "expired"
  | "cancelled"
  | "no_email"
  | "email_unverified"
  | "not_invited"
  | "account_exists"
  | "connected_elsewhere";

/** A sign-in that ended without a session. `detail` is for the log, without tokens and claims. */
export class OidcError extends Error {
  readonly reason: OidcErrorReason;
  readonly detail: string;

  constructor(reason: OidcErrorReason, detail: string) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** The claims about a person, after every check. */
export interface OidcIdentity {
  /** `iss` and `sub` together never change and never belong to another person. */
  issuer: string;
  subject: string;
  /** In lower case. */
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  /** The values of OIDC_MEMBER_CLAIM. */
  groups: string[];
}

export type OidcSettings = Pick<
  Config,
  "oidcClientId" | "oidcClientSecret" | "oidcScopes" | "oidcMemberClaim" | "oidcTrustEmail"
> & { oidcIssuer: string };

// Sign-in put together: the library, people and their sessions, one-time links, and the OpenID Connect provider.

import { createAccountAudit } from "../../identity/auth/account_audit.ts";
import { createAccountSecurityService } from "../../identity/auth/account_security_service.ts";
import { createConsentGrants } from "../../identity/auth/consent_grants.ts";
import { createConsoleSessions } from "../../identity/auth/console_sessions.ts";
import { createLinkRedemptionService } from "../../identity/auth/link_redemption.ts";
import { createOidcAccounts } from "../../identity/auth/oidc_accounts.ts";
import { createLazySignInLibrary, type SignInLibrary } from "../../identity/auth/sign_in_library.ts";
import { createSignInThrottle } from "../../identity/auth/sign_in_throttle.ts";
import type { Config } from "../../store/config/all_settings.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely } from "../../store/db/statement.ts";
import type { Log } from "../../store/handler_context.ts";
import type { RateLimiter } from "../../store/rate_limits/rate_limits.ts";

export function createSignInServices(options: {
  orm: Orm;
  config: Config;
  limits: RateLimiter;
  secret: string;
  isLow: () => boolean;
  /** Waits some milliseconds after wrong passwords; for tests. */
  pause?: (ms: number) => Promise<unknown>;
  now: () => Date;
  log: Log;
}) {
  const { orm, config, limits, secret, isLow, pause, now, log } = options;
  const { publicUrl, oidcIssuer, oidcOnly } = config;
  const grants = createConsentGrants(orm);
  const accountLog = createAccountAudit({ database: getKysely(orm), limits, log });
  const oidc = oidcIssuer === null ? null : { name: config.oidcName, only: oidcOnly };
  const library: SignInLibrary = createLazySignInLibrary({
    ...{ orm, grants, secret, publicUrl },
    oidc:
      oidcIssuer === null
        ? null
        : { settings: { ...config, oidcIssuer }, resolve: (...who) => accounts.resolve(...who) },
  });
  const { oidcMembers: members, oidcTrustEmail: trustEmail } = config;
  const accounts = createOidcAccounts({ orm, library, accountLog, log, now, members, trustEmail });
  const throttle = createSignInThrottle({ limits, secret, pause });
  const shared = { orm, library, throttle, accountLog, publicUrl, log };
  return {
    library,
    people: createConsoleSessions({ ...shared, grants, isLow, oidc, now }),
    joining: createLinkRedemptionService({ ...shared, oidcOnly }),
    signIn: createAccountSecurityService({ library, throttle, publicUrl, oidc, now }),
  };
}

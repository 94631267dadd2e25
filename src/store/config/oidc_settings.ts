// Settings of sign-in through an OpenID Connect provider: the client, the account rules, and sign-in without passwords.

import {
  type AlreadyReadSettings,
  booleanSetting,
  ConfigError,
  patternSetting,
  type SettingTable,
} from "./setting_types.ts";

/** One entry of OIDC_MEMBERS: a value of the claim, and the membership that it grants. */
export interface OidcMembership {
  value: string;
  role: "owner" | "admin" | "editor" | "viewer";
  /** Wire id of the workspace; null: the only one. */
  workspace: string | null;
}

const MEMBERSHIP =
  /^(?<value>[^=,]{1,200})=(?<role>owner|admin|editor|viewer)(?:@(?<workspace>wsp_[0-9a-hjkmnp-tv-z]{26}))?$/;

function parseMembership(item: string, name: string): OidcMembership {
  const { value, role, workspace = null } = MEMBERSHIP.exec(item)?.groups ?? {};
  if (!value || !role)
    throw new ConfigError(
      name,
      "must be a list of value=role or value=role@wsp_…, with the role owner, admin, editor or viewer.",
    );
  return { value, role: role as OidcMembership["role"], workspace };
}

/** Refuses a client without all of its three settings. @throws ConfigError */
function refuseIncompleteClient({ oidcIssuer, oidcClientId }: AlreadyReadSettings, secret: string | null): void {
  const parts = { OIDC_ISSUER: oidcIssuer, OIDC_CLIENT_ID: oidcClientId, OIDC_CLIENT_SECRET: secret };
  const missing = Object.entries(parts).filter(([, value]) => value == null);
  const [first] = missing;
  if (first && missing.length < 3)
    throw new ConfigError(
      first[0],
      "is missing: set all of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none of them.",
    );
}

const CREDENTIAL = patternSetting(/^[\x20-\x7e]{1,2000}$/, "printable ASCII text");

export const OIDC_SETTINGS = {
  oidcIssuer: {
    shownDefault: "(none)",
    meaning:
      "Issuer URL of an OpenID Connect provider for the console. Requires OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.",
    read: (raw, name): string | null => {
      if (raw === undefined) return null;
      const url = URL.parse(raw);
      if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(raw))
        throw new ConfigError(name, "must be an absolute http or https URL without credentials, query or fragment.");
      return raw;
    },
  },
  oidcClientId: { meaning: "This server's client id at the provider.", ...CREDENTIAL },
  oidcClientSecret: {
    secret: true,
    meaning: "Client secret for OIDC_CLIENT_ID.",
    ...CREDENTIAL,
    read: (raw, name, soFar) => {
      const secret = CREDENTIAL.read(raw, name);
      refuseIncompleteClient(soFar, secret);
      return secret;
    },
  },
  oidcName: {
    shownDefault: "SSO",
    meaning: "Provider name on the sign-in button, as in “Sign in with SSO”.",
    read: (raw = "SSO", name): string => {
      if (!/^[^\p{C}]{1,40}$/u.test(raw))
        throw new ConfigError(name, "must be a short name without control characters.");
      return raw;
    },
  },
  oidcScopes: {
    shownDefault: "openid profile email",
    meaning:
      "Space-separated scopes to request. Some providers require the groups scope for the claim in OIDC_MEMBER_CLAIM.",
    read: (raw = "openid profile email", name): string[] => {
      const scopes = raw.split(" ").filter(Boolean);
      if (!scopes.includes("openid") || !scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope)))
        throw new ConfigError(name, "must be space-separated scopes, with openid among them.");
      return scopes;
    },
  },
  oidcMemberClaim: {
    meaning:
      "Name of the claim that contains a user's groups or roles, such as groups. If unset, only " +
      "invited users can sign in.",
    ...patternSetting(/^[\x21-\x7e]{1,200}$/, "a claim name"),
  },
  oidcMembers: {
    shownDefault: "(none)",
    meaning:
      "Comma-separated list of value=role or value=role@wsp_…: the role that each value of OIDC_MEMBER_CLAIM grants.",
    read: (raw, name, { oidcMemberClaim }): OidcMembership[] => {
      const items = (raw ?? "")
        .split(",")
        .map((item) => item.trim())
        .filter(Boolean);
      if (items.length > 0 !== (oidcMemberClaim != null))
        throw new ConfigError(
          name,
          "requires OIDC_MEMBER_CLAIM, and OIDC_MEMBER_CLAIM requires it. Set both or neither.",
        );
      return items.map((item) => parseMembership(item, name));
    },
  },
  oidcTrustEmail: {
    meaning:
      "If true, every e-mail address from the provider is treated as verified, and users are signed in to existing " +
      "accounts with the same address.",
    ...booleanSetting(false),
  },
  oidcOnly: {
    shownDefault: "false",
    meaning:
      "If true, users cannot sign in with passwords. Passkeys continue to work. Links that the command " +
      "`belfry members link` creates also continue to work.",
    read: (raw, name, { oidcIssuer }): boolean => {
      const only = booleanSetting(false).read(raw, name);
      if (only && oidcIssuer == null) throw new ConfigError(name, "requires OIDC_ISSUER.");
      return only;
    },
  },
} satisfies SettingTable;

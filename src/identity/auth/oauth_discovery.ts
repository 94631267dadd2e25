// The metadata of the authorization server and the protected resource (RFC 8414, RFC 9728), with supported features
// only. The library could include unsupported ones, so both documents are written out here.

import { ALL_SCOPES, INITIAL_ASSISTANT_SCOPES } from "../../model/scopes.ts";
import { getMcpResourceUrl } from "./canonical_resource_indicator.ts";
import { GRANT_TYPES, TOKEN_AUTH_METHODS } from "./client_metadata_fields.ts";

/** Where the library's own routes live, and so the issuer of tokens. */
export const AUTH_PATH = "/api/auth";

/** Our own pages that the library sends people to. */
export const AUTH_PAGES = { signIn: "/console/sign-in", consent: "/console/consent" } as const;

/** The scope of a client that wants a refresh token. */
export const OFFLINE_SCOPE = "offline_access";

/** Access tokens are checked on every request, so their lifetime only limits the retention of a key set. */
export const ACCESS_TOKEN_SECONDS = 3600;
/** Each refresh restarts it. */
export const REFRESH_TOKEN_SECONDS = 30 * 24 * 3600;

export function authorizationServerMetadata(publicUrl: string) {
  const issuer = publicUrl + AUTH_PATH;
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    registration_endpoint: `${issuer}/oauth2/register`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: [OFFLINE_SCOPE, ...ALL_SCOPES],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: TOKEN_AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: TOKEN_AUTH_METHODS,
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
}

export function protectedResourceMetadata(publicUrl: string) {
  return {
    resource: getMcpResourceUrl(publicUrl),
    resource_name: "Belfry",
    authorization_servers: [publicUrl + AUTH_PATH],
    bearer_methods_supported: ["header"],
    scopes_supported: INITIAL_ASSISTANT_SCOPES,
  };
}

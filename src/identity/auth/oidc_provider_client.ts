// The client of an OpenID Connect provider: discovery, the authorization request, and the checks of an answer.

import { createAuthorizationURL } from "@better-auth/core/oauth2";
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { OidcError, type OidcIdentity, type OidcSettings } from "./oidc_types.ts";

const TIMEOUT_MS = 10_000;
const METADATA_MS = 3_600_000;
/** Difference of clocks that is accepted, in seconds. */
const CLOCK_TOLERANCE = 60;
const MAX_TOKEN_AGE = 600;
/** Signatures with a public key. A shared secret signs nothing here: HS256 and `none` are refused. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});

const tokensSchema = z.object({ id_token: z.string(), access_token: z.string().optional() });

const reasonOf = (error: unknown): string => {
  if (error instanceof errors.JOSEError) return error.code;
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code ?? (error as Error).name;
};

/** Calls the provider. Redirects are refused: they would carry the secret elsewhere. @throws OidcError */
async function call(url: string, what: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch (error) {
    throw new OidcError("unavailable", `${what}: ${reasonOf(error)}`);
  }
}

const withoutSlash = (url: string) => url.replace(/\/$/, "");
const isSecure = (url: string) => url.startsWith("https:");

async function discover(issuer: string) {
  const { status, body } = await call(`${withoutSlash(issuer)}/.well-known/openid-configuration`, "discovery");
  if (status !== 200) throw new OidcError("unavailable", `discovery returned ${status}`);
  const { data } = metadataSchema.safeParse(body);
  if (!data) throw new OidcError("unavailable", "discovery did not return valid metadata");
  if (withoutSlash(data.issuer) !== withoutSlash(issuer))
    throw new OidcError("unavailable", "discovery names a different issuer than OIDC_ISSUER");
  const endpoints = [data.authorization_endpoint, data.token_endpoint, data.jwks_uri, data.userinfo_endpoint ?? issuer];
  if (!endpoints.every((url) => isSecure(url) || !isSecure(issuer)))
    throw new OidcError("unavailable", "discovery names an endpoint without https");
  return { ...data, keys: createRemoteJWKSet(new URL(data.jwks_uri), { timeoutDuration: TIMEOUT_MS }) };
}

/** Fetches the metadata and the keys of a provider, for belfry doctor. @throws OidcError */
export async function verifyOidcIssuer(issuer: string): Promise<void> {
  const { jwks_uri } = await discover(issuer);
  const { status } = await call(jwks_uri, "keys");
  if (status !== 200) throw new OidcError("unavailable", `keys returned ${status}`);
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value.trim() ? value.trim() : null);

/** The values of a claim that is a text, a list, or (as Keycloak nests them) an object with a list `roles`. */
function valuesOf(claim: unknown): string[] {
  if (typeof claim === "object" && claim !== null && "roles" in claim) return valuesOf(claim.roles);
  return [claim].flat().filter((value): value is string => typeof value === "string");
}

/** `redirectUri`: the only address to which the provider may return. */
export function createOidcProvider(settings: OidcSettings, redirectUri: string) {
  const { oidcIssuer, oidcScopes, oidcMemberClaim, oidcTrustEmail } = settings;
  const clientId = settings.oidcClientId ?? "";
  const clientSecret = settings.oidcClientSecret ?? "";
  let known: { metadata: ReturnType<typeof discover>; until: number } | undefined;

  /** Read with the first sign-in, and again after an hour. A failure is not kept. */
  function readMetadata() {
    if (known && known.until > performance.now()) return known.metadata;
    const metadata = discover(oidcIssuer);
    known = { metadata, until: performance.now() + METADATA_MS };
    metadata.catch(() => {
      known = undefined;
    });
    return metadata;
  }

  async function redeem(code: string, codeVerifier: string) {
    const { token_endpoint, token_endpoint_auth_methods_supported: methods } = await readMetadata();
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    });
    const headers = new Headers({ accept: "application/json" });
    if (methods.includes("client_secret_basic")) {
      // RFC 6749 section 2.3.1: both parts are form-encoded first.
      const [id, secret] = [clientId, clientSecret].map((part) => new URLSearchParams({ part }).toString().slice(5));
      headers.set("authorization", `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`);
    } else {
      body.set("client_id", clientId);
      body.set("client_secret", clientSecret);
    }
    const { status, body: answer } = await call(token_endpoint, "token endpoint", { method: "POST", headers, body });
    const { data } = tokensSchema.safeParse(answer);
    if (status === 200 && data) return data;
    const error = z.object({ error: z.string().regex(/^[\w-]{1,60}$/) }).safeParse(answer).data?.error;
    const detail = `token endpoint returned ${status} ${error ?? "without an ID token"}`;
    if (error === "invalid_grant") throw new OidcError("expired", detail);
    if (status >= 500) throw new OidcError("unavailable", detail);
    throw new OidcError("client_rejected", detail);
  }

  /** Checks signature, algorithm, issuer, audience, expiry, age and nonce of an ID token. */
  async function verify(idToken: string, nonce: string): Promise<JWTPayload & { sub: string }> {
    const { issuer, keys } = await readMetadata();
    const options = {
      ...{ issuer, audience: clientId, algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE },
      ...{ maxTokenAge: MAX_TOKEN_AGE, requiredClaims: ["iss", "aud", "exp", "iat", "sub", "nonce"] },
    };
    const { payload } = await jwtVerify(idToken, keys, options).catch((error) => {
      // The generic code means that the key set could not be fetched.
      const fetched =
        error instanceof errors.JOSEError && !/^ERR_(JOSE_GENERIC|JWKS_TIMEOUT|JWKS_INVALID)$/.test(error.code);
      if (!fetched) throw new OidcError("unavailable", `keys: ${reasonOf(error)}`);
      const claim = "claim" in error ? ` ${String(error.claim)}` : "";
      throw new OidcError("invalid_answer", `ID token: ${error.code}${claim}`);
    });
    const { azp, aud, sub, nonce: given } = payload;
    if (given !== nonce) throw new OidcError("invalid_answer", "ID token: wrong nonce");
    if ((Array.isArray(aud) && aud.length > 1 && azp === undefined) || (azp !== undefined && azp !== clientId))
      throw new OidcError("invalid_answer", "ID token: issued to another client");
    if (typeof sub !== "string" || !/^[\x20-\x7e]{1,255}$/.test(sub))
      throw new OidcError("invalid_answer", "ID token: no valid sub claim");
    return { ...payload, sub };
  }

  /** Some providers (Authelia) put claims there alone. The claims of the signed token win. */
  async function addUserInfo(claims: JWTPayload & { sub: string }, accessToken: string | undefined) {
    const { userinfo_endpoint: url } = await readMetadata();
    const missing = ["email", ...(oidcMemberClaim === null ? [] : [oidcMemberClaim])].some((name) => !(name in claims));
    if (!missing || !url || !accessToken) return claims;
    const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
    const { status, body } = await call(url, "userinfo", { headers });
    if (status !== 200 || typeof body !== "object" || body === null)
      throw new OidcError("invalid_answer", `userinfo returned ${status}`);
    if (!("sub" in body) || body.sub !== claims.sub)
      throw new OidcError("invalid_answer", "userinfo: the sub differs from the ID token's");
    return { ...body, ...claims };
  }

  return {
    /** The address at the provider. @throws OidcError */
    async createAuthorizationUrl(request: { state: string; nonce: string; codeVerifier: string }): Promise<string> {
      const { authorization_endpoint } = await readMetadata();
      const url = await createAuthorizationURL({
        ...{ id: "oidc", options: { clientId }, authorizationEndpoint: authorization_endpoint },
        ...{ ...request, redirectURI: redirectUri, scopes: oidcScopes },
      });
      return url.href;
    },

    /** The identity behind an answer of the provider. @throws OidcError */
    async readAnswer(
      answer: { code: string; iss: string | null },
      expected: { codeVerifier: string; nonce: string },
    ): Promise<OidcIdentity> {
      const { issuer, authorization_response_iss_parameter_supported: namesIssuer } = await readMetadata();
      // RFC 9207
      if (answer.iss === null ? namesIssuer : answer.iss !== issuer)
        throw new OidcError("invalid_answer", "the response is from another issuer");
      const tokens = await redeem(answer.code, expected.codeVerifier);
      const claims: Record<string, unknown> & { sub: string } = await addUserInfo(
        await verify(tokens.id_token, expected.nonce),
        tokens.access_token,
      );
      return {
        issuer,
        subject: claims.sub,
        email: textOf(claims.email)?.toLowerCase() ?? null,
        emailVerified: oidcTrustEmail || claims.email_verified === true || claims.email_verified === "true",
        name: textOf(claims.name) ?? textOf(claims.preferred_username),
        groups: oidcMemberClaim === null ? [] : valuesOf(claims[oidcMemberClaim]),
      };
    },
  };
}

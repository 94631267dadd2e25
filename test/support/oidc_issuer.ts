// The certified provider oidc-provider on loopback, whose answers a test may falsify: with its own signing key, so that
// each check is tried alone.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";
import { OIDC_CALLBACK_PATH } from "../../src/identity/auth/oidc_types.ts";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import type { HttpVisitor } from "./console_site.ts";

const CLIENT_ID = "belfry";
/** Has characters that HTTP basic authentication must encode. */
const CLIENT_SECRET = "a secret: of+the/client%";

export interface OidcPerson {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: unknown;
}

export interface Tokens {
  id_token?: string;
  access_token?: string;
}

/** Changes the tokens before the service sees them. */
export type Falsify = (tokens: Tokens, claims: JWTPayload) => Promise<Tokens> | Tokens;

const claimsOf = (token: string): JWTPayload =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));

export type OidcIssuer = Awaited<ReturnType<typeof startOidcIssuer>>;

/** `publicUrls` may be added to later: the addresses of services that may use the provider. */
export async function startOidcIssuer(publicUrls: readonly string[]) {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: "issuer", alg: "ES256", use: "sig" };
  const port = await findFreePort("127.0.0.1");
  const issuer = `http://127.0.0.1:${port}`;
  const people = new Map<string, OidcPerson>();
  const state = {
    /** The person who signs in at the provider with the next interaction; null: the person cancels. */
    person: null as OidcPerson | null,
    falsify: null as Falsify | null,
    /** Responds to every request with 503 while true. */
    down: false,
  };

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${issuer}/unused`],
        id_token_signed_response_alg: "ES256",
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["keys of the tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    findAccount: (_ctx: unknown, sub: string) => ({ accountId: sub, claims: () => people.get(sub) }),
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }: { oidc: { session: { accountId: string } } }) {
      const grant = new provider.Grant({ clientId: CLIENT_ID, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
  });
  provider.Client.prototype.redirectUriAllowed = (uri) => publicUrls.some((url) => uri === url + OIDC_CALLBACK_PATH);
  const answer = provider.callback();

  async function interact(request: IncomingMessage, response: ServerResponse) {
    const { person } = state;
    if (person) people.set(person.sub, person);
    const result = person ? { login: { accountId: person.sub } } : { error: "access_denied" };
    await provider.interactionFinished(request, response, result);
  }

  /** Passes a token request on to the provider, and its answer through `falsify`. */
  function falsifyTokens(request: IncomingMessage, response: ServerResponse, falsify: Falsify) {
    const end = response.end.bind(response);
    response.end = ((text: string) => {
      const tokens = JSON.parse(String(text)) as Tokens;
      const changed = tokens.id_token ? falsify(tokens, claimsOf(tokens.id_token)) : tokens;
      void Promise.resolve(changed).then((now) => {
        const body = JSON.stringify(now);
        response.setHeader("content-length", Buffer.byteLength(body));
        end(body);
      });
      return response;
    }) as typeof response.end;
    answer(request, response);
  }

  const server = createServer((request, response) => {
    if (state.down) return void response.writeHead(503).end();
    if (request.url?.startsWith("/interaction/")) return void interact(request, response);
    if (request.url === "/token" && state.falsify) return falsifyTokens(request, response, state.falsify);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));

  return {
    ...{ issuer, state, clientSecret: CLIENT_SECRET },
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_NAME: "Keyhouse",
    },

    /** A token with these claims, signed by the provider's own key unless another one is given. */
    sign: (claims: JWTPayload, by: { key?: Parameters<SignJWT["sign"]>[0]; alg?: string } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: by.alg ?? "ES256", kid: "issuer" }).sign(by.key ?? privateKey),

    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),

    /** Signs in at the provider in a browser of its own, from `path`; returns the path of the answer on our side. */
    async visit(visitor: HttpVisitor, person: OidcPerson | null, path = "/console/sign-in/oidc"): Promise<string> {
      state.person = person;
      const begun = await visitor.get(path);
      return this.follow(visitor, begun.headers.get("location") ?? /url=([^"]+)"/.exec(begun.text)?.[1] ?? "");
    },

    /** Follows the provider's redirects until they lead back to us. */
    async follow(visitor: HttpVisitor, first: string): Promise<string> {
      const cookies = new Map<string, string>();
      let at = first.replaceAll("&amp;", "&");
      while (at.startsWith(issuer)) {
        const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
        const response = await fetch(at, { redirect: "manual", headers: cookie ? { cookie } : {} });
        for (const set of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        const next = response.headers.get("location");
        if (next === null) throw new Error(`${at}: ${response.status} ${await response.text()}`);
        at = new URL(next, at).href;
      }
      const { origin, pathname, search } = new URL(at);
      if (origin !== visitor.url) throw new Error(`led to ${at}`);
      return pathname + search;
    },
  };
}

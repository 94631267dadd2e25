// An assistant's way to a token without a browser: it registers, sends a person to authorize, and redeems the code.

import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { type HttpVisitor, signInOwner } from "./console_site.ts";
import { World } from "./world.ts";

export const SERVER_ORIGIN = "http://localhost:8787";
export const CALLBACK = "http://127.0.0.1:7777/callback";
export const OAUTH = "/api/auth/oauth2";

/** As most assistants register. */
export const USUAL_CLIENT = {
  client_name: "Assistant",
  redirect_uris: [CALLBACK],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

const unescaped = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

export interface OAuthAnswer {
  status: number;
  headers: Headers;
  /** The JSON body; the text of any other. */
  body: any;
}

/** The authorization server's response, as a client sees it. */
export async function sendOAuthRequest(
  world: World,
  request: Request,
  address: string | null = null,
): Promise<OAuthAnswer> {
  const response = await world.service.app.fetch(request, address);
  const { status, headers } = response;
  const text = await response.text();
  try {
    return { status, headers, body: JSON.parse(text) };
  } catch {
    return { status, headers, body: text };
  }
}

export function registerClient(
  world: World,
  fields: object | string = {},
  address: string | null = null,
): Promise<OAuthAnswer> {
  const body = typeof fields === "string" ? fields : JSON.stringify({ ...USUAL_CLIENT, ...fields });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  return sendOAuthRequest(world, new Request(`${SERVER_ORIGIN}${OAUTH}/register`, init), address);
}

export function sendForm(
  world: World,
  path: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<OAuthAnswer> {
  const body = typeof fields === "string" ? fields : new URLSearchParams(fields).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return sendOAuthRequest(
    world,
    new Request(SERVER_ORIGIN + path, { method: "POST", headers: { ...type, ...headers }, body }),
  );
}

/** The address that an assistant opens in a person's browser, and its proof. */
export function buildAuthorizeRequest(clientId: string, more: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: CALLBACK,
    scope: "pushers:read alerts:write",
    state: "a state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${SERVER_ORIGIN}/mcp`,
    ...more,
  });
  return { verifier, path: `${OAUTH}/authorize?${query}` };
}

/**
 * Allows all that the consent page at `page` requests, or the values of `fields` instead. Returns the browser's next
 * address, and the text of the page.
 */
export async function allowConsent(
  visitor: HttpVisitor,
  page: string,
  fields: Record<string, string[]> = {},
): Promise<{ next: URL; consent: string }> {
  const { pathname, search } = new URL(page, SERVER_ORIGIN);
  const from = pathname + search;
  const { text: consent } = await visitor.get(from);
  const sent: Record<string, string[]> = { decision: ["allow"], pusher: [""] };
  for (const [, name, value] of consent.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g))
    if (name !== "form_token") sent[name!] = [...(sent[name!] ?? []), unescaped(value!)];
  sent.scope = sent.shown ?? [];
  const answer = await visitor.post("/console/consent", { ...sent, ...fields }, { from });
  const next = /url=([^"]+)"/.exec(answer.text)?.[1];
  if (!next) throw new Error(`consent: ${answer.status} ${answer.text}`);
  return { next: new URL(unescaped(next)), consent };
}

/** The whole way: from a registered client to its tokens. */
export async function connectAssistant(
  world: World,
  visitor: HttpVisitor,
  client: { client_id: string; client_secret?: string; token_endpoint_auth_method?: string },
  more: Record<string, string> = {},
  fields: Record<string, string[]> = {},
) {
  const { verifier, path } = buildAuthorizeRequest(client.client_id, more);
  const { headers, status, text } = await visitor.get(path);
  const page = headers.get("location");
  if (!page?.includes("/console/consent")) throw new Error(`authorize: ${status} ${page} ${text}`);
  const { next, consent } = await allowConsent(visitor, page, fields);
  const basic = client.token_endpoint_auth_method === "client_secret_basic";
  const { client_id, client_secret } = client;
  const tokens = await sendForm(
    world,
    `${OAUTH}/token`,
    {
      grant_type: "authorization_code",
      code: next.searchParams.get("code") ?? "",
      redirect_uri: more.redirect_uri ?? CALLBACK,
      code_verifier: verifier,
      resource: `${SERVER_ORIGIN}/mcp`,
      ...(basic ? {} : { client_id, ...(client_secret ? { client_secret } : {}) }),
    },
    basic ? { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` } : {},
  );
  return { next, consent, tokens };
}

/**
 * Opens a service with a signed-in owner before the tests of a block, passes both to `use`, and closes the service
 * after the tests.
 */
export function openWorldWithOwner(use: (world: World, owner: HttpVisitor) => void): void {
  let opened: World | undefined;
  beforeAll(async () => {
    opened = await World.open();
    use(opened, await signInOwner(opened));
  });
  afterAll(() => opened?.close());
}

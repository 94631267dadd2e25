// The endpoints of the sign-in library for an OpenID Connect provider. The library keeps state, PKCE verifier and nonce
// in a row that is used once, and opens the session. Only our own code calls them; no route leads here.

import { APIError, createAuthEndpoint, getSessionFromCtx } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { generateRandomString } from "better-auth/crypto";
import { generateState, parseState } from "better-auth/oauth2";
import { z } from "zod";
import { createOidcProvider } from "./oidc_provider_client.ts";
import {
  INTERNAL_OIDC_BEGIN_PATH,
  INTERNAL_OIDC_FINISH_PATH,
  OIDC_ACCOUNT_RESPONSE_HEADER,
  OIDC_CALLBACK_PATH,
  OidcError,
  type OidcIdentity,
  type OidcSettings,
  oidcReturnTargetSchema,
} from "./oidc_types.ts";

export interface OidcPluginOptions {
  settings: OidcSettings;
  /** The account to open. @throws OidcError */
  resolve(identity: OidcIdentity, connectTo: string | null): Promise<string>;
}

/** Passes a refusal through the library, which returns 500 for any other error. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    throw new APIError("FORBIDDEN", { code: error.reason, message: error.detail });
  }
}

export function createOidcPlugin({ settings, resolve }: OidcPluginOptions, publicUrl: string) {
  const provider = createOidcProvider(settings, publicUrl + OIDC_CALLBACK_PATH);
  const endpoints = {
    beginOidc: createAuthEndpoint(
      INTERNAL_OIDC_BEGIN_PATH,
      { method: "POST", body: z.object({ target: oidcReturnTargetSchema, connect: z.boolean() }) },
      async (ctx) => {
        const person = ctx.body.connect ? await getSessionFromCtx(ctx) : null;
        if (ctx.body.connect && !person) throw new APIError("UNAUTHORIZED");
        const nonce = generateRandomString(32);
        const { state, codeVerifier } = await generateState(ctx, {
          idTokenNonce: nonce,
          additionalData: { target: ctx.body.target },
          ...(person ? { link: { userId: person.user.id, email: person.user.email } } : {}),
        });
        const url = await refusing(() => provider.createAuthorizationUrl({ state, nonce, codeVerifier }));
        return ctx.json({ url });
      },
    ),

    finishOidc: createAuthEndpoint(
      INTERNAL_OIDC_FINISH_PATH,
      {
        method: "POST",
        query: z.object({ state: z.string() }),
        body: z.object({ code: z.string(), iss: z.string().nullable(), oauth_query: z.string().optional() }),
      },
      async (ctx) => {
        // Compares the state with this browser's cookie, and deletes its row: no response is accepted twice.
        const { codeVerifier, idTokenNonce, link } = await parseState(ctx);
        const user = await refusing(async () => {
          if (!idTokenNonce) throw new OidcError("expired", "the state belongs to another sign-in");
          if (link && (await getSessionFromCtx(ctx))?.user.id !== link.userId)
            throw new OidcError("expired", "the session that started the sign-in has ended");
          const identity = await provider.readAnswer(ctx.body, { codeVerifier, nonce: idTokenNonce });
          return ctx.context.internalAdapter.findUserById(await resolve(identity, link?.userId ?? null));
        });
        if (!user) throw new APIError("FORBIDDEN", { code: "expired" });
        if (link) return ctx.json({});
        const session = await ctx.context.internalAdapter.createSession(user.id);
        await setSessionCookie(ctx, { session, user });
        ctx.setHeader(OIDC_ACCOUNT_RESPONSE_HEADER, new URLSearchParams({ id: user.id, email: user.email }).toString());
        return ctx.json({});
      },
    ),
  };
  return { id: "belfry-oidc", endpoints };
}

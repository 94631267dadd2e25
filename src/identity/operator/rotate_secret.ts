// `belfry secret rotate`: re-encrypts all values from the old server secret to the new one, completely or not at all.
// Derived values change, which the result lists.

import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { createAssetUrls } from "../../effects/assets/asset_urls.ts";
import { conflict, invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { array, bytea, int, neverNull, type SqlType, text, uuid } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner, runStatement } from "../../store/db/statement.ts";
import { createEncryption, type EncryptionPurpose } from "../../store/secret/encryption.ts";
import { replaceSecretFingerprint, requireMatchingServerSecret } from "../auth/server_secret_check.ts";

const defineStatement = createStatementDefiner("upkeep");

const AT_ONCE = 500;

/** A service that runs would go on sealing under the old secret. */
const others = defineStatement.reading("other_connections", {
  columns: { others: int },
  text: `select count(*)::int as others from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and application_name <> current_setting('application_name')`,
});

/** One that was just ended may still be there for a moment. */
const ENDING_MS = 1_000;

/** @throws 409 while other clients are connected */
export async function refuseOtherConnections(em: SqlEntityManager): Promise<void> {
  const count = async () =>
    assertDefined((await runStatement(em, others, {}))[0], "a count query always returns a row").others;
  let open = await count();
  for (const until = performance.now() + ENDING_MS; open > 0 && performance.now() < until; ) {
    await pause(50);
    open = await count();
  }
  if (open > 0)
    throw conflict(
      "database_in_use",
      `${open} other connections to the database are open. Stop all Belfry processes first.`,
    );
}

const ANSWER_KEY = "jsonb_build_array(credential_id, operation, key)::text";
const OF_ANSWER = ["credential_id", "operation", "key"]
  .map((column, i) => `${column} = n.row_key::jsonb ->> ${i}`)
  .join(" and ");

/** Each table with sealed values, by what they are sealed as. */
const TABLES = {
  "webhook secrets": [
    sealed("webhooks", "webhook_endpoint", "id::text", "secret", bytea),
    sealed("webhooks_before", "webhook_endpoint", "id::text", "previous_secret", neverNull(bytea)),
  ],
  idempotency: [sealed("answers", "idempotency_record", ANSWER_KEY, "sealed_response", neverNull(bytea), OF_ANSWER)],
  "push endpoints": [sealed("push_endpoints", "push_endpoint", "device_id::text", "endpoint", bytea)],
  "push key": [sealed("push_key", "server_secret", "one_row::text", "push_key", neverNull(bytea))],
} satisfies Record<EncryptionPurpose, unknown>;

/** A page of them after a key, and their replacement, two arrays by position. */
function sealed(
  name: string,
  table: string,
  key: string,
  column: string,
  box: SqlType<Uint8Array>,
  of = `${key} = n.row_key`,
) {
  return {
    page: defineStatement.reading(`sealed_${name}`, {
      parameters: { after: text, limit: int },
      columns: { key: text, box },
      text: `select ${key} as key, ${column} as box from ${table} where ${key} > $after and ${column} is not null
      order by ${key} limit $limit::int`,
    }),
    replace: defineStatement(`reseal_${name}`, {
      parameters: { keys: array(text), boxes: array(bytea) },
      text: `update ${table} set ${column} = n.new_box
      from unnest($keys::text[], $boxes::bytea[]) n (row_key, new_box) where ${of}`,
    }),
  };
}

const signingKeys = defineStatement("signing_keys", {
  columns: { id: text, key: text },
  text: 'select id, "privateKey" as key from auth.jwks for update',
});
const replaceSigningKey = defineStatement("replace_signing_key", {
  parameters: { id: text, key: text },
  text: 'update auth.jwks set "privateKey" = $key where id = $id',
});
const secondFactors = defineStatement("second_factors", {
  columns: { id: text, secret: text, codes: text },
  text: 'select id, secret, "backupCodes" as codes from auth."twoFactor" for update',
});
const replaceSecondFactor = defineStatement("replace_second_factor", {
  parameters: { id: text, secret: text, codes: text },
  text: 'update auth."twoFactor" set secret = $secret, "backupCodes" = $codes where id = $id',
});
/** Short-lived responses for repeated requests; encrypted by the sign-in library. */
const dropReplays = defineStatement("drop_rotation_replays", {
  text: `update auth."oauthRefreshToken" set "rotationReplayResponse" = null, "rotationReplayExpiresAt" = null
    where "rotationReplayResponse" is not null`,
});
/** The addresses of files are derived from the secret, so every inbox has to be read again. */
const renewInboxes = defineStatement("renew_inboxes", {
  text: "update channel_state set revision = revision + 1, changed_at = clock_timestamp()",
});

/** The channels contain their URLs. */
const pictures = defineStatement("channel_pictures", {
  columns: { id: uuid, image_asset_id: neverNull(uuid), image_url: neverNull(text) },
  text: "select id, image_asset_id, image_url from pusher where image_asset_id is not null for update",
});
const replacePicture = defineStatement("replace_channel_picture", {
  parameters: { id: uuid, image_url: text },
  text: "update pusher set image_url = $image_url where id = $id",
});

/**
 * Rotates the secret in the manager's transaction.
 * @throws 422 for a wrong old or an invalid new secret, 409 while other clients are connected
 */
export async function rotateServerSecret(em: SqlEntityManager, { from, to }: { from: string; to: string }) {
  if (from === to)
    throw invalidRequest("invalid_value", "The new secret is the same as the old one. Choose a different one.", "to");
  await refuseOtherConnections(em);
  await requireMatchingServerSecret(em, from, "from");
  const counts = {
    webhook_secrets: await reseal(em, "webhook secrets", from, to),
    idempotent_answers: await reseal(em, "idempotency", from, to),
    push_endpoints: await reseal(em, "push endpoints", from, to),
    push_keys: await reseal(em, "push key", from, to),
    signing_keys: await resealSigningKeys(em, from, to),
    second_factors: await resealSecondFactors(em, from, to),
  };
  for (const { id, image_asset_id, image_url } of await runStatement(em, pictures, {})) {
    const [server] = image_url.split("/assets/");
    const { urlOf } = createAssetUrls(to, assertDefined(server, "a split text has a first part"));
    await runStatement(em, replacePicture, { id, image_url: urlOf(image_asset_id) });
  }
  await runStatement(em, dropReplays, {});
  await runStatement(em, renewInboxes, {});
  await replaceSecretFingerprint(em, to);
  return {
    ...counts,
    changed: [
      "Users must sign in again.",
      "Subscriber pseudonyms have changed.",
      "Old URLs of uploaded files no longer work. Devices will get the new URLs at their next poll.",
    ],
  };
}

async function reseal(em: SqlEntityManager, what: EncryptionPurpose, from: string, to: string): Promise<number> {
  const [old, fresh] = [createEncryption(from, what), createEncryption(to, what)];
  let done = 0;
  for (const { page, replace } of TABLES[what])
    for (let after = ""; ; ) {
      const rows = await runStatement(em, page, { after, limit: AT_ONCE });
      if (rows.length === 0) break;
      const boxes = rows.map(({ box }) => fresh.encrypt(old.decrypt(box)));
      await runStatement(em, replace, { keys: rows.map(({ key }) => key), boxes });
      done += rows.length;
      after = assertDefined(rows.at(-1), "a page with a next page has rows").key;
    }
  return done;
}

/** As the sign-in library seals. */
const anewBy = (from: string, to: string) => async (data: string) =>
  symmetricEncrypt({ key: to, data: await symmetricDecrypt({ key: from, data }) });

/** The library keeps them as a JSON string of its own encryption. */
async function resealSigningKeys(em: SqlEntityManager, from: string, to: string): Promise<number> {
  const anew = anewBy(from, to);
  const rows = await runStatement(em, signingKeys, {});
  for (const { id, key } of rows)
    await runStatement(em, replaceSigningKey, { id, key: JSON.stringify(await anew(JSON.parse(key))) });
  return rows.length;
}

async function resealSecondFactors(em: SqlEntityManager, from: string, to: string): Promise<number> {
  const anew = anewBy(from, to);
  const rows = await runStatement(em, secondFactors, {});
  for (const { id, secret, codes } of rows)
    await runStatement(em, replaceSecondFactor, { id, secret: await anew(secret), codes: await anew(codes) });
  return rows.length;
}

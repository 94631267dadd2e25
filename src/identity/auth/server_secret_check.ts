// A check value for the server secret: a keyed hash in the database. It verifies that the database was used with this
// secret, without revealing it. With another secret, encrypted values could not be decrypted.

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { bytea } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner, runStatement } from "../../store/db/statement.ts";
import { createEncryption } from "../../store/secret/encryption.ts";

const defineStatement = createStatementDefiner("upkeep");

const keepCheck = defineStatement("keep_secret_check", {
  parameters: { check_value: bytea },
  text: "insert into server_secret (check_value) values ($check_value) on conflict do nothing",
});
const readCheck = defineStatement.reading("read_secret_check", {
  columns: { check_value: bytea },
  text: "select check_value from server_secret",
});
const replaceCheck = defineStatement("replace_secret_check", {
  parameters: { check_value: bytea },
  text: "update server_secret set check_value = $check_value",
});
const anySealed = defineStatement.reading("any_sealed", {
  columns: { secret: bytea },
  text: "select secret from webhook_endpoint order by created_at limit 1",
});

function checkValue(secret: string): Buffer {
  const key = Buffer.from(hkdfSync("sha256", secret, "belfry", "secret check", 32));
  return createHmac("sha256", key).update("belfry").digest();
}

/**
 * Checks that the secret belongs to the database. A database without a check value is new or older. It adopts this
 * secret, unless something was encrypted with another one.
 */
export async function checkOrStoreSecretFingerprint(em: SqlEntityManager, secret: string): Promise<boolean> {
  const readStoredCheck = async () => (await runStatement(em, readCheck, {}))[0];
  if (!(await readStoredCheck())) {
    const [sealed] = await runStatement(em, anySealed, {});
    if (sealed && !opens(secret, sealed.secret)) return false;
    await runStatement(em, keepCheck, { check_value: checkValue(secret) });
  }
  // Two first starts at the same time may bring two secrets. The one that was written first counts.
  return timingSafeEqual(
    Buffer.from(assertDefined(await readStoredCheck(), "the check was stored above").check_value),
    checkValue(secret),
  );
}

/** @throws 422 on `field` for a secret that is not the database's. */
export async function requireMatchingServerSecret(
  em: SqlEntityManager,
  secret: string,
  field = "SECRET",
  whose = "this database was",
): Promise<void> {
  if (!(await checkOrStoreSecretFingerprint(em, secret)))
    throw invalidRequest("secret_mismatch", `SECRET does not match the secret that ${whose} used with.`, field);
}

function opens(secret: string, box: Uint8Array): boolean {
  try {
    createEncryption(secret, "webhook secrets").decrypt(box);
    return true;
  } catch {
    return false;
  }
}

/** From now on the database is this secret's: the last step of a rotation. */
export async function replaceSecretFingerprint(em: SqlEntityManager, secret: string): Promise<void> {
  await runStatement(em, replaceCheck, { check_value: checkValue(secret) });
}

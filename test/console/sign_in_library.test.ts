// The sign-in library is loaded on its first use. architecture.test.ts lists the modules that a service without
// sign-ins does not load. Here: a database that is away at that moment costs that response alone.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { expect, test } from "vitest";
import { createConsentGrants } from "../../src/identity/auth/consent_grants.ts";
import { createLazySignInLibrary } from "../../src/identity/auth/sign_in_library.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { freshDatabase } from "../support/world.ts";

test("a first question while the database is away fails, the next one after it is back does not", async () => {
  const { settings, remove } = await freshDatabase();
  const url = new URL(settings.DATABASE_URL!);
  const name = url.pathname.slice(1);
  const admin = createOrm({ databaseUrl: Object.assign(new URL(url), { pathname: "/postgres" }).href });
  const rename = (from: string, to: string) =>
    (admin.em.fork() as SqlEntityManager).execute(`alter database ${from} rename to ${to}`);
  const orm = createOrm({ databaseUrl: url.href });
  try {
    const secret = settings.SECRET!;
    const library = createLazySignInLibrary({
      orm,
      grants: createConsentGrants(orm),
      secret,
      publicUrl: "http://localhost:8787",
    });
    const session = () => library.findSession(new Headers(), { refresh: false });
    await rename(name, `${name}_away`);
    await expect(session()).rejects.toThrow();
    await rename(`${name}_away`, name);
    expect(await session()).toBeNull();
    // The scopes of client tokens exist before the first of them is stored.
    await library.prepare();
    const resources = (orm.em.fork() as SqlEntityManager).execute('select identifier from auth."oauthResource"');
    expect(await resources).toEqual([{ identifier: "http://localhost:8787/mcp" }]);
  } finally {
    await orm.close(true);
    await admin.close(true);
    await remove();
  }
});

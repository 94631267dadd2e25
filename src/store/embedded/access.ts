// Who may connect to the embedded database, and that it is kept from those who may not: the service is no superuser, and who
// comes in stands in files that the user who runs PostgreSQL cannot change. A socket's address is limited to about a hundred
// bytes, a data directory's path is not: so its folder is reached under a short name.

import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../secret/private_file.ts";
import type { Binaries } from "./binaries.ts";
import { dataDirProblem } from "./hold.ts";
import type { Place } from "./place.ts";
import { ownUser, type Runner, runToEnd, succeed } from "./runner.ts";

/** The role of the service, which owns the database and all in it and can do nothing outside of it. */
export const ROLE = "belfry";
export const DATABASE = "belfry";
/** Of initdb. Nobody is let in as it. */
export const SUPERUSER = "belfry_superuser";

/** What single-user mode, which is the superuser, is told of a new cluster. */
export const NEW_DATABASE = `create role ${ROLE} login;\ncreate database ${DATABASE} owner ${ROLE};\n`;

const HEADER = "# Belfry writes this file at each start.";

/**
 * Who may connect: over the socket, the operating system's own word for who calls. Only the service's user and root are
 * the role; another program of the user that runs the server is not. Written at each start, since the service's user may
 * have changed. The files lie beside the cluster and are the service's own: nothing is ever written into the folder of a lent
 * user, who could plant a link there. Returns the server's settings that name them.
 */
export function writeAccess({ home }: Place, { gid }: Runner): Record<string, string> {
  const own = ownUser();
  const callers = own === "root" ? [own] : [own, "root"];
  const files = {
    hba: ["local all all peer map=belfry"],
    ident: callers.map((name) => `belfry "${name}" ${ROLE}`),
  };
  const settings: Record<string, string> = {};
  for (const [name, lines] of Object.entries(files)) {
    const path = join(home, `pg_${name}.conf`);
    writePrivate(path, `${HEADER}\n${lines.join("\n")}\n`, gid);
    settings[`${name}_file`] = path;
  }
  return settings;
}

/**
 * In an earlier Belfry's cluster the service's role is the superuser of initdb, which keeps its number whatever it is called: it
 * gets another name, and what it owns in the database a new owner. One transaction; when it was done, it does nothing.
 */
const BRING_OVER = `do $$ declare found record; begin
  if not exists (select from pg_roles where oid = 10 and rolname = '${ROLE}') then return; end if;
  create role belfry_bringing superuser;
  set local session authorization belfry_bringing;
  alter role ${ROLE} rename to ${SUPERUSER};
  create role ${ROLE} login;
  alter database ${DATABASE} owner to ${ROLE};
  for found in
    with room as (select * from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')
    select format('schema %I', nspname) as thing from room where nspowner = 10
    union all select format('table %s', c.oid::regclass) from pg_class c join room on room.oid = relnamespace
      where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and relkind = 'S' and deptype in ('a', 'i'))
    union all select format('routine %s', p.oid::regprocedure) from pg_proc p join room on room.oid = pronamespace where proowner = 10
  loop execute format('alter %s owner to ${ROLE}', found.thing); end loop;
  set local session authorization ${SUPERUSER};
  drop role belfry_bringing;
end $$;`;

/**
 * Brings a cluster over that an earlier Belfry has made. That one wrote the access file inside of the cluster, which tells both
 * apart, also when a copy of an older cluster was put in place; the file goes last. The database must be down.
 * @throws ConfigError with what PostgreSQL said.
 */
export async function bringOver(place: Place, binaries: Binaries, runner: Runner): Promise<void> {
  const path = join(place.cluster, "pg_hba.conf");
  if (!readFileSync(path, "utf8").startsWith(HEADER)) return;
  const sql = `${BRING_OVER.replaceAll("\n", " ")}\n`;
  const refuse = (said: string) =>
    dataDirProblem(place.dataDir, `holds a database that cannot be brought to this version: ${said}.`);
  await succeed(refuse, runner, binaries.postgres, ["--single", "-D", place.cluster, DATABASE], sql);
  // By the user whose folder it is.
  await runToEnd(runner, "/bin/sh", [
    "-c",
    'echo "# Not used: the file beside this folder is." > "$0"',
    path,
  ]);
}

/** The least that the supported systems allow (macOS), less the closing zero. */
const LONGEST = 103;
const SOCKET = "/.s.PGSQL.5432";

/** Of this process by its number, so that a program that it starts gets there as well. */
const DESCRIPTORS = `/proc/${process.pid}/fd`;

/** A name of the folder that leaves room for the socket in it, and the release of what holds that name open. */
export function socketFolder(folder: string): { path: string; release(): void } {
  if (Buffer.byteLength(folder + SOCKET) <= LONGEST) return { path: folder, release: () => {} };
  if (!existsSync(DESCRIPTORS))
    throw dataDirProblem(folder, "is a path too long for a unix socket; set a shorter one.");
  const descriptor = openSync(folder, "r");
  return { path: `${DESCRIPTORS}/${descriptor}`, release: () => closeSync(descriptor) };
}

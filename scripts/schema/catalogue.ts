// PostgreSQL's own catalogue of a schema, one fact a line: columns, constraints, indexes, triggers, functions and how
// tables are stored. Two databases whose facts are equal have the same schema, independent of their origin.

import type { SqlEntityManager } from "@mikro-orm/sql";

type SchemaObjectKind = "table" | "column" | "constraint" | "index" | "trigger" | "function" | "other";

interface SchemaFact {
  kind: SchemaObjectKind;
  /** The table that it belongs to; null for an independent object. */
  on: string | null;
  name: string;
  /** As PostgreSQL prints it, so that two spellings of one thing are equal. */
  definition: string;
}

/** The table of the migrations' own history. */
const ACCOUNT = "migration";

/**
 * Everything in `public`. The sign-in library's schema `auth` is its own: test/database/schema.test.ts checks it with
 * the library.
 */
const FACTS = `
  with t as (
    select c.oid, c.relname, c.relkind, c.reloptions, c.relpersistence, c.relrowsecurity
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> '${ACCOUNT}'
  )
  select 'table' as kind, relname::text as "on", relname::text as name,
    concat_ws(' ', relkind, relpersistence, case when relrowsecurity then 'row security' end,
      'with (' || (select string_agg(o, ', ' order by o) from unnest(reloptions) o) || ')') as definition
  from t
  union all
  select 'column', t.relname, a.attname,
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
      case when a.attcollation <> y.typcollation then 'collate ' || a.attcollation::regcollation::text end,
      case when a.attidentity <> '' then 'identity ' || a.attidentity::text end,
      case a.attgenerated when '' then 'default ' || pg_get_expr(d.adbin, d.adrelid)
        else 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') ' || a.attgenerated::text end)
  from t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  union all
  select 'constraint', t.relname, k.conname, pg_get_constraintdef(k.oid)
  from t join pg_constraint k on k.conrelid = t.oid
  -- 'n' is "not null", which the column says; 't' a constraint trigger.
  where k.contype not in ('n', 't')
  union all
  select 'index', t.relname, i.relname, pg_get_indexdef(i.oid)
  from t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
  where not exists (select from pg_constraint k where k.conindid = i.oid and k.conrelid = t.oid)
  union all
  select 'trigger', t.relname, g.tgname,
    pg_get_triggerdef(g.oid) || case when g.tgenabled <> 'O' then ' -- enabled: ' || g.tgenabled::text else '' end
  from t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal
  union all
  select 'function', null, f.oid::regprocedure::text, pg_get_functiondef(f.oid)
  from pg_proc f where f.pronamespace = 'public'::regnamespace and f.prokind in ('f', 'p')
  union all
  select 'other', null, c.relname, case c.relkind when 'v' then 'view ' || pg_get_viewdef(c.oid)
    when 'm' then 'materialized view ' || pg_get_viewdef(c.oid) when 'S' then 'sequence'
    else 'kind ' || c.relkind::text end
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm', 'S', 'f')
    and c.relname <> '${ACCOUNT}_id_seq'
  union all
  select 'other', null, y.typname, 'type ' || coalesce(
    (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)
      from pg_enum e where e.enumtypid = y.oid),
    y.typtype::text)
  from pg_type y where y.typnamespace = 'public'::regnamespace and y.typtype in ('e', 'd')
  union all
  select 'other', null, x.extname, 'extension' from pg_extension x where x.extname <> 'plpgsql'`;

/** The layout of a function's text means nothing. */
const plain = (definition: string) => definition.replace(/\s+/g, " ").trim();

/** The facts of a database, in an order that does not depend on how it was made. */
export async function readSchemaFacts(em: SqlEntityManager): Promise<SchemaFact[]> {
  const facts = await em.execute<SchemaFact[]>(FACTS);
  const key = ({ kind, on, name }: SchemaFact) => `${on ?? ""}\0${kind}\0${name}`;
  return facts.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

export interface SchemaDifference {
  kind: SchemaObjectKind;
  on: string | null;
  name: string;
  /** The fact in the migrated database; null if missing. */
  migrated: string | null;
  /** The fact in the database of the entities; null if missing. */
  declared: string | null;
}

/** The differences between both, in the order of the tables. */
export function compareSchemas(migrated: SchemaFact[], declared: SchemaFact[]): SchemaDifference[] {
  const found = new Map<string, SchemaDifference>();
  const note = (side: "migrated" | "declared", { kind, on, name, definition }: SchemaFact) => {
    const key = `${kind} ${on}.${name}`;
    const difference = found.get(key) ?? { kind, on, name, migrated: null, declared: null };
    found.set(key, { ...difference, [side]: definition });
  };
  for (const fact of migrated) note("migrated", fact);
  for (const fact of declared) note("declared", fact);
  return [...found.values()].filter((d) => plain(d.migrated ?? "") !== plain(d.declared ?? ""));
}

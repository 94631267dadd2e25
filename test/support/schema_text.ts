// The contents of a schema, a row each, to compare two databases of one server.

import type { SqlEntityManager } from "@mikro-orm/sql";

// PostgreSQL 18 has a constraint of its own for each NOT NULL column, which the columns already show.
const SCHEMA = `
  select 'column' as kind, table_schema::text as room, table_name::text as of, column_name::text as name,
      concat_ws(' ', data_type, column_default, is_nullable, generation_expression) as is
    from information_schema.columns where table_schema in ('public', 'auth')
  union all select 'constraint', connamespace::regnamespace::text, conrelid::regclass::text, conname,
    pg_get_constraintdef(oid) || convalidated::text
    from pg_constraint where connamespace::regnamespace::text in ('public', 'auth') and contype <> 'n'
  union all select 'index', schemaname, tablename, indexname, indexdef from pg_indexes where schemaname in ('public',
    'auth')
  union all select 'function', '', proname, '', prosrc from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'trigger', '', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) || tgenabled::text from
    pg_trigger where not tgisinternal
  order by 1, 2, 3, 4`;

const SEQUENCES = `select schemaname, sequencename, coalesce(last_value::text, 'unused') as last from pg_sequences
  where schemaname in ('public', 'auth') order by 1, 2`;

export const readSchema = (em: SqlEntityManager): Promise<unknown[]> => em.execute(SCHEMA);

/** Where each sequence is. */
export const readSequences = (em: SqlEntityManager): Promise<unknown[]> => em.execute(SEQUENCES);

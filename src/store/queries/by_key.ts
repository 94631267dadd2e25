// How a statement looks rows up by their key however few rows the table has.

/**
 * SQL that holds for every row of a joined table: of an `or` PostgreSQL never comes to the second half. It counts it all the same, for
 * each row that it would read, so reading the whole table to join a few rows is no cheap plan. Without it a table of some hundred
 * rows is read whole for each handset, since by its count a page that is looked up costs four times one that comes next.
 * @param key the column that names the row, a uuid
 */
export const byKey = (key: string): string =>
  `(${key} >= '00000000-0000-0000-0000-000000000000' or to_tsvector('simple', to_tsvector('simple', ${key}::text)::text) is null)`;

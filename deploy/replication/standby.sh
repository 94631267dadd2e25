#!/bin/sh
# A standby's start, as the user of PostgreSQL: a copy of the primary the first time, then the program that it is given, which follows.
# PRIMARY is the primary as a connection string, PGPASSWORD its replicator's password, PGDATA a folder that is not there yet.
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # Moved when it is whole: what was cut short is begun anew.
  rm -rf "$PGDATA.part"
  mkdir -p "$(dirname "$PGDATA")"
  pg_basebackup -d "$PRIMARY" -D "$PGDATA.part" -R -X stream -c fast
  mv -T "$PGDATA.part" "$PGDATA"
fi
# The copy knows the password now; what runs on it needs none.
unset PGPASSWORD
exec "$@"

#!/bin/bash
# The conventions of the official PostgreSQL image that the Compose files use, for Debian's packages: POSTGRES_USER,
# POSTGRES_PASSWORD, POSTGRES_DB and the scripts of /docker-entrypoint-initdb.d.
set -euo pipefail
if [[ $1 == postgres && $(id -u) == 0 ]]; then
  install -d -m 700 -o postgres -g postgres "$PGDATA"
  exec gosu postgres "$0" "$@"
fi
if [[ $1 == postgres && ! -s $PGDATA/PG_VERSION ]]; then
  user=${POSTGRES_USER:-postgres}
  initdb -D "$PGDATA" -U "$user" -A trust --pwfile=<(printf %s "$POSTGRES_PASSWORD") >/dev/null
  pg_ctl -s -w -D "$PGDATA" -o "-c listen_addresses=" start
  createdb -U "$user" "${POSTGRES_DB:-$user}"
  for script in /docker-entrypoint-initdb.d/*.sh; do [[ -f $script ]] && sh "$script"; done
  pg_ctl -s -D "$PGDATA" -m fast stop
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  sed -i "s/^#listen_addresses.*/listen_addresses = '*'/" "$PGDATA/postgresql.conf"
fi
exec "$@"

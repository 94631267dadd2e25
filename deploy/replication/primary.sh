#!/bin/sh
# Run once, by the image of PostgreSQL as it makes the primary: the role as which a standby copies and follows, and its way in.
set -e
psql -qX -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d postgres <<'SQL'
create role replicator login replication password :'password';
SQL
echo "host replication replicator all scram-sha-256" >> "$PGDATA/pg_hba.conf"

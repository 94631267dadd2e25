#!/usr/bin/env bash
# A Citus coordinator and two workers on this machine, for the tests of cells and to try them by hand:
#   eval "$(scripts/citus.sh start /tmp/citus)"
#   npx vitest run test/database/citus_cells.test.ts
#   scripts/citus.sh stop /tmp/citus
# Needs a PostgreSQL below /usr/lib/postgresql that has Citus (its sources' `make install`, or its authors' packages),
# and no root, or root and a user postgres. `start` continues with the content of the folder; `stop` ends the servers
# and leaves the folder.
set -euo pipefail
what=${1:-} folder=${2:-} base=${3:-9700}
if [[ ! $what =~ ^(start|stop)$ || -z $folder ]]; then
  echo "Usage: scripts/citus.sh start|stop FOLDER [FIRST_PORT]" >&2
  exit 2
fi
library=$(ls -v /usr/lib/postgresql/*/lib/citus.so 2>/dev/null | tail -1)
if [[ -z $library ]]; then
  echo "No PostgreSQL below /usr/lib/postgresql has Citus." >&2
  exit 1
fi
programs=$(dirname "$(dirname "$library")")/bin
as() { if [[ $EUID == 0 ]]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [[ $EUID == 0 ]]; then chown postgres "$folder"; fi
ask() { as "$programs/psql" -qAtX -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U postgres -d postgres -c "$2" >/dev/null; }

for node in 0 1 2; do
  data=$folder/$node port=$((base + node))
  if [[ $what == stop ]]; then
    if [[ -f $data/postmaster.pid ]]; then as "$programs/pg_ctl" -s -D "$data" -m fast stop; fi
    continue
  fi
  if [[ -f $data/postmaster.pid ]] && as "$programs/pg_ctl" -D "$data" status >/dev/null; then continue; fi
  if [[ ! -d $data ]]; then
    as "$programs/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
  fi
  as "$programs/pg_ctl" -s -w -D "$data" -l "$folder/$node.log" -o "-p $port -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories=$folder -c shared_preload_libraries=citus -c wal_level=logical -c max_connections=200 \
    -c shared_buffers=64MB -c fsync=off" start
  ask "$port" "create extension if not exists citus"
done
if [[ $what == start ]]; then
  ask "$base" "select citus_set_coordinator_host('127.0.0.1', $base)"
  for node in 1 2; do ask "$base" "select citus_add_node('127.0.0.1', $((base + node)))"; done
  echo "export TEST_CITUS_URL=postgresql://postgres@127.0.0.1:$base/postgres"
fi

#!/usr/bin/env bash
# Runs compose.failover.yaml's database on this machine, with the same files and Debian's patroni, etcd-server, python3-etcd, haproxy and
# postgresql, and a service in front of it; kills the leader under load, and then its whole node, and prints how long nobody wrote.
# As root, on a machine where that may be done. npm ci first.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
work=$(mktemp -d)
# Debian's PostgreSQL, whatever its version.
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
install -d -o postgres "$work/one" "$work/two"
chmod 755 "$work"
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT

base=$((20000 + RANDOM % 1000 * 10))
etcd=$((base)) peer=$((base + 1)) database=$((base + 2)) service=$((base + 3))
declare -A port=([one]=$((base + 4)) [two]=$((base + 5))) rest=([one]=$((base + 6)) [two]=$((base + 7)))

etcd --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" \
  --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
  --initial-cluster "default=http://127.0.0.1:$peer" >"$work/etcd.log" 2>&1 &

declare -A session
# A session of its own, so that the node can be killed whole.
start_node() {
  setsid runuser -u postgres -- env PATRONI_NAME="$1" PATRONI_ETCD3_HOSTS="127.0.0.1:$etcd" \
    PATRONI_RESTAPI_LISTEN="127.0.0.1:${rest[$1]}" PATRONI_RESTAPI_CONNECT_ADDRESS="127.0.0.1:${rest[$1]}" \
    PATRONI_POSTGRESQL_LISTEN="127.0.0.1:${port[$1]}" PATRONI_POSTGRESQL_CONNECT_ADDRESS="127.0.0.1:${port[$1]}" \
    PATRONI_POSTGRESQL_DATA_DIR="$work/$1/cluster" PATRONI_POSTGRESQL_PGPASS="$work/$1/pgpass" \
    PATRONI_POSTGRESQL_BIN_DIR="$bin" \
    PATRONI_SUPERUSER_USERNAME=postgres PATRONI_SUPERUSER_PASSWORD=super \
    PATRONI_REPLICATION_USERNAME=replicator PATRONI_REPLICATION_PASSWORD=replica BELFRY_PASSWORD=belfry \
    patroni "$here/patroni.yaml" >>"$work/$1.log" 2>&1 &
  session[$1]=$!
}
is() { curl -sf -o /dev/null "http://127.0.0.1:${rest[$1]}/$2"; }
until_() { for _ in $(seq 300); do "$@" && return; sleep 0.2; done; echo "waited in vain for $*" >&2; tail -n 8 "$work"/*.log >&2; exit 1; }
leader() { for each in one two; do is "$each" primary && echo "$each" && return; done; }
both() { local led=$(leader); [[ $led ]] && is "$([[ $led == one ]] && echo two || echo one)" synchronous; }

start_node one
until_ is one primary
start_node two
until_ both
DATABASE_ADDRESS="127.0.0.1:$database" ONE="127.0.0.1:${port[one]}" ONE_REST=${rest[one]} TWO="127.0.0.1:${port[two]}" TWO_REST=${rest[two]} \
  haproxy -db -f "$here/haproxy.cfg" >"$work/haproxy.log" 2>&1 &

export DATABASE_URL="postgresql://belfry:belfry@127.0.0.1:$database/belfry?target_session_attrs=read-write"
export SECRET="a secret that is long enough for this try" DATA_DIR="$work/data" PORT=$service HOST=127.0.0.1 LOG_LEVEL=warn SHUTDOWN_DELAY_MS=0
node src/main.ts >"$work/service.log" 2>&1 &
until_ curl -sf -o /dev/null "http://127.0.0.1:$service/readyz"
field() { node -p 'JSON.parse(require("fs").readFileSync(0, "utf8"))[process.argv[1]]' "$1"; }
belfry() { node src/cli.ts "$@"; }
workspace=$(belfry workspaces create --name Try | field id)
belfry members add --workspace "$workspace" --email try@example.org --role owner >/dev/null
key=$(belfry keys create --workspace "$workspace" --scopes all | field key)
channel=$(curl -sf "http://127.0.0.1:$service/api/v1/pushers" -H "authorization: Bearer $key" -H 'content-type: application/json' \
  -d '{"handle":"try","name":"Try","category":"community","description":"Try"}' | field id)

# Four clients that ask again under their key what was not answered, until the file is there.
load() {
  KEY=$key URL="http://127.0.0.1:$service/api/v1/pushers/$channel/alerts" NAME=$1 END="$work/$1.end" node --input-type=module -e '
    import { existsSync } from "node:fs";
    const { KEY, URL: url, NAME, END } = process.env;
    let [done, last, away, resumed] = [0, performance.now(), 0, 0];
    const refused = {};
    await Promise.all([1, 2, 3, 4].map(async (client) => {
      for (let n = 0; !existsSync(END); n++)
        for (let status = 0; status !== 201; ) {
          const title = `${NAME} ${client}.${n}`;
          const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json", "idempotency-key": title };
          status = await fetch(url, { method: "POST", headers, body: JSON.stringify({ title }) }).then((answer) => answer.status, () => 0);
          if (status === 201) {
            if (performance.now() - last > away) [away, resumed] = [performance.now() - last, Date.now()];
            [done, last] = [done + 1, performance.now()];
          }
          else refused[status] = (refused[status] ?? 0) + 1;
        }
    }));
    console.log(JSON.stringify({ acknowledged: done, longest_ms_without_one: Math.round(away), resumed, asked_again_after: refused }));
  '
}
# try NAME COMMAND…: load, the failure, the new leader, more load, and what is there of what was acknowledged.
try() {
  local name=$1 led; led=$(leader); shift
  load "$name" >"$work/$name.told" &
  local loading=$!
  sleep 3
  "$@" "$led"
  until_ is "$([[ $led == one ]] && echo two || echo one)" primary
  local promoted=${EPOCHREALTIME/.} resumed
  sleep 6
  touch "$work/$name.end"
  wait "$loading"
  resumed=$(sed 's/.*"resumed":\([0-9]*\).*/\1/' "$work/$name.told")
  echo "$name: writes continue $((resumed - promoted / 1000)) ms after the promotion"
  local new; new=$(leader)
  echo "$name: $(<"$work/$name.told"), there once each: $(PGPASSWORD=belfry psql -h 127.0.0.1 -p "${port[$new]}" -U belfry -Atc \
    "select count(distinct title) || ' of ' || count(*) from alert where title like '$name %'" belfry)"
}
kill_postgres() { kill -9 -- "$(head -1 "$work/$1/cluster/postmaster.pid")"; }
kill_node() {
  pkill -9 -s "${session[$1]}" || true
  wait "${session[$1]}" 2>/dev/null || true
  kill_postgres "$1"
}
try "PostgreSQL killed" kill_postgres
until_ both
try "node killed" kill_node

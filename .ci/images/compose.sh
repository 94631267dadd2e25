# The Compose files, on stand-ins from Debian's packages for the images of others. Run by .ci/containers.

# stand_in IMAGE ENTRYPOINT CMD: the common image under the name that a Compose file has.
stand_in() {
  printf 'FROM localhost/stand-in\nENTRYPOINT %s\nCMD %s\n' "$2" "$3" | build -f - -t "$1" "$work/empty"
}
named() { sed -n "s|^ *image: \($1:.*\)|\1|p" deploy/compose.*yaml | head -1; }
stand_ins() {
  mkdir -p "$work/empty"
  build --build-arg "BASE=$base" -f .ci/images/Dockerfile -t stand-in .ci/images &&
    stand_in "docker.io/library/$(named postgres)" '["docker-entrypoint"]' '["postgres"]' &&
    stand_in "docker.io/$(named valkey/valkey)" '[]' '["valkey-server"]' &&
    stand_in "docker.io/library/$(named caddy)" '[]' '["caddy", "run", "--config", "/etc/caddy/Caddyfile"]' &&
    stand_in "docker.io/library/$(named haproxy)" '[]' '["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]' &&
    stand_in "$(named quay.io/coreos/etcd)" '[]' '["etcd"]' &&
    if wants failover; then build "${registries[@]}" -t belfry-patroni deploy/patroni; fi
}
timed "stand-ins for the images of others" stand_ins
python3 -m venv "$work/venv" &&
  timeout 120 "$work/venv/bin/pip" install -q --disable-pip-version-check podman-compose==1.6.0 ||
  { skip_part "podman-compose cannot be installed"; return 0; }
mkdir -p "$work/bin"
# podman-compose calls the podman of the PATH.
printf '#!/bin/sh\nexec nsenter --net=/run/netns/%s %s "$@"\n' "$network" "$work/podman" >"$work/bin/podman"
chmod +x "$work/bin/podman"
# Caddy issues certificates for names under localhost by itself.
cat >"$work/env" <<END
DOMAIN=belfry.localhost
DATABASE_PASSWORD=database
POSTGRES_PASSWORD=postgres
REPLICATION_PASSWORD=replication
PATRONI_PASSWORD=patroni
ETCD_PASSWORD=etcd
VALKEY_PASSWORD=valkey
SECRET=a-secret-of-at-least-32-bytes-for-ci
ASSETS_S3_ENDPOINT=http://127.0.0.1:9
ASSETS_S3_BUCKET=belfry
ASSETS_S3_REGION=auto
ASSETS_S3_ACCESS_KEY_ID=ci
ASSETS_S3_SECRET_ACCESS_KEY=ci
END
# The file of the present part is $file, a service in it $service.
compose() {
  PATH="$work/bin:$PATH" timeout 300 "$work/venv/bin/podman-compose" --env-file "$work/env" -f "deploy/$file" "$@"
}
up() {
  compose up -d --no-build || return
  answers '"ready"' "$origin/readyz" --resolve belfry.localhost:443:127.0.0.1
}
down() { compose down -v -t 20; }
belfry() { compose exec -T "$service" belfry "$@"; }
# An external database has no workspace after its first start.
workspace() { belfry workspaces create --name CI && belfry members add --email ci@example.org --role owner; }
# calls COMMAND…: 20 sends and 40 drafts, each of which succeeds while the command runs.
calls() {
  local pid n
  "$@" &
  pid=$!
  for n in {1..20}; do send "Send $n" || return; done
  for n in {1..40}; do draft "Draft $n" || return; done
  wait "$pid"
}
origin=https://belfry.localhost
for part in compose database replicas failover; do
  wants "$part" || continue
  file=compose.$part.yaml service=one
  [[ $part != compose ]] || file=compose.yaml service=belfry
  timed "$file: up" up
  [[ $service == belfry ]] || timed "$file: a workspace" workspace
  timed "$file: a key and a channel" channel belfry
  case $part in
    compose) timed "$file: 60 calls" calls true ;;
    database) timed "$file: 60 calls while a service restarts" calls compose restart -t 20 one ;;
    replicas) timed "$file: 60 calls while the replica stops" calls compose stop -t 20 standby ;;
    failover) . .ci/images/failover.sh ;;
  esac
  timed "$file: down" down
done
origin=http://127.0.0.1:8787

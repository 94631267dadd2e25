# Calls to a started service, with the key $key at $origin. Run by .ci/containers.

origin=http://127.0.0.1:8787
# api METHOD PATH [BODY] [OPTION…]
api() {
  local method=$1 path=$2 body=${3-}
  shift "$(($# < 3 ? $# : 3))"
  inside curl -sk -m 20 --fail-with-body --resolve belfry.localhost:443:127.0.0.1 -X "$method" "$origin/api/v1/$path" \
    -H "authorization: Bearer $key" ${body:+-H "content-type: application/json" -d "$body"} "$@"
}
# channel COMMAND…: makes a key by `COMMAND… keys create`, and the channel ci-alerts.
channel() {
  key=$("$@" keys create --scopes all | grep -oE 'bfk_[A-Za-z0-9_-]{20,}' | head -1)
  api POST pushers '{"handle":"ci-alerts","name":"CI","category":"community","description":"CI"}'
}
send() { [[ $(api POST pushers/ci-alerts/alerts "{\"title\":\"$1\",\"send\":true}") == *'"status":"sent"'* ]]; }
# draft TITLE: once, although the call is repeated.
draft() { api POST pushers/ci-alerts/alerts "{\"title\":\"$1\"}" -H "idempotency-key: $1" >/dev/null; }
# titles: those of all alerts of the channel.
titles() {
  local before="" page
  while page=$(api GET "pushers/ci-alerts/alerts?limit=100${before:+&before=$before}"); do
    of_json 'data.map(({ title }) => title).join("\n")' <<<"$page"
    before=$(of_json 'meta.next_before ?? ""' <<<"$page")
    [[ -n $before ]] || return 0
  done
  return 1
}
of_json() { node_modules/node/bin/node -p "JSON.parse(fs.readFileSync(0, 'utf8')).$1"; }

# writes NAME: a client that repeats each draft until it is acknowledged; prints the time and title of each.
writes() {
  local n
  for ((n = 0; ; n++)); do
    until draft "$1 $n" >&2; do sleep 0.1; done
    echo "$EPOCHREALTIME $1 $n"
  done
}
# with_writer NAME COMMAND…: the client writes into $work/acknowledged while the command runs.
with_writer() {
  local writer result=0
  writes "$1" >"$work/acknowledged" &
  writer=$!
  until_ has_acknowledged 0 && "${@:2}" || result=1
  kill "$writer"
  wait "$writer" 2>/dev/null || true
  return "$result"
}
acknowledged_since() { awk -v since="$1" '$1 > since { print $1; exit }' "$work/acknowledged"; }
has_acknowledged() { [[ -n $(acknowledged_since "$1") ]]; }
# all_there: every acknowledged draft is there once.
all_there() {
  titles | sort >"$work/titles" || return
  [[ -z $(uniq -d "$work/titles") ]] || { echo "some alerts are there twice"; return 1; }
  cut -d " " -f 2- "$work/acknowledged" | sort | comm -23 - "$work/titles" | sed 's/^/lost: /' | tee "$work/lost"
  [[ ! -s $work/lost ]]
}
# until_ COMMAND…: waits at most 90 seconds for the command to succeed.
until_() {
  local end=$((SECONDS + 90))
  until "$@"; do
    ((SECONDS < end)) || { echo "waited for $* in vain"; return 1; }
    sleep 0.1
  done
}

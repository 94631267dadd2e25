# Ends the leader of compose.failover.yaml while a client writes. Run by compose.sh, which has the functions.

container() { contained ps -q --filter "label=com.docker.compose.service=$1"; }
addresses() { contained inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}' "$(container "$1")"; }
# is NODE STATE: by Patroni's own answer.
is() { inside curl -sf -m 1 -o /dev/null "http://${address[$1]}:8008/$2"; }
has_standby() {
  local node
  for node in database-a database-b; do address[$node]=$(addresses "$node" | cut -d " " -f 1); done
  leader=database-a standby=database-b
  is "$leader" primary || leader=database-b standby=database-a
  is "$leader" primary && is "$standby" synchronous
}
# promotion COMMAND…: the command ends the leader; the standby becomes it, and writes continue.
promotion() {
  local ended=$EPOCHREALTIME promoted
  "$@" && until_ is "$standby" primary || return
  promoted=$EPOCHREALTIME
  until_ has_acknowledged "$promoted" || return
  finding="promoted after $(seconds "$ended" "$promoted") s, written again after:\
$(seconds "$promoted" "$(acknowledged_since "$promoted")") s more"
}
# failover NAME COMMAND…
failover() {
  until_ has_standby && with_writer "$1" promotion "${@:2}" && all_there
}
kill_postgres() {
  compose exec -T "$leader" sh -c 'kill -9 "$(head -1 /var/lib/postgresql/data/cluster/postmaster.pid)"'
}
kill_container() { contained kill -s KILL "$(container "$leader")"; }

declare -A address
for victim in postgres container; do
  finding=""
  timed "$file: the leader's $victim is killed" failover "$victim killed" "kill_$victim"
  [[ -z $finding ]] || report "  ${finding%:*}" "${finding##*:}"
done

// Push endpoints of devices, and the devices that a channel notifies (rules#push-wakes). An encrypted endpoint names
// its version, so results apply to this endpoint and not to its replacement.

import {
  array,
  bigint,
  boolean,
  bytea,
  int,
  nullable,
  textEnum,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { PUSH_KINDS, WANTS_PUSH_SQL } from "../../model/tables/devices_and_reports.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("deliveries");
const defineClaim = createStatementDefiner("claims");
const defineCount = createStatementDefiner("statistics");
const defineUpkeep = createStatementDefiner("upkeep");

/** One endpoint for each device. No row if the device was deleted. */
export const putPushEndpoint = defineClaim("put_push_endpoint", {
  parameters: { device_id: bigint, kind: textEnum(PUSH_KINDS), endpoint: bytea },
  columns: { device_id: bigint },
  text: `insert into push_endpoint (device_id, kind, endpoint)
    select id, $kind, $endpoint from device where id = $device_id for key share
    on conflict (device_id) do update set kind = excluded.kind, endpoint = excluded.endpoint, failures = 0,
      failing_since = null, created_at = clock_timestamp()
    returning device_id`,
});

/**
 * Reads up to `look` notified subscriptions of a channel, after a device, and returns up to `limit` with an endpoint;
 * none for a suspended channel. At least one row: `last` is the last device read, null at the end. So a statement is
 * short even if few of many subscribers have an endpoint.
 */
export const findPushDevices = defineStatement.reading("find_push_devices", {
  parameters: { pusher_id: uuid, after: bigint, look: int, limit: int },
  columns: { last: nullable(bigint) },
  joined: { device_id: bigint, endpoint: bytea, failing: boolean },
  text: `with page as materialized (
      select s.device_id from subscription s
      where s.pusher_id = $pusher_id and s.device_id > $after and ${WANTS_PUSH_SQL}
        and not (select c.suspended from channel_state c where c.pusher_id = $pusher_id)
      order by s.device_id limit $look::int),
    found as materialized (
      select e.device_id, e.endpoint, e.failures > 0 as failing from page join push_endpoint e on e.device_id =
        page.device_id
      order by e.device_id limit $limit::int)
    select coalesce((select max(device_id) from found having count(*) = $limit::int),
        (select max(device_id) from page having count(*) = $look::int)) as last,
      found.device_id, found.endpoint, found.failing
    from (values (1)) one left join found on true`,
});

/** The endpoints of those of some devices that a channel wakes. */
export const filterPushDevices = defineStatement.reading("filter_push_devices", {
  parameters: { pusher_id: uuid, devices: array(bigint) },
  columns: { device_id: bigint, endpoint: bytea, failing: boolean },
  text: `select e.device_id, e.endpoint, e.failures > 0 as failing
    from push_endpoint e join subscription s on s.device_id = e.device_id and s.pusher_id = $pusher_id
    where e.device_id = any($devices) and ${WANTS_PUSH_SQL}`,
});

/** Counts up to `look` notified subscriptions of a channel, and those with an endpoint. */
export const countPushDevices = defineCount.reading("count_push_devices", {
  parameters: { pusher_id: uuid, look: int },
  columns: { looked_at: int, woken: int },
  text: `select count(*)::int as looked_at, count(e.device_id)::int as woken
    from (select s.device_id from subscription s where s.pusher_id = $pusher_id and ${WANTS_PUSH_SQL} limit $look::int)
      page
    left join push_endpoint e on e.device_id = page.device_id`,
});

/** Endpoints by device and version. */
const VERSIONS = {
  parameters: { devices: array(bigint), endpoints: array(bytea) },
  text: `unnest($devices::bigint[], $endpoints::bytea[]) v (device_id, endpoint)`,
};
const OF = "e.device_id = v.device_id and e.endpoint = v.endpoint";

export const removePushEndpoints = defineStatement("forget_push_endpoints", {
  parameters: VERSIONS.parameters,
  text: `delete from push_endpoint e using ${VERSIONS.text} where ${OF}`,
});

/** Deletes an endpoint after enough consecutive failures over enough time (rules#push-forgets). */
export const recordPushFailures = defineStatement("note_push_failures", {
  parameters: { ...VERSIONS.parameters, failures: int, days: int },
  text: `with failed as (select e.device_id, e.failures + 1 >= $failures::int
        and e.failing_since < now() - $days::int * interval '1 day' as over
      from push_endpoint e join ${VERSIONS.text} on ${OF} order by e.device_id for update of e),
    gone as (delete from push_endpoint e using failed f where e.device_id = f.device_id and f.over)
    update push_endpoint e set failures = e.failures + 1, failing_since = coalesce(e.failing_since, clock_timestamp())
    from failed f where e.device_id = f.device_id and not coalesce(f.over, false)`,
});

export const recordPushRecoveries = defineStatement("note_push_recoveries", {
  parameters: VERSIONS.parameters,
  text: `update push_endpoint e set failures = 0, failing_since = null from ${VERSIONS.text} where ${OF}`,
});

/** Stores the encrypted key that signs push notifications. The first stored one stays. */
export const storePushKey = defineUpkeep("store_push_key", {
  parameters: { push_key: bytea },
  text: "update server_secret set push_key = $push_key where push_key is null",
});

export const readPushKey = defineUpkeep.reading("read_push_key", {
  columns: { push_key: nullable(bytea) },
  text: "select push_key from server_secret",
});

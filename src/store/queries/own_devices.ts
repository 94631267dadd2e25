// The handsets that a person linked to the own account, and the draft that they are shown as a test (docs/rules.md#own-devices).

import { bigint, bytea, int, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("joins");
const defineList = statementsOf("lists");
const defineClaim = statementsOf("claims");

/**
 * SQL: own devices `o` with the draft `alert` that they are shown: the version that was tested, as long as it is one, on a channel
 * that the device follows and its person may still write on.
 */
export const TESTED = `(own_device o
      join alert on alert.id = o.draft_id and alert.status = 'draft' and alert.updated_at = o.draft_version
      join pusher p on p.id = alert.pusher_id and p.status <> 'suspended'
      join subscription s on s.device_id = o.device_id and s.pusher_id = alert.pusher_id
      join member m on m.user_id = o.user_id and m.workspace_id = p.workspace_id and m.role <> 'viewer'
        and (m.pusher_ids is null or p.id = any(m.pusher_ids)))`;

/** A person has one link that waits; a newer one takes its place. No row: the person has as many devices as may be. */
export const putOwnLink = defineClaim("put_own_link", {
  parameters: { id: uuid, user_id: text, code_hash: bytea },
  columns: { expires_at: nullable(timestamptz) },
  text: `with before as (delete from own_device where user_id = $user_id and device_id is null)
    insert into own_device (id, user_id, code_hash, expires_at)
    select $id, $user_id, $code_hash, now() + interval '${LIMITS.own_device_minutes} minutes'
    where (select count(*) from own_device where user_id = $user_id and device_id is not null) < ${LIMITS.own_devices}
    returning expires_at`,
});

/** Uses a link up, for exactly one of simultaneous uses; answers whose it is. */
export const takeOwnLink = defineClaim("take_own_link", {
  parameters: { code_hash: bytea },
  columns: { user_id: text, name: text },
  text: `with taken as (
      delete from own_device where code_hash = $code_hash and device_id is null and expires_at > now() returning user_id)
    select taken.user_id, u.name from taken join auth."user" u on u.id = taken.user_id`,
});

/** The device is this person's from now on, whosever it was. No row: it is gone. */
export const linkOwnDevice = defineStatement("link_own_device", {
  parameters: { id: uuid, user_id: text, device_id: bigint },
  columns: { id: uuid },
  text: `insert into own_device (id, user_id, device_id)
    select $id, $user_id, d.id from device d where d.id = $device_id for key share
    on conflict (device_id) do update set id = excluded.id, user_id = excluded.user_id, created_at = clock_timestamp(),
      draft_id = null
    returning id`,
});

/** Who the device belongs to. */
export const ownerOfDevice = defineList.reading("owner_of_device", {
  parameters: { device_id: bigint },
  columns: { name: text },
  text: `select u.name from own_device o join auth."user" u on u.id = o.user_id where o.device_id = $device_id`,
});

/** The devices of a person, the newest link first. */
export const listOwnDevices = defineList.reading("list_own_devices", {
  parameters: { user_id: text },
  columns: { id: uuid, platform: text, app_version: text, created_at: timestamptz },
  text: `select o.id, d.platform, d.app_version, o.created_at from own_device o join device d on d.id = o.device_id
    where o.user_id = $user_id order by o.created_at desc, o.id`,
});

/** What an unlinked device was shown it is shown no more. Answers the device. */
const unlinkBy = (which: string) => `with gone as (delete from own_device where ${which} returning device_id)
    update device d set subs_rev = d.subs_rev + 1, test_until = null from gone where d.id = gone.device_id
    returning d.id::text as device_id`;

export const unlinkOwnDevice = defineStatement("unlink_own_device", {
  parameters: { user_id: text, id: uuid },
  columns: { device_id: text },
  text: unlinkBy("user_id = $user_id and id = $id and device_id is not null"),
});

export const unlinkDevice = defineStatement("unlink_device", {
  parameters: { device_id: bigint },
  columns: { device_id: text },
  text: unlinkBy("device_id = $device_id"),
});

/** Forgets every device and link of a person. What they are shown ends with it. */
export const forgetOwnDevices = defineStatement("forget_own_devices", {
  parameters: { user_id: text },
  text: "delete from own_device where user_id = $user_id",
});

/**
 * Shows a version of a draft to those of a person's devices that follow its channel, in place of what they were shown before.
 * Answers these; `linked` is how many the person has at all, in a row without a device where none follows.
 */
export const testDraft = defineStatement("test_draft", {
  parameters: { user_id: text, pusher_id: uuid, draft_id: uuid, draft_version: timestamptz, shown_as: uuid },
  columns: { linked: int, device_id: nullable(text) },
  text: `with own as materialized (
      select o.device_id, s.device_id is not null as follows from own_device o
      left join subscription s on s.device_id = o.device_id and s.pusher_id = $pusher_id
      where o.user_id = $user_id and o.device_id is not null),
    held as materialized (
      select d.id from device d where d.id in (select device_id from own where follows) order by d.id for no key update),
    shown as (
      update own_device o set draft_id = $draft_id, draft_version = $draft_version, shown_as = $shown_as,
        shown_at = clock_timestamp()
      from held where o.device_id = held.id),
    touched as (
      update device d set subs_rev = d.subs_rev + 1, test_until = clock_timestamp() + interval '${LIMITS.test_minutes} minutes'
      from held where d.id = held.id)
    select (select count(*) from own)::int as linked, held.id::text as device_id from (values (1)) one left join held on true`,
});

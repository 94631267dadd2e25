// A workspace in use, for tests of all that the console shows. It is a news desk with three channels, an assistant and
// a robot, subscribers, sent and planned alerts. It also has a draft to review, a disabled webhook, a passkey, and four
// weeks of reports.

import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { grant_connection } from "../../src/identity/session/client_connections.ts";
import { formatId, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { type HttpVisitor, OWNER } from "./console_site.ts";
import { createMemberSession, SILENT_LOG } from "./member_sessions.ts";
import { buildAuthorizeRequest, registerClient, USUAL_CLIENT } from "./oauth_flow.ts";
import { PNG } from "./sample_files.ts";
import { timeInSeconds, type World } from "./world.ts";

/**
 * Fills the first workspace of a service, whose owner is signed in. Returns the values for the parameters of the
 * console's paths (`:pusher`, or `keys/:id` where several pages have `:id`). Also returns the address at which an
 * assistant requests access.
 */
export async function createSampleWorkspace(
  { world, url }: { world: World; url: string },
  owner: HttpVisitor,
): Promise<{ ids: Record<string, string>; authorize: string }> {
  const ids: Record<string, string> = { workspace: world.workspace.id };
  await world.sql("update workspace set name = 'City Desk' where id = ?", [parseIdOrNull("wsp", world.workspace.id)]);
  const [{ id: ownerId, user_id }] = await world.sql(
    "select id, user_id from member where email = ? and user_id is not null",
    [OWNER.email],
  );
  const { client_id } = (await registerClient(world, { ...USUAL_CLIENT, client_name: "Desk assistant" })).body;
  const authorize = buildAuthorizeRequest(client_id, { prompt: "consent", resource: `${url}/mcp` }).path;
  const caller = await createMemberSession(world, user_id, parseIdOrNull("wsp", world.workspace.id)!);
  await world.service.dispatcher.runSession(grant_connection, caller, {
    args: {
      ...{ grant_id: globalThis.crypto.randomUUID(), client_id, pusher_id: null },
      scopes: ["pushers:read", "alerts:write"],
    },
    log: SILENT_LOG,
  });
  const ada = await world.key({ name: "Departure board", member: formatId("mem", ownerId) });
  const robot = await world.key({
    name: "Timetable robot",
    member: formatId("mem", ownerId),
    scopes: "pushers:read,alerts:read,alerts:write",
  });
  const rui = { workspace: world.workspace.id, email: "rui@example.org", role: "editor" };
  ids["members/:id"] = (await addWorkspaceMember(world.service.orm.em.fork() as never, rui)).id;

  const trains = await world.pusher(
    {
      handle: "night-trains",
      name: "Night Trains",
      category: "travel",
      city: "Lisbon",
      description: "Delays and tracks of the trains that leave after nine",
      requested_perms: ["notify", "sound", "vibrate"],
    },
    ada,
  );
  const river = await world.pusher(
    { handle: "tejo-floods", name: "Tejo Flood Desk", city: "Santarém", requested_perms: ["notify", "sound", "full"] },
    ada,
  );
  const hall = await world.pusher(
    { handle: "coliseu", name: "Coliseu Concerts", city: "Porto", requested_perms: ["notify"] },
    ada,
  );
  ids.pusher = trains.id;
  await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      world.device(trains.handle, ...(i % 3 === 0 ? [river.handle] : []), ...(i % 4 === 0 ? [hall.handle] : [])),
    ),
  );
  const write = async (key: string, pusher_id: string, fields: object) => {
    const { status, body } = await world.rest("create_alert", { pusher_id, ...fields }, key);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body;
  };
  await write(ada, hall.id, { title: "Doors open at 20:00 for Ana Moura", send: true, send_at: timeInSeconds(86_400) });
  await write(ada, river.id, { title: "Sandbags at the fire station until 18:00", priority: "important", send: true });
  const sent = await write(ada, trains.id, {
    title: "21:39 to Faro leaves from track 7",
    body: "Track 2 is closed for repairs.",
    send: true,
    requires_ack: true,
  });
  const reports = ["read", "ack"].map((kind) => ({ alert_id: sent.id, kind }));
  await world.handset("POST", "/reports", await world.device(trains.handle), { reports });
  const call = { pusher_id: trains.id };
  const draft = await world.mcp(
    "create_alert",
    {
      ...call,
      title: "Night train to Porto leaves 25 minutes late",
      body: "The 22:10 waits for the ferry from Barreiro. It leaves from track 4.",
      layout: "html",
      html: "<h2>Track 4, at 22:35</h2><p>Seats 1 to 60 board from the front, the sleeping car from the rear.</p>",
      priority: "important",
      sound: "chime",
      requires_ack: true,
      actions: [{ type: "open_url", label: "Live board", url: "https://example.org/board" }],
      review_note: "The control room told me at 21:50. The ferry is due at 22:20.",
    },
    robot,
  );
  ids.alert = draft.body.id;
  await world.rest("update_alert", { ...call, alert_id: ids.alert, sound: "bell" }, robot);
  ids.invite = (await world.rest("create_invite", { ...call, label: "Poster at platform 4" }, ada)).body.id;
  await world.sql(
    `insert into channel_day (pusher_id, day, published, reads, acks)
     select id, current_date - n, 1 + (n * 7) % 4, 9 + (n * 13) % 17, 3 + (n * 5) % 9
     from pusher cross join generate_series(1, 29) n where handle in ('night-trains', 'tejo-floods')`,
  );
  const { body: hook } = await world.rest(
    "create_webhook",
    { url: "https://93.184.216.34/belfry", events: ["alert.sent", "alert.cancelled", "subscriber.created"] },
    ada,
  );
  ids.webhook = hook.id;
  await world.sql(
    `insert into webhook_delivery (id, endpoint_id, event_id, event, body, ok, status, failure, duration_ms, created_at)
     select gen_random_uuid(), ?, gen_random_uuid(), (array['alert.sent', 'subscriber.created'])[1 + n % 2], '{}', n >
       3,
       case when n > 3 then 204 when n > 1 then 502 end, case when n > 3 then null when n > 1 then 'status' else
         'timeout' end,
       case when n > 1 then 40 + n * 17 else 5000 end, now() - n * interval '11 minutes'
     from generate_series(1, 9) n`,
    [parseIdOrNull("whk", hook.id)],
  );
  await world.sql(
    "update webhook_endpoint set created_at = now() - interval '40 days', url = 'https://board.example.org/belfry', " +
      "failure_count = 20, disabled_at = now() - interval '9 minutes', last_delivery_at = now() - interval '11 " +
      "minutes', last_status = null",
  );
  await world.sql(
    `insert into auth.passkey (id, name, "userId", "publicKey", "credentialID", counter, "deviceType", "backedUp",
      "createdAt")
     values ('one', 'Laptop', ?, '', '', 0, 'multiDevice', true, now())`,
    [user_id],
  );
  ids.delivery = formatId("dlv", (await world.sql("select id::text from webhook_delivery limit 1"))[0].id);
  const base = `/console/${world.workspace.id}`;
  const file = new File([PNG], "platform-4.png", { type: "image/png" });
  await owner.send(`${base}/files`, { kind: "image" }, { file });
  const idOn = async (path: string, before: RegExp) => before.exec((await owner.get(path)).text)![1]!;
  ids["files/:id"] = await idOn(`${base}/files`, /files\/(\w+)\/delete/);
  const senders = `${base}/channels/${trains.id}/senders`;
  const { text } = await owner.post(senders, { client_program: "text", name: "Backup of the desk", may_send: "yes" });
  ids["senders/:key"] = /senders\/(key_\w+)/.exec(text)![1]!;
  const own = /bfk_\w+/.exec(text)![0];
  for (const body of ["The backup is done", ""])
    await world.request("POST", `/api/v1/pushers/${trains.handle}/ingest?from=text`, { token: own, body });
  ids["keys/:id"] = await idOn(`${base}/keys`, /keys\/(\w+)\/revoke/);
  ids["assistants/:id"] = await idOn(`${base}/assistants`, /assistants\/(\w+)\/disconnect/);
  ids["passkeys/:id"] = await idOn("/console/account", /passkeys\/([^/"]+)\/remove/);
  ids["sessions/:id"] = (await world.sql("select id from auth.session limit 1"))[0].id;
  return { ids, authorize };
}

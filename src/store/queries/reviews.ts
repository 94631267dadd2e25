// Drafts that wait for a person, and what tells of them.

import { array, text, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { SCOPE, VISIBLE } from "./channels.ts";

const defineClaim = statementsOf("claims");

/**
 * The channel on which a waiting draft is to be told of, the name of its own, and who wants a mail and may decide; no row where there is none, where it was told before,
 * where nobody has to decide, and for a draft on that channel itself. Once for each draft, also of simultaneous callers.
 */
export const claimNotice = defineClaim("claim_notice", {
  parameters: { ...SCOPE, id: uuid, notice_id: uuid },
  columns: { reviews_id: uuid, name: text, mail_to: array(text) },
  text: `update alert a set notice_id = $notice_id
    from pusher p join workspace w on w.id = p.workspace_id
      join pusher r on r.id = w.reviews_id and r.workspace_id = w.id and r.id <> p.id and r.status = 'active' and not r.is_public
    where a.id = $id and a.pusher_id = $pusher_id and p.id = a.pusher_id and ${VISIBLE.text}
      and a.status = 'draft' and a.review_reply is null and a.notice_id is null
    returning r.id as reviews_id, p.name, array(
      select u.email from member m join auth."user" u on u.id = m.user_id
      where m.workspace_id = w.id and m.mails_drafts and m.role <> 'viewer' and (m.pusher_ids is null or p.id = any(m.pusher_ids))
      order by m.id) as mail_to`,
});

// Names for pages that list ids: the subjects of the audit log, and the writers of alerts.

import { z } from "zod";
import { isRoleAtLeast } from "../../model/domain/member_access_rules.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import { ACTOR_TYPES } from "../../model/tables/audit_event.ts";
import { visibilityParameters } from "../../operation/access_checks.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import { listAlertWriters, listSubjectNames, NAMED_SUBJECTS } from "../../store/queries/subject_names.ts";

export const name_audit_subjects = defineMemberOperation({
  name: "name_audit_subjects",
  title: "Get the names of subjects of the audit log",
  description:
    "The present names of alerts, invites and webhooks, and for admins of keys and members. Deleted ones, and those " +
    "that the caller does not see, are omitted.",
  role: "viewer",
  writes: "nothing",
  input: z.strictObject({ subject_ids: z.array(z.string()).max(LIMITS.page) }),
  output: z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) }),
  async handler({ subject_ids }, { sql, caller }) {
    // As in list_keys and list_members.
    const isAdmin = isRoleAtLeast(caller.member.role, "admin");
    const kinds = NAMED_SUBJECTS.filter((kind) => isAdmin || !/key|mem/.test(kind));
    const ids = subject_ids.flatMap((id) => kinds.flatMap((kind) => parseIdOrNull(kind, id) ?? []));
    const rows = ids.length === 0 ? [] : await sql(listSubjectNames, { ...visibilityParameters(caller), ids });
    return { data: rows.map(({ kind, id, name }) => ({ id: formatId(kind, id), name })) };
  },
});

export const list_alert_writers = defineMemberOperation({
  name: "list_alert_writers",
  title: "List the creators of alerts",
  description:
    "The creator of each of several alerts, according to the audit log. Alerts without an entry in it are omitted.",
  role: "viewer",
  writes: "nothing",
  input: z.strictObject({ alert_ids: z.array(z.string()).max(LIMITS.page) }),
  output: z.object({
    data: z.array(z.object({ alert_id: z.string(), type: z.enum(ACTOR_TYPES), name: z.string().nullable() })),
  }),
  handler: async ({ alert_ids }, { sql, caller }) => ({
    data: await sql(listAlertWriters, { ...visibilityParameters(caller), alert_ids }),
  }),
});

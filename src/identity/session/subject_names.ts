// The names of the subjects of a page of the audit log, which stores ids only.

import { z } from "zod";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import { visibilityParameters } from "../../operation/access_checks.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import { listSubjectNames, NAMED_SUBJECTS } from "../../store/queries/subject_names.ts";

export const name_audit_subjects = defineMemberOperation({
  name: "name_audit_subjects",
  title: "Name the subjects of the audit log",
  description:
    "The present names of alerts, invites, webhooks, keys and members. Deleted ones, and those that the caller does " +
    "not see, are omitted.",
  role: "viewer",
  writes: "nothing",
  input: z.strictObject({ subject_ids: z.array(z.string()).max(LIMITS.page) }),
  output: z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) }),
  async handler({ subject_ids }, { sql, caller }) {
    const ids = subject_ids.flatMap((id) => NAMED_SUBJECTS.flatMap((kind) => parseIdOrNull(kind, id) ?? []));
    const rows = ids.length === 0 ? [] : await sql(listSubjectNames, { ...visibilityParameters(caller), ids });
    return { data: rows.map(({ kind, id, name }) => ({ id: formatId(kind, id), name })) };
  },
});

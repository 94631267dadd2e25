import { z } from "zod";
import { personNameProblem } from "../../model/domain/one_line.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { renamePerson } from "../../store/queries/own_workspaces.ts";

export default defineSessionOperation({
  name: "update_profile",
  title: "Change own name",
  description: "Change the name by which the person stands in every workspace.",
  auth: "person",
  role: null,
  writes: "rows",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({ name: z.string() }),
  output: z.object({ name: z.string() }),
  fieldProblems: ({ name }) => ({ name: personNameProblem(name) }),
  async handler({ name }, { sql, caller: { person } }) {
    await sql(renamePerson, { user_id: person.id, name: name.trim() });
    return { name: name.trim() };
  },
});

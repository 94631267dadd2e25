import { z } from "zod";
import { showId } from "../../model/domain/ids.ts";
import { nameProblem } from "../../model/domain/one_line.ts";
import { Workspace } from "../../model/entities/workspace.ts";
import { notFound } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "rename_workspace",
  title: "Change the workspace's name",
  description: "Give the workspace another name, by which its members and their assistants know it.",
  auth: "member",
  role: "owner",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ name: z.string() }),
  output: z.object({ id: z.string(), name: z.string() }),
  fieldProblems: ({ name }) => ({ name: nameProblem(name, "The workspace's name") }),
  async handler({ name }, { em, caller: { workspace } }) {
    const row = await em.findOne(Workspace, { id: workspace.id });
    if (!row) throw notFound("workspace");
    row.name = name.trim();
    return { id: showId("wsp", row.id), name: row.name };
  },
});

import { z } from "zod";
import { newUuid, showId } from "../../model/domain/ids.ts";
import { nameProblem } from "../../model/domain/one_line.ts";
import { Member } from "../../model/entities/member.ts";
import { Workspace } from "../../model/entities/workspace.ts";
import { conflict, forbidden } from "../../model/errors.ts";
import { LIMITS } from "../../model/limits.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { lockUser } from "../../store/queries/links.ts";
import { accountOf, ownWorkspaces } from "../../store/queries/own_workspaces.ts";

export default defineSessionOperation({
  name: "create_workspace",
  title: "Make a workspace",
  description:
    "Make a workspace of the person's own, with its own channels, members and keys. The person is its owner.",
  auth: "person",
  role: null,
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict"],
  input: z.strictObject({ name: z.string() }),
  output: z.object({ id: z.string(), member_id: z.string(), name: z.string() }),
  madeWorkspace: (answer) => answer,
  fieldProblems: ({ name }) => ({ name: nameProblem(name, "The workspace's name") }),
  async handler({ name }, { em, sql, caller: { person } }) {
    await sql(lockUser, { id: person.id });
    const own = await sql(ownWorkspaces, { user_id: person.id, workspace_id: null });
    if (own.filter(({ role }) => role === "owner").length >= LIMITS.own_workspaces)
      throw conflict(`You own ${LIMITS.own_workspaces} workspaces, and nobody owns more. Leave one first.`);
    const [account] = await sql(accountOf, { user_id: person.id });
    if (!account) throw forbidden("This account is closed.");
    const workspace = em.create(Workspace, { id: newUuid(), name: name.trim() });
    const member = em.create(Member, {
      id: newUuid(),
      workspace: workspace.id,
      ...account,
      role: "owner",
      user_id: person.id,
    });
    await em.flush();
    return { id: showId("wsp", workspace.id), member_id: showId("mem", member.id), name: workspace.name };
  },
});

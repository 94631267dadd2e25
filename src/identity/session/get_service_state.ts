import { z } from "zod";
import { forbidden } from "../../model/errors.ts";
import { need } from "../../model/need.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { serviceState, severalWorkspaces } from "../../store/queries/service.ts";
import { stateOf, stateView } from "../operator/state.ts";

export default defineSessionOperation({
  name: "get_service_state",
  title: "Read the state of the service",
  description:
    "How the service as a whole is: versions, sizes, what waits. For the owner of its only workspace; where there are several, only who runs it sees that, on the machine.",
  auth: "member",
  role: "owner",
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: stateView.extend({ degraded: z.array(z.string()).describe("What does not work besides: files.") }),
  async handler(_input, { sql, caller, services: { itself } }) {
    const [counted] = await sql(severalWorkspaces, {});
    // A member who is restricted to channels does not see all that is counted here (docs/rules.md#service-state).
    if (counted?.workspaces !== 1 || caller.pusherIds !== null)
      throw forbidden(
        "Only the owner of a service's only workspace sees this. Whoever runs the service asks belfry status on its machine.",
      );
    // One after another, so that what is read is not what asks.
    const figures = await itself.figures().catch(() => null);
    const [row] = await sql(serviceState, {});
    const { degraded } = await itself.ready();
    return { ...stateOf(need(row, "there is one row"), figures), degraded };
  },
});

// Common passwords are refused wherever one is set, without a request to an external service (rules#common-passwords).

import { describe, expect, test } from "vitest";
import { validatePasswordStrength } from "../../src/identity/auth/password_strength.ts";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { HttpVisitor } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const WHO = { email: "margaret.hamilton@example.org", name: "Margaret Hamilton" };
const problem = async (password: string) => (await validatePasswordStrength(password, WHO))?.message ?? null;

describe("a new password", () => {
  test("a common one, or one of them between digits and signs, is refused", async () => {
    for (const password of ["qwertyuiop", "Password1234", "iloveyou123", "Sunshine2026!", "!!football!!", "1111111111"])
      expect({ password, said: await problem(password) }).toEqual({
        password,
        said: expect.stringContaining("common"),
      });
  });

  test("is not who it is of", async () => {
    for (const password of ["margaret.hamilton@example.org", "Margaret Hamilton", "margaret.hamilton99"])
      expect({ password, said: await problem(password) }).toEqual({
        password,
        said: expect.stringContaining("name or e-mail address"),
      });
  });

  test("may be anything else that is long enough", async () => {
    for (const password of ["correct horse battery", "dragon ferry 1969", "8301746295 Ag", "пароль из трёх слов"])
      expect({ password, said: await problem(password) }).toEqual({ password, said: null });
    expect(await problem("short")).toContain("10 to 128");
    expect(await problem("x".repeat(129))).toContain("10 to 128");
  });
});

const world = await openWorld();

describe("on every way to set one", () => {
  test("joining, a lost password and a change refuse it, give the reason and change nothing", async () => {
    const email = "margaret@example.org";
    const em = world.service.orm.em.fork();
    const { id } = await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "editor" });
    const link = () => world.service.people.newLink(parseIdOrNull("mem", id)!);
    const person = { name: "Margaret", email, password: "correct horse battery" };
    const visitor = new HttpVisitor(world);
    const first = await link();
    const refused = await visitor.join(first, { ...person, password: "Password1234" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("too common");
    expect((await visitor.join(first, person)).status).toBe(303);

    const changed = await visitor.post(
      "/console/account/password",
      { present: person.password, next: "qwertyuiop1" },
      { from: "/console/account" },
    );
    expect(changed.status).toBe(422);
    expect(changed.text).toContain("too common");

    const reset = await new HttpVisitor(world).join(await link(), { ...person, password: "Margaret 2026" });
    expect(reset.status).toBe(422);
    expect(reset.text).toContain("your name or e-mail address");
    expect((await new HttpVisitor(world).post("/console/sign-in", person)).status).toBe(303);
  });
});

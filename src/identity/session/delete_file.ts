import { z } from "zod";
import { removeUpload } from "../../effects/assets/expiry.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { deletedView } from "../../store/shapes/fields.ts";

export default defineSessionOperation({
  name: "delete_file",
  title: "Delete a file",
  description: "Delete a file that nothing uses. It cannot be brought back.",
  auth: "member",
  role: "editor",
  writes: "files",
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  input: z.strictObject({ file_id: z.string() }),
  output: deletedView,
  async handler({ file_id }, { em, caller, services: { assets } }) {
    await removeUpload(em, assets.store, caller, file_id);
    return { deleted: true as const, id: file_id };
  },
});

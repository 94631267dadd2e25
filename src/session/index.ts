// The ordered list of what only a signed-in person can do: no key and no access token reaches any of it, over any transport.

import type { AnySessionOperation } from "../operation/tool.ts";
import add_member from "./add_member.ts";
import change_password from "./change_password.ts";
import create_key from "./create_key.ts";
import decline_alert from "./decline_alert.ts";
import delete_file from "./delete_file.ts";
import end_connection from "./end_connection.ts";
import end_session from "./end_session.ts";
import grant_connection from "./grant_connection.ts";
import link_member from "./link_member.ts";
import list_connections from "./list_connections.ts";
import list_files from "./list_files.ts";
import list_grants from "./list_grants.ts";
import list_keys from "./list_keys.ts";
import list_members from "./list_members.ts";
import list_sessions from "./list_sessions.ts";
import remove_member from "./remove_member.ts";
import revoke_key from "./revoke_key.ts";
import update_member from "./update_member.ts";
import upload_file from "./upload_file.ts";

export const SESSION_OPERATIONS: readonly AnySessionOperation[] = [
  list_keys,
  create_key,
  revoke_key,
  list_members,
  add_member,
  update_member,
  link_member,
  remove_member,
  list_connections,
  list_grants,
  grant_connection,
  end_connection,
  list_sessions,
  end_session,
  change_password,
  list_files,
  upload_file,
  delete_file,
  decline_alert,
];

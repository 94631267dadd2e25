// The ordered list of what only a signed-in person can do: no key and no access token reaches any of it, over any transport.

import type { SessionOperation } from "../../operation/tool.ts";
import add_member from "./add_member.ts";
import add_passkey from "./add_passkey.ts";
import begin_passkey from "./begin_passkey.ts";
import begin_second_factor from "./begin_second_factor.ts";
import change_password from "./change_password.ts";
import close_account from "./close_account.ts";
import confirm_second_factor from "./confirm_second_factor.ts";
import create_key from "./create_key.ts";
import create_workspace from "./create_workspace.ts";
import decline_alert from "./decline_alert.ts";
import delete_file from "./delete_file.ts";
import end_connection from "./end_connection.ts";
import end_second_factor from "./end_second_factor.ts";
import end_session from "./end_session.ts";
import find_equal_send from "./find_equal_send.ts";
import get_left_by_key from "./get_left_by_key.ts";
import get_retention from "./get_retention.ts";
import get_service_state from "./get_service_state.ts";
import get_sign_in from "./get_sign_in.ts";
import get_wake_ups from "./get_wake_ups.ts";
import grant_connection from "./grant_connection.ts";
import leave_workspace from "./leave_workspace.ts";
import link_member from "./link_member.ts";
import link_own_device from "./link_own_device.ts";
import list_alert_changes from "./list_alert_changes.ts";
import list_connections from "./list_connections.ts";
import list_files from "./list_files.ts";
import list_grants from "./list_grants.ts";
import list_keys from "./list_keys.ts";
import list_members from "./list_members.ts";
import list_own_devices from "./list_own_devices.ts";
import list_own_workspaces from "./list_own_workspaces.ts";
import list_sender_requests from "./list_sender_requests.ts";
import list_sessions from "./list_sessions.ts";
import mail_drafts from "./mail_drafts.ts";
import open_reviews from "./open_reviews.ts";
import remove_member from "./remove_member.ts";
import remove_passkey from "./remove_passkey.ts";
import rename_workspace from "./rename_workspace.ts";
import renew_recovery_codes from "./renew_recovery_codes.ts";
import revoke_key from "./revoke_key.ts";
import set_retention from "./set_retention.ts";
import test_alert from "./test_alert.ts";
import unlink_own_device from "./unlink_own_device.ts";
import update_connection from "./update_connection.ts";
import update_key from "./update_key.ts";
import update_member from "./update_member.ts";
import update_profile from "./update_profile.ts";
import upload_file from "./upload_file.ts";

export const SESSION_OPERATIONS: readonly SessionOperation[] = [
  get_service_state,
  list_keys,
  list_sender_requests,
  create_key,
  get_left_by_key,
  update_key,
  revoke_key,
  list_members,
  add_member,
  update_member,
  link_member,
  remove_member,
  list_connections,
  list_grants,
  grant_connection,
  update_connection,
  end_connection,
  list_sessions,
  end_session,
  change_password,
  get_sign_in,
  begin_second_factor,
  confirm_second_factor,
  renew_recovery_codes,
  end_second_factor,
  begin_passkey,
  add_passkey,
  remove_passkey,
  list_own_workspaces,
  update_profile,
  create_workspace,
  rename_workspace,
  get_retention,
  set_retention,
  leave_workspace,
  close_account,
  list_files,
  upload_file,
  delete_file,
  open_reviews,
  mail_drafts,
  decline_alert,
  list_alert_changes,
  find_equal_send,
  get_wake_ups,
  list_own_devices,
  link_own_device,
  unlink_own_device,
  test_alert,
];

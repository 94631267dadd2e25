// What the filters `visible` of the entities are told of who asks. They are on for every query; without these arguments a
// query throws, so forgetting fails closed.

export interface Visibility {
  workspace_id: string;
  /** The channels that the caller is narrowed to; null: all of the workspace's. */
  pusher_ids: string[] | null;
  member_id: string;
  /** The channel that the caller's credential is bound to. */
  bound_pusher_id: string | null;
}

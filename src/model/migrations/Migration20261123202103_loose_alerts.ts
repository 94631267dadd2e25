// Alerts that are there already are put into blocks soon after (effects/housekeeping/blocks.ts). Those that come meanwhile are listed by
// the triggers of the migration before, which waited for whoever was writing: so nobody waits for this one. The newest stand first in
// the table: they stay the longest, and what the others leave empty at its end is given back.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123202103_loose_alerts extends Migration {
  override up(): void {
    this.addSql(`insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
      select a.id, p.workspace_id, a.pusher_id, a.created_at from alert a join pusher p on p.id = a.pusher_id
      order by a.created_at desc on conflict do nothing`);
  }
}

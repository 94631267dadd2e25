// A refresh token that was exchanged is answered once more within seconds, and not twice.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123140103_refresh_replay extends Migration {
  override up(): void {
    this.addSql(`alter table auth."oauthRefreshToken" add "replayedAt" timestamptz`);
  }
}

// A handset may say that it is a program of ntfy.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124000700_ntfy_platform extends Migration {
  override up(): void {
    this.addSql("alter table device drop constraint device_platform_check");
    this.addSql(
      "alter table device add constraint device_platform_check check (platform in ('ios', 'android', 'web', 'desktop', 'cli', 'ntfy', 'other'))",
    );
  }
}

// A new file waits a day for an alert to take it: the table says so, whoever writes the row.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122000040_asset_expiry extends Migration {
  override up(): void {
    this.addSql(
      "alter table asset alter column expires_at set default (clock_timestamp() + '24:00:00'::interval)",
    );
  }
}

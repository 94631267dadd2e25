// A search of the directory compares composed letters.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261126045600_composed_letters extends Migration {
  override up(): void {
    this.addSql("update pusher set search = normalize(search, nfc) where search is not nfc normalized");
  }
}

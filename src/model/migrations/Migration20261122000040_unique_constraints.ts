// What may not be there twice is a constraint, as the entities say it. The indexes that are there become them: nothing is
// built again, whatever the size of the tables.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122000040_unique_constraints extends Migration {
  override up(): void {
    this.addSql(
      "alter table connection add constraint connection_client unique using index connection_client",
    );
    this.addSql("alter table device add constraint device_token unique using index device_token");
  }
}

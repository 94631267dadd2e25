// Connections per member, and the grants that tokens are tied to. What was connected before becomes one grant, named like
// its connection; where a person has several workspaces it is not known which one a token was meant for, so it asks again.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000030_grants extends Migration {
  override up(): void {
    this.addSql("drop index connection_client");
    this.addSql("create unique index connection_client on connection (user_id, client_id, member_id)");
    this.addSql(`create table connection_grant (
      id uuid not null,
      connection_id uuid not null,
      codes text[] not null default '{}',
      created_at timestamptz(6) not null default clock_timestamp(),
      primary key (id)
    )`);
    this.addSql(`alter table connection_grant add constraint connection_grant_connection_id_foreign
      foreign key (connection_id) references connection (id) on delete cascade`);
    this.addSql("create index connection_grant_connection on connection_grant (connection_id)");
    this.addSql("create index connection_grant_codes on connection_grant using gin (codes)");
    this.addSql("insert into connection_grant (id, connection_id) select id, id from connection");
    for (const table of ["oauthRefreshToken", "oauthAccessToken", "oauthConsent"]) {
      this.addSql(`update auth."${table}" t set "referenceId" = c.id::text from connection c
        where c.user_id = t."userId" and c.client_id = t."clientId"
          and (select count(*) from member m where m.user_id = c.user_id) = 1`);
      this.addSql(`create index "${table}_referenceId_idx" on auth."${table}" ("referenceId")`);
    }
  }
}

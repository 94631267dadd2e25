// People: the sign-in library's own tables in a schema of their own (auth.sql, as the library prints them), who a member
// is, the links that make somebody a member, and the assistants that members connected.

import { readFileSync } from "node:fs";
import { Migration } from "@mikro-orm/migrations";

export class Migration20261120000004_people extends Migration {
  override up(): void {
    for (const statement of readFileSync(new URL("./auth.sql", import.meta.url), "utf8").split(/;\s*\n/))
      if (statement.trim()) this.addSql(statement.trim());
    this.addSql("alter table member add column name text null, add column user_id text null");
    this.addSql(
      "create unique index member_user on member (workspace_id, user_id) where user_id is not null",
    );
    this.addSql("create index member_of_user on member (user_id) where user_id is not null");
    this.addSql(`create table member_link (
      token_hash bytea not null,
      member_id uuid not null,
      expires_at timestamptz(6) not null,
      created_at timestamptz(6) not null default clock_timestamp(),
      primary key (token_hash)
    )`);
    this.addSql(`alter table member_link add constraint member_link_member_id_foreign
      foreign key (member_id) references member (id) on delete cascade`);
    this.addSql(`create table connection (
      id uuid not null,
      user_id text not null,
      client_id text not null,
      member_id uuid not null,
      pusher_id uuid null,
      scopes text[] not null,
      last_used_at timestamptz(6) null,
      created_at timestamptz(6) not null default clock_timestamp(),
      primary key (id)
    )`);
    this.addSql("create unique index connection_client on connection (user_id, client_id)");
    this.addSql("create index connection_member on connection (member_id)");
    this.addSql(`alter table connection add constraint connection_member_id_foreign
      foreign key (member_id) references member (id) on delete cascade`);
  }
}

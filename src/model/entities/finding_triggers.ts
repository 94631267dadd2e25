// The triggers by which what is found follows what is written (docs/decisions/0029-alerts-are-found-by-blocks.md).

/**
 * An alert leaves its block before the block says something else of it. Its words are as old as the text that they were made of: where
 * who changed the text knew of no words, they are made anew.
 */
export const FINDING = [
  `create function alert_loosened() returns trigger language plpgsql as $$
  begin
    with loose as (
      update alert_words w set block_id = null, words = case when w.xmin = a.xmin or not t.changed then w.words end
      from alert a, (select (new.title, new.body) is distinct from (old.title, old.body) as changed) t
      where w.alert_id = new.id and a.id = new.id
        and (w.block_id is not null or t.changed and w.words is not null and w.xmin <> a.xmin)
      returning w.alert_id)
    insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
    select l.alert_id, p.workspace_id, new.pusher_id, new.created_at from loose l join pusher p on p.id = new.pusher_id
    on conflict do nothing;
    return null;
  end $$`,
  `create trigger alert_loosened after update on alert for each row
  when ((old.title, old.body) is distinct from (new.title, new.body)
    or old.visible_at is distinct from new.visible_at or old.status = 'repeating' or new.status = 'repeating')
  execute function alert_loosened()`,
];

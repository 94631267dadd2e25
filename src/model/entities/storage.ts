// How some tables are kept on the disk, which entities cannot say: room for updates in place in what is counted again and
// again, an early vacuum where rows only come, and a key that carries the one column that is read with it.

export const STORAGE = [
  "alter table channel_state set (fillfactor = 50)",
  "alter table alert_counter set (fillfactor = 50)",
  "alter table alert_counter_stripe set (fillfactor = 50)",
  "alter table subscriber_mix set (fillfactor = 70)",
  "alter table channel_day set (fillfactor = 70)",
  "alter table channel_day_stripe set (fillfactor = 70)",
  `alter table alert set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000)`,
  `alter table report drop constraint report_pkey,
     add constraint report_pkey primary key (alert_id, device_id, kind) include (at)`,
];

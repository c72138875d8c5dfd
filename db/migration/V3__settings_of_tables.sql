-- How the tables are written decides when they are vacuumed: a refresh of a large set touches a thousandth of it, and the
-- default, a fifth of a table, would come after hundreds of refreshes, with as much bloat as that.

-- A changed policy finds room on its own page and needs no new entry in the index (a HOT update).
alter table policy set (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05,
    toast.autovacuum_vacuum_scale_factor = 0.02);

-- Written once, touched, removed in batches. Touching changes no index either.
alter table segment set (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.1,
    toast.autovacuum_vacuum_scale_factor = 0.05);

-- Each publish ends some entries and adds as many.
alter table manifest_entry set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1,
    autovacuum_analyze_scale_factor = 0.05);
alter table delta_entry set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1,
    autovacuum_analyze_scale_factor = 0.05);

-- A row is updated by each heartbeat of its run, and never again.
alter table run set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

-- A few rows each, updated all the time: room for versions on the page, and no wait for a fifth of nothing.
alter table instance set (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
alter table policy_set set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
alter table job set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
alter table process set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

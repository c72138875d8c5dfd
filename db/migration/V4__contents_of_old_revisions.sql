-- A revision is kept as a change for at least a day, which costs what changed. Its contents are kept as long only while
-- they are not too much: those of this revision and later ones are whole, of earlier ones entries may be gone.
alter table policy_set add column contents_from bigint not null default 1;

-- The whole state of a Bellwether. Two rules run through it:
--   * what a reader may see is decided by a revision that was committed whole (policy_set.revision);
--   * what a process may do is decided by a row it won (run, under job.fence), never by a lock elsewhere.

create table instance (
    id            smallint primary key default 1 check (id = 1),
    epoch         uuid   not null default gen_random_uuid(),
    -- Which database this is (system identifier and database oid); another one means: re-created or restored.
    fingerprint   text   not null,
    -- Raised by every change that readers must notice, as the last statement before COMMIT.
    heads_version bigint not null default 1,
    -- Raised, together with heads_version, by every change of tokens.
    tokens_version bigint not null default 1
);
comment on table instance is 'One row: the epoch, and the counter that readers look at.';

create table policy_set (
    set_id       bigint generated always as identity primary key,
    name         text        not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    definition   jsonb       not null,
    -- Log2 of the average number of policies in a segment; null until the first publish chose it.
    segment_bits smallint check (segment_bits between 0 and 32),
    -- The head. 0 before the first publish; a set made again under a name that was deleted goes on from where that one
    -- ended (former_set), so that no client sees the revision fall: published is what has a row in revision.
    revision     bigint      not null default 0 check (revision >= 0),
    -- instance.heads_version of the change that touched this row last; what a reader has to load again.
    version      bigint      not null,
    created_at   timestamptz not null default clock_timestamp(),
    -- Validators and hash of the feed behind the head, so that an unchanged upstream costs one request; and the hash of
    -- the source (URL and headers) they came from, for which alone they mean anything.
    feed_etag          text,
    feed_last_modified text,
    feed_sha256        bytea,
    feed_source_sha256 bytea
);

-- Deleted sets, by name, with the last revision that readers may have seen.
create table former_set (
    name     text   primary key,
    revision bigint not null
);

create table job (
    job_id         bigint generated always as identity primary key,
    name           text        not null unique,
    kind           text        not null check (kind in ('refresh', 'retention')),
    set_id         bigint unique references policy_set on delete cascade,
    schedule       text        not null,
    zone           text        not null default 'UTC',
    misfire        text        not null default 'coalesce' check (misfire in ('coalesce', 'skip')),
    misfire_window interval    not null default interval '1 day',
    max_runtime    interval    not null default interval '10 minutes',
    enabled        boolean     not null default true,
    paused_until   timestamptz,
    pause_reason   text,
    -- The term number: raised by every won claim and take-over, compared by every publish.
    fence          bigint      not null default 0,
    -- Every tick at or before this instant has its row in run.
    tick_cursor    timestamptz not null default clock_timestamp(),
    -- Raised whenever the definition changes, so that a tick computed from an old schedule is not claimed.
    definition_version bigint  not null default 1
);

create table run (
    run_id       bigint generated always as identity primary key,
    job_id       bigint      not null references job on delete cascade,
    kind         text        not null check (kind in ('cron', 'manual', 'take-over')),
    scheduled_at timestamptz not null,
    attempt      integer     not null default 1 check (attempt >= 1),
    state        text        not null check (state in ('queued', 'running',
                     'published', 'unchanged', 'refused', 'failed', 'fenced', 'timed-out', 'abandoned', 'superseded',
                     'overlapped', 'missed', 'paused')),
    process      text,
    fence        bigint,
    gate         text check (gate in ('redis', 'postgres')),
    nonce        uuid,
    lease_until  timestamptz,
    -- The back end that works for the run, so that whoever takes it over can end a transaction left open.
    backend_pid   integer,
    backend_start timestamptz,
    claimed_at   timestamptz,
    finished_at  timestamptz,
    revision     bigint,
    upserts      bigint,
    deletes      bigint,
    unchanged    bigint,
    -- For 'missed' and 'paused': how many ticks this one row stands for, and the first of them.
    ticks        integer     not null default 1 check (ticks >= 1),
    ticks_from   timestamptz,
    reason       text,
    -- Where a running refresh is: phase, rows, bytes. Advice for people only.
    progress     jsonb,
    -- What a manual run was asked to do (an approval, a rollback); null for what the job does on a tick.
    request      jsonb,
    -- Given back by a process that was told to stop; such an attempt does not count towards the limit of attempts.
    handed_over  boolean     not null default false,
    idempotency_key text,
    created_at   timestamptz not null default clock_timestamp(),
    unique (job_id, scheduled_at, attempt),
    check ((state = 'running') = (lease_until is not null and finished_at is null)),
    check (state <> 'running' or (process is not null and nonce is not null and fence is not null))
);
create unique index run_one_running on run (job_id) where state = 'running';
create index run_queued on run (job_id, scheduled_at) where state = 'queued';
create index run_newest on run (job_id, run_id desc);
create index run_success on run (job_id, run_id desc) where state in ('published', 'unchanged');
create unique index run_idempotency on run (job_id, idempotency_key) where idempotency_key is not null;
create index run_lease on run (lease_until) where state = 'running';

-- The current content of each set. No foreign key: checking it row by row doubles the cost of a load. The publish that
-- writes the rows holds the set's row when it commits, and a trigger takes the rows along when a set is deleted.
create table policy (
    set_id      bigint not null,
    key         bytea  not null check (octet_length(key) between 1 and 512),
    body        bytea  not null,
    body_sha256 bytea  not null check (octet_length(body_sha256) = 32),
    primary key (set_id, key)
);

create function delete_policies_of_set() returns trigger language plpgsql as $$
begin
    delete from policy where set_id = old.set_id;
    return null;
end $$;
create trigger policies_of_set after delete on policy_set
    for each row execute function delete_policies_of_set();

-- Immutable, named by the SHA-256 of the stored bytes (one gzip member of NDJSON lines), shared by all sets.
create table segment (
    sha256     bytea primary key check (octet_length(sha256) = 32),
    content    bytea       not null,
    touched_at timestamptz not null default clock_timestamp()
);
alter table segment alter column content set storage external;

-- The manifest of revision r: the entries with added_in <= r and (removed_in is null or removed_in > r), by first_key.
-- A publish closes the entries it touched and inserts their replacements, so its cost follows the change.
create table manifest_entry (
    set_id     bigint  not null references policy_set on delete cascade,
    first_key  bytea   not null,
    added_in   bigint  not null,
    removed_in bigint,
    sha256     bytea   not null references segment,
    raw_sha256 bytea   not null check (octet_length(raw_sha256) = 32),
    bytes      bigint  not null,
    raw_bytes  bigint  not null,
    policies   integer not null,
    primary key (set_id, first_key, added_in)
);
create index manifest_entry_live on manifest_entry (set_id) where removed_in is null;
create index manifest_entry_removed on manifest_entry (set_id, removed_in) where removed_in is not null;
create index manifest_entry_added on manifest_entry (set_id, added_in);
create index manifest_entry_segment on manifest_entry (sha256);

create table revision (
    set_id         bigint      not null references policy_set on delete cascade,
    revision       bigint      not null check (revision >= 1),
    policies       bigint      not null,
    bytes          bigint      not null,
    raw_bytes      bigint      not null,
    content_sha256 bytea       not null check (octet_length(content_sha256) = 32),
    upserts        bigint      not null,
    deletes        bigint      not null,
    -- False where the changes from the revision before were not kept (the first one, or a rebuild as large as the set).
    has_delta      boolean     not null,
    published_at   timestamptz not null,
    run_id         bigint references run on delete set null,
    process        text        not null,
    primary key (set_id, revision)
);
create index revision_run on revision (run_id) where run_id is not null;

-- What changed from revision - 1 to revision, as segments of NDJSON puts and deletes in key order.
create table delta_entry (
    set_id     bigint  not null,
    revision   bigint  not null,
    ordinal    integer not null,
    sha256     bytea   not null references segment,
    raw_sha256 bytea   not null,
    bytes      bigint  not null,
    raw_bytes  bigint  not null,
    policies   integer not null,
    primary key (set_id, revision, ordinal),
    foreign key (set_id, revision) references revision on delete cascade
);
create index delta_entry_segment on delta_entry (sha256);

create table token (
    token_id      text primary key,
    server        text        not null,
    sets          text[]      not null,
    secret_sha256 bytea       not null,
    created_at    timestamptz not null default clock_timestamp(),
    expires_at    timestamptz,
    revoked_at    timestamptz
);

create table process (
    name            text primary key,
    port            integer     not null,
    started_at      timestamptz not null,
    last_seen       timestamptz not null default clock_timestamp(),
    heads           jsonb       not null default '{}',
    clock_offset_ms bigint,
    gate            text
);

insert into instance (fingerprint)
select (select system_identifier::text from pg_control_system()) || '/' ||
       (select oid::text from pg_database where datname = current_database());

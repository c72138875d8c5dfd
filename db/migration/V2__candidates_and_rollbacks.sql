-- What a guard refused, so that an operator can let exactly that through: the SHA-256 of the feed's bytes, decompressed.
alter table run add column candidate bytea check (octet_length(candidate) = 32);
create index run_candidate on run (job_id, candidate, run_id desc) where candidate is not null;
-- The approvals of a candidate, to know which was used.
create index run_approval on run (job_id, (request ->> 'approve')) where request ->> 'approve' is not null;

-- How a revision is cut: a rollback takes its segments as they are, and its successors are cut alike.
alter table revision add column segment_bits smallint check (segment_bits between 0 and 32);
update revision r set segment_bits = s.segment_bits from policy_set s where s.set_id = r.set_id;

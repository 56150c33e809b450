CREATE TABLE machines (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    token_sha256 bytea NOT NULL UNIQUE,
    added_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    seen_at timestamptz,
    pintle text
);
CREATE TABLE tapes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,
    machine bigint NOT NULL REFERENCES machines,
    session text NOT NULL,
    host text,
    project text,
    next_seq bigint NOT NULL DEFAULT 0,
    last_digest text
);
-- A record is stored once: `next_seq` of its tape changes in the same transaction.
CREATE TABLE records (
    received date NOT NULL DEFAULT (now() AT TIME ZONE 'utc')::date,
    tape bigint NOT NULL,
    seq bigint NOT NULL,
    at_ms bigint NOT NULL,
    kind text NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (tape, seq, received)
) PARTITION BY RANGE (received);
-- What was decided can change while its tape grows. Then another version is added, and the last one applies.
CREATE TABLE decisions (
    received date NOT NULL DEFAULT (now() AT TIME ZONE 'utc')::date,
    tape bigint NOT NULL,
    seq bigint NOT NULL,
    up_to bigint NOT NULL,
    at_ms bigint NOT NULL,
    word text,
    is_failed boolean NOT NULL,
    hook text,
    rule text,
    data text,
    PRIMARY KEY (tape, seq, up_to, received)
) PARTITION BY RANGE (received);
CREATE INDEX decisions_by_time ON decisions (at_ms);
CREATE INDEX decisions_by_word ON decisions (word, at_ms) WHERE word <> 'allowed';

-- The collector may make the partitions of today and of tomorrow, and no others.
CREATE FUNCTION ensure_partitions(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pintle_fleet, pg_temp AS $$
DECLARE
    parent text;
    part text;
BEGIN
    IF abs(day - (now() AT TIME ZONE 'utc')::date) > 1 THEN
        RAISE EXCEPTION 'no partition is made for %', day;
    END IF;
    PERFORM pg_advisory_xact_lock(7234861);
    FOREACH parent IN ARRAY ARRAY['records', 'decisions'] LOOP
        part := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
        IF to_regclass('pintle_fleet.' || part) IS NULL THEN
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', part, parent, day, day + 1);
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION ensure_partitions(date) FROM PUBLIC;

GRANT USAGE ON SCHEMA pintle_fleet TO pintle_collect, pintle_read;
GRANT SELECT ON machines TO pintle_collect;
GRANT UPDATE (seen_at, pintle) ON machines TO pintle_collect;
GRANT SELECT, INSERT ON tapes TO pintle_collect;
GRANT UPDATE (next_seq, last_digest) ON tapes TO pintle_collect;
GRANT INSERT ON records, decisions TO pintle_collect;
GRANT EXECUTE ON FUNCTION ensure_partitions(date) TO pintle_collect;
GRANT SELECT ON tapes, records, decisions TO pintle_read;
GRANT SELECT (id, name, added_at, revoked_at, seen_at, pintle) ON machines TO pintle_read;

-- The tree over the lines of a tape, as the roots of its complete subtrees in hex. None for tapes that are older.
ALTER TABLE tapes ADD COLUMN tree text[];
-- What machines signed. It stays when the records are dropped.
CREATE TABLE checkpoints (
    tape bigint NOT NULL REFERENCES tapes,
    size bigint NOT NULL,
    note text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tape, size)
);
CREATE INDEX checkpoints_by_time ON checkpoints (received_at);
ALTER TABLE machines ADD COLUMN policy text;
GRANT UPDATE (tree) ON tapes TO pintle_collect;
GRANT UPDATE (policy) ON machines TO pintle_collect;
GRANT SELECT, INSERT (tape, size, note) ON checkpoints TO pintle_collect;
GRANT SELECT ON checkpoints TO pintle_read;
GRANT SELECT (policy) ON machines TO pintle_read;

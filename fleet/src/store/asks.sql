-- A hook waits for the answer to an ask. It says so again and again: if it does not until `waits_until`, it was killed or cut off.
CREATE TABLE asks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine bigint NOT NULL REFERENCES machines,
    asked_at timestamptz NOT NULL,
    waits_until timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    event text NOT NULL,
    session text,
    tool text,
    call text NOT NULL,
    digest text NOT NULL,
    withdrawn_at timestamptz,
    used_at timestamptz
);
CREATE INDEX asks_by_machine ON asks (machine, expires_at);
CREATE INDEX asks_by_time ON asks (asked_at);
-- The first answer is the only one. Who answers cannot choose the name.
CREATE TABLE answers (
    ask bigint PRIMARY KEY REFERENCES asks ON DELETE CASCADE,
    is_allowed boolean NOT NULL,
    reason text,
    answered_by text NOT NULL DEFAULT session_user,
    answered_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE VIEW ask_states AS
    SELECT asks.*, machines.name AS machine_name, is_allowed, reason, answered_by, answered_at,
        CASE
            WHEN is_allowed IS NOT NULL THEN 'answered'
            WHEN withdrawn_at IS NOT NULL THEN 'withdrawn'
            WHEN least(waits_until, expires_at) <= clock_timestamp() THEN 'expired'
            ELSE 'open'
        END AS state
    FROM asks
    JOIN machines ON machines.id = asks.machine
    LEFT JOIN answers ON answers.ask = asks.id;

-- Adds an ask, unless the machine has as many open ones as it may.
CREATE FUNCTION open_ask(
    of_machine bigint, its_event text, its_session text, its_tool text, its_call text, its_digest text,
    patience_ms bigint, lease_ms bigint, most bigint
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pintle_fleet, pg_temp AS $$
DECLARE
    present timestamptz;
    added bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(7234862, hashint8(of_machine));
    present := clock_timestamp();
    IF (
        SELECT count(*) FROM asks LEFT JOIN answers ON ask = id
        WHERE machine = of_machine AND expires_at > present AND waits_until > present AND withdrawn_at IS NULL AND ask IS NULL
    ) >= most THEN
        RETURN NULL;
    END IF;
    INSERT INTO asks (machine, asked_at, waits_until, expires_at, event, session, tool, call, digest)
    VALUES (
        of_machine, present, present + lease_ms * interval '1 ms', present + patience_ms * interval '1 ms',
        its_event, its_session, its_tool, its_call, its_digest
    ) RETURNING id INTO added;
    RETURN added;
END $$;

-- What the hook that waits is told. An answer is handed out once, and only in time.
CREATE FUNCTION poll_ask(of_machine bigint, of_ask bigint, lease_ms bigint)
RETURNS TABLE (its_state text, its_digest text, allows boolean, said_by text, why text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pintle_fleet, pg_temp AS $$
DECLARE
    found_ask asks;
    present timestamptz;
BEGIN
    SELECT * INTO found_ask FROM asks WHERE id = of_ask AND machine = of_machine FOR UPDATE;
    IF found_ask.id IS NULL THEN
        RETURN;
    END IF;
    present := clock_timestamp();
    its_digest := found_ask.digest;
    IF found_ask.withdrawn_at IS NOT NULL OR found_ask.used_at IS NOT NULL
        OR least(found_ask.waits_until, found_ask.expires_at) <= present THEN
        its_state := 'ended';
        RETURN NEXT;
        RETURN;
    END IF;
    SELECT is_allowed, answered_by, reason INTO allows, said_by, why FROM answers WHERE ask = of_ask;
    IF FOUND THEN
        UPDATE asks SET used_at = present WHERE id = of_ask;
        its_state := 'answered';
    ELSE
        UPDATE asks SET waits_until = present + lease_ms * interval '1 ms' WHERE id = of_ask;
        its_state := 'open';
    END IF;
    RETURN NEXT;
END $$;

CREATE FUNCTION withdraw_ask(of_machine bigint, of_ask bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pintle_fleet, pg_temp AS $$
    UPDATE asks SET withdrawn_at = clock_timestamp()
    WHERE id = of_ask AND machine = of_machine AND withdrawn_at IS NULL AND used_at IS NULL
$$;

-- Answers an open ask. Returns its state before, or NULL if there is none with such a digest.
CREATE FUNCTION answer_ask(of_ask bigint, digest_start text, allows boolean, why text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pintle_fleet, pg_temp AS $$
DECLARE
    before text;
BEGIN
    -- Two who answer at once wait for each other here.
    PERFORM FROM asks WHERE id = of_ask FOR UPDATE;
    SELECT state INTO before FROM ask_states WHERE id = of_ask AND starts_with(digest, digest_start);
    IF before = 'open' THEN
        INSERT INTO answers (ask, is_allowed, reason) VALUES (of_ask, allows, why);
        PERFORM pg_notify('pintle_fleet_answers', of_ask::text);
    END IF;
    RETURN before;
END $$;

REVOKE ALL ON FUNCTION open_ask(bigint, text, text, text, text, text, bigint, bigint, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION poll_ask(bigint, bigint, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION withdraw_ask(bigint, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION answer_ask(bigint, text, boolean, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_ask(bigint, text, text, text, text, text, bigint, bigint, bigint) TO pintle_collect;
GRANT EXECUTE ON FUNCTION poll_ask(bigint, bigint, bigint) TO pintle_collect;
GRANT EXECUTE ON FUNCTION withdraw_ask(bigint, bigint) TO pintle_collect;
GRANT USAGE ON SCHEMA pintle_fleet TO pintle_approve;
GRANT EXECUTE ON FUNCTION answer_ask(bigint, text, boolean, text) TO pintle_approve;
GRANT SELECT ON ask_states TO pintle_approve, pintle_read;

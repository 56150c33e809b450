CREATE TABLE budgets (
    name text PRIMARY KEY,
    most bigint NOT NULL CHECK (most > 0),
    window_ms bigint NOT NULL CHECK (window_ms > 0),
    is_per_machine boolean NOT NULL
);
CREATE TABLE takes (
    budget text NOT NULL REFERENCES budgets ON DELETE CASCADE,
    machine bigint NOT NULL REFERENCES machines,
    taken_at timestamptz NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0)
);
CREATE INDEX takes_by_time ON takes (budget, taken_at);

-- Takes from a budget, unless more than its limit would be taken in its window. No row if no budget has this name.
CREATE FUNCTION take_budget(of_budget text, of_machine bigint, its_amount bigint)
RETURNS TABLE (is_taken boolean, used bigint, its_most bigint, free_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pintle_fleet, pg_temp AS $$
DECLARE
    found_budget budgets;
    present timestamptz;
    span interval;
BEGIN
    SELECT * INTO found_budget FROM budgets WHERE name = of_budget;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    -- Who counts the same takes waits for each other here, until the end of the transaction.
    PERFORM pg_advisory_xact_lock(
        7234863, hashtext(of_budget) # CASE WHEN found_budget.is_per_machine THEN hashint8(of_machine) ELSE 0 END
    );
    present := clock_timestamp();
    span := found_budget.window_ms * interval '1 ms';
    its_most := found_budget.most;
    DELETE FROM takes WHERE budget = of_budget AND taken_at <= present - span
        AND (NOT found_budget.is_per_machine OR machine = of_machine);
    SELECT coalesce(sum(amount), 0) INTO used FROM takes
    WHERE budget = of_budget AND (NOT found_budget.is_per_machine OR machine = of_machine);
    is_taken := used + its_amount <= its_most;
    IF is_taken THEN
        INSERT INTO takes VALUES (of_budget, of_machine, present, its_amount);
        used := used + its_amount;
    ELSE
        -- Until as much has left the window as is over the limit.
        SELECT ceil(extract(epoch FROM taken_at + span - present) * 1000) INTO free_ms FROM (
            SELECT taken_at, sum(amount) OVER (ORDER BY taken_at) AS freed FROM takes
            WHERE budget = of_budget AND (NOT found_budget.is_per_machine OR machine = of_machine)
        ) freeing
        WHERE freed >= used + its_amount - its_most AND its_amount <= its_most ORDER BY taken_at LIMIT 1;
    END IF;
    RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION take_budget(text, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_budget(text, bigint, bigint) TO pintle_collect;
GRANT SELECT ON budgets, takes TO pintle_read;

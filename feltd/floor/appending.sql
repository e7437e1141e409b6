-- In place of schema.sql's: batches that are as they should be, one of a journal, are added together. It runs behind
-- standby.sql, and may be run again.

-- the chain behind entries with these digests
CREATE OR REPLACE FUNCTION floor.chained(p_before bytea, p_digests bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    link bytea := p_before;
BEGIN
    FOR i IN 0 .. octet_length(p_digests) / 32 - 1 LOOP
        link := sha256(link || substr(p_digests, i * 32 + 1, 32));
    END LOOP;
    RETURN link;
END $$;

-- Each batch begins behind the head, or is answered with the head. The chain is made here, from the head's own.
CREATE OR REPLACE FUNCTION floor.append_many(
    p_owners text[], p_journals bytea[], p_firsts bigint[], p_befores bytea[], p_digests bytea[], p_rows bytea[]
) RETURNS TABLE (n integer, verdict text, seq bigint, chain bytea, forked boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
    held record;
    link bytea;
    entries bigint;
    done bigint[];
    lasts bigint[];
    chains bytea[];
BEGIN
    -- all heads first, in one order: two daemons never wait for each other in a ring
    PERFORM 1 FROM floor.head h WHERE h.journal = ANY (p_journals) ORDER BY h.journal FOR UPDATE;
    WITH given AS (
        SELECT b.*, octet_length(b.digests) / 32 AS entries, count(*) OVER (PARTITION BY b.journal) AS of_journal
        FROM unnest(p_owners, p_journals, p_firsts, p_befores, p_digests, p_rows)
            WITH ORDINALITY AS b (owner, journal, first, before, digests, rows, n)
    ), good AS MATERIALIZED (
        SELECT g.n, g.journal, g.first, g.first + g.entries - 1 AS last, h.chain AS before,
            floor.chained(h.chain, g.digests) AS chain, g.rows
        FROM given g JOIN floor.head h ON h.journal = g.journal JOIN floor.journal j ON j.id = g.journal
        WHERE g.of_journal = 1 AND g.entries > 0 AND j.owner = g.owner AND NOT h.forked AND g.first = h.seq + 1
            AND g.before = h.chain
    ), added AS (
        INSERT INTO floor.batch (journal, first, last, before, chain, rows)
            SELECT w.journal, w.first, w.last, w.before, w.chain, w.rows FROM good w
    ), moved AS (
        UPDATE floor.head h SET seq = w.last, chain = w.chain, at = now() FROM good w WHERE h.journal = w.journal
    )
    SELECT coalesce(array_agg(w.n), '{}'), array_agg(w.last), array_agg(w.chain) INTO done, lasts, chains FROM good w;
    RETURN QUERY SELECT d.n::integer, 'added', d.last, d.chain, false FROM unnest(done, lasts, chains) AS d (n, last, chain);
    IF cardinality(done) = cardinality(p_journals) THEN
        RETURN;
    END IF;
    FOR one IN
        SELECT b.* FROM unnest(p_owners, p_journals, p_firsts, p_befores, p_digests, p_rows)
            WITH ORDINALITY AS b (owner, journal, first, before, digests, rows, n)
        WHERE b.n <> ALL (done) ORDER BY b.n
    LOOP
        SELECT h.seq, h.chain, h.forked, j.owner INTO held
            FROM floor.head h JOIN floor.journal j ON j.id = h.journal WHERE h.journal = one.journal;
        n := one.n;
        IF NOT FOUND THEN  -- one table's trouble is not the others'
            verdict := 'unknown';
            seq := 0;
            chain := '';
            forked := false;
            RETURN NEXT;
            CONTINUE;
        END IF;
        seq := held.seq;
        chain := held.chain;
        forked := held.forked;
        entries := octet_length(one.digests) / 32;
        IF held.owner <> one.owner THEN
            verdict := 'foreign';
        ELSIF held.forked THEN
            verdict := 'forked';
        ELSIF one.first <> held.seq + 1 THEN
            verdict := 'not next';
        ELSIF one.before <> held.chain THEN
            verdict := 'different';
        ELSE
            verdict := 'added';
            IF entries > 0 THEN
                link := floor.chained(held.chain, one.digests);
                INSERT INTO floor.batch (journal, first, last, before, chain, rows)
                    VALUES (one.journal, one.first, one.first + entries - 1, held.chain, link, one.rows);
                UPDATE floor.head h SET seq = one.first + entries - 1, chain = link, at = now()
                    WHERE h.journal = one.journal;
                seq := one.first + entries - 1;
                chain := link;
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

REVOKE ALL ON FUNCTION floor.chained FROM PUBLIC;

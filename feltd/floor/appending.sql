-- In place of schema.sql's: batches that are as they should be, one of a journal, are added together. It runs behind
-- standby.sql, and may be run again.

-- Each batch changes its head: where a page has room for that, no index is written.
ALTER TABLE floor.head SET (fillfactor = 50);

-- The chain behind entries with these digests. It sets no search path of its own, which would cost each batch some: who
-- calls it has set one. Five digests go through one expression, since each expression costs too.
CREATE OR REPLACE FUNCTION floor.chained(p_before bytea, p_digests bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    link bytea := p_before;
    i integer := 1;
    many integer := octet_length(p_digests) / 32 * 32;
BEGIN
    WHILE i + 159 <= many LOOP
        link := sha256(sha256(sha256(sha256(sha256(
            link || substr(p_digests, i, 32)) || substr(p_digests, i + 32, 32)) || substr(p_digests, i + 64, 32))
            || substr(p_digests, i + 96, 32)) || substr(p_digests, i + 128, 32));
        i := i + 160;
    END LOOP;
    WHILE i < many LOOP
        link := sha256(link || substr(p_digests, i, 32));
        i := i + 32;
    END LOOP;
    RETURN link;
END $$;

-- Each batch begins behind the head, or is answered with the head. The chain is made here, from the head's own.
-- The heads are locked as they are moved, in the journals' order: two daemons never wait for each other in a ring.
-- Without hash joins and scans of whole tables each plan goes by the batches' order or an index's, which is the same.
-- What else must be equal is asked as IS TRUE, or a plan could merge both sides by the tables' names, in their order.
CREATE OR REPLACE FUNCTION floor.append_many(
    p_owners text[], p_journals bytea[], p_firsts bigint[], p_befores bytea[], p_digests bytea[], p_rows bytea[]
) RETURNS TABLE (n integer, verdict text, seq bigint, chain bytea, forked boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_seqscan = off
AS $$
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
    -- of each journal the first of its batches. Where another daemon moves a head meanwhile this waits, and looks again
    WITH given AS MATERIALIZED (
        SELECT DISTINCT ON (b.journal) b.*, octet_length(b.digests) / 32 AS entries
        FROM unnest(p_owners, p_journals, p_firsts, p_befores, p_digests, p_rows)
            WITH ORDINALITY AS b (owner, journal, first, before, digests, rows, n)
        ORDER BY b.journal, b.n
    ), moved AS (
        UPDATE floor.head h SET seq = g.first + g.entries - 1, chain = floor.chained(h.chain, g.digests), at = now()
        FROM given g JOIN floor.journal j ON j.id = g.journal
        WHERE h.journal = g.journal AND g.entries > 0 AND NOT h.forked
            AND (j.owner = g.owner AND h.seq + 1 = g.first AND h.chain = g.before) IS TRUE
        RETURNING g.n, g.journal, g.first, h.seq AS last, g.before, h.chain, g.rows
    ), added AS (
        INSERT INTO floor.batch (journal, first, last, before, chain, rows)
            SELECT w.journal, w.first, w.last, w.before, w.chain, w.rows FROM moved w
    )
    SELECT coalesce(array_agg(w.n), '{}'), array_agg(w.last), array_agg(w.chain) INTO done, lasts, chains FROM moved w;
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
        ELSIF entries = 0 THEN
            verdict := 'added';
        ELSE
            -- behind the locks above this waits for nobody: whoever has the head now moves it
            PERFORM 1 FROM floor.head h
                WHERE h.journal = one.journal AND h.seq = held.seq AND h.chain = held.chain AND NOT h.forked
                FOR UPDATE SKIP LOCKED;
            verdict := CASE WHEN FOUND THEN 'added' ELSE 'not next' END;
            IF FOUND THEN
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

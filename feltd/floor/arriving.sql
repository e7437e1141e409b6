-- The floor's schema, edition 23: what came first to the floor, over all tables. It runs behind beside.sql, and may be
-- run again. Batches and events have had their times since they were first kept.

-- when each of these entries came, seconds since 1970, in the order in which they are asked for. A pack is as old as the
-- packing: which of its entries came first it does not know.
CREATE OR REPLACE FUNCTION floor.came(p_journals bytea[], p_seqs bigint[]) RETURNS TABLE (at double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT extract(epoch FROM coalesce(
        (SELECT b.at FROM floor.batch b WHERE b.journal = w.journal AND b.last >= w.seq AND b.first <= w.seq
            ORDER BY b.last LIMIT 1),
        (SELECT p.at FROM floor.packed p WHERE p.journal = w.journal AND p.last >= w.seq ORDER BY p.last LIMIT 1),
        'epoch'
    ))::double precision
    FROM unnest(p_journals, p_seqs) WITH ORDINALITY AS w (journal, seq, n) ORDER BY w.n
$$;

-- the last entry of a journal that the floor had when it kept this event; 0 for none. Of a pack that was made later it is
-- not known when its entries came: they count as not there.
CREATE OR REPLACE FUNCTION floor.stood(p_journal bytea, p_tournament text, p_seq bigint) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
        (SELECT b.last FROM floor.batch b WHERE b.journal = p_journal AND b.at <= e.at ORDER BY b.last DESC LIMIT 1),
        (SELECT p.last FROM floor.packed p WHERE p.journal = p_journal AND p.at <= e.at ORDER BY p.last DESC LIMIT 1),
        0
    )
    FROM floor.tournament_event e WHERE e.tournament = p_tournament AND e.seq = p_seq
$$;

REVOKE ALL ON FUNCTION floor.came, floor.stood FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.came, floor.stood TO floor_custody;

INSERT INTO floor.edition (number) VALUES (23) ON CONFLICT DO NOTHING;

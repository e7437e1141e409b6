-- The floor's schema, edition 28: what is read and kept for many journals at once, and the database's clock. It runs behind
-- passing.sql, and may be run again.

-- `n`: which of the journals that are asked for, from 1
CREATE OR REPLACE FUNCTION floor.batches_of_many(p_journals bytea[], p_afters bigint[], p_most integer)
RETURNS TABLE (n integer, owner text, first bigint, before bytea, chain bytea, rows bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT w.n::integer, b.owner, b.first, b.before, b.chain, b.rows
    FROM unnest(p_journals, p_afters) WITH ORDINALITY AS w (journal, after, n),
        LATERAL floor.batches_behind(w.journal, w.after, p_most) b
$$;

-- `p_of`: by fact which of the journals it is of, from 1. Returns those that were kept: of the others another program has
-- made facts already. As with keep_facts, one at a time: numbers become visible in their order.
CREATE OR REPLACE FUNCTION floor.keep_facts_of_many(
    p_journals bytea[], p_befores bigint[], p_afters bigint[], p_states text[],
    p_of integer[], p_seqs bigint[], p_kinds text[], p_rounds bigint[], p_walls double precision[], p_bodies text[]
) RETURNS integer[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept integer[];
BEGIN
    PERFORM pg_advisory_xact_lock(6646470);
    INSERT INTO floor.derived (journal, seq, state) SELECT w.journal, 0, '' FROM unnest(p_journals) AS w (journal)
        ON CONFLICT DO NOTHING;
    WITH moved AS (
        UPDATE floor.derived d SET seq = w.after, state = w.state
        FROM unnest(p_journals, p_befores, p_afters, p_states) WITH ORDINALITY AS w (journal, before, after, state, n)
        WHERE d.journal = w.journal AND d.seq = w.before
        RETURNING w.n
    )
    SELECT coalesce(array_agg(m.n::integer), '{}') INTO kept FROM moved m;
    INSERT INTO floor.fact (journal, seq, kind, round, wall, body)
        SELECT p_journals[f.journal], f.seq, f.kind, f.round, f.wall, f.body::jsonb
        FROM unnest(p_of, p_seqs, p_kinds, p_rounds, p_walls, p_bodies)
            WITH ORDINALITY AS f (journal, seq, kind, round, wall, body, n)
        WHERE f.journal = ANY (kept) ORDER BY f.n
        ON CONFLICT (journal, seq) DO NOTHING;
    RETURN kept;
END $$;

-- seconds since 1970
CREATE OR REPLACE FUNCTION floor.clock() RETURNS double precision
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT extract(epoch FROM clock_timestamp())::double precision
$$;

REVOKE ALL ON FUNCTION floor.batches_of_many, floor.keep_facts_of_many, floor.clock FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.batches_of_many, floor.keep_facts_of_many, floor.clock TO floor_custody;

INSERT INTO floor.edition (number) VALUES (28) ON CONFLICT DO NOTHING;

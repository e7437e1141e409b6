-- edition 7: facts, folded from the batches; they may be thrown away (both tables at once), and are made anew. And the
-- views of `exports`, whose names and columns stay: columns are only added, at the end.

CREATE TABLE IF NOT EXISTS floor.derived (
    journal bytea PRIMARY KEY REFERENCES floor.journal,
    seq bigint NOT NULL,
    state text NOT NULL
);
-- `wall`: seconds since 1970 by the table's clock. No field that was sealed is in `body`.
CREATE TABLE IF NOT EXISTS floor.fact (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    journal bytea NOT NULL REFERENCES floor.journal,
    seq bigint NOT NULL,
    kind text NOT NULL,
    round bigint,
    wall double precision NOT NULL,
    body jsonb NOT NULL,
    UNIQUE (journal, seq)
);
CREATE INDEX IF NOT EXISTS fact_round ON floor.fact (journal, round, kind);
CREATE INDEX IF NOT EXISTS fact_wall ON floor.fact (kind, wall);

CREATE OR REPLACE FUNCTION floor.facts_behind() RETURNS TABLE (journal bytea, head bigint, seq bigint, state text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT h.journal, h.seq, coalesce(d.seq, 0), coalesce(d.state, '')
    FROM floor.head h JOIN floor.journal j ON j.id = h.journal LEFT JOIN floor.derived d ON d.journal = h.journal
    WHERE h.seq > coalesce(d.seq, 0) AND j.owner <> '(floor)'
$$;

-- One at a time, so that numbers become visible in their order: whoever follows them misses none.
CREATE OR REPLACE FUNCTION floor.keep_facts(
    p_journal bytea, p_before bigint, p_after bigint, p_state text, p_seqs bigint[], p_kinds text[],
    p_rounds bigint[], p_walls double precision[], p_bodies text[]
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(6646470);
    INSERT INTO floor.derived (journal, seq, state) VALUES (p_journal, 0, '') ON CONFLICT DO NOTHING;
    UPDATE floor.derived d SET seq = p_after, state = p_state WHERE d.journal = p_journal AND d.seq = p_before;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO floor.fact (journal, seq, kind, round, wall, body)
        SELECT p_journal, f.seq, f.kind, f.round, f.wall, f.body::jsonb
        FROM unnest(p_seqs, p_kinds, p_rounds, p_walls, p_bodies) AS f (seq, kind, round, wall, body)
        ON CONFLICT (journal, seq) DO NOTHING;
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION floor.facts_from(p_after bigint, p_most integer)
RETURNS TABLE (
    number bigint, owner text, journal bytea, seq bigint, kind text, round bigint, wall double precision, body text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT f.number, j.owner, f.journal, f.seq, f.kind, f.round, f.wall, f.body::text
    FROM floor.fact f JOIN floor.journal j ON j.id = f.journal
    WHERE f.number > p_after ORDER BY f.number LIMIT p_most
$$;

CREATE OR REPLACE FUNCTION floor.last_fact() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(max(f.number), 0) FROM floor.fact f
$$;

-- how far who follows the facts is
CREATE TABLE IF NOT EXISTS floor.follower (name text PRIMARY KEY, number bigint NOT NULL);

CREATE OR REPLACE FUNCTION floor.taken_to(p_name text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT f.number FROM floor.follower f WHERE f.name = p_name
$$;

CREATE OR REPLACE FUNCTION floor.keep_taken(p_name text, p_number bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.follower (name, number) VALUES (p_name, p_number)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number
$$;

CREATE OR REPLACE FUNCTION floor.find_rounds(
    p_table text, p_tables text[], p_since double precision, p_until double precision, p_book text, p_dealer text,
    p_kind text, p_result text, p_before double precision, p_most integer
) RETURNS TABLE (
    owner text, journal bytea, round bigint, first bigint, last bigint, began double precision, ended double precision,
    book text, dealer text, result text, rulings bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT j.owner, b.journal, b.round, b.seq, e.seq, b.wall, e.wall, b.body->>'book', b.body->>'dealer',
        e.body->>'result',
        (SELECT count(*) FROM floor.fact r WHERE r.journal = b.journal AND r.round = b.round AND r.kind = 'ruling')
    FROM floor.fact b JOIN floor.journal j ON j.id = b.journal
    LEFT JOIN floor.fact e ON e.journal = b.journal AND e.round = b.round AND e.kind = 'round.end'
    WHERE b.kind = 'round.begin'
        AND (p_table IS NULL OR j.owner = p_table) AND (p_tables IS NULL OR j.owner = ANY (p_tables))
        AND (p_since IS NULL OR coalesce(e.wall, b.wall) >= p_since) AND (p_until IS NULL OR b.wall <= p_until)
        AND (p_book IS NULL OR b.body->>'book' = p_book) AND (p_dealer IS NULL OR b.body->>'dealer' = p_dealer)
        AND (p_result IS NULL OR e.body->>'result' = p_result) AND (p_before IS NULL OR b.wall < p_before)
        AND (p_kind IS NULL OR EXISTS (
            SELECT 1 FROM floor.fact r WHERE r.journal = b.journal AND r.round = b.round AND r.kind = 'ruling'
                AND r.body->>'irregularity' = p_kind))
    ORDER BY b.wall DESC, b.journal, b.round DESC LIMIT p_most
$$;

-- ---- the views

CREATE SCHEMA IF NOT EXISTS exports;
REVOKE ALL ON SCHEMA exports FROM PUBLIC;

CREATE OR REPLACE VIEW exports.rounds AS
    SELECT j.owner AS table_name, encode(b.journal, 'hex') AS journal, b.round, b.seq AS first_entry,
        e.seq AS last_entry, to_timestamp(b.wall) AS began, to_timestamp(e.wall) AS ended,
        b.body->>'book' AS rulebook, b.body->>'dealer' AS dealer, e.body->>'result' AS result,
        (SELECT count(*) FROM floor.fact r WHERE r.journal = b.journal AND r.round = b.round AND r.kind = 'ruling')
            AS rulings
    FROM floor.fact b JOIN floor.journal j ON j.id = b.journal
    LEFT JOIN floor.fact e ON e.journal = b.journal AND e.round = b.round AND e.kind = 'round.end'
    WHERE b.kind = 'round.begin';

CREATE OR REPLACE VIEW exports.rulings AS
    SELECT j.owner AS table_name, encode(r.journal, 'hex') AS journal, r.seq AS entry, r.round,
        to_timestamp(r.wall) AS at, (r.body->>'id')::bigint AS ruling, (r.body->>'supersedes')::bigint AS supersedes,
        r.body->>'rulebook' AS rulebook, r.body->>'rule' AS clause, r.body->>'irregularity' AS irregularity,
        r.body->>'outcome' AS outcome, r.body->'also' AS also, (r.body->>'seat')::integer AS seat,
        r.body->>'authority' AS authority, (r.body->>'pending')::boolean AS pending, r.body->>'text' AS words
    FROM floor.fact r JOIN floor.journal j ON j.id = r.journal WHERE r.kind = 'ruling';

CREATE OR REPLACE VIEW exports.alarms AS
    SELECT j.owner AS table_name, encode(a.journal, 'hex') AS journal, a.seq AS entry, a.round,
        to_timestamp(a.wall) AS at, 'table' AS source, a.body->>'kind' AS kind, a.body->>'state' AS state,
        a.body->>'device' AS device, a.body->>'deck' AS deck, (a.body->>'seat')::integer AS seat, NULL::text AS words,
        NULL::bigint AS times, NULL::timestamptz AS latest
    FROM floor.fact a JOIN floor.journal j ON j.id = a.journal WHERE a.kind = 'alarm'
    UNION ALL
    SELECT c.owner, encode(c.journal, 'hex'), c.seq, NULL, c.at, 'custody', c.kind, 'raised', NULL, NULL, NULL, c.words,
        c.times, c.latest
    FROM floor.alarm c;

CREATE OR REPLACE VIEW exports.decisions AS
    SELECT j.owner AS table_name, encode(d.journal, 'hex') AS journal, d.seq AS entry, d.round,
        to_timestamp(d.wall) AS at, d.body->>'decision' AS decision, (d.body->>'ruling')::bigint AS ruling,
        d.body->>'outcome' AS outcome, (d.body->>'seat')::integer AS seat, d.body->>'alarm' AS alarm,
        d.body->>'device' AS device, (d.body->>'minutes')::double precision AS minutes, d.body->>'staff' AS staff,
        d.body->>'who' AS account, d.body->>'role' AS role, d.body->>'from' AS address, d.body->>'command' AS command,
        d.body->>'reason' AS reason,
        NOT EXISTS (
            SELECT 1 FROM floor.fact x WHERE x.journal = d.journal AND x.kind = 'refused' AND x.seq > d.seq
                AND x.round IS NOT DISTINCT FROM d.round AND (x.body->>'of')::bigint = d.seq
        ) AS taken
    FROM floor.fact d JOIN floor.journal j ON j.id = d.journal WHERE d.kind = 'decision';

CREATE OR REPLACE VIEW exports.access AS
    SELECT j.owner AS table_name, encode(a.journal, 'hex') AS journal, a.seq AS entry, to_timestamp(a.wall) AS at,
        'table' AS source, a.body->>'what' AS what, a.body->>'who' AS account, a.body->>'role' AS role, a.body AS facts
    FROM floor.fact a JOIN floor.journal j ON j.id = a.journal WHERE a.kind = 'access'
    UNION ALL
    SELECT NULL, NULL, p.number, p.at, 'floor', p.facts::jsonb->>'what', p.facts::jsonb->>'who',
        p.facts::jsonb->>'role', p.facts::jsonb
    FROM floor.access p;

-- ---- rights

REVOKE ALL ON floor.derived, floor.fact, floor.follower FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.facts_behind, floor.keep_facts, floor.facts_from, floor.last_fact, floor.find_rounds,
    floor.taken_to, floor.keep_taken FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.facts_behind, floor.keep_facts, floor.facts_from, floor.last_fact, floor.find_rounds,
    floor.taken_to, floor.keep_taken TO floor_custody;
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'floor_exports') THEN
        CREATE ROLE floor_exports NOLOGIN;
    END IF;
END $$;
REVOKE ALL ON ALL TABLES IN SCHEMA exports FROM PUBLIC;
GRANT USAGE ON SCHEMA exports TO floor_exports;
GRANT SELECT ON exports.rounds, exports.rulings, exports.alarms, exports.decisions, exports.access TO floor_exports;

INSERT INTO floor.edition (number) VALUES (7) ON CONFLICT DO NOTHING;

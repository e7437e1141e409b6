-- The floor's schema, edition 12: what is looked for over all tables, from the facts of exports.sql. It runs behind
-- packing.sql, and may be run again. `p_tables`: of these alone, null for all.

CREATE OR REPLACE FUNCTION floor.find_rulings(
    p_table text, p_tables text[], p_since double precision, p_until double precision, p_kind text,
    p_before double precision, p_most integer
) RETURNS TABLE (
    owner text, entry bigint, round bigint, at double precision, rulebook text, rule text, irregularity text,
    outcome text, seat integer, words text, pending boolean, decision text, staff text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT j.owner, r.seq, r.round, r.wall, r.body->>'rulebook', r.body->>'rule', r.body->>'irregularity',
        r.body->>'outcome', (r.body->>'seat')::integer, r.body->>'text', coalesce((r.body->>'pending')::boolean, false),
        d.body->>'decision', coalesce(d.body->>'staff', d.body->>'who')
    FROM floor.fact r JOIN floor.journal j ON j.id = r.journal
    LEFT JOIN LATERAL (
        SELECT x.body FROM floor.fact x
        WHERE x.journal = r.journal AND x.kind = 'decision' AND x.round IS NOT DISTINCT FROM r.round AND x.seq > r.seq
            AND (x.body->>'ruling')::bigint = (r.body->>'id')::bigint
            AND NOT EXISTS (
                SELECT 1 FROM floor.fact y WHERE y.journal = x.journal AND y.kind = 'refused' AND y.seq > x.seq
                    AND y.round IS NOT DISTINCT FROM x.round AND (y.body->>'of')::bigint = x.seq)
        ORDER BY x.seq DESC LIMIT 1
    ) d ON true
    WHERE r.kind = 'ruling' AND r.wall BETWEEN p_since AND p_until
        AND (p_table IS NULL OR j.owner = p_table) AND (p_tables IS NULL OR j.owner = ANY (p_tables))
        AND (p_kind IS NULL OR r.body->>'irregularity' = p_kind) AND (p_before IS NULL OR r.wall < p_before)
    ORDER BY r.wall DESC, r.journal, r.seq DESC LIMIT p_most
$$;

-- a row for each table, and one for each hour of all of them
CREATE OR REPLACE FUNCTION floor.count_facts(
    p_table text, p_tables text[], p_since double precision, p_until double precision
) RETURNS TABLE (
    owner text, hour double precision, rounds bigint, misdeals bigint, seconds double precision, rulings bigint,
    alarms bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.owner, c.hour, count(*) FILTER (WHERE c.kind = 'round.end'),
        count(*) FILTER (WHERE c.kind = 'round.end' AND c.body->>'result' = 'misdeal'),
        coalesce(sum(c.seconds), 0), count(*) FILTER (WHERE c.kind = 'ruling'),
        count(*) FILTER (WHERE c.kind = 'alarm' AND c.body->>'state' = 'raised')
    FROM (
        SELECT j.owner, floor(f.wall / 3600) * 3600 AS hour, f.kind, f.body, greatest(f.wall - b.wall, 0) AS seconds
        FROM floor.fact f JOIN floor.journal j ON j.id = f.journal
        LEFT JOIN floor.fact b ON f.kind = 'round.end' AND b.journal = f.journal AND b.round = f.round
            AND b.kind = 'round.begin'
        WHERE f.kind IN ('round.end', 'ruling', 'alarm') AND f.wall BETWEEN p_since AND p_until
            AND (p_table IS NULL OR j.owner = p_table) AND (p_tables IS NULL OR j.owner = ANY (p_tables))
    ) c
    GROUP BY GROUPING SETS ((c.owner), (c.hour)) ORDER BY c.owner, c.hour
$$;

REVOKE ALL ON FUNCTION floor.find_rulings, floor.count_facts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.find_rulings, floor.count_facts TO floor_custody;

INSERT INTO floor.edition (number) VALUES (12) ON CONFLICT DO NOTHING;

-- The floor's schema, edition 19: counts by table and by part of a time, from the facts of exports.sql. It runs behind
-- admitting.sql, and may be run again. `p_tables`: of these alone, null for all.

-- a row for each table, and one for each part of `p_seconds` in which there was something; the end is not included
CREATE OR REPLACE FUNCTION floor.count_parts(
    p_tables text[], p_since double precision, p_until double precision, p_seconds double precision
) RETURNS TABLE (
    owner text, part integer, rounds bigint, misdeals bigint, rulings bigint, alarms bigint, devices bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.owner, c.part, count(*) FILTER (WHERE c.kind = 'round.end'),
        count(*) FILTER (WHERE c.kind = 'round.end' AND c.body->>'result' = 'misdeal'),
        count(*) FILTER (WHERE c.kind = 'ruling'),
        count(*) FILTER (WHERE c.kind = 'alarm' AND c.body->>'state' = 'raised'),
        count(*) FILTER (WHERE c.kind = 'alarm' AND c.body->>'state' = 'raised' AND c.body->>'device' IS NOT NULL)
    FROM (
        SELECT j.owner, floor((f.wall - p_since) / p_seconds)::integer AS part, f.kind, f.body
        FROM floor.fact f JOIN floor.journal j ON j.id = f.journal
        WHERE f.kind IN ('round.end', 'ruling', 'alarm') AND f.wall >= p_since AND f.wall < p_until
            AND (p_tables IS NULL OR j.owner = ANY (p_tables))
    ) c
    GROUP BY GROUPING SETS ((c.owner), (c.part)) ORDER BY c.owner, c.part
$$;

REVOKE ALL ON FUNCTION floor.count_parts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.count_parts TO floor_custody;

INSERT INTO floor.edition (number) VALUES (19) ON CONFLICT DO NOTHING;

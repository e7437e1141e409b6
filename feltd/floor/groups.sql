-- The floor's schema, edition 10: which tables a person sees at the pit. It runs behind custody.sql, and may be run
-- again. The latest row of a name holds; what was before stays as evidence.
-- `kind`: `group`, whose `parts` are tables, or `person`, whose `parts` are groups; `everything`: the person sees all.

CREATE TABLE IF NOT EXISTS floor.sight (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('group', 'person')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    parts text[] NOT NULL,
    everything boolean NOT NULL DEFAULT false CHECK (kind = 'person' OR NOT everything),
    who text NOT NULL CHECK (length(who) BETWEEN 1 AND 200),
    why text NOT NULL CHECK (length(why) BETWEEN 3 AND 500),
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS sight_name ON floor.sight (kind, name, number);
CREATE OR REPLACE TRIGGER sight_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.sight
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

CREATE OR REPLACE FUNCTION floor.set_sight(
    p_kind text, p_name text, p_parts text[], p_everything boolean, p_who text, p_why text
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.sight (kind, name, parts, everything, who, why)
        VALUES (p_kind, p_name, p_parts, p_everything, p_who, p_why)
$$;

CREATE OR REPLACE FUNCTION floor.sights()
RETURNS TABLE (kind text, name text, parts text[], everything boolean, who text, why text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT DISTINCT ON (s.kind, s.name) s.kind, s.name, s.parts, s.everything, s.who, s.why FROM floor.sight s
    ORDER BY s.kind, s.name, s.number DESC
$$;

REVOKE ALL ON floor.sight FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.set_sight, floor.sights FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.sights TO floor_custody, floor_reader;
GRANT EXECUTE ON FUNCTION floor.set_sight TO floor_custody;

INSERT INTO floor.edition (number) VALUES (10) ON CONFLICT DO NOTHING;

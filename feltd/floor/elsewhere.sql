-- The floor's schema, editions 20 and 21: which floord each table is connected to, as each floord says every two seconds. It
-- runs behind trends.sql, and may be run again. All of it can be thrown away: unlogged, it costs no disk a sync.
-- `run`: of one start of a floord; `name`: for people.

CREATE UNLOGGED TABLE IF NOT EXISTS floor.floord (
    run text PRIMARY KEY CHECK (length(run) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 300),
    tables text[] NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);

-- note this one, and tell of each other that was here within so many seconds: a row for each of its tables, one without
-- where it has none
CREATE OR REPLACE FUNCTION floor.here(p_run text, p_name text, p_tables text[], p_within double precision)
RETURNS TABLE (name text, owner text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO floor.floord AS f (run, name, tables) VALUES (p_run, p_name, p_tables)
        ON CONFLICT (run) DO UPDATE SET name = excluded.name, tables = excluded.tables, at = now();
    DELETE FROM floor.floord f WHERE f.at < now() - interval '1 hour';
    RETURN QUERY SELECT f.name, t.owner FROM floor.floord f LEFT JOIN LATERAL unnest(f.tables) AS t (owner) ON true
        WHERE f.run <> p_run AND f.at > now() - make_interval(secs => p_within);
END $$;

REVOKE ALL ON floor.floord FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.here FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.here TO floor_custody;

INSERT INTO floor.edition (number) VALUES (20), (21) ON CONFLICT DO NOTHING;

-- The floor's schema, edition 25: decisions that a floord passes on to the one that a table is connected to. It runs behind
-- arriving.sql, and may be run again.

-- `message`: the command as the first floord has signed it. Who owns the database can hold it back, and make none.
CREATE TABLE IF NOT EXISTS floor.passed (
    id text PRIMARY KEY REFERENCES floor.command,
    message bytea NOT NULL CHECK (length(message) <= 65536)
);

CREATE OR REPLACE FUNCTION floor.pass_order(
    p_id text, p_owner text, p_journal bytea, p_head bigint, p_until double precision, p_what text, p_message bytea
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.command (id, owner, journal, head, until, what)
        VALUES (p_id, p_owner, p_journal, p_head, p_until, p_what);
    INSERT INTO floor.passed (id, message) VALUES (p_id, p_message)
$$;

-- those of which nobody knows yet what became of them
CREATE OR REPLACE FUNCTION floor.passed_orders() RETURNS TABLE (
    id text, owner text, journal bytea, head bigint, until double precision, what text, message bytea
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.id, c.owner, c.journal, c.head, c.until, c.what, p.message
    FROM floor.command c JOIN floor.passed p USING (id) WHERE c.result = 'not known' ORDER BY c.at
$$;

CREATE OR REPLACE FUNCTION floor.order_told(p_id text) RETURNS TABLE (result text, entry bigint, words text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.result, c.entry, c.words FROM floor.command c WHERE c.id = p_id
$$;

REVOKE ALL ON floor.passed FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.pass_order, floor.passed_orders, floor.order_told FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.pass_order, floor.passed_orders, floor.order_told TO floor_custody;

INSERT INTO floor.edition (number) VALUES (25) ON CONFLICT DO NOTHING;

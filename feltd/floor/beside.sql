-- The floor's schema, edition 22: an event that stands only while other streams of its kind are where its sender has
-- looked at them. It runs behind elsewhere.sql, and may be run again.

-- All streams of the kind are locked in one order. Without this two desks at two floords, each of which knows nothing of
-- what the other does at that moment, take one table for two rooms.
-- `p_others`, `p_chains`: the other streams that the sender knows, each with the chain behind the last event that it has
-- seen; a null chain for one that it cannot read. A stream that it does not name may have no event.
CREATE OR REPLACE FUNCTION floor.add_event_beside(
    p_id text, p_expected bigint, p_digest bytea, p_line text, p_others text[], p_chains bytea[],
    OUT verdict text, OUT seq bigint, OUT chain bytea
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    wanted text;
BEGIN
    SELECT t.kind INTO wanted FROM floor.tournament t WHERE t.id = p_id;
    PERFORM 1 FROM floor.tournament t WHERE t.kind = wanted ORDER BY t.id FOR UPDATE;
    IF EXISTS (
        SELECT 1 FROM floor.tournament t LEFT JOIN unnest(p_others, p_chains) AS o (id, chain) ON o.id = t.id
        WHERE t.kind = wanted AND t.id <> p_id
            AND CASE WHEN o.id IS NULL THEN t.seq > 0 ELSE t.chain <> o.chain END
    ) AND NOT EXISTS (  -- its answer was lost, and it was sent again: it stands, whatever has happened since
        SELECT 1 FROM floor.tournament_event e
        WHERE e.tournament = p_id AND e.seq = p_expected + 1 AND e.digest = p_digest
    ) THEN
        verdict := 'others moved on';
        SELECT t.seq, t.chain INTO seq, chain FROM floor.tournament t WHERE t.id = p_id;
        RETURN;
    END IF;
    SELECT a.verdict, a.seq, a.chain INTO verdict, seq, chain
        FROM floor.add_tournament_event(p_id, p_expected, p_digest, NULL, NULL, p_line) a;
END $$;

REVOKE ALL ON FUNCTION floor.add_event_beside FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.add_event_beside TO floor_custody;

INSERT INTO floor.edition (number) VALUES (22) ON CONFLICT DO NOTHING;

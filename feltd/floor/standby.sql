-- edition 15: servers that stand behind each other. Who made a standby the primary, and why; and what stands behind this
-- one. `timeline`: PostgreSQL's own number of the history that the server writes, one more with each promotion.

CREATE TABLE IF NOT EXISTS floor.promotion (
    timeline bigint NOT NULL PRIMARY KEY,
    server text NOT NULL CHECK (octet_length(server) BETWEEN 1 AND 400),
    who text NOT NULL CHECK (octet_length(who) BETWEEN 1 AND 400),
    why text NOT NULL CHECK (octet_length(why) BETWEEN 1 AND 2000),
    at timestamptz NOT NULL DEFAULT now()
);
CREATE OR REPLACE TRIGGER promotion_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.promotion
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

CREATE OR REPLACE FUNCTION floor.promotions()
RETURNS TABLE (timeline bigint, server text, who text, why text, at double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.timeline, p.server, p.who, p.why, extract(epoch FROM p.at)::double precision
    FROM floor.promotion p ORDER BY p.timeline
$$;

-- only the database's owner, at its shell: floord promotes nobody
CREATE OR REPLACE FUNCTION floor.add_promotion(p_timeline bigint, p_server text, p_who text, p_why text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.promotion (timeline, server, who, why) VALUES (p_timeline, p_server, p_who, p_why)
$$;

-- a standby that has ever been here has a slot, also while it is away. `behind`: bytes that are not on its disk, null
-- while it is away; `synchronous`: commits wait for it
CREATE OR REPLACE FUNCTION floor.standbys()
RETURNS TABLE (name text, connected boolean, synchronous boolean, behind bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(r.application_name, s.slot_name)::text, r.pid IS NOT NULL,
        coalesce(r.sync_state IN ('sync', 'quorum'), false),
        pg_wal_lsn_diff(CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END, r.flush_lsn)::bigint
    FROM pg_replication_slots s FULL JOIN pg_stat_replication r ON r.pid = s.active_pid
    WHERE (s.slot_type = 'physical' OR s.slot_name IS NULL) AND (r.state = 'streaming' OR r.pid IS NULL)
        AND NOT coalesce(s.temporary, false)
    ORDER BY 1
$$;

-- in place of schema.sql's: a sign of life, and what is folded from rows, wait for no disk and no standby. Who calls
-- after a time away calls with a thousand others
CREATE OR REPLACE FUNCTION floor.note_seen(
    p_journal bytea, p_head bigint, p_offset double precision, p_within double precision,
    OUT seq bigint, OUT chain bytea, OUT forked boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT h.seq, h.chain, h.forked INTO seq, chain, forked FROM floor.head h WHERE h.journal = p_journal;
    IF FOUND THEN
        INSERT INTO floor.seen AS s (journal, head, clock_offset, clock_within)
            VALUES (p_journal, p_head, p_offset, p_within)
        ON CONFLICT (journal) DO UPDATE SET head = excluded.head,
            clock_offset = coalesce(excluded.clock_offset, s.clock_offset), -- a connection begins without one
            clock_within = coalesce(excluded.clock_within, s.clock_within), at = now();
    END IF;
END $$;

CREATE OR REPLACE FUNCTION floor.keep_pits(p_journals bytea[], p_seqs bigint[], p_states text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO floor.pit (journal, seq, state) SELECT * FROM unnest(p_journals, p_seqs, p_states)
    ON CONFLICT (journal) DO UPDATE SET seq = excluded.seq, state = excluded.state;
END $$;

REVOKE ALL ON floor.promotion FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.promotions, floor.add_promotion, floor.standbys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.promotions, floor.standbys TO floor_custody, floor_reader;

INSERT INTO floor.edition (number) VALUES (15) ON CONFLICT DO NOTHING;

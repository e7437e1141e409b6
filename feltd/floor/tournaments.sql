-- edition 6: tournaments over many tables. A tournament is its events; each is added behind the last one, or not at all.
-- `chain`: SHA-256 of the chain before it and of the event's digest. Nobody may change or delete an event.
-- Edition 21: waiting lists of cash games are streams of a kind of their own, which a floord of before does not see
-- (elsewhere.sql, which runs last, has its number: a schema that got only this far is none of edition 21).

CREATE TABLE IF NOT EXISTS floor.tournament (
    id text PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
    seq bigint NOT NULL DEFAULT 0 CHECK (seq >= 0),
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    at timestamptz NOT NULL DEFAULT now(),
    number bigint GENERATED ALWAYS AS IDENTITY
);
ALTER TABLE floor.tournament ADD COLUMN IF NOT EXISTS kind text NOT NULL DEFAULT 'tournament'
    CHECK (kind IN ('tournament', 'waiting'));
CREATE TABLE IF NOT EXISTS floor.tournament_event (
    tournament text NOT NULL REFERENCES floor.tournament,
    seq bigint NOT NULL CHECK (seq >= 1),
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    cause_journal bytea CHECK (octet_length(cause_journal) = 16),
    cause_seq bigint CHECK (cause_seq >= 1),
    line text NOT NULL CHECK (octet_length(line) <= 262144),
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tournament, seq),
    UNIQUE (tournament, cause_journal, cause_seq),
    CHECK ((cause_journal IS NULL) = (cause_seq IS NULL))
);
CREATE OR REPLACE TRIGGER tournament_event_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.tournament_event
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

CREATE OR REPLACE FUNCTION floor.begin_tournament(p_id text, p_start bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO floor.tournament (id, chain) VALUES (p_id, p_start) ON CONFLICT DO NOTHING;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION floor.begin_stream(p_kind text, p_id text, p_start bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO floor.tournament (kind, id, chain) VALUES (p_kind, p_id, p_start) ON CONFLICT DO NOTHING;
    RETURN FOUND;
END $$;

-- the tournament's row is locked first: of two directors at once, one waits, and then sees what the other has done
CREATE OR REPLACE FUNCTION floor.add_tournament_event(
    p_id text, p_expected bigint, p_digest bytea, p_cause_journal bytea, p_cause_seq bigint, p_line text,
    OUT verdict text, OUT seq bigint, OUT chain bytea
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    SELECT t.seq, t.chain INTO seq, chain FROM floor.tournament t WHERE t.id = p_id FOR UPDATE;
    IF NOT FOUND THEN
        verdict := 'unknown';
        seq := 0;
        chain := '';
    ELSIF EXISTS (
        SELECT 1 FROM floor.tournament_event e
        WHERE e.tournament = p_id AND e.seq = p_expected + 1 AND e.digest = p_digest
    ) THEN
        verdict := 'there';
    ELSIF EXISTS (
        SELECT 1 FROM floor.tournament_event e
        WHERE e.tournament = p_id AND e.cause_journal = p_cause_journal AND e.cause_seq = p_cause_seq
    ) THEN
        verdict := 'cause known';
    ELSIF seq <> p_expected THEN
        verdict := 'moved on';
    ELSE
        verdict := 'added';
        seq := seq + 1;
        chain := sha256(chain || p_digest);
        INSERT INTO floor.tournament_event (tournament, seq, digest, chain, cause_journal, cause_seq, line)
            VALUES (p_id, seq, p_digest, chain, p_cause_journal, p_cause_seq, p_line);
        UPDATE floor.tournament t SET seq = add_tournament_event.seq, chain = add_tournament_event.chain, at = now()
            WHERE t.id = p_id;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION floor.tournament_events(p_id text, p_after bigint, p_most integer)
RETURNS TABLE (seq bigint, chain bytea, cause_journal bytea, cause_seq bigint, line text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT e.seq, e.chain, e.cause_journal, e.cause_seq, e.line FROM floor.tournament_event e
    WHERE e.tournament = p_id AND e.seq > p_after ORDER BY e.seq LIMIT p_most
$$;

CREATE OR REPLACE FUNCTION floor.tournaments() RETURNS TABLE (id text, seq bigint, chain bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.id, t.seq, t.chain FROM floor.tournament t WHERE t.kind = 'tournament' ORDER BY t.number
$$;

CREATE OR REPLACE FUNCTION floor.streams(p_kind text) RETURNS TABLE (id text, seq bigint, chain bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.id, t.seq, t.chain FROM floor.tournament t WHERE t.kind = p_kind ORDER BY t.number
$$;

-- the events name players: floor_reader, who looks after custody, has no need of them
REVOKE ALL ON floor.tournament, floor.tournament_event FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.begin_tournament, floor.begin_stream, floor.add_tournament_event,
    floor.tournament_events, floor.tournaments, floor.streams FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.begin_tournament, floor.begin_stream, floor.add_tournament_event,
    floor.tournament_events, floor.tournaments, floor.streams TO floor_custody;

INSERT INTO floor.edition (number) VALUES (6) ON CONFLICT DO NOTHING;

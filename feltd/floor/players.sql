-- edition 13: players' names and card numbers, which the streams of tournaments have tokens for. A name can be erased;
-- that it was stays. Edition 16: when a name was said last; one that no event names is let go. Edition 17: a card is the
-- same one with blanks and with capital letters.

CREATE TABLE IF NOT EXISTS floor.player (
    tournament text NOT NULL REFERENCES floor.tournament,
    token text NOT NULL CHECK (token ~ '^[0-9a-f]{16}$'),
    person text NOT NULL CHECK (octet_length(person) BETWEEN 1 AND 160),
    name text NOT NULL CHECK (octet_length(name) <= 400),
    PRIMARY KEY (tournament, token),
    UNIQUE (tournament, person)
);
ALTER TABLE floor.player ADD COLUMN IF NOT EXISTS said timestamptz NOT NULL DEFAULT now();
CREATE INDEX IF NOT EXISTS player_person ON floor.player (person);
CREATE TABLE IF NOT EXISTS floor.player_erasure (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tournament text NOT NULL REFERENCES floor.tournament,
    token text NOT NULL,
    who text NOT NULL CHECK (octet_length(who) BETWEEN 1 AND 400),
    why text NOT NULL CHECK (octet_length(why) BETWEEN 1 AND 2000),
    at timestamptz NOT NULL DEFAULT now()
);
CREATE OR REPLACE TRIGGER player_erasure_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.player_erasure
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

CREATE INDEX IF NOT EXISTS player_card ON floor.player (lower(replace(person, ' ', '')), tournament);

-- the token that is this person's: of two desks at once the second waits, and gets the first one's
CREATE OR REPLACE FUNCTION floor.keep_player(p_tournament text, p_token text, p_person text, p_name text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_token text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('floor.player ' || p_tournament, 0));
    SELECT p.token INTO v_token FROM floor.player p WHERE p.tournament = p_tournament
        AND lower(replace(p.person, ' ', '')) = lower(replace(p_person, ' ', ''))
        ORDER BY p.person <> p_person, p.token LIMIT 1;
    IF FOUND THEN
        UPDATE floor.player p SET name = p_name, said = now() WHERE p.tournament = p_tournament AND p.token = v_token;
        IF FOUND THEN
            RETURN v_token;
        END IF;  -- it was erased in between
    END IF;
    INSERT INTO floor.player (tournament, token, person, name) VALUES (p_tournament, p_token, p_person, p_name);
    RETURN p_token;
END $$;

CREATE OR REPLACE FUNCTION floor.players(p_tournament text) RETURNS TABLE (token text, person text, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.token, p.person, p.name FROM floor.player p WHERE p.tournament = p_tournament ORDER BY p.token
$$;

CREATE OR REPLACE FUNCTION floor.players_with_card(p_person text)
RETURNS TABLE (tournament text, token text, person text, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.tournament, p.token, p.person, p.name FROM floor.player p
        WHERE lower(replace(p.person, ' ', '')) = lower(replace(p_person, ' ', '')) ORDER BY p.tournament, p.token
$$;

CREATE OR REPLACE FUNCTION floor.erase_player(p_tournament text, p_token text, p_who text, p_why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM floor.player p WHERE p.tournament = p_tournament AND p.token = p_token;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO floor.player_erasure (tournament, token, who, why) VALUES (p_tournament, p_token, p_who, p_why);
    RETURN true;
END $$;

-- a name that a desk says again meanwhile stays: whoever comes second waits for the row, and looks again
CREATE OR REPLACE FUNCTION floor.erase_unnamed_player(
    p_tournament text, p_token text, p_who text, p_why text, p_seconds double precision
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM floor.player p WHERE p.tournament = p_tournament AND p.token = p_token
        AND p.said < now() - make_interval(secs => p_seconds);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO floor.player_erasure (tournament, token, who, why) VALUES (p_tournament, p_token, p_who, p_why);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION floor.player_erasures()
RETURNS TABLE (tournament text, token text, who text, why text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT e.tournament, e.token, e.who, e.why FROM floor.player_erasure e ORDER BY e.number
$$;

CREATE OR REPLACE FUNCTION floor.players_erased() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(max(e.number), 0) FROM floor.player_erasure e
$$;

-- who looks after custody has no need of names
REVOKE ALL ON floor.player, floor.player_erasure FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.keep_player, floor.players, floor.players_with_card, floor.erase_player,
    floor.erase_unnamed_player, floor.player_erasures, floor.players_erased FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.keep_player, floor.players, floor.players_with_card, floor.erase_player,
    floor.erase_unnamed_player, floor.player_erasures, floor.players_erased TO floor_custody;

INSERT INTO floor.edition (number) VALUES (13), (16), (17) ON CONFLICT DO NOTHING;

-- The floor's schema, editions 14, 24, 26 and 27: what the floor wishes of its tables, and what people and tables have said to it. It
-- runs behind players.sql, and may be run again. Both stay as evidence. The law is that of feltd/floor/wishes.py.
-- `plays`: JSON, what each table shall play, or the `values` of the settings that it shall have; `version`: of feltd that they shall run, else empty; `canary`: empty where all tables take it at once; `hold`: seconds.

CREATE TABLE IF NOT EXISTS floor.wish (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tables text[] NOT NULL CHECK (cardinality(tables) BETWEEN 1 AND 1000),
    canary text NOT NULL CHECK (canary = '' OR canary = ANY (tables)),
    hold double precision NOT NULL CHECK (hold >= 0),
    plays text NOT NULL CHECK (octet_length(plays) BETWEEN 2 AND 4000000),
    back_of bigint REFERENCES floor.wish,
    who text NOT NULL CHECK (length(who) BETWEEN 1 AND 300),
    account text NOT NULL CHECK (length(account) BETWEEN 1 AND 64),
    why text NOT NULL CHECK (length(why) BETWEEN 3 AND 500),
    version text NOT NULL DEFAULT '' CHECK (version ~ '^(\d{1,6}\.\d{1,6}\.\d{1,6})?$'),
    at timestamptz NOT NULL DEFAULT now()
);
CREATE OR REPLACE TRIGGER wish_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.wish
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

CREATE TABLE IF NOT EXISTS floor.wish_step (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    wish bigint NOT NULL REFERENCES floor.wish,
    kind text NOT NULL CHECK (kind IN ('approved', 'stopped', 'released', 'taken', 'held', 'refused')),
    owner text NOT NULL CHECK (length(owner) <= 64),
    who text NOT NULL CHECK (length(who) BETWEEN 1 AND 300),
    account text NOT NULL CHECK (length(account) BETWEEN 1 AND 64),
    words text NOT NULL CHECK (length(words) <= 10000),
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS wish_step_of ON floor.wish_step (wish, number);
CREATE UNIQUE INDEX IF NOT EXISTS wish_once ON floor.wish_step (wish, kind) WHERE kind IN ('approved', 'stopped');
CREATE OR REPLACE TRIGGER wish_step_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.wish_step
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

-- A number is above those that are known (`p_above`: that tables' records tell), and passes each minute
-- since 2026. A floor that was put back to a backup does not know which numbers were given since.
-- `p_most`: by the clock of who asks, the highest number that a wish may have. Beyond it nothing is kept, and 0 returned.
DROP FUNCTION IF EXISTS floor.add_wish_above(text[], text, double precision, text, bigint, text, text, text, text, bigint);
CREATE OR REPLACE FUNCTION floor.add_wish_above(
    p_tables text[], p_canary text, p_hold double precision, p_plays text, p_back_of bigint, p_who text,
    p_account text, p_why text, p_version text, p_above bigint, p_most bigint
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    following bigint;
    now_at bigint;
BEGIN
    LOCK TABLE floor.wish IN SHARE ROW EXCLUSIVE MODE;  -- two at once would take one number
    now_at := floor(extract(epoch FROM clock_timestamp() - '2026-01-01 00:00+00') / 60)::bigint;
    -- one of another year was made while this clock was wrong: counted on from, nothing would be taken for years
    SELECT greatest(
            coalesce(max(w.number) FILTER (WHERE w.number <= now_at + 366 * 24 * 60), 0) + 1, p_above + 1, now_at
        ) INTO following FROM floor.wish w;
    IF following > p_most THEN
        RETURN 0;
    END IF;
    INSERT INTO floor.wish (number, tables, canary, hold, plays, back_of, who, account, why, version)
        OVERRIDING SYSTEM VALUE
        VALUES (following, p_tables, p_canary, p_hold, p_plays, p_back_of, p_who, p_account, p_why, p_version);
    RETURN following;
END $$;

-- An older floord goes on behind it. Older schemas name it without its arguments: no other function may have its name.
CREATE OR REPLACE FUNCTION floor.add_wish(
    p_tables text[], p_canary text, p_hold double precision, p_plays text, p_back_of bigint, p_who text,
    p_account text, p_why text, p_version text
) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT floor.add_wish_above(
        p_tables, p_canary, p_hold, p_plays, p_back_of, p_who, p_account, p_why, p_version, 0, 9223372036854775807
    )
$$;

-- Two at once wait for each other: of two approvals, and of an approval and a stop, one is first.
CREATE OR REPLACE FUNCTION floor.say_to_wish(
    p_wish bigint, p_kind text, p_owner text, p_who text, p_account text, p_words text
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wished text;
    approved boolean;
    stopped boolean;
BEGIN
    SELECT w.account INTO wished FROM floor.wish w WHERE w.number = p_wish FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 'unknown';
    END IF;
    SELECT coalesce(bool_or(s.kind = 'approved'), false), coalesce(bool_or(s.kind = 'stopped'), false)
        INTO approved, stopped FROM floor.wish_step s WHERE s.wish = p_wish;
    -- a table may tell that it took what was on its way to it as it was stopped: `back` brings what it had
    IF NOT (stopped AND approved AND p_kind = 'taken') AND (
        stopped OR (p_kind = 'approved' AND approved) OR (p_kind NOT IN ('approved', 'stopped') AND NOT approved)
    ) THEN
        RETURN 'over';
    END IF;
    -- a token is its person's: "lea token 1a2b3c4d"
    IF p_kind = 'approved' AND split_part(p_account, ' token ', 1) = split_part(wished, ' token ', 1) THEN
        RETURN 'same person';
    END IF;
    INSERT INTO floor.wish_step (wish, kind, owner, who, account, words)
        VALUES (p_wish, p_kind, p_owner, p_who, p_account, p_words);
    RETURN 'done';
END $$;

-- what whoever asks knows already (`p_known`) never changes: its `plays` are null
-- one whose number is more than `p_near`, of another year, comes behind all others: a hundred of them would hide these
CREATE OR REPLACE FUNCTION floor.wishes_by(p_most integer, p_known bigint[], p_near bigint)
RETURNS TABLE (
    number bigint, tables text[], canary text, hold double precision, plays text, back_of bigint, who text,
    account text, why text, version text, at double precision
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT w.number, w.tables, w.canary, w.hold, CASE WHEN w.number = ANY (p_known) THEN NULL ELSE w.plays END, w.back_of, w.who, w.account, w.why,
        w.version, extract(epoch FROM w.at)::double precision
    FROM floor.wish w ORDER BY w.number > p_near, w.number DESC LIMIT p_most
$$;

-- an older floord looks so
CREATE OR REPLACE FUNCTION floor.wishes(p_most integer, p_known bigint[])
RETURNS TABLE (
    number bigint, tables text[], canary text, hold double precision, plays text, back_of bigint, who text,
    account text, why text, version text, at double precision
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM floor.wishes_by(p_most, p_known, 9223372036854775807)
$$;

CREATE OR REPLACE FUNCTION floor.wish_steps(p_from bigint)
RETURNS TABLE (wish bigint, kind text, owner text, who text, account text, words text, at double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.wish, s.kind, s.owner, s.who, s.account, s.words, extract(epoch FROM s.at)::double precision
    FROM floor.wish_step s WHERE s.wish >= p_from ORDER BY s.number
$$;

REVOKE ALL ON floor.wish, floor.wish_step FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.say_to_wish, floor.wishes, floor.wishes_by, floor.wish_steps,
    floor.add_wish(text[], text, double precision, text, bigint, text, text, text, text),
    floor.add_wish_above FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.wishes, floor.wishes_by, floor.wish_steps TO floor_custody, floor_reader;
GRANT EXECUTE ON FUNCTION floor.say_to_wish,
    floor.add_wish(text[], text, double precision, text, bigint, text, text, text, text),
    floor.add_wish_above TO floor_custody;

INSERT INTO floor.edition (number) VALUES (14), (24), (26), (27) ON CONFLICT DO NOTHING;

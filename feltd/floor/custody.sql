-- The floor's schema, edition 9: what people answer to custody's alarms, and each proof of all that is kept. It runs
-- behind exports.sql, and may be run again. Alarms and answers stay: they are evidence.
-- `times`: how often the alarm had been told when it was answered; told once more, a closed one is open again.

CREATE TABLE IF NOT EXISTS floor.alarm_answer (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alarm bigint NOT NULL REFERENCES floor.alarm,
    state text NOT NULL CHECK (state IN ('acknowledged', 'closed')),
    times bigint NOT NULL,
    who text NOT NULL CHECK (length(who) BETWEEN 1 AND 200),
    why text NOT NULL CHECK (length(why) BETWEEN 1 AND 500),
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS alarm_answer_alarm ON floor.alarm_answer (alarm, number);

-- what is told outside, in its order. The numbers are none that a fact has: who receives both knows them apart.
CREATE TABLE IF NOT EXISTS floor.alarm_news (
    number bigint GENERATED ALWAYS AS IDENTITY (START WITH 1000000000001) PRIMARY KEY,
    alarm bigint NOT NULL REFERENCES floor.alarm,
    state text NOT NULL,
    times bigint NOT NULL,
    who text NOT NULL DEFAULT '',
    why text NOT NULL DEFAULT '',
    at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS floor.proof (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    began double precision NOT NULL,
    ended double precision NOT NULL,
    journals bigint NOT NULL,
    entries bigint NOT NULL,
    faults bigint NOT NULL
);

CREATE OR REPLACE TRIGGER alarm_answer_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.alarm_answer
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();
CREATE OR REPLACE TRIGGER proof_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.proof
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

-- in place of schema.sql's: it also says what is new, one after the other, so that whoever follows misses none
CREATE OR REPLACE FUNCTION floor.raise_alarm(p_owner text, p_journal bytea, p_kind text, p_seq bigint, p_words text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held record;
    answer record;
BEGIN
    INSERT INTO floor.alarm AS a (owner, journal, kind, seq, words) VALUES (p_owner, p_journal, p_kind, p_seq, p_words)
        ON CONFLICT (owner, journal, kind, seq) DO UPDATE SET times = a.times + 1, latest = now()
        RETURNING a.number, a.times INTO held;
    SELECT x.state, x.times INTO answer FROM floor.alarm_answer x
        WHERE x.alarm = held.number ORDER BY x.number DESC LIMIT 1;
    IF held.times = 1 OR (answer.state = 'closed' AND answer.times = held.times - 1) THEN
        PERFORM pg_advisory_xact_lock(6646470);
        INSERT INTO floor.alarm_news (alarm, state, times) VALUES (held.number, 'raised', held.times);
    END IF;
END $$;

-- `p_times`: as often as who answers has seen it told
CREATE OR REPLACE FUNCTION floor.answer_alarm(p_alarm bigint, p_times bigint, p_state text, p_who text, p_why text)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    had bigint;
    answer record;
BEGIN
    SELECT a.times INTO had FROM floor.alarm a WHERE a.number = p_alarm FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 'unknown';
    END IF;
    SELECT x.state, x.times INTO answer FROM floor.alarm_answer x
        WHERE x.alarm = p_alarm ORDER BY x.number DESC LIMIT 1;
    IF (answer.state = 'closed' AND answer.times >= had)
       OR (answer.state = 'acknowledged' AND p_state = 'acknowledged') THEN
        RETURN 'already';
    END IF;
    PERFORM pg_advisory_xact_lock(6646470);
    INSERT INTO floor.alarm_answer (alarm, state, times, who, why)
        VALUES (p_alarm, p_state, least(p_times, had), p_who, p_why);
    INSERT INTO floor.alarm_news (alarm, state, times, who, why)
        VALUES (p_alarm, p_state, least(p_times, had), p_who, p_why);
    RETURN 'done';
END $$;

-- without `p_closed`, those that nobody has closed
CREATE OR REPLACE FUNCTION floor.alarms_told(p_closed boolean)
RETURNS TABLE (
    number bigint, owner text, journal bytea, kind text, seq bigint, words text, times bigint, since double precision,
    latest double precision, state text, who text, why text, answered double precision
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.number, a.owner, a.journal, a.kind, a.seq, a.words, a.times, extract(epoch FROM a.at)::double precision,
        extract(epoch FROM a.latest)::double precision,
        CASE WHEN x.state IS NULL OR (x.state = 'closed' AND x.times < a.times) THEN 'open' ELSE x.state END,
        coalesce(x.who, ''), coalesce(x.why, ''), extract(epoch FROM x.at)::double precision
    FROM floor.alarm a LEFT JOIN LATERAL (
        SELECT y.state, y.times, y.who, y.why, y.at FROM floor.alarm_answer y WHERE y.alarm = a.number
        ORDER BY y.number DESC LIMIT 1
    ) x ON true
    WHERE p_closed OR x.state IS DISTINCT FROM 'closed' OR x.times < a.times
    ORDER BY a.number
$$;

CREATE OR REPLACE FUNCTION floor.alarm_news_from(p_after bigint, p_most integer)
RETURNS TABLE (
    number bigint, owner text, journal bytea, kind text, seq bigint, words text, times bigint, state text, who text,
    why text, wall double precision, alarm bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT n.number, a.owner, a.journal, a.kind, a.seq, a.words, n.times, n.state, n.who, n.why,
        extract(epoch FROM n.at)::double precision, a.number
    FROM floor.alarm_news n JOIN floor.alarm a ON a.number = n.alarm
    WHERE n.number > p_after ORDER BY n.number LIMIT p_most
$$;

CREATE OR REPLACE FUNCTION floor.last_alarm_news() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(max(n.number), 0) FROM floor.alarm_news n
$$;

CREATE OR REPLACE FUNCTION floor.add_proof(
    p_began double precision, p_ended double precision, p_journals bigint, p_entries bigint, p_faults bigint
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.proof (began, ended, journals, entries, faults)
        VALUES (p_began, p_ended, p_journals, p_entries, p_faults)
$$;

CREATE OR REPLACE FUNCTION floor.last_proof()
RETURNS TABLE (
    began double precision, ended double precision, journals bigint, entries bigint, faults bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.began, p.ended, p.journals, p.entries, p.faults FROM floor.proof p ORDER BY p.number DESC LIMIT 1
$$;

REVOKE ALL ON floor.alarm_answer, floor.alarm_news, floor.proof FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.answer_alarm, floor.alarms_told, floor.alarm_news_from, floor.last_alarm_news,
    floor.add_proof, floor.last_proof FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.alarms_told, floor.last_proof TO floor_custody, floor_reader;
GRANT EXECUTE ON FUNCTION floor.answer_alarm, floor.alarm_news_from, floor.last_alarm_news, floor.add_proof
    TO floor_custody;

INSERT INTO floor.edition (number) VALUES (9) ON CONFLICT DO NOTHING;

-- The floor's schema, up to edition 4; enrolment.sql, tournaments.sql and exports.sql follow it. Whoever owns the database runs it (`feltd floor prepare`); it may be run again.
-- The daemon's role may execute the functions below and do nothing else. Nobody may change or delete a batch.

-- First of all, before this holds any lock: tables that call under a live floord have the same locks in other orders.
-- Where one is not free soon it lets all go, or one of both would be ended (a deadlock).
-- That a batch's journal is there is held where batches are added: its head is, and that names it, and no journal goes
-- (journal_stays). A key that held it once more locked and wrote the journal's row for each batch, a seventh of all that
-- the server does for one.
DO $$ BEGIN
    WHILE EXISTS (
        SELECT FROM pg_constraint c WHERE c.conrelid = to_regclass('floor.batch') AND c.conname = 'batch_journal_fkey'
    ) LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            LOCK TABLE floor.head, floor.journal, floor.batch IN ACCESS EXCLUSIVE MODE;
            ALTER TABLE floor.batch DROP CONSTRAINT batch_journal_fkey;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
    SET LOCAL lock_timeout TO DEFAULT;
END $$;

CREATE SCHEMA IF NOT EXISTS floor;
REVOKE ALL ON SCHEMA floor FROM PUBLIC;

CREATE TABLE IF NOT EXISTS floor.edition (number integer NOT NULL PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());

CREATE TABLE IF NOT EXISTS floor.journal (
    id bytea PRIMARY KEY CHECK (octet_length(id) = 16),
    owner text NOT NULL CHECK (length(owner) BETWEEN 1 AND 64),
    format integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    number bigint GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX IF NOT EXISTS journal_owner ON floor.journal (owner);

CREATE TABLE IF NOT EXISTS floor.head (
    journal bytea PRIMARY KEY REFERENCES floor.journal,
    seq bigint NOT NULL CHECK (seq >= 0),
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    forked boolean NOT NULL DEFAULT false,
    at timestamptz NOT NULL DEFAULT now()
);

-- `rows` is deflated already. `before` lets each batch be proved by itself; digests follow from the rows.
CREATE TABLE IF NOT EXISTS floor.batch (
    journal bytea NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL CHECK (last >= first),
    before bytea NOT NULL,
    chain bytea NOT NULL,
    rows bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (journal, last)
);
ALTER TABLE floor.batch ALTER COLUMN rows SET STORAGE EXTERNAL;

CREATE TABLE IF NOT EXISTS floor.fork (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    journal bytea NOT NULL REFERENCES floor.journal,
    owner text NOT NULL,
    first bigint NOT NULL,
    before bytea NOT NULL,
    chain bytea NOT NULL,
    rows bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE floor.fork ALTER COLUMN rows SET STORAGE EXTERNAL;

CREATE TABLE IF NOT EXISTS floor.alarm (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner text NOT NULL,
    journal bytea NOT NULL,
    kind text NOT NULL,
    seq bigint NOT NULL,
    words text NOT NULL,
    times bigint NOT NULL DEFAULT 1,
    at timestamptz NOT NULL DEFAULT now(),
    latest timestamptz NOT NULL DEFAULT now(),
    UNIQUE (owner, journal, kind, seq)
);

CREATE TABLE IF NOT EXISTS floor.seen (
    journal bytea PRIMARY KEY REFERENCES floor.journal,
    head bigint NOT NULL,
    clock_offset double precision,
    clock_within double precision,
    at timestamptz NOT NULL DEFAULT now()
);

-- edition 2: the heads that tables sign. `size`: bytes of the table's file of them; `key`: what signs the next one.
CREATE TABLE IF NOT EXISTS floor.signer (
    journal bytea PRIMARY KEY REFERENCES floor.journal,
    first_key bytea NOT NULL CHECK (octet_length(first_key) = 32),
    size bigint NOT NULL,
    seq bigint NOT NULL DEFAULT 0,
    wall_ms bigint NOT NULL DEFAULT 0,
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    number bigint NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS floor.anchor (
    journal bytea NOT NULL REFERENCES floor.journal,
    number bigint NOT NULL,
    seq bigint NOT NULL,
    wall_ms bigint NOT NULL,
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    next_key bytea NOT NULL CHECK (octet_length(next_key) = 32),
    signature bytea NOT NULL CHECK (octet_length(signature) = 64),
    PRIMARY KEY (journal, number)
);

-- edition 3: what people at the floor have decided for tables. `what`: who and what, JSON that the table reads.
CREATE TABLE IF NOT EXISTS floor.command (
    id text PRIMARY KEY CHECK (length(id) = 32),
    owner text NOT NULL,
    journal bytea NOT NULL REFERENCES floor.journal,
    head bigint NOT NULL,
    until double precision NOT NULL,
    what text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    result text NOT NULL DEFAULT 'not known',
    entry bigint NOT NULL DEFAULT 0,
    words text NOT NULL DEFAULT '',
    settled timestamptz
);
CREATE INDEX IF NOT EXISTS command_open ON floor.command (at) WHERE result = 'not known';

-- edition 4: each table's line of the pit, folded up to entry `seq`: it may be thrown away, and is made anew. And who
-- comes and goes at the pit page.
CREATE TABLE IF NOT EXISTS floor.pit (
    journal bytea PRIMARY KEY REFERENCES floor.journal,
    seq bigint NOT NULL,
    state text NOT NULL
);
CREATE TABLE IF NOT EXISTS floor.access (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    page text NOT NULL,
    facts text NOT NULL
);

CREATE OR REPLACE FUNCTION floor.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of floor.% is refused: what is kept stays as it is', TG_OP, TG_TABLE_NAME;
END $$;
CREATE OR REPLACE TRIGGER batch_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.batch
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();
CREATE OR REPLACE TRIGGER fork_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.fork
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();
CREATE OR REPLACE TRIGGER journal_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.journal
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

CREATE OR REPLACE TRIGGER access_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.access
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();
CREATE OR REPLACE TRIGGER anchor_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.anchor
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

-- ---- functions: the daemon's

CREATE OR REPLACE FUNCTION floor.edition_number() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(max(number), 0) FROM floor.edition
$$;

CREATE OR REPLACE FUNCTION floor.open_journal(
    p_owner text, p_journal bytea, p_format integer, p_start bytea, p_most integer,
    OUT verdict text, OUT seq bigint, OUT chain bytea, OUT forked boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(p_owner, 7));
    IF floor.is_shut(p_owner) THEN
        verdict := 'shut';
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM floor.journal j WHERE j.id = p_journal)
       AND (SELECT count(*) FROM floor.journal j WHERE j.owner = p_owner) >= p_most THEN
        verdict := 'too many';
        RETURN;
    END IF;
    INSERT INTO floor.journal (id, owner, format) VALUES (p_journal, p_owner, p_format) ON CONFLICT (id) DO NOTHING;
    INSERT INTO floor.head (journal, seq, chain) VALUES (p_journal, 0, p_start) ON CONFLICT (journal) DO NOTHING;
    SELECT j.owner INTO held FROM floor.journal j WHERE j.id = p_journal;
    SELECT h.seq, h.chain, h.forked INTO seq, chain, forked FROM floor.head h WHERE h.journal = p_journal;
    verdict := CASE WHEN held <> p_owner THEN 'foreign' WHEN forked THEN 'forked' ELSE 'added' END;
END $$;

-- Each batch begins behind the head, or is answered with the head. The chain is made here, from the head's own.
CREATE OR REPLACE FUNCTION floor.append_many(
    p_owners text[], p_journals bytea[], p_firsts bigint[], p_befores bytea[], p_digests bytea[], p_rows bytea[]
) RETURNS TABLE (n integer, verdict text, seq bigint, chain bytea, forked boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
    held record;
    link bytea;
    told bytea;
    entries bigint;
BEGIN
    -- all heads first, in one order: two daemons never wait for each other in a ring
    PERFORM 1 FROM floor.head h WHERE h.journal = ANY (p_journals) ORDER BY h.journal FOR UPDATE;
    FOR one IN
        SELECT b.* FROM unnest(p_owners, p_journals, p_firsts, p_befores, p_digests, p_rows)
            WITH ORDINALITY AS b (owner, journal, first, before, digests, rows, n) ORDER BY b.n
    LOOP
        SELECT h.seq, h.chain, h.forked, j.owner INTO held
            FROM floor.head h JOIN floor.journal j ON j.id = h.journal WHERE h.journal = one.journal;
        n := one.n;
        IF NOT FOUND THEN  -- one table's trouble is not the others'
            verdict := 'unknown';
            seq := 0;
            chain := '';
            forked := false;
            RETURN NEXT;
            CONTINUE;
        END IF;
        seq := held.seq;
        chain := held.chain;
        forked := held.forked;
        entries := octet_length(one.digests) / 32;
        IF held.owner <> one.owner THEN
            verdict := 'foreign';
        ELSIF held.forked THEN
            verdict := 'forked';
        ELSIF one.first <> held.seq + 1 THEN
            verdict := 'not next';
        ELSIF one.before <> held.chain THEN
            verdict := 'different';
        ELSE
            verdict := 'added';
            IF entries > 0 THEN
                link := held.chain;
                told := one.digests;
                FOR i IN 0 .. entries::integer - 1 LOOP
                    link := sha256(link || substr(told, i * 32 + 1, 32));
                END LOOP;
                INSERT INTO floor.batch (journal, first, last, before, chain, rows)
                    VALUES (one.journal, one.first, one.first + entries - 1, held.chain, link, one.rows);
                UPDATE floor.head h SET seq = one.first + entries - 1, chain = link, at = now()
                    WHERE h.journal = one.journal;
                seq := one.first + entries - 1;
                chain := link;
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION floor.batches_behind(p_journal bytea, p_after bigint, p_most integer)
RETURNS TABLE (owner text, first bigint, before bytea, chain bytea, rows bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT j.owner, b.first, b.before, b.chain, b.rows FROM floor.batch b JOIN floor.journal j ON j.id = b.journal
    WHERE b.journal = p_journal AND b.last > p_after ORDER BY b.last LIMIT p_most
$$;

CREATE OR REPLACE FUNCTION floor.raise_alarm(p_owner text, p_journal bytea, p_kind text, p_seq bigint, p_words text)
RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.alarm (owner, journal, kind, seq, words) VALUES (p_owner, p_journal, p_kind, p_seq, p_words)
    ON CONFLICT (owner, journal, kind, seq) DO UPDATE SET times = floor.alarm.times + 1, latest = now()
$$;

CREATE OR REPLACE FUNCTION floor.keep_fork(
    p_owner text, p_journal bytea, p_first bigint, p_before bytea, p_chain bytea, p_rows bytea, p_most integer,
    p_kind text, p_seq bigint, p_words text, OUT seq bigint, OUT chain bytea
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE floor.head h SET forked = true WHERE h.journal = p_journal RETURNING h.seq, h.chain INTO STRICT seq, chain;
    IF (SELECT count(*) FROM floor.fork f WHERE f.journal = p_journal) < p_most THEN
        INSERT INTO floor.fork (journal, owner, first, before, chain, rows)
            VALUES (p_journal, p_owner, p_first, p_before, p_chain, p_rows);
    END IF;
    PERFORM floor.raise_alarm(p_owner, p_journal, p_kind, p_seq, p_words);
END $$;

CREATE OR REPLACE FUNCTION floor.note_seen(
    p_journal bytea, p_head bigint, p_offset double precision, p_within double precision,
    OUT seq bigint, OUT chain bytea, OUT forked boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT h.seq, h.chain, h.forked INTO seq, chain, forked FROM floor.head h WHERE h.journal = p_journal;
    IF FOUND THEN
        INSERT INTO floor.seen AS s (journal, head, clock_offset, clock_within)
            VALUES (p_journal, p_head, p_offset, p_within)
        ON CONFLICT (journal) DO UPDATE SET head = excluded.head,
            clock_offset = coalesce(excluded.clock_offset, s.clock_offset), -- a connection begins without one
            clock_within = coalesce(excluded.clock_within, s.clock_within), at = now();
    END IF;
END $$;

CREATE OR REPLACE FUNCTION floor.status()
RETURNS TABLE (
    owner text, journal bytea, seq bigint, chain bytea, forked boolean, told bigint, seen double precision,
    clock_offset double precision, clock_within double precision, forks bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT j.owner, j.id, h.seq, h.chain, h.forked, s.head, extract(epoch FROM s.at)::double precision, s.clock_offset,
        s.clock_within, (SELECT count(*) FROM floor.fork f WHERE f.journal = j.id)
    FROM floor.journal j JOIN floor.head h ON h.journal = j.id LEFT JOIN floor.seen s ON s.journal = j.id
    ORDER BY j.owner, j.number
$$;

CREATE OR REPLACE FUNCTION floor.alarms()
RETURNS TABLE (owner text, journal bytea, kind text, seq bigint, words text, times bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.owner, a.journal, a.kind, a.seq, a.words, a.times FROM floor.alarm a ORDER BY a.number
$$;

-- of one journal, or of all where it is null
CREATE OR REPLACE FUNCTION floor.signed(p_journal bytea)
RETURNS TABLE (journal bytea, first_key bytea, at bigint, seq bigint, key bytea, wall_ms bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.journal, s.first_key, s.size, s.seq, s.key, s.wall_ms FROM floor.signer s
    WHERE p_journal IS NULL OR s.journal = p_journal
$$;

-- the first key of a journal is pinned once, and stays
CREATE OR REPLACE FUNCTION floor.pin(p_journal bytea, p_key bytea, p_size bigint) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO floor.signer (journal, first_key, size, key) VALUES (p_journal, p_key, p_size, p_key)
        ON CONFLICT (journal) DO UPDATE SET size = excluded.size
        WHERE floor.signer.size = 0 AND floor.signer.first_key = excluded.first_key;
    RETURN (SELECT s.first_key FROM floor.signer s WHERE s.journal = p_journal);
END $$;

CREATE OR REPLACE FUNCTION floor.add_heads(
    p_journal bytea, p_before bigint, p_after bigint, p_seqs bigint[], p_walls bigint[], p_chains bytea[],
    p_keys bytea[], p_signatures bytea[]
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    had bigint;
    many integer := cardinality(p_seqs);
BEGIN
    SELECT s.number INTO had FROM floor.signer s WHERE s.journal = p_journal AND s.size = p_before FOR UPDATE;
    IF NOT FOUND OR many = 0 THEN
        RETURN false;
    END IF;
    INSERT INTO floor.anchor (journal, number, seq, wall_ms, chain, next_key, signature)
        SELECT p_journal, had + h.n, h.seq, h.wall_ms, h.chain, h.next_key, h.signature
        FROM unnest(p_seqs, p_walls, p_chains, p_keys, p_signatures)
            WITH ORDINALITY AS h (seq, wall_ms, chain, next_key, signature, n);
    UPDATE floor.signer s SET size = p_after, seq = p_seqs[many], wall_ms = p_walls[many], key = p_keys[many],
        number = had + many WHERE s.journal = p_journal;
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION floor.heads_behind(p_journal bytea, p_after bigint, p_most integer)
RETURNS TABLE (seq bigint, wall_ms bigint, chain bytea, next_key bytea, signature bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.seq, a.wall_ms, a.chain, a.next_key, a.signature FROM floor.anchor a
    WHERE a.journal = p_journal AND a.number > p_after ORDER BY a.number LIMIT p_most
$$;

CREATE OR REPLACE FUNCTION floor.add_order(
    p_id text, p_owner text, p_journal bytea, p_head bigint, p_until double precision, p_what text
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.command (id, owner, journal, head, until, what)
        VALUES (p_id, p_owner, p_journal, p_head, p_until, p_what)
$$;

-- what is settled stays
CREATE OR REPLACE FUNCTION floor.settle_order(p_id text, p_result text, p_entry bigint, p_words text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE floor.command c SET result = p_result, entry = p_entry, words = p_words, settled = now()
        WHERE c.id = p_id AND c.result = 'not known' AND p_result <> 'not known'
$$;

CREATE OR REPLACE FUNCTION floor.open_orders()
RETURNS TABLE (id text, owner text, journal bytea, head bigint, until double precision, what text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.id, c.owner, c.journal, c.head, c.until, c.what FROM floor.command c
    WHERE c.result = 'not known' ORDER BY c.at
$$;

CREATE OR REPLACE FUNCTION floor.pits() RETURNS TABLE (journal bytea, state text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.journal, p.state FROM floor.pit p
$$;

CREATE OR REPLACE FUNCTION floor.keep_pits(p_journals bytea[], p_seqs bigint[], p_states text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.pit (journal, seq, state) SELECT * FROM unnest(p_journals, p_seqs, p_states)
    ON CONFLICT (journal) DO UPDATE SET seq = excluded.seq, state = excluded.state
$$;

CREATE OR REPLACE FUNCTION floor.add_access(p_page text, p_facts text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.access (page, facts) VALUES (p_page, p_facts)
$$;

-- ---- rights

REVOKE ALL ON ALL TABLES IN SCHEMA floor FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA floor FROM PUBLIC;
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'floor_custody') THEN
        CREATE ROLE floor_custody NOLOGIN;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'floor_reader') THEN
        CREATE ROLE floor_reader NOLOGIN;
    END IF;
END $$;
GRANT USAGE ON SCHEMA floor TO floor_custody, floor_reader;
GRANT EXECUTE ON FUNCTION floor.edition_number, floor.batches_behind, floor.status, floor.alarms,
    floor.signed, floor.heads_behind, floor.open_orders, floor.pits
    TO floor_custody, floor_reader;
GRANT EXECUTE ON FUNCTION floor.open_journal, floor.append_many, floor.raise_alarm, floor.keep_fork, floor.note_seen,
    floor.pin, floor.add_heads, floor.add_order, floor.settle_order,
    floor.keep_pits, floor.add_access
    TO floor_custody;

INSERT INTO floor.edition (number) VALUES (1), (2), (3), (4) ON CONFLICT DO NOTHING;

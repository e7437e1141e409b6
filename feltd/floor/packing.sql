-- The floor's schema, edition 11: old batches packed, many into one. It runs behind groups.sql, and may be run again.
-- A pack has the entries of the batches whose place it takes, deflated together. The database's owner packs
-- (`feltd floor pack`); the daemon's role cannot. A pack is never packed again, changed or deleted.

CREATE TABLE IF NOT EXISTS floor.packed (
    journal bytea NOT NULL REFERENCES floor.journal,
    first bigint NOT NULL,
    last bigint NOT NULL CHECK (last >= first),
    before bytea NOT NULL,
    chain bytea NOT NULL,
    rows bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (journal, last)
);
ALTER TABLE floor.packed ALTER COLUMN rows SET STORAGE EXTERNAL;
CREATE OR REPLACE TRIGGER packed_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.packed
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

-- in place of schema.sql's: a batch goes only where its pack is there, in the same transaction
CREATE OR REPLACE FUNCTION floor.refuse_change_of_batch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('floor.packing', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% of floor.% is refused: what is kept stays as it is', TG_OP, TG_TABLE_NAME;
END $$;
CREATE OR REPLACE TRIGGER batch_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.batch
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change_of_batch();

-- false where the batches are not those that the pack was made of: then nothing has changed
CREATE OR REPLACE FUNCTION floor.pack(
    p_journal bytea, p_first bigint, p_last bigint, p_before bytea, p_chain bytea, p_digests bytea, p_rows bytea
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
    next bigint := p_first;
    link bytea := p_before;
BEGIN
    PERFORM pg_advisory_xact_lock(6646472);
    FOR one IN
        SELECT b.first, b.last, b.before, b.chain FROM floor.batch b
        WHERE b.journal = p_journal AND b.last BETWEEN p_first AND p_last ORDER BY b.last
    LOOP
        IF one.first <> next OR one.before <> link THEN
            RETURN false;
        END IF;
        next := one.last + 1;
        link := one.chain;
    END LOOP;
    IF next <> p_last + 1 OR link <> p_chain OR octet_length(p_digests) <> 32 * (p_last - p_first + 1) THEN
        RETURN false;
    END IF;
    link := p_before;
    FOR i IN 0 .. (p_last - p_first)::integer LOOP
        link := sha256(link || substr(p_digests, i * 32 + 1, 32));
    END LOOP;
    IF link <> p_chain THEN
        RETURN false;
    END IF;
    INSERT INTO floor.packed (journal, first, last, before, chain, rows)
        VALUES (p_journal, p_first, p_last, p_before, p_chain, p_rows);
    PERFORM set_config('floor.packing', 'on', true);
    DELETE FROM floor.batch b WHERE b.journal = p_journal AND b.last BETWEEN p_first AND p_last;
    PERFORM set_config('floor.packing', 'off', true);
    RETURN true;
END $$;

-- in place of schema.sql's: packs and batches in their order. Of packs so many that a reader has a moment's work, and
-- of all so many bytes that it has room for them
CREATE OR REPLACE FUNCTION floor.batches_behind(p_journal bytea, p_after bigint, p_most integer)
RETURNS TABLE (owner text, first bigint, before bytea, chain bytea, rows bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT j.owner, w.first, w.before, w.chain, w.rows FROM (
        SELECT b.*, sum(b.last - b.first + 1) OVER (ORDER BY b.last) - (b.last - b.first + 1) AS ahead,
            sum(octet_length(b.rows)) OVER (ORDER BY b.last) - octet_length(b.rows) AS bytes_ahead FROM (
            (SELECT p.journal, p.first, p.last, p.before, p.chain, p.rows FROM floor.packed p
             WHERE p.journal = p_journal AND p.last > p_after ORDER BY p.last LIMIT p_most)
            UNION ALL
            (SELECT q.journal, q.first, q.last, q.before, q.chain, q.rows FROM floor.batch q
             WHERE q.journal = p_journal AND q.last > p_after ORDER BY q.last LIMIT p_most)
        ) b ORDER BY b.last LIMIT p_most
    ) w JOIN floor.journal j ON j.id = w.journal
    WHERE (w.ahead < 100 * p_most AND w.bytes_ahead <= 4194304) OR w.ahead = 0 ORDER BY w.last
$$;

-- old batches behind entry `p_after`, for whoever packs, who has room for so many bytes of them
CREATE OR REPLACE FUNCTION floor.batches_to_pack(
    p_journal bytea, p_after bigint, p_older_than timestamptz, p_most integer
) RETURNS TABLE (first bigint, before bytea, chain bytea, rows bytea)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT w.first, w.before, w.chain, w.rows FROM (
        SELECT o.*, sum(octet_length(o.rows)) OVER (ORDER BY o.last) - octet_length(o.rows) AS bytes_ahead FROM (
            SELECT b.* FROM floor.batch b
            WHERE b.journal = p_journal AND b.last > p_after AND b.at < p_older_than ORDER BY b.last LIMIT p_most
        ) o
    ) w WHERE w.bytes_ahead <= 8388608 ORDER BY w.last
$$;

REVOKE ALL ON floor.packed FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.pack, floor.batches_to_pack FROM PUBLIC;

INSERT INTO floor.edition (number) VALUES (11) ON CONFLICT DO NOTHING;

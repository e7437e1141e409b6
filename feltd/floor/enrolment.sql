-- The floor's schema, edition 5: how tables come in, and how one is shut. It runs behind schema.sql, and may be run again.
-- `digest`: SHA-256 of a code, which itself is nowhere; `used_key`: SHA-256 of the key that was certified for it.
-- `certificate`: each one that was given out. `shutting`: the latest row of a table says whether it is shut.

CREATE TABLE IF NOT EXISTS floor.code (
    digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    owner text NOT NULL CHECK (length(owner) BETWEEN 1 AND 64),
    until double precision NOT NULL,
    who text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    used_key bytea,
    used timestamptz
);
CREATE TABLE IF NOT EXISTS floor.certificate (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner text NOT NULL,
    serial text NOT NULL,
    key bytea NOT NULL,
    ends double precision NOT NULL,
    how text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS certificate_owner ON floor.certificate (owner, number);
CREATE TABLE IF NOT EXISTS floor.shutting (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner text NOT NULL CHECK (length(owner) BETWEEN 1 AND 64),
    shut boolean NOT NULL,
    who text NOT NULL,
    why text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS shutting_owner ON floor.shutting (owner, number);

CREATE OR REPLACE TRIGGER certificate_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.certificate
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();
CREATE OR REPLACE TRIGGER shutting_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON floor.shutting
    FOR EACH STATEMENT EXECUTE FUNCTION floor.refuse_change();

CREATE OR REPLACE FUNCTION floor.is_shut(p_owner text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((SELECT s.shut FROM floor.shutting s WHERE s.owner = p_owner ORDER BY s.number DESC LIMIT 1), false)
$$;

-- whether the table was in the other state before
CREATE OR REPLACE FUNCTION floor.set_shut(p_owner text, p_shut boolean, p_who text, p_why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(p_owner, 7));
    IF floor.is_shut(p_owner) = p_shut THEN
        RETURN false;
    END IF;
    INSERT INTO floor.shutting (owner, shut, who, why) VALUES (p_owner, p_shut, p_who, p_why);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION floor.shut_tables() RETURNS TABLE (owner text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT l.owner FROM (
        SELECT DISTINCT ON (s.owner) s.owner, s.shut FROM floor.shutting s ORDER BY s.owner, s.number DESC
    ) l WHERE l.shut
$$;

CREATE OR REPLACE FUNCTION floor.add_code(p_digest bytea, p_owner text, p_until double precision, p_who text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.code (digest, owner, until, who) VALUES (p_digest, p_owner, p_until, p_who)
$$;

-- a code is one key's: the same key may ask again, for its answer may be lost
CREATE OR REPLACE FUNCTION floor.redeem(
    p_digest bytea, p_key bytea, p_now double precision, OUT verdict text, OUT owner text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    held record;
BEGIN
    SELECT c.owner, c.until, c.used_key INTO held FROM floor.code c WHERE c.digest = p_digest FOR UPDATE;
    owner := coalesce(held.owner, '');
    IF held.owner IS NULL THEN
        verdict := 'unknown';
    ELSIF held.used_key IS NOT NULL AND held.used_key <> p_key THEN
        verdict := 'used';
    ELSIF held.until < p_now THEN
        verdict := 'late';
    ELSIF floor.is_shut(held.owner) THEN
        verdict := 'shut';
    ELSE
        verdict := 'good';
        UPDATE floor.code c SET used_key = p_key, used = coalesce(c.used, now()) WHERE c.digest = p_digest;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION floor.add_certificate(
    p_owner text, p_serial text, p_key bytea, p_ends double precision, p_how text
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO floor.certificate (owner, serial, key, ends, how) VALUES (p_owner, p_serial, p_key, p_ends, p_how)
$$;

CREATE OR REPLACE FUNCTION floor.certificates()
RETURNS TABLE (owner text, serial text, key bytea, ends double precision, how text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT DISTINCT ON (c.owner) c.owner, c.serial, c.key, c.ends, c.how FROM floor.certificate c
    ORDER BY c.owner, c.number DESC
$$;

CREATE OR REPLACE FUNCTION floor.last_certificate(p_owner text)
RETURNS TABLE (owner text, serial text, key bytea, ends double precision, how text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.owner, c.serial, c.key, c.ends, c.how FROM floor.certificate c
    WHERE c.owner = p_owner ORDER BY c.number DESC LIMIT 1
$$;

REVOKE ALL ON floor.code, floor.certificate, floor.shutting FROM PUBLIC;
REVOKE ALL ON FUNCTION floor.is_shut, floor.set_shut, floor.shut_tables, floor.add_code, floor.redeem,
    floor.add_certificate, floor.certificates, floor.last_certificate FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.shut_tables, floor.certificates, floor.last_certificate TO floor_custody, floor_reader;
GRANT EXECUTE ON FUNCTION floor.set_shut, floor.add_code, floor.redeem, floor.add_certificate TO floor_custody;

INSERT INTO floor.edition (number) VALUES (5) ON CONFLICT DO NOTHING;

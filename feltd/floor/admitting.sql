-- The floor's schema, edition 18: certificates one after the other. It runs behind appending.sql, and may be run again.

-- the last certificate that each of these tables was given
CREATE OR REPLACE FUNCTION floor.last_certificates(p_owners text[])
RETURNS TABLE (owner text, serial text, key bytea, ends double precision, how text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.owner, c.serial, c.key, c.ends, c.how FROM unnest(p_owners) AS t (owner) CROSS JOIN LATERAL (
        SELECT x.owner, x.serial, x.key, x.ends, x.how FROM floor.certificate x
        WHERE x.owner = t.owner ORDER BY x.number DESC LIMIT 1
    ) c
$$;

-- `p_behind`: only where this is the serial of the table's last one, empty for none; null: whatever there is. Without
-- the lock a renewal of the old key could come in behind the enrolment that it did not know of, and outlive it.
CREATE OR REPLACE FUNCTION floor.give_certificate(
    p_owner text, p_serial text, p_key bytea, p_ends double precision, p_how text, p_behind text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(p_owner, 11));
    IF p_behind <> coalesce(
        (SELECT c.serial FROM floor.certificate c WHERE c.owner = p_owner ORDER BY c.number DESC LIMIT 1), ''
    ) THEN
        RETURN false;
    END IF;
    INSERT INTO floor.certificate (owner, serial, key, ends, how) VALUES (p_owner, p_serial, p_key, p_ends, p_how);
    RETURN true;
END $$;

REVOKE ALL ON FUNCTION floor.last_certificates, floor.give_certificate FROM PUBLIC;
GRANT EXECUTE ON FUNCTION floor.last_certificates TO floor_custody, floor_reader;
GRANT EXECUTE ON FUNCTION floor.give_certificate TO floor_custody;

INSERT INTO floor.edition (number) VALUES (18) ON CONFLICT DO NOTHING;

-- Table about: what this database was built from.

CREATE TABLE about AS
SELECT getvariable('stamp')::VARCHAR AS stamp, getvariable('months')::VARCHAR[] AS months;

COMMENT ON TABLE about IS 'What this database was built from, one row';
COMMENT ON COLUMN about.stamp IS 'Digest of the code''s version and of all inputs; an equal stamp is the same database';
COMMENT ON COLUMN about.months IS 'The months that are in it';

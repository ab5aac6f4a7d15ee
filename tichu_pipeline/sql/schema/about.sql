-- Table about: what this database was built from.

CREATE TABLE about AS
SELECT
    getvariable('stamp')::VARCHAR AS stamp, getvariable('months')::VARCHAR[] AS months,
    getvariable('tournaments')::VARCHAR AS tournaments, getvariable('reviews')::VARCHAR AS reviews;

COMMENT ON TABLE about IS 'What this database was built from, one row';
COMMENT ON COLUMN about.stamp IS 'Digest of the code''s version and of all months; an equal stamp is the same database, but for tournaments and reviews';
COMMENT ON COLUMN about.months IS 'The months that are in it';
COMMENT ON COLUMN about.tournaments IS 'Digest of all tournaments that are in it';
COMMENT ON COLUMN about.reviews IS 'Digest of all reviews that are in it';

-- Table tournaments: a row a played round of a tournament, as the Parquet files have them (view new_tournaments).

CREATE TABLE tournaments AS
SELECT parse_filename(filename, true) AS tournament, * EXCLUDE (filename) FROM new_tournaments;

COMMENT ON TABLE tournaments IS 'A row a played round of the tournaments of players, with the columns of their files';
COMMENT ON COLUMN tournaments.tournament IS 'Name of the tournament';

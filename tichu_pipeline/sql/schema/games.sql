-- Table games: a row for each log with a round. Filled in batches of months (view new_games).

CREATE TABLE games (
    game_id BIGINT, year SMALLINT, month TINYINT, num_rounds INTEGER,
    total_score_20 INTEGER, total_score_31 INTEGER, winner_team TINYINT, player_changed BOOLEAN,
    error_code TINYINT, file VARCHAR
);

INSERT INTO games
SELECT
    game_id, year, month, num_rounds, total_score_20, total_score_31, winner_team, player_changed, error_code, file
FROM new_games;

COMMENT ON TABLE games IS 'A row a game; empty and unreadable logs are none';
COMMENT ON COLUMN games.game_id IS 'Number of the log';
COMMENT ON COLUMN games.year IS 'Year of the log';
COMMENT ON COLUMN games.month IS 'Month of the log, 1..12';
COMMENT ON COLUMN games.num_rounds IS 'Rounds that have a result';
COMMENT ON COLUMN games.total_score_20 IS 'Game score of team 20 (seats 2 and 0) at the end, as logged';
COMMENT ON COLUMN games.total_score_31 IS 'Game score of team 31 (seats 3 and 1) at the end, as logged';
COMMENT ON COLUMN games.winner_team IS '20 or 31; 0 for a draw; NULL if nobody reached 1000';
COMMENT ON COLUMN games.player_changed IS 'Somebody was replaced in the course of the game';
COMMENT ON COLUMN games.error_code IS 'Code of what is wrong with the game (table error_codes); 0: nothing';
COMMENT ON COLUMN games.file IS 'Archive and member, or file, of the log';

-- Tables player_ratings and rating_predictions, which tichu_pipeline.analysis.ratings computes (views new_...).

CREATE TABLE player_ratings AS
SELECT player_name, year, month, games, elo, mu, sigma, mu - 3 * sigma AS ordinal FROM new_player_ratings
ORDER BY player_name, year, month;

CREATE TABLE rating_predictions AS
SELECT game_id, year, month, elo_20, openskill_20, result_20, least_games FROM new_rating_predictions
ORDER BY game_id;

COMMENT ON TABLE player_ratings IS 'Ratings of a player after each month in which he finished a rated game: both teams complete from the first round to the last, all with a name';
COMMENT ON COLUMN player_ratings.player_name IS 'Name in the logs';
COMMENT ON COLUMN player_ratings.year IS 'Year';
COMMENT ON COLUMN player_ratings.month IS 'Month, 1..12';
COMMENT ON COLUMN player_ratings.games IS 'Rated games up to the end of this month';
COMMENT ON COLUMN player_ratings.elo IS 'Elo: divisor 400, K 40 in the first 30 games, then 20, 10 once 2400 was reached; a team is the mean of its players';
COMMENT ON COLUMN player_ratings.mu IS 'OpenSkill (Plackett-Luce, beta 25): estimated strength';
COMMENT ON COLUMN player_ratings.sigma IS 'OpenSkill: its uncertainty';
COMMENT ON COLUMN player_ratings.ordinal IS 'OpenSkill: mu - 3 sigma, what the player is worth almost certainly';

COMMENT ON TABLE rating_predictions IS 'A row a rated game: what the ratings before it said about its result';
COMMENT ON COLUMN rating_predictions.game_id IS 'Number of the log';
COMMENT ON COLUMN rating_predictions.year IS 'Year of the log';
COMMENT ON COLUMN rating_predictions.month IS 'Month of the log, 1..12';
COMMENT ON COLUMN rating_predictions.elo_20 IS 'Expected result of team 20 by Elo, 0..1';
COMMENT ON COLUMN rating_predictions.openskill_20 IS 'Expected result of team 20 by OpenSkill, 0..1';
COMMENT ON COLUMN rating_predictions.result_20 IS '1: team 20 won, 0: team 31 won, 0.5: a draw';
COMMENT ON COLUMN rating_predictions.least_games IS 'Rated games that the least experienced of the four had behind him';

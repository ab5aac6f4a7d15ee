-- Table reviews: a row for each judged decision, from the Parquet files (view new_reviews) and what was asked for in
-- them (view new_reviews_metadata).

CREATE TABLE reviews (
    game_id BIGINT, round_index INTEGER, turn SMALLINT, seat TINYINT, year SMALLINT, month TINYINT,
    player VARCHAR, partner VARCHAR, kind VARCHAR, answer VARCHAR, best VARCHAR,
    loss FLOAT, low FLOAT, high FLOAT, certain BOOLEAN, options TINYINT, policy FLOAT, agent VARCHAR, seed BIGINT
);

INSERT INTO reviews BY NAME
WITH requests AS (
    SELECT parse_filename(file_name, true) AS of_month, decode(value)::JSON AS request
    FROM new_reviews_metadata
    WHERE decode(key) = 'tichu.reviews'
)
SELECT
    * EXCLUDE (filename, of_month, request),
    split_part(of_month, '-', 1)::SMALLINT AS year, split_part(of_month, '-', 2)::TINYINT AS month,
    request ->> 'agent' AS agent, (request ->> 'seed')::BIGINT AS seed
FROM (SELECT *, parse_filename(filename, true) AS of_month FROM new_reviews) JOIN requests USING (of_month);

COMMENT ON TABLE reviews IS 'A row a decision that a referee has judged (docs/review.md); empty until the job judge has run. Losses of different referees do not compare';
COMMENT ON COLUMN reviews.game_id IS 'Number of the log';
COMMENT ON COLUMN reviews.round_index IS 'Place of the round in its game, from 0';
COMMENT ON COLUMN reviews.turn IS 'Plays and passes of the round before the decision; NULL before the play';
COMMENT ON COLUMN reviews.seat IS 'Seat 0..3 that decided';
COMMENT ON COLUMN reviews.year IS 'Year of the log';
COMMENT ON COLUMN reviews.month IS 'Month of the log, 1..12';
COMMENT ON COLUMN reviews.player IS 'Name in this round; may be empty';
COMMENT ON COLUMN reviews.partner IS 'Name of the partner in this round';
COMMENT ON COLUMN reviews.kind IS 'grand, tichu (before schupfen), schupf, small (in play), play, bomb, wish or dragon';
COMMENT ON COLUMN reviews.answer IS 'The given answer as JSON: cards as labels, true or false, a rank, right or left; of schupf the cards to the right, the partner, the left';
COMMENT ON COLUMN reviews.best IS 'The best answer that was tried, likewise; the given one where no difference is seen';
COMMENT ON COLUMN reviews.loss IS 'Points of the own team''s result that the answer cost; 0 where no difference is seen';
COMMENT ON COLUMN reviews.low IS 'Lower end of its 95% interval; NULL where it has none. It is of the loss as measured, which may be below 0';
COMMENT ON COLUMN reviews.high IS 'Upper end of its 95% interval; NULL where it has none';
COMMENT ON COLUMN reviews.certain IS 'Whether the answer surely cost something';
COMMENT ON COLUMN reviews.options IS 'Answers that were tried';
COMMENT ON COLUMN reviews.policy IS 'How likely the referee finds the given answer, 0..1; NULL where it has no probabilities';
COMMENT ON COLUMN reviews.agent IS 'The referee, named as for tichu review --by';
COMMENT ON COLUMN reviews.seed IS 'Seed of its random numbers';

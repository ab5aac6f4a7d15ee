-- Table players_rounds: a row for each round and seat. Filled in batches of months (view new_seats).

CREATE TABLE players_rounds (
    game_id BIGINT, round_index INTEGER, seat TINYINT, year SMALLINT, month TINYINT, player_name VARCHAR,
    first_hand BIGINT, start_hand BIGINT, hand BIGINT,
    given_right TINYINT, given_partner TINYINT, given_left TINYINT,
    received_right TINYINT, received_partner TINYINT, received_left TINYINT,
    tichu_position SMALLINT, call TINYINT, call_made BOOLEAN, bomb BOOLEAN, bombs_played TINYINT,
    place TINYINT, points SMALLINT, score SMALLINT, score_diff INTEGER, lead_before INTEGER, score_before INTEGER,
    rule_break TINYINT
);

INSERT INTO players_rounds
SELECT
    game_id, round_index, seat, year, month, player_name, first_hand, start_hand, hand,
    given_right, given_partner, given_left, received_right, received_partner, received_left,
    tichu_position, call_of(tichu_position),
    CASE WHEN tichu_position <> -3 THEN winner_index = seat END,
    bomb, bombs_played, place, points,
    CASE WHEN seat % 2 = 0 THEN score_20 ELSE score_31 END,
    CASE WHEN seat % 2 = 0 THEN score_20 - score_31 ELSE score_31 - score_20 END,
    CASE WHEN seat % 2 = 0 THEN 1 ELSE -1 END * (score_cum_20 - score_20 - score_cum_31 + score_31),
    CASE WHEN seat % 2 = 0 THEN score_cum_20 - score_20 ELSE score_cum_31 - score_31 END,
    rule_break
FROM new_seats;

COMMENT ON TABLE players_rounds IS 'A row a round and seat. What cannot be known of a broken round is NULL. Cards are card indices, hands are sets (masks): macros card_label, card_value, cards';
COMMENT ON COLUMN players_rounds.game_id IS 'Number of the log';
COMMENT ON COLUMN players_rounds.round_index IS 'Place of the round in its game, from 0';
COMMENT ON COLUMN players_rounds.seat IS 'Seat 0..3; right opponent seat + 1, partner + 2, left opponent + 3';
COMMENT ON COLUMN players_rounds.year IS 'Year of the log';
COMMENT ON COLUMN players_rounds.month IS 'Month of the log, 1..12';
COMMENT ON COLUMN players_rounds.player_name IS 'Name in this round; may be empty';
COMMENT ON COLUMN players_rounds.first_hand IS 'The first eight cards';
COMMENT ON COLUMN players_rounds.start_hand IS 'All fourteen cards, before schupfen';
COMMENT ON COLUMN players_rounds.hand IS 'The fourteen cards after schupfen';
COMMENT ON COLUMN players_rounds.given_right IS 'Card given to the right opponent';
COMMENT ON COLUMN players_rounds.given_partner IS 'Card given to the partner';
COMMENT ON COLUMN players_rounds.given_left IS 'Card given to the left opponent';
COMMENT ON COLUMN players_rounds.received_right IS 'Card received from the right opponent';
COMMENT ON COLUMN players_rounds.received_partner IS 'Card received from the partner';
COMMENT ON COLUMN players_rounds.received_left IS 'Card received from the left opponent';
COMMENT ON COLUMN players_rounds.tichu_position IS 'Turns before the small Tichu; -1 before or during schupfen, -2 grand Tichu, -3 none';
COMMENT ON COLUMN players_rounds.call IS '0 none, 1 small, 2 grand Tichu';
COMMENT ON COLUMN players_rounds.call_made IS 'Whether the caller came in first; NULL without a call';
COMMENT ON COLUMN players_rounds.bomb IS 'Holds a bomb after schupfen';
COMMENT ON COLUMN players_rounds.bombs_played IS 'Bombs that the seat played';
COMMENT ON COLUMN players_rounds.place IS 'In which place the seat came in, 1..4; 0: still in at a double victory';
COMMENT ON COLUMN players_rounds.points IS 'Points in the tricks that the seat collected';
COMMENT ON COLUMN players_rounds.score IS 'Logged result of the own team';
COMMENT ON COLUMN players_rounds.score_diff IS 'Logged result of the own team less that of the other';
COMMENT ON COLUMN players_rounds.lead_before IS 'Game score of the own team less that of the other, before the round';
COMMENT ON COLUMN players_rounds.score_before IS 'Game score of the own team before the round';
COMMENT ON COLUMN players_rounds.rule_break IS 'Code of what is wrong with the round (table error_codes); 0: nothing';

-- Table rounds: a row for each round that has a result. Filled in batches of months (view new_rounds).

CREATE TABLE rounds (
    game_id BIGINT, round_index INTEGER, year SMALLINT, month TINYINT,
    player_names VARCHAR[4], tichu_positions SMALLINT[4],
    num_tricks SMALLINT, num_turns SMALLINT, min_points SMALLINT, max_points SMALLINT, avg_points FLOAT,
    score_20 SMALLINT, score_31 SMALLINT, score_diff INTEGER, score_cum_20 INTEGER, score_cum_31 INTEGER,
    wish_value TINYINT, mahjong_by TINYINT, wish_fulfilled_by TINYINT,
    dragon_giver TINYINT, dragon_recipient TINYINT, dog_by TINYINT, dog_to TINYINT,
    is_double_victory BOOLEAN, winner_index TINYINT, loser_index TINYINT, phoenix_low BOOLEAN,
    replayed_score_20 SMALLINT, replayed_score_31 SMALLINT,
    rule_break TINYINT, line INTEGER, history BLOB
);

INSERT INTO rounds
SELECT
    game_id, round_index, year, month, player_names, tichu_positions,
    num_tricks, num_turns, min_points, max_points, avg_points,
    score_entry[1], score_entry[2], score_entry[1]::INTEGER - score_entry[2], score_cum_20, score_cum_31,
    wish_value, mahjong_by, wish_fulfilled_by, dragon_giver, dragon_recipient, dog_by, dog_to,
    is_double_victory, winner_index, loser_index, phoenix_low,
    replayed_score[1], replayed_score[2],
    rule_break, line, history
FROM new_rounds;

COMMENT ON TABLE rounds IS 'A row a round that has a result, broken ones included. What cannot be known of a broken round is NULL';
COMMENT ON COLUMN rounds.game_id IS 'Number of the log';
COMMENT ON COLUMN rounds.round_index IS 'Place of the round in its game, from 0';
COMMENT ON COLUMN rounds.year IS 'Year of the log';
COMMENT ON COLUMN rounds.month IS 'Month of the log, 1..12';
COMMENT ON COLUMN rounds.player_names IS 'Names of seats 0..3, in SQL player_names[1] .. player_names[4]';
COMMENT ON COLUMN rounds.tichu_positions IS 'For each seat the turns before its small Tichu; -1 before or during schupfen, -2 grand Tichu, -3 none';
COMMENT ON COLUMN rounds.num_tricks IS 'Tricks collected (the Dog is none)';
COMMENT ON COLUMN rounds.num_turns IS 'Plays and passes; collecting is no turn';
COMMENT ON COLUMN rounds.min_points IS 'Fewest points that a seat had collected before any turn';
COMMENT ON COLUMN rounds.max_points IS 'Most points that a seat had collected before any turn';
COMMENT ON COLUMN rounds.avg_points IS 'Mean over turns and seats of the points collected before the turn';
COMMENT ON COLUMN rounds.score_20 IS 'Logged result of team 20 (seats 2 and 0)';
COMMENT ON COLUMN rounds.score_31 IS 'Logged result of team 31 (seats 3 and 1)';
COMMENT ON COLUMN rounds.score_diff IS 'score_20 - score_31';
COMMENT ON COLUMN rounds.score_cum_20 IS 'Game score of team 20 after this round';
COMMENT ON COLUMN rounds.score_cum_31 IS 'Game score of team 31 after this round';
COMMENT ON COLUMN rounds.wish_value IS 'Wished value 2..14; 0: no wish was made';
COMMENT ON COLUMN rounds.mahjong_by IS 'Seat that played the Mahjong; -1 if nobody did';
COMMENT ON COLUMN rounds.wish_fulfilled_by IS 'Seat that first played the wished value; -1 if none did';
COMMENT ON COLUMN rounds.dragon_giver IS 'Seat that gave the Dragon''s trick away; -1 if none did';
COMMENT ON COLUMN rounds.dragon_recipient IS 'Seat that was given the Dragon''s trick; -1 if none was';
COMMENT ON COLUMN rounds.dog_by IS 'Seat that led the Dog; -1 if none did';
COMMENT ON COLUMN rounds.dog_to IS 'Seat that led after the Dog; -1 if none did';
COMMENT ON COLUMN rounds.is_double_victory IS 'Both players of a team came in first';
COMMENT ON COLUMN rounds.winner_index IS 'Seat that came in first';
COMMENT ON COLUMN rounds.loser_index IS 'Seat that stayed in alone; -1 at a double victory';
COMMENT ON COLUMN rounds.phoenix_low IS 'An ambiguous Phoenix was read low because of what was laid on it';
COMMENT ON COLUMN rounds.replayed_score_20 IS 'Result of team 20 as the replay counts it';
COMMENT ON COLUMN rounds.replayed_score_31 IS 'Result of team 31 as the replay counts it';
COMMENT ON COLUMN rounds.rule_break IS 'Code of what is wrong with the round (table error_codes); 0: nothing';
COMMENT ON COLUMN rounds.line IS 'Line of the log where the round begins, from 1';
COMMENT ON COLUMN rounds.history IS 'The turns as bytes; macro turns(game, round) reads them';

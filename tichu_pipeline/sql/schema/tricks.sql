-- Table tricks: a row for each trick of every round that was played to its end. Filled in batches of months (view new_tricks).

CREATE TABLE tricks (
    game_id BIGINT, round_index INTEGER, trick_index TINYINT, first_turn SMALLINT,
    num_turns TINYINT, num_plays TINYINT, num_bombs TINYINT, leader TINYINT, winner TINYINT, recipient TINYINT,
    points SMALLINT, type TINYINT, length TINYINT, rank TINYINT
);

INSERT INTO tricks
SELECT
    game_id, round_index, trick_index, first_turn, num_turns, num_plays, num_bombs, leader, winner, recipient,
    points, type, length, rank
FROM new_tricks;

COMMENT ON TABLE tricks IS 'A row a trick of every round that was played to its end; the Dog is no trick';
COMMENT ON COLUMN tricks.game_id IS 'Number of the log';
COMMENT ON COLUMN tricks.round_index IS 'Place of the round in its game, from 0';
COMMENT ON COLUMN tricks.trick_index IS 'Place of the trick in its round, from 0';
COMMENT ON COLUMN tricks.first_turn IS 'Turns of the round before the trick''s first play';
COMMENT ON COLUMN tricks.num_turns IS 'Plays and passes';
COMMENT ON COLUMN tricks.num_plays IS 'Plays';
COMMENT ON COLUMN tricks.num_bombs IS 'Bombs among the plays';
COMMENT ON COLUMN tricks.leader IS 'Seat that played first';
COMMENT ON COLUMN tricks.winner IS 'Seat whose play lay on top';
COMMENT ON COLUMN tricks.recipient IS 'Seat that got the cards: the winner, or whom he gave the Dragon''s trick';
COMMENT ON COLUMN tricks.points IS 'Points of all its cards';
COMMENT ON COLUMN tricks.type IS 'Combination that won: 1 single, 2 pair, 3 triple, 4 stair, 5 full house, 6 street, 7 bomb (macro combination_name)';
COMMENT ON COLUMN tricks.length IS 'Its number of cards';
COMMENT ON COLUMN tricks.rank IS 'Its rank; 15 the Dragon, 16 the Phoenix alone';

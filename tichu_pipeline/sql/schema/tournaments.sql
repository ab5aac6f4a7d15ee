-- Table tournaments: a row for each round of a tournament, from the Parquet files (view new_tournaments).

CREATE TABLE tournaments (
    tournament VARCHAR, table_id BIGINT, pairing SMALLINT, a VARCHAR, b VARCHAR, deal INTEGER, team_a TINYINT,
    round_index INTEGER, agents VARCHAR[4], score_20 SMALLINT, score_31 SMALLINT, margin SMALLINT,
    tichu_positions SMALLINT[4], bombs TINYINT[4], num_tricks SMALLINT, num_turns SMALLINT,
    winner_index TINYINT, loser_index TINYINT, is_double_victory BOOLEAN,
    forfeit VARCHAR, forfeit_seat TINYINT, control FLOAT, seed BIGINT, whole_games BOOLEAN
);

INSERT INTO tournaments BY NAME
SELECT parse_filename(filename, true) AS tournament, * EXCLUDE (filename) FROM new_tournaments;

COMMENT ON TABLE tournaments IS 'A row a played round of the tournaments of players';
COMMENT ON COLUMN tournaments.tournament IS 'Name of the tournament';
COMMENT ON COLUMN tournaments.table_id IS 'Number of the table, as tichu tournament --replay takes it';
COMMENT ON COLUMN tournaments.pairing IS 'Number of the pairing, from 0';
COMMENT ON COLUMN tournaments.a IS 'First agent of the pairing';
COMMENT ON COLUMN tournaments.b IS 'Second agent of the pairing';
COMMENT ON COLUMN tournaments.deal IS 'Number of the deal, or of the pair of whole games over the same deals, from 0';
COMMENT ON COLUMN tournaments.team_a IS 'Team that a plays at this table: 20 or 31';
COMMENT ON COLUMN tournaments.round_index IS 'Place of the round in its game, from 0';
COMMENT ON COLUMN tournaments.agents IS 'Agents at seats 0..3, in SQL agents[1] .. agents[4]';
COMMENT ON COLUMN tournaments.score_20 IS 'Result of team 20 (seats 2 and 0); a forfeited round is 200 : 0';
COMMENT ON COLUMN tournaments.score_31 IS 'Result of team 31 (seats 3 and 1)';
COMMENT ON COLUMN tournaments.margin IS 'Points of a less those of b';
COMMENT ON COLUMN tournaments.tichu_positions IS 'For each seat the turns before its small Tichu; -1 before or during schupfen, -2 grand Tichu, -3 none';
COMMENT ON COLUMN tournaments.bombs IS 'Bombs that each seat threw';
COMMENT ON COLUMN tournaments.num_tricks IS 'Tricks collected (the Dog is none)';
COMMENT ON COLUMN tournaments.num_turns IS 'Plays and passes; collecting is no turn';
COMMENT ON COLUMN tournaments.winner_index IS 'Seat that came in first; NULL if the round was forfeited';
COMMENT ON COLUMN tournaments.loser_index IS 'Seat that stayed in alone; -1 at a double victory, NULL if the round was forfeited';
COMMENT ON COLUMN tournaments.is_double_victory IS 'Both players of a team came in first; NULL if the round was forfeited';
COMMENT ON COLUMN tournaments.forfeit IS 'Why the round was forfeited: illegal, crash or timeout; NULL if it was not';
COMMENT ON COLUMN tournaments.forfeit_seat IS 'Seat whose agent forfeited it';
COMMENT ON COLUMN tournaments.control IS 'What the luck of the cards promised team 20, where that was asked for; else 0';
COMMENT ON COLUMN tournaments.seed IS 'Seed of the tournament';
COMMENT ON COLUMN tournaments.whole_games IS 'Whole games to 1000, not single rounds';

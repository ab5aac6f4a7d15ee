-- Table combination_stats: how often each kind of play was made and beaten. Filled in batches of months.

CREATE TABLE combination_stats (
    type TINYINT, length TINYINT, rank TINYINT, call TINYINT, opponents_call TINYINT, cards_before TINYINT,
    beaten BOOLEAN, plays BIGINT, year SMALLINT, month TINYINT
);

INSERT INTO combination_stats
SELECT type, length, rank, call, opponents_call, cards_before, beaten, plays, year, month FROM new_combination_stats;

COMMENT ON TABLE combination_stats IS 'How often each kind of play was made, and whether it was beaten: a row a month, combination, calls and number of cards';
COMMENT ON COLUMN combination_stats.type IS 'Combination: 1 single, 2 pair, 3 triple, 4 stair, 5 full house, 6 street, 7 bomb (macro combination_name)';
COMMENT ON COLUMN combination_stats.length IS 'Its number of cards';
COMMENT ON COLUMN combination_stats.rank IS 'Its rank; 0 the Dog, 15 the Dragon, 16 the Phoenix alone';
COMMENT ON COLUMN combination_stats.call IS 'Of who played it: 0 none, 1 small, 2 grand Tichu';
COMMENT ON COLUMN combination_stats.opponents_call IS 'The highest call of the opponents';
COMMENT ON COLUMN combination_stats.cards_before IS 'Cards on the hand of who played it, before he did';
COMMENT ON COLUMN combination_stats.beaten IS 'Whether another play was laid on it';
COMMENT ON COLUMN combination_stats.plays IS 'How often';
COMMENT ON COLUMN combination_stats.year IS 'Year of the logs';
COMMENT ON COLUMN combination_stats.month IS 'Month of the logs, 1..12';

-- Table rule_breaks: a row for each broken round or fragment, with its text. Filled in batches of months (view new_rule_breaks).

CREATE TABLE rule_breaks (
    game_id BIGINT, round_index INTEGER, is_fragment BOOLEAN, rule_break TINYINT,
    file VARCHAR, line INTEGER, text VARCHAR, year SMALLINT, month TINYINT
);

INSERT INTO rule_breaks
SELECT game_id, round_index, is_fragment, rule_break, file, line, text, year, month FROM new_rule_breaks;

COMMENT ON TABLE rule_breaks IS 'A row a round that breaks a rule, or a fragment that is no round, with its text';
COMMENT ON COLUMN rule_breaks.game_id IS 'Number of the log';
COMMENT ON COLUMN rule_breaks.round_index IS 'Place of the round in its game; of a fragment, how many rounds were read before it';
COMMENT ON COLUMN rule_breaks.is_fragment IS 'Text without a result: it is not in table rounds';
COMMENT ON COLUMN rule_breaks.rule_break IS 'Code of what is wrong (table error_codes)';
COMMENT ON COLUMN rule_breaks.file IS 'Archive and member, or file, of the log';
COMMENT ON COLUMN rule_breaks.line IS 'Line of the log where it is wrong, from 1';
COMMENT ON COLUMN rule_breaks.text IS 'The text of the round or fragment';
COMMENT ON COLUMN rule_breaks.year IS 'Year of the log';
COMMENT ON COLUMN rule_breaks.month IS 'Month of the log, 1..12';

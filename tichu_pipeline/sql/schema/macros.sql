-- Macros. Sets of cards are masks (BIGINT), single cards are card indices 0..55, as in all of this project.

CREATE OR REPLACE MACRO card_labels() AS [
    'Hu', 'Ma',
    'S2', 'B2', 'G2', 'R2', 'S3', 'B3', 'G3', 'R3', 'S4', 'B4', 'G4', 'R4', 'S5', 'B5', 'G5', 'R5',
    'S6', 'B6', 'G6', 'R6', 'S7', 'B7', 'G7', 'R7', 'S8', 'B8', 'G8', 'R8', 'S9', 'B9', 'G9', 'R9',
    'S10', 'B10', 'G10', 'R10', 'SB', 'BB', 'GB', 'RB', 'SD', 'BD', 'GD', 'RD', 'SK', 'BK', 'GK', 'RK',
    'SA', 'BA', 'GA', 'RA', 'Dr', 'Ph'
];

-- The label of a card index, such as 'S9'.
CREATE OR REPLACE MACRO card_label(card) AS card_labels()[card + 1];

-- The index of a card, given as its index or its label; S10 may be written SZ.
CREATE OR REPLACE MACRO card_index(card) AS coalesce(
    TRY_CAST(card AS TINYINT), list_position(card_labels(), replace(card::VARCHAR, 'Z', '10'))::TINYINT - 1::TINYINT
);

-- The set that holds this one card (index or label).
CREATE OR REPLACE MACRO card_mask(card) AS 1::BIGINT << (
    CASE card_index(card) WHEN 0 THEN 1 WHEN 1 THEN 0 WHEN 54 THEN 3 WHEN 55 THEN 2 ELSE card_index(card) + 2 END
);

-- The value of a card (index or label): 0 Hu, 1 Ma, 2..14, 15 Dr, 16 Ph.
CREATE OR REPLACE MACRO card_value(card) AS
    CASE card_index(card) WHEN 0 THEN 0 WHEN 55 THEN 16 ELSE (card_index(card) + 6) // 4 END::TINYINT;

-- The name of a value 0..16: 'Dog' .. '9' .. 'Ace'.
CREATE OR REPLACE MACRO value_name(value) AS [
    'Dog', 'Mahjong', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'Jack', 'Queen', 'King', 'Ace', 'Dragon', 'Phoenix'
][value + 1];

CREATE OR REPLACE MACRO card_count(mask) AS bit_count(mask::BIGINT);

-- Whether a set holds a card (index or label).
CREATE OR REPLACE MACRO has_card(mask, card) AS (mask & card_mask(card)) <> 0;

-- The number of cards of a value 2..14 in a set.
CREATE OR REPLACE MACRO value_count(mask, value) AS bit_count(mask & (15::BIGINT << (4 * (value - 1))));

-- A set as labels: 'Dr Ph SA .. S2 Ma Hu'.
CREATE OR REPLACE MACRO cards(mask) AS array_to_string(
    list_filter(
        list_transform(
            [54, 55] || range(53, -1, -1), lambda card: CASE WHEN has_card(mask, card) THEN card_label(card) END
        ),
        lambda label: label IS NOT NULL
    ),
    ' '
);

-- Four of a kind: a bit for each rank of which the set holds all four.
CREATE OR REPLACE MACRO has_four(mask) AS
    (mask & (mask >> 1) & (mask >> 2) & (mask >> 3) & 4803839602528528) <> 0;

-- Five in a row of one colour: a colour is one bit of each nibble; nibble 0 holds the special cards.
CREATE OR REPLACE MACRO has_flush(mask) AS (
    (mask & ~15::BIGINT) & ((mask & ~15::BIGINT) >> 4) & ((mask & ~15::BIGINT) >> 8)
    & ((mask & ~15::BIGINT) >> 12) & ((mask & ~15::BIGINT) >> 16)
) <> 0;

CREATE OR REPLACE MACRO has_bomb(mask) AS has_four(mask) OR has_flush(mask);

-- 1 small, 2 grand Tichu, 0 none, for an entry of tichu_positions.
CREATE OR REPLACE MACRO call_of(tichu_position) AS
    CASE tichu_position WHEN -3 THEN 0 WHEN -2 THEN 2 ELSE 1 END::TINYINT;

CREATE OR REPLACE MACRO combination_name(type) AS
    ['PASS', 'SINGLE', 'PAIR', 'TRIPLE', 'STAIR', 'FULLHOUSE', 'STREET', 'BOMB'][type + 1];

-- The standard deviation under its name in SQL Server and many textbooks.
CREATE OR REPLACE MACRO stdev(x) AS stddev_samp(x);

-- Half the width of the 95% interval of a mean.
CREATE OR REPLACE MACRO margin95(x) AS 1.96 * stddev_samp(x) / sqrt(count(x));

-- The percentage of rows for which a condition holds, of those for which it is known.
CREATE OR REPLACE MACRO percent(condition) AS round(100 * avg(condition::INT), 3);

COMMENT ON MACRO card_label IS 'Label of a card index: S9';
COMMENT ON MACRO card_index IS 'Index 0..55 of a card given as index or label';
COMMENT ON MACRO card_mask IS 'The set that holds this one card (index or label)';
COMMENT ON MACRO card_value IS 'Value of a card (index or label): 0 Dog, 1 Mahjong, 2..14, 15 Dragon, 16 Phoenix';
COMMENT ON MACRO value_name IS 'Name of a value 0..16';
COMMENT ON MACRO card_count IS 'Number of cards in a set';
COMMENT ON MACRO has_card IS 'Whether a set holds a card (index or label)';
COMMENT ON MACRO value_count IS 'How many cards of a value 2..14 a set holds';
COMMENT ON MACRO cards IS 'A set of cards as labels';
COMMENT ON MACRO has_four IS 'Whether a set holds four of a kind';
COMMENT ON MACRO has_flush IS 'Whether a set holds five in a row in one colour';
COMMENT ON MACRO has_bomb IS 'Whether a set holds a bomb';
COMMENT ON MACRO call_of IS '0 none, 1 small, 2 grand Tichu, from an entry of tichu_positions';
COMMENT ON MACRO combination_name IS 'Name of a combination type 0..7';
COMMENT ON MACRO stdev IS 'Standard deviation, divided by n - 1';
COMMENT ON MACRO margin95 IS 'Half the width of the 95% interval of a mean';
COMMENT ON MACRO percent IS 'Percent of the rows for which a condition holds';

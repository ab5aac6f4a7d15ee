-- Turns of a game, of one of its rounds, or of all: turns(), turns(game), turns(game, round).

CREATE OR REPLACE MACRO turns(game := NULL, round := NULL) AS TABLE
WITH histories AS (
    -- An entry is 8s (pass), or 9s followed by card indices (play). As after a turn means that seat s took the trick.
    SELECT
        game_id, round_index,
        regexp_extract_all(hex(history), '[89][0-3](?:[0-3][0-9A-F])*(?:A[0-3])?') AS entries
    FROM rounds
    WHERE game_id = coalesce(game, game_id) AND round_index = coalesce(round, round_index)
),
entries AS (
    SELECT game_id, round_index, unnest(range(len(entries))) AS turn_index, unnest(entries) AS entry FROM histories
),
parts AS (
    SELECT
        game_id, round_index, turn_index, substr(entry, 2, 1)::TINYINT AS seat,
        CASE WHEN entry[-2] = 'A' THEN entry[-1]::TINYINT END AS taken_by,
        list_transform(
            regexp_extract_all(rtrim(CASE WHEN entry[-2] = 'A' THEN entry[3:-3] ELSE entry[3:] END), '..'),
            lambda code: ('0x' || code)::TINYINT
        ) AS played
    FROM entries
)
SELECT
    game_id, round_index, turn_index::SMALLINT AS turn_index, seat,
    len(played) = 0 AS is_pass,
    coalesce(list_sum(list_transform(played, lambda card: card_mask(card)))::BIGINT, 0) AS mask,
    array_to_string(list_transform(played, lambda card: card_label(card)), ' ') AS labels,
    len(played)::TINYINT AS num_cards,
    taken_by
FROM parts;

COMMENT ON MACRO TABLE turns IS
    'Turns of a game, of a round of it, or all: turns(), turns(game), turns(game, round). taken_by: who took the trick after the turn';

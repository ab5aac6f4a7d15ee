-- Table error_codes: what the codes of rounds and games mean.

CREATE TABLE error_codes AS
SELECT code::TINYINT AS code, scope, name, meaning FROM (VALUES
    (0, 'any', 'NONE', 'nothing is wrong'),
    (1, 'fragment', 'SYNTAX', 'text that is no round'),
    (2, 'fragment', 'TRUNCATED', 'a round without its result'),
    (10, 'round', 'INVALID_CARD_LABEL', 'a label that is no card'),
    (11, 'round', 'INVALID_CARD_COUNT', 'not 8, 14 or 3 cards'),
    (12, 'round', 'DUPLICATE_CARD', 'a card that was dealt, given or laid twice'),
    (13, 'round', 'CARD_NOT_IN_HAND', 'a card given or played that its player does not hold'),
    (14, 'round', 'CARD_ALREADY_PLAYED', 'a card played a second time'),
    (20, 'round', 'PASS_NOT_POSSIBLE', 'a pass instead of a lead'),
    (21, 'round', 'WISH_NOT_FOLLOWED', 'a pass or another play, though the wish could have been fulfilled'),
    (22, 'round', 'COMBINATION_NOT_PLAYABLE', 'no combination, or one that does not beat the trick'),
    (23, 'round', 'PLAYER_NOT_ON_TURN', 'a move out of turn that is no bomb'),
    (24, 'round', 'HISTORY_TOO_SHORT', 'a result though the round is not over'),
    (25, 'round', 'HISTORY_TOO_LONG', 'plays after the end of the round'),
    (30, 'round', 'DRAGON_NOT_GIVEN', 'a Dragon''s trick that nobody was given'),
    (31, 'round', 'DRAGON_GIVEN_TO_OWN_TEAM', 'a Dragon''s trick given to the own team'),
    (32, 'round', 'DRAGON_GIVEN_WITHOUT_BEAT', 'a gift though the Dragon won no trick'),
    (40, 'round', 'WISH_WITHOUT_MAHJONG', 'a wish without the Mahjong'),
    (50, 'round', 'ANNOUNCEMENT_NOT_POSSIBLE', 'a small Tichu after the first own play, or after a grand one'),
    (60, 'round', 'SCORE_NOT_POSSIBLE', 'a result that no round can have'),
    (61, 'round', 'SCORE_MISMATCH', 'a result that is possible, but not what was played'),
    (70, 'game', 'GAME_NOT_FINISHED', 'nobody reached 1000'),
    (71, 'game', 'GAME_OVERPLAYED', 'rounds after somebody reached 1000'),
    (80, 'game', 'ROUND_FAILED', 'a round is broken, or text is no round'),
    (90, 'log', 'EMPTY', 'an empty file'),
    (91, 'log', 'UNREADABLE', 'a file without any round')
) AS codes (code, scope, name, meaning);

COMMENT ON TABLE error_codes IS 'What the codes in rounds.rule_break, rule_breaks.rule_break and games.error_code mean';
COMMENT ON COLUMN error_codes.code IS 'The code';
COMMENT ON COLUMN error_codes.scope IS 'What it is said of: round, fragment, game, log';
COMMENT ON COLUMN error_codes.name IS 'Its name in the program';
COMMENT ON COLUMN error_codes.meaning IS 'What is wrong';

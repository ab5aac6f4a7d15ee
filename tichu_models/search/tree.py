"""Many search trees side by side, each on a deal of its own: PUCT with the policy as prior and a value at the leaves.

A step of all trees is `descend`, which goes down each tree to a position that has not been judged yet, and `grow`,
which hangs the answers of that position into the tree and tells the way up what it is worth; in between networks look
at all those positions at once. Where there is one answer only, the tree goes on without branching; a position with few
cards is worth what the endgame solver says. Both teams play for themselves; partners are one side.

What is simplified: on the way down nobody announces; a wish is for the card that was given to the right opponent, or an
ace; only the `width` most likely plays of a position are tried. Which deals there are does not belong here.
"""

from __future__ import annotations

import math

import numpy as np

from tichu_models.kernels import inner, kernel
from tichu_models.observation.view import VIEW, see
from tichu_models.rules.asking import PLAY, POSITION, ROUND_OVER, WISH, next_question, perform
from tichu_models.rules.cards import ACE, BIT_OF_INDEX, rank_of_bit
from tichu_models.rules.legal import PLAYS
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.endgame import SOLVING, UNSOLVED, WORST, solve
from tichu_models.search.position import QUESTIONS, cards_left, choices, lead_of_team_20

NO_NODE = -1
MOST_STEPS = 250  # of a way down

# fmt: off
NODE = np.dtype([
    ("position", POSITION),
    ("worth", np.float64),      # of a position whose value is known
    ("first", np.int32),        # where its edges begin
    ("edges", np.int32),        # how many there are; 0: worth is known
], align=True)

EDGE = np.dtype([
    ("move", np.int64),
    ("total", np.float64),      # of all values found behind it
    ("prior", np.float32),
    ("visits", np.int32),
    ("node", np.int32),         # where it leads; NO_NODE before the first visit
], align=True)

TREE = np.dtype([
    ("nodes", np.int32),        # how many there are
    ("edges", np.int32),
    ("leaf", np.int32),         # the node that waits to be judged, NO_NODE if none does
    ("steps", np.int32),        # length of the way down
    ("way", np.int32, MOST_STEPS),  # its edges
], align=True)

SEARCH_OPTIONS = np.dtype([
    ("exploration", np.float64),
    ("caution", np.float64),    # by how much worse than its position an untried answer is taken to be
    ("width", np.int64),
    ("solve", np.int64),        # cards at which the endgame solver is asked
    ("limit", np.int64),        # positions it may take
    ("even", np.int8),          # 1: all answers at the root are tried equally often
], align=True)

SEARCH_SCRATCH: np.dtype = np.dtype([("plays", PLAYS), ("solving", SOLVING), ("seen", VIEW)], align=True)
# fmt: on


@inner
def _usual_wish(state, seat):
    bit = np.int64(BIT_OF_INDEX[state.given[seat, 0]])
    return rank_of_bit(bit) if bit > 3 else ACE


@inner
def settle(node, rules, grove):
    """Goes on to the next question that has several answers; whether there is one. Else the worth is known."""
    position, plays = node.position, grove.plays
    if cards_left(position.state) <= rules.solve:
        worth = solve(position, -WORST, WORST, rules.limit, grove.solving)
        if worth != UNSOLVED:
            node.worth = worth / VALUE_UNIT
            return False
    while True:
        kind = next_question(position, QUESTIONS, plays)
        if kind == ROUND_OVER:
            node.worth = lead_of_team_20(position.state) / VALUE_UNIT
            return False
        if kind == WISH:
            perform(position, _usual_wish(position.state, position.seat))
        elif choices(position, plays) > 1:
            return True
        else:
            perform(position, plays.move[0])


@inner
def _least_tried(node, edges):
    """The place of the edge that was tried least, the likeliest of equals: edges stand in that order."""
    least = node.first
    for k in range(node.first, node.first + node.edges):
        if edges[k].visits < edges[least].visits:
            least = k
    return least


@inner
def _best_edge(node, edges, rules):
    """The place of the edge that is tried next."""
    sign = 1 - 2 * (node.position.seat & 1)
    visits, total = 0, 0.0
    for k in range(node.first, node.first + node.edges):
        visits += edges[k].visits
        total += edges[k].total
    untried = sign * total / max(visits, 1) - rules.caution
    root = rules.exploration * math.sqrt(max(visits, 1))
    best, highest = node.first, -np.inf
    for k in range(node.first, node.first + node.edges):
        n = edges[k].visits
        value = sign * edges[k].total / n if n else untried
        score = value + root * edges[k].prior / (1 + n)
        if score > highest:
            best, highest = k, score
    return best


@inner
def _back_up(tree, edges, worth):
    for step in range(tree.steps):
        edge = edges[tree.way[step]]
        edge.visits += 1
        edge.total += worth


@inner
def _add_edge(tree, node, edges, move, prior):
    edge = edges[tree.edges]
    edge.move, edge.prior, edge.total, edge.visits, edge.node = move, prior, 0.0, 0, NO_NODE
    tree.edges += 1
    node.edges += 1


@kernel
def select(trees, nodes, edges, rules, grove, views):
    """Goes down every tree once. Fills the views of positions that wait to be judged, one behind the other, and
    returns how many there are."""
    waiting = 0
    for t in range(len(trees)):
        tree = trees[t]
        tree.leaf = NO_NODE
        tree.steps = 0
        if tree.nodes == 0:
            continue  # no deal was found
        at = 0
        while True:
            node = nodes[t, at]
            if node.edges == 0:
                if at == 0 and tree.edges == 0:
                    tree.leaf = 0  # the root itself
                else:
                    _back_up(tree, edges[t], node.worth)
                break
            k = _least_tried(node, edges[t]) if at == 0 and rules.even else _best_edge(node, edges[t], rules)
            if tree.steps == MOST_STEPS or tree.nodes == nodes.shape[1]:
                break  # full: nothing is learned from this way
            tree.way[tree.steps] = k
            tree.steps += 1
            if edges[t, k].node >= 0:
                at = edges[t, k].node
                continue
            new = tree.nodes
            tree.nodes += 1
            edges[t, k].node = new
            below = nodes[t, new]
            below.position = node.position
            below.edges = 0
            below.first = tree.edges
            below.worth = 0.0
            perform(below.position, edges[t, k].move)
            if not settle(below, rules, grove):
                _back_up(tree, edges[t], below.worth)
                break
            if below.position.kind == PLAY:
                tree.leaf = new
                break
            n = choices(below.position, grove.plays)  # a bomb or not, who gets the Dragon: no network is asked
            if tree.edges + n > edges.shape[1]:
                break
            for i in range(n):
                _add_edge(tree, below, edges[t], grove.plays.move[i], 1.0 / n)
            at = new
        if tree.leaf >= 0:
            position = nodes[t, tree.leaf].position
            see(position.state, position.seat, PLAY, np.uint64(0), views[waiting])
            waiting += 1
    return waiting


@kernel
def expand(trees, nodes, edges, rules, plays, counts, priors, values):
    """Hangs the legal plays of the positions that were waiting into their trees, the likeliest ones, and tells what
    the positions are worth: `values` for the team of who is on turn. `priors` are overwritten."""
    waited = first = 0
    for t in range(len(trees)):
        tree = trees[t]
        if tree.leaf < 0:
            continue
        node = nodes[t, tree.leaf]
        end = first + counts[waited]
        node.first, node.edges = tree.edges, 0
        room = min(rules.width, edges.shape[1] - tree.edges)
        total = 0.0
        for _ in range(min(room, end - first)):
            best = first
            for k in range(first, end):
                if priors[k] > priors[best]:
                    best = k
            total += priors[best]
            _add_edge(tree, node, edges[t], plays[best], priors[best])
            priors[best] = -1.0
        for k in range(node.first, node.first + node.edges):
            edges[t, k].prior /= max(total, 1e-12)
        worth = values[waited] * (1 - 2 * (node.position.seat & 1))
        node.worth = worth
        _back_up(tree, edges[t], worth)
        waited += 1
        first = end


@kernel
def root_statistics(trees, nodes, edges, weights, deals, plays, counts, visits, values):
    """Sums the roots of each decision's trees, each with its weight: visits and mean value of every legal move for who
    is on turn. Moves that were not tried have none."""
    first = 0
    for i in range(len(counts)):
        for k in range(first, first + counts[i]):
            visits[k] = values[k] = 0.0
        for t in range(i * deals, (i + 1) * deals):
            if trees[t].nodes == 0:
                continue
            root = nodes[t, 0]
            sign = 1 - 2 * (root.position.seat & 1)
            for e in range(root.first, root.first + root.edges):
                for k in range(first, first + counts[i]):
                    if plays[k] == edges[t, e].move:
                        visits[k] += weights[t] * edges[t, e].visits
                        values[k] += weights[t] * sign * edges[t, e].total
        for k in range(first, first + counts[i]):
            values[k] = values[k] / visits[k] if visits[k] > 0 else 0.0
        first += counts[i]

"""Monte Carlo tree search (PUCT) on known deals: many trees side by side, their positions evaluated in batches.

A simulation has the steps of AlphaZero's search:

1. select: from the root along the edge with the highest Q + exploration * P * sqrt(N of all edges) / (1 + N), down to a
   position that has not been evaluated. P is the edge's prior, N its visits, Q its mean value. The Q of an unvisited
   edge is the mean value of its position less `caution` (first-play urgency).
2. evaluate: the caller asks a policy for the priors of that position's plays, and a value network or a rollout for its
   value, for the positions of all trees in one batch.
3. expand: the `width` likeliest plays become edges, their priors normalised.
4. back up: the value is added to all edges of the path.

`select` does the first step for all trees, `expand` the last two. What differs from AlphaZero:

- Each tree has a deal of its own, with all hands open. Partners are one side: team 20 maximises the value, team 31
  minimises it. Values are in points / 100, as team 20 counts them.
- A position with one legal answer gets no node: the tree goes on to the next choice.
- Finished rounds, and endings that the endgame solver solves, have exact values. They are backed up at once.
- With the option `even`, select visits the edges of the root equally often.
- Simplifications: nobody announces within a tree; a wish is for the rank that was given to the right opponent, or for
  the ace; where a bomb may be thrown or the Dragon given away, all answers have the same prior.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inner, kernel
from tichu_models.observation.view import VIEW, see
from tichu_models.rules.asking import PLAY, POSITION, ROUND_OVER, WISH, next_question, perform
from tichu_models.rules.legal import PLAYS
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.endgame import SOLVING, UNSOLVED, WORST, solve
from tichu_models.search.position import QUESTIONS, cards_left, choices, lead_of_team_20, usual_wish

NO_NODE = -1
MAX_DEPTH = 250  # edges of a path

# fmt: off
NODE = np.dtype([
    ("position", POSITION),
    ("value", np.float64),      # for team 20, once it was evaluated, solved or scored
    ("first", np.int32),        # place of its first edge
    ("edges", np.int32),        # how many edges it has; 0 before it is expanded, and where its value is exact
], align=True)

EDGE = np.dtype([
    ("move", np.int64),         # the answer that it stands for
    ("total", np.float64),      # sum of the values that were backed up; divided by the visits it is Q
    ("prior", np.float32),      # P: how likely the policy finds the answer
    ("visits", np.int32),       # N
    ("node", np.int32),         # the node below it; NO_NODE before the first visit
], align=True)

TREE = np.dtype([
    ("nodes", np.int32),        # how many nodes it has; 0 if there is no deal to search
    ("edges", np.int32),        # how many edges it has
    ("leaf", np.int32),         # the node that `select` has found and `expand` is to expand; NO_NODE if there is none
    ("depth", np.int32),        # edges of the path
    ("path", np.int32, MAX_DEPTH),  # the edges from the root to the selected position
], align=True)

SEARCH_OPTIONS = np.dtype([
    ("exploration", np.float64),
    ("caution", np.float64),    # first-play urgency: the Q of an unvisited edge, below the value of its position
    ("width", np.int64),        # most plays of a position that become edges
    ("solve", np.int64),        # most cards on all hands for which the endgame solver is called
    ("limit", np.int64),        # most positions that the solver may visit
    ("even", np.int8),          # 1: visits the edges of the root equally often
], align=True)

SEARCH_SCRATCH: np.dtype = np.dtype([("plays", PLAYS), ("solving", SOLVING), ("seen", VIEW)], align=True)
# fmt: on
Node: TypeAlias = Any  # a record of NODE
Tree: TypeAlias = Any  # a record of TREE
SearchOptions: TypeAlias = Any  # a record of SEARCH_OPTIONS
SearchScratch: TypeAlias = Any  # a record of SEARCH_SCRATCH


@inner
def _go_to_choice(node: Node, options: SearchOptions, scratch: SearchScratch) -> bool:
    """Moves the node's position on to the next question with several answers. Returns False where the value is exact:
    the round ends before such a question, or the endgame solver has solved it."""
    position, plays = node.position, scratch.plays
    if cards_left(position.state) <= options.solve:
        points = solve(position, -WORST, WORST, options.limit, scratch.solving)
        if points != UNSOLVED:
            node.value = points / VALUE_UNIT
            return False
    while True:
        kind = next_question(position, QUESTIONS, plays)
        if kind == ROUND_OVER:
            node.value = lead_of_team_20(position.state) / VALUE_UNIT
            return False
        if kind == WISH:
            perform(position, usual_wish(position.state, position.seat))
        elif choices(position, plays) > 1:
            return True
        else:
            perform(position, plays.move[0])


@inner
def _least_visited_edge(node: Node, edges: np.ndarray) -> int:
    """The place of the edge with the fewest visits; of equals the likeliest, as edges are sorted by prior."""
    least = node.first
    for k in range(node.first, node.first + node.edges):
        if edges[k].visits < edges[least].visits:
            least = k
    return least


@inner
def _best_edge(node: Node, edges: np.ndarray, options: SearchOptions) -> int:
    """The place of the edge with the highest PUCT score, for the team that is asked."""
    sign = 1 - 2 * (node.position.seat & 1)
    visits, total = 0, 0.0
    for k in range(node.first, node.first + node.edges):
        visits += edges[k].visits
        total += edges[k].total
    first_play_urgency = sign * total / max(visits, 1) - options.caution
    weight = options.exploration * math.sqrt(max(visits, 1))
    best, highest = node.first, -np.inf
    for k in range(node.first, node.first + node.edges):
        n = edges[k].visits
        q = sign * edges[k].total / n if n else first_play_urgency
        score = q + weight * edges[k].prior / (1 + n)
        if score > highest:
            best, highest = k, score
    return best


@inner
def _back_up(tree: Tree, edges: np.ndarray, value: float) -> None:
    """Adds a value and a visit to all edges of the path."""
    for step in range(tree.depth):
        edge = edges[tree.path[step]]
        edge.visits += 1
        edge.total += value


@inner
def _add_edge(tree: Tree, node: Node, edges: np.ndarray, move: int, prior: float) -> None:
    """Adds an edge to the node, which must be the last one that got any."""
    edge = edges[tree.edges]
    edge.move, edge.prior, edge.total, edge.visits, edge.node = move, prior, 0.0, 0, NO_NODE
    tree.edges += 1
    node.edges += 1


@kernel
def select(
    trees: np.ndarray,
    nodes: np.ndarray,
    edges: np.ndarray,
    options: SearchOptions,
    scratch: SearchScratch,
    views: np.ndarray,
) -> int:
    """Selects a position in every tree. Those that have to be evaluated become the trees' leaves, their views are
    written end to end; returns how many. Positions with an exact value are backed up at once."""
    waiting = 0
    for t in range(len(trees)):
        tree = trees[t]
        tree.leaf = NO_NODE
        tree.depth = 0
        if tree.nodes == 0:
            continue  # no deal fitted
        at = 0
        while True:
            node = nodes[t, at]
            if node.edges == 0:
                if at == 0 and tree.edges == 0:
                    tree.leaf = 0  # the root itself
                else:
                    _back_up(tree, edges[t], node.value)
                break
            is_even = at == 0 and options.even == 1
            k = _least_visited_edge(node, edges[t]) if is_even else _best_edge(node, edges[t], options)
            if tree.depth == MAX_DEPTH or tree.nodes == nodes.shape[1]:
                break  # no room: this simulation is lost
            tree.path[tree.depth] = k
            tree.depth += 1
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
            below.value = 0.0
            perform(below.position, edges[t, k].move)
            if not _go_to_choice(below, options, scratch):
                _back_up(tree, edges[t], below.value)
                break
            if below.position.kind == PLAY:
                tree.leaf = new
                break
            n = choices(below.position, scratch.plays)  # a bomb or none, who gets the Dragon: not evaluated
            if tree.edges + n > edges.shape[1]:
                break
            for i in range(n):
                _add_edge(tree, below, edges[t], scratch.plays.move[i], 1.0 / n)
            at = new
        if tree.leaf >= 0:
            position = nodes[t, tree.leaf].position
            see(position.state, position.seat, PLAY, np.uint64(0), views[waiting])
            waiting += 1
    return waiting


@kernel
def expand(
    trees: np.ndarray,
    nodes: np.ndarray,
    edges: np.ndarray,
    options: SearchOptions,
    plays: np.ndarray,
    counts: np.ndarray,
    priors: np.ndarray,
    values: np.ndarray,
) -> None:
    """Expands the leaves that `select` has found, and backs up their values.

    `plays` are the leaves' legal plays end to end with their `priors`, which are overwritten; `counts` says how many
    each leaf has. `values` holds a value for each leaf, for the team that is asked there.
    """
    waited = first = 0
    for t in range(len(trees)):
        tree = trees[t]
        if tree.leaf < 0:
            continue
        node = nodes[t, tree.leaf]
        end = first + counts[waited]
        node.first, node.edges = tree.edges, 0
        room = min(options.width, edges.shape[1] - tree.edges)
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
        value = values[waited] * (1 - 2 * (node.position.seat & 1))
        node.value = value
        _back_up(tree, edges[t], value)
        waited += 1
        first = end


@kernel
def root_statistics(
    trees: np.ndarray,
    nodes: np.ndarray,
    edges: np.ndarray,
    weights: np.ndarray,
    deals: int,
    plays: np.ndarray,
    counts: np.ndarray,
    visits: np.ndarray,
    values: np.ndarray,
) -> None:
    """Visits and mean value of every legal play of each decision, for the team that is asked: summed over the roots of
    the decision's `deals` trees, each with its weight. A play that was not visited has the value 0."""
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

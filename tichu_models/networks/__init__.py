"""Networks that play and judge: plain torch modules, their sizes, their checkpoints and how outputs become a move.

`registry` names them all and needs no torch; a module that is about torch imports it. Training does not belong here.
"""

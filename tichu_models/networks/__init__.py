"""The networks as plain torch modules, their sizes (`configs`), and how outputs become the score of a move.

`architectures` lists all networks by name and works without torch. How networks are trained is in `learning`.
"""

"""Ganz schön clever: six dice, five coloured areas of a sheet, and bonuses that chain."""

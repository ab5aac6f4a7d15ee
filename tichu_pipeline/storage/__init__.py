"""Where files lie and how they get there: folders, months, stamps, workers. Knows no stage."""

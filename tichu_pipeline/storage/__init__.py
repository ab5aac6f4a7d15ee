"""Files below the data folder and how they are written: paths, months, stamps, workers. It knows no stage."""

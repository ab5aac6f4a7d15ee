"""The state of a data folder: what each stage has made, whether it is fresh, and whether this machine is fit for it."""

"""The portal that game logs are downloaded from."""

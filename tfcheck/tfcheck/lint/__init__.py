"""The static pass: discover, index, find traced regions, run rules, suppress, fix."""

//! Journeys, invariants and end-to-end tests.

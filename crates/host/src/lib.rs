//! The headless engine behind every front end.

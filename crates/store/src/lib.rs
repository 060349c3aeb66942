//! SQLite storage of Mooring.

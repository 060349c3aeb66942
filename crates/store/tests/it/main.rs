//! The store on real files: what is saved is found again, and what goes wrong is said.

#![expect(clippy::unwrap_used, reason = "a test fails where it finds something wrong")]

mod backups;
mod bad_place;
mod formats;
mod integrity;
mod log;
mod logins;
mod long_bodies;
mod migration_hashes;
mod profile;
mod retention;
mod saved;
mod saved_calls;
mod sealed;
mod staging;
mod watcher;
mod writer;

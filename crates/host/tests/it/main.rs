//! Tests of the host with real servers (child processes, and HTTP on loopback) and a real database in a
//! temporary directory.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failure of the test")]

mod accounts;
mod addresses;
mod app_keys;
mod apps;
mod asker;
mod attempts;
mod bundle_versions;
mod bundles;
mod call_times;
mod calls;
mod catalog;
mod changes;
mod clients;
mod clock;
mod consent;
mod decisions;
mod eras;
mod faults;
mod forged_network;
mod forms;
mod history;
mod icons;
#[cfg(unix)]
mod install;
mod interactions;
mod interactions_flood;
mod interactions_killed;
mod journal;
#[cfg(unix)]
mod loads;
mod network;
mod occasions;
mod offers;
mod patience;
mod people;
mod providers;
mod remembered;
mod restarts;
mod roots;
mod rounds;
mod rules;
mod sampling;
mod sampling_budgets;
mod sampling_gates;
mod sampling_loops;
mod sampling_places;
mod scopes;
mod secrets;
mod servers;
mod sign_in;
mod support;
mod tampered;
mod trust;
mod vault;
mod withdrawn;

//! The built `mooring` command with real servers: what it prints, where, and with which exit code.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failure of the test")]

mod apps;
mod bad_input;
mod bundles;
mod calls;
#[cfg(target_os = "linux")]
mod canaries;
mod catalog;
#[cfg(target_os = "linux")]
mod doctor;
#[cfg(target_os = "linux")]
mod full_disk;
#[cfg(unix)]
mod help;
mod hostile;
#[cfg(target_os = "linux")]
mod json;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod log_cost;
mod offers;
mod questions;
mod restore;
#[cfg(target_os = "linux")]
mod running;
mod saved;
mod serve;
#[cfg(target_os = "linux")]
mod shell;
mod sign_in;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod trust;
mod typed;
#[cfg(target_os = "linux")]
mod vault;
mod without_key;

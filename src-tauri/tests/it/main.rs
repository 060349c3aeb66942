//! The window's commands on Tauri's mock runtime: the real configuration, permissions and handlers,
//! without a display.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod accounts;
mod apps;
mod bundles;
mod canaries;
mod fuzz;
mod inbox;
mod journeys;
mod offers;
mod permissions;
#[cfg(target_os = "linux")] // Recorded here: other systems have other paths and words.
mod recordings;
mod secret_variables;
mod support;

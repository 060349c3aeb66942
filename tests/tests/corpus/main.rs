//! Thousands of servers with one defect each, in two eras and over two transports.
//!
//! For each server the caller gets the usable part with a diagnostic that names the path, or an error with a
//! reason, but never silence. The connection survives, and two healthy servers keep answering. By default
//! about one case in ten runs, from every class. `cargo xtask corpus` runs all.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "the helpers of tests are tests too, and these say how many cases they tried"
)]

mod peer;
mod run;

use mooring_testkit::corpus::ServerEra;

use crate::peer::Transport;
use crate::run::run;

// Requirements: BASE-05, BASE-06, BASE-07, BASE-08, BASE-13, STD-06, STD-07, LIFE-04.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn imperfect_session_servers_are_usable_over_stdio() {
    run(ServerEra::Session, Transport::Stdio).await;
}

// Requirements: BASE-07, SHS-04, SHS-05, SHS-17.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn imperfect_session_servers_are_usable_over_http() {
    run(ServerEra::Session, Transport::Http).await;
}

// Requirements: BASE-14, BASE-20, BASE-22, BASE-23, BASE-24.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn imperfect_stateless_servers_are_usable_over_stdio() {
    run(ServerEra::Modern, Transport::Stdio).await;
}

// Requirements: BASE-22, BASE-23, BASE-25, ERA-12.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn imperfect_stateless_servers_are_usable_over_http() {
    run(ServerEra::Modern, Transport::Http).await;
}

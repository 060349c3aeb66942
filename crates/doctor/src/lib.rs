//! Checks in a fixed order why a server doesn't work, or whether Mooring itself does.
//!
//! Each check has evidence and, if it fails, a next step. The checks use the same code as a connection: the
//! same search for the program, the same HTTP client, the same discovery of the sign-in. A server that is
//! connected is not started a second time, because it may hold a lock: the facts of its connection are the
//! evidence. Everything that is shown has no secrets.

mod attempt;
mod check;
mod json;
mod manager;
mod reference;
mod remote;
mod report;
mod run;
mod server;
mod sign_in;
mod whole;

pub use attempt::{Attempt, ConnectedFacts, listing_error};
pub use check::{Check, CheckCode, CheckOutcome, Fix};
pub use json::ReportJson;
pub use reference::errors_page;
pub use report::DoctorReport;
pub use run::OnCheck;
pub use server::check_server;
pub use whole::{check_mooring, report_of_open_error};

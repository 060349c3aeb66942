//! Apps at the gateway: whether one may use the servers, and what each does now.
//!
//! `mooring-approvals` knows who an app is, and `mooring-policy` decides on its calls. Here the person is asked about an
//! app without a key before its first call, and about a terminal before its first command.

mod activity;
mod admission;
mod question;
mod terminal;
mod view;

pub use activity::{
    AppActivity, AppActivityView, AppConnection, OnActivityChange, RunningAppCall, RunningCallView,
};
pub use admission::{AdmissionError, AppAdmission, FirstCall};
pub use terminal::TerminalAdmission;
pub use view::{AppKeyState, AppPresence, AppServer, AppView, default_level};

//! Apps at the gateway: whether one may use the servers, and what each does now.
//!
//! Who an app is, `mooring-approvals` knows; what is decided on a call of it, `mooring-policy`. Here one without a key is
//! asked about before its first call.

mod activity;
mod admission;
mod question;

pub use activity::{
    AppActivity, AppActivityView, AppConnection, OnActivityChange, RunningAppCall, RunningCallView,
};
pub use admission::{AdmissionError, AppAdmission, FirstCall};

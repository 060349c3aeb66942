//! The verbs.

pub(crate) mod bench;
pub(crate) mod call;
pub(crate) mod logs;
pub(crate) mod probe;
pub(crate) mod servers;
pub(crate) mod tools;

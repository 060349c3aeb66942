//! The echo servers: as little work per call as a server can do.

pub(crate) mod answer;
pub(crate) mod http;
pub(crate) mod stdio;

//! The echo servers, which do as little work per call as possible.

pub(crate) mod answer;
pub(crate) mod http;
pub(crate) mod stdio;

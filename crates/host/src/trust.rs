//! What of a server is approved: how it is started or reached, and each thing it offers, by a hash of all of it.

pub(crate) mod command;

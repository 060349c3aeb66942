//! Whose resource an address is, where an app sees several servers that may have the same ones, and how addresses are
//! replaced in what servers send.

mod claims;
mod links;
mod rewriting;

pub use claims::{Claims, Clash, ServerAddresses, ServerTemplate};
pub use links::AppLinks;
pub use rewriting::{Holder, with_addresses, with_texts};

//! The tools, in five routers: what every client needs first, the kinds of content, a form, what asks back, and what
//! tries a host.

mod basic;
mod content;
mod form;
pub(crate) mod questions;
pub(crate) mod trials;

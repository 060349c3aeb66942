//! The tools, in four routers: what every client needs first, the kinds of content, a form, and what asks back.

mod basic;
mod content;
mod form;
pub(crate) mod questions;

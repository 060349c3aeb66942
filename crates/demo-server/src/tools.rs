//! The tools, in three routers: what every client needs first, the kinds of content, and a form.

mod basic;
mod content;
mod form;

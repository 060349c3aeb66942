//! Forms that servers ask for (`elicitation/create`, mode `form`): what is asked, and whether an answer is one.
//!
//! The schema is a flat object of primitives, in the shapes of every revision that has forms (2025-06-18 and later),
//! and in those in which generators write the same (`schema`): a field that may be null, a reference, a list of
//! texts, a value that is one of several types. Objects inside the form are beyond what a server may ask so
//! (ELIC-17). What cannot be asked in such a form is refused by name, because a form that leaves something out would
//! make the person answer another question than the server asked; what only says more than a form can is shown beside
//! it.

mod check;
mod choices;
mod decimal;
mod form;
mod format;
mod pattern;
mod read;
mod request;
mod schema;
#[cfg(test)]
mod tests;
mod unsupported;
mod values;

pub use check::{Content, Mistake};
pub use form::{Choice, Field, FieldKind, Form, Oddity, asks_for_secret};
pub use format::Format;
pub use pattern::Pattern;
pub use request::{FormRequest, accept_result, request_oddities};
pub use values::FormValues;

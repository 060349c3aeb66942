//! Forms of servers (`elicitation/create`, mode `form`), their fields, and the validation of answers. Also
//! the JSON Schema engine (`json_schema`), which validates the arguments and results of tools as well.
//!
//! A form's schema is a flat object of primitives. All variants of the revisions with forms (2025-06-18 and
//! later) are supported. So are the equivalent schemas of generators (`schema`), such as nullable fields,
//! references, lists of strings, and values of one of several types. Nested objects are not allowed
//! (ELIC-17). A schema that a form can't represent is refused, with the place. If a part were left out, the
//! person would answer another question. Keywords that only add constraints are listed next to the form.

mod check;
mod choices;
mod decimal;
mod form;
mod json_schema;
mod read;
mod request;
mod schema;
#[cfg(test)]
mod tests;
mod type_names;
mod unsupported;
mod values;

pub use check::{Content, Mistake};
pub use form::{Choice, Field, FieldKind, Form, Oddity, asks_for_secret};
pub use json_schema::{
    ChosenSchemas, SchemaCheck, SchemaProblem, SchemaProblemCode, UncheckedReason, UncheckedRule,
    check as check_schema,
};
pub use request::{FormRequest, accept_result, request_oddities};
pub use values::FormValues;

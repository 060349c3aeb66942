//! Forms that servers ask for (`elicitation/create`, mode `form`): what is asked, and whether an answer is valid; and
//! the engine for JSON Schema (`json_schema`), which also checks arguments and results of tools.
//!
//! The schema is a flat object of primitives, in the shapes of every revision that has forms (2025-06-18 and later)
//! and in the equivalent ones that generators write (`schema`): nullable fields, references, lists of texts, values
//! of one of several types. Objects inside the form are not allowed (ELIC-17). What such a form can't ask is
//! refused by name, because a form that leaves something out would make the person answer a different question.
//! Keywords that only say more than a form can show are listed beside it.

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

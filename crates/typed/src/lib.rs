//! Parses what a person types: a server in a few words, a tool's arguments, and a name that is almost right.
//! Nothing here connects, asks or reads a file. Ambiguous input is an error that lists both readings.

mod arguments;
mod near;
mod place;
mod schema;

pub use arguments::{ARGUMENT_FORMS, Arguments, Source, TypedArgument, TypedMistake, object_of, pointer_of};
pub use near::nearest;
pub use place::{Place, Unclear, read_place, url_of};
pub use schema::{Property, SchemaView};

//! What a person types first, read as it was meant: a server in a few words, the arguments of a tool, and a name that
//! is nearly right. Nothing here connects, asks or reads a file; what is unclear is said with both readings.

mod arguments;
mod near;
mod place;
mod schema;

pub use arguments::{ARGUMENT_FORMS, Arguments, Source, TypedArgument, TypedMistake, object_of, pointer_of};
pub use near::nearest;
pub use place::{Place, Unclear, read_place, url_of};
pub use schema::{Property, SchemaView};

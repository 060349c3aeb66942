//! Reads and writes JSON-RPC messages and JSON text.
//!
//! A key can contain escapes and can occur twice in its object. If two parsers disagree about that, one
//! accepts what the other would refuse. So there is only one parser: keys are decoded, the last of two
//! members with one name counts, as in `serde_json`, and [`Members::repeated`] returns a duplicate name for
//! callers that must refuse it. Text that is passed on after parsing has each name once. Values, ids,
//! parameters and results keep their original text.

pub mod canonical;
pub mod code;
mod member;
mod members;
mod message;
mod number;
mod object;
mod text;
mod value;
mod walk;

pub use member::Member;
pub use members::{Change, Members, member, pairs, text_member, with_members, without_members};
pub use message::{
    BATCH_REVISION, Message, Params, RequestId, Unreadable, cancelled, error_response, id_of_parts,
    notification, parse, request, response, response_id,
};
pub use number::{compare_numbers, is_equal};
pub use object::{JsonObject, array};
pub use text::{elements, is_text, quoted, raw, string};
pub use value::{ReadUniqueError, parse_lenient, read_unique, read_value};
pub use walk::{Broken, ContainerError, Span, decode_key, odd_number_len, string_end, take_scanned, walk};

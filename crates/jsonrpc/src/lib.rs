//! JSON-RPC messages and JSON text, read and written in one way.
//!
//! A key can be written with escapes and can be in its object twice. Two readers that disagree about that let through
//! what one of them would refuse. So there is one reader: keys are decoded, of two members with one name the last
//! counts, as in `serde_json`, and [`Members::repeated`] says which name is there twice, for those who have to refuse it.
//! What is passed on after it was read has each name once. Values, ids, parameters and results stay the text that they
//! came as.

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

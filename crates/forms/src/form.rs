//! A form, its fields and the values that each field accepts.

mod secret;
mod view;

use mooring_words::Sentence;
use serde::Serialize;
use serde_json::{Number, Value};
use ts_rs::TS;

use self::view::{FormChoice, FormField};

pub use self::secret::asks_for_secret;

/// A form of a server.
#[derive(Debug, Clone, Default, Serialize, TS)]
pub struct Form {
    /// The fields, in the server's order.
    #[serde(serialize_with = "view::serialize_fields")]
    #[ts(as = "Vec<FormField<'static>>")]
    pub fields: Vec<Field>,
    /// The parts of the server's schema that a form can't represent, and that are therefore not checked here.
    pub oddities: Vec<Oddity>,
}

/// A part of a schema that the form leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "FormOddity")]
pub struct Oddity {
    /// The place of the part, such as `requestedSchema.properties.age.not`.
    pub path: String,
    /// The start of the server's JSON text at that place.
    pub asked: String,
    /// The consequence.
    pub what: Sentence,
}

/// One value that the form asks for.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Field {
    /// The name of the value in the answer.
    pub name: String,
    /// The server's title.
    pub title: Option<String>,
    /// The server's description.
    pub description: Option<String>,
    /// Whether an answer is required.
    pub required: bool,
    /// Whether null is an allowed answer.
    pub nullable: bool,
    /// The kind of answer.
    #[serde(rename = "input")]
    pub kind: FieldKind,
    /// The server's default, if it is a valid answer.
    #[serde(serialize_with = "view::serialize_json")]
    #[ts(type = "string | null")]
    pub default: Option<Value>,
}

/// One choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "FormChoice")]
pub struct Choice {
    /// The value to send, usually a string.
    pub value: Value,
    /// The server's title, if it differs from the value.
    pub title: Option<String>,
}

/// The kinds of answers.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(rename = "FormInput")]
pub enum FieldKind {
    /// A text.
    Text {
        /// The fewest characters.
        #[serde(rename = "minLength")]
        min: Option<u64>,
        /// The most characters.
        #[serde(rename = "maxLength")]
        max: Option<u64>,
        /// The regular expression that the text must match.
        pattern: Option<String>,
        /// The required format: `email`, `uri`, `date` or `date-time`.
        #[ts(as = "Option<String>")]
        format: Option<&'static str>,
    },
    /// A number.
    Number {
        /// Whether the number must be an integer.
        #[serde(rename = "integer")]
        whole: bool,
        /// The minimum.
        #[serde(rename = "minimum")]
        #[ts(type = "number | null")]
        min: Option<Number>,
        /// The maximum.
        #[serde(rename = "maximum")]
        #[ts(type = "number | null")]
        max: Option<Number>,
        /// The exclusive minimum.
        #[serde(skip)]
        above: Option<Number>,
        /// The exclusive maximum.
        #[serde(skip)]
        below: Option<Number>,
        /// The number must be a multiple of this one.
        #[serde(skip)]
        step: Option<Number>,
    },
    /// A boolean.
    Boolean,
    /// One of several choices.
    One {
        /// The choices.
        #[ts(as = "Vec<FormChoice>")]
        choices: Vec<Choice>,
    },
    /// Several of some choices.
    #[serde(rename = "some")]
    Several {
        /// The choices.
        #[ts(as = "Vec<FormChoice>")]
        choices: Vec<Choice>,
        /// Minimum number of items.
        #[serde(rename = "minItems")]
        min: Option<u64>,
        /// Maximum number of items.
        #[serde(rename = "maxItems")]
        max: Option<u64>,
    },
    /// A list of values of one kind, which are texts, numbers, booleans or any values.
    List {
        /// The kind of each item.
        of: Box<Self>,
        /// Minimum number of items.
        #[serde(rename = "minItems")]
        min: Option<u64>,
        /// Maximum number of items.
        #[serde(rename = "maxItems")]
        max: Option<u64>,
        /// Whether items must be unique.
        #[serde(skip)]
        unique: bool,
    },
    /// A value of one of these kinds.
    Either {
        /// The kinds.
        kinds: Vec<Self>,
    },
    /// Any JSON value, because the server does not say more.
    Any,
}

//! A form: its fields and what each of them takes.

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
    #[serde(serialize_with = "view::fields")]
    #[ts(as = "Vec<FormField<'static>>")]
    pub fields: Vec<Field>,
    /// What the server's schema requires beyond a form's possibilities, and is therefore not checked here.
    pub oddities: Vec<Oddity>,
}

/// A part of a schema that the form leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "FormOddity")]
pub struct Oddity {
    /// Its place, such as `requestedSchema.properties.age.not`.
    pub path: String,
    /// The start of the JSON text at that place, in the server's words.
    pub asked: String,
    /// The consequence, in words.
    pub what: Sentence,
}

/// One value that is asked for.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Field {
    /// The name of the value in the answer.
    pub name: String,
    /// The server's title for it.
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
    /// The server's default, which is a valid answer.
    #[serde(serialize_with = "view::json")]
    #[ts(type = "string | null")]
    pub default: Option<Value>,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "FormChoice")]
pub struct Choice {
    /// The value to send, usually a string.
    pub value: Value,
    /// The server's title for it, if it differs from the value.
    pub title: Option<String>,
}

/// The kinds of answers.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(rename = "FormInput")]
pub enum FieldKind {
    /// A text.
    Text {
        /// Characters at least.
        #[serde(rename = "minLength")]
        min: Option<u64>,
        /// Characters at most.
        #[serde(rename = "maxLength")]
        max: Option<u64>,
        /// The regular expression that it must match.
        pattern: Option<String>,
        /// The required format: `email`, `uri`, `date` or `date-time`.
        #[ts(as = "Option<String>")]
        format: Option<&'static str>,
    },
    /// A number.
    Number {
        /// Without a fraction.
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
        /// More than this.
        #[serde(skip)]
        above: Option<Number>,
        /// Less than this.
        #[serde(skip)]
        below: Option<Number>,
        /// A multiple of this.
        #[serde(skip)]
        step: Option<Number>,
    },
    /// A boolean.
    Boolean,
    /// One of these.
    One {
        /// The choices.
        #[ts(as = "Vec<FormChoice>")]
        choices: Vec<Choice>,
    },
    /// Some of these.
    #[serde(rename = "some")]
    Several {
        /// These.
        #[ts(as = "Vec<FormChoice>")]
        choices: Vec<Choice>,
        /// Least number of items.
        #[serde(rename = "minItems")]
        min: Option<u64>,
        /// Most number of items.
        #[serde(rename = "maxItems")]
        max: Option<u64>,
    },
    /// Any number of such values, which are texts, numbers, booleans or anything.
    List {
        /// The kind of each item.
        of: Box<Self>,
        /// Least number of items.
        #[serde(rename = "minItems")]
        min: Option<u64>,
        /// Most number of items.
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
    /// Any JSON value: the server does not say what.
    Any,
}

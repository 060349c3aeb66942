//! A form: its fields and what each of them takes.

mod secret;
mod view;

use mooring_words::Sentence;
use serde::Serialize;
use serde_json::{Number, Value};
use ts_rs::TS;

use self::view::{FormChoice, FormField};

pub use self::secret::asks_for_secret;

/// What a server wants to know.
#[derive(Debug, Clone, Default, Serialize, TS)]
pub struct Form {
    /// Its fields, in the server's order.
    #[serde(serialize_with = "view::fields")]
    #[ts(as = "Vec<FormField<'static>>")]
    pub fields: Vec<Field>,
    /// What the server asks for beyond what a form can say, and what is not checked here therefore.
    pub oddities: Vec<Oddity>,
}

/// Something in a schema that the form leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "FormOddity")]
pub struct Oddity {
    /// Its place, as in `requestedSchema.properties.age.not`.
    pub path: String,
    /// The start of the JSON text at that place, in the server's words.
    pub asked: String,
    /// What that means here.
    pub what: Sentence,
}

/// One value that is asked for.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Field {
    /// The name of the value in the answer.
    pub name: String,
    /// What the server calls it.
    pub title: Option<String>,
    /// What the server says about it.
    pub description: Option<String>,
    /// It has to be answered.
    pub required: bool,
    /// It can be answered with null.
    pub nullable: bool,
    /// What can be answered.
    #[serde(rename = "input")]
    pub kind: FieldKind,
    /// What the server proposes; it is one that can be answered.
    #[serde(serialize_with = "view::json")]
    #[ts(type = "string | null")]
    pub default: Option<Value>,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "FormChoice")]
pub struct Choice {
    /// What is answered, mostly a text.
    pub value: Value,
    /// What the server calls it, where that is something else.
    pub title: Option<String>,
}

/// What a field takes.
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
        /// What it has to match.
        pattern: Option<String>,
        /// What it has to be: `email`, `uri`, `date` or `date-time`.
        #[ts(as = "Option<String>")]
        format: Option<&'static str>,
    },
    /// A number.
    Number {
        /// Without a fraction.
        #[serde(rename = "integer")]
        whole: bool,
        /// At least this.
        #[serde(rename = "minimum")]
        #[ts(type = "number | null")]
        min: Option<Number>,
        /// At most this.
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
    /// Yes or no.
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
        /// How many at least.
        #[serde(rename = "minItems")]
        min: Option<u64>,
        /// How many at most.
        #[serde(rename = "maxItems")]
        max: Option<u64>,
    },
    /// Any number of such values, which are texts, numbers, booleans or anything.
    List {
        /// What each of them is.
        of: Box<Self>,
        /// How many at least.
        #[serde(rename = "minItems")]
        min: Option<u64>,
        /// How many at most.
        #[serde(rename = "maxItems")]
        max: Option<u64>,
        /// None of them twice.
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

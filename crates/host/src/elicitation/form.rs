//! The form that a schema describes.

use mooring_words::{Sentence, say};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::decimal::Decimal;
use super::format::Format;
use super::pattern::Pattern;
use crate::excerpt;

/// Bytes of a schema at most.
const MOST_BYTES: usize = 256 << 10;
/// Fields of a form at most.
const MOST_FIELDS: usize = 100;
/// Choices of a field at most.
const MOST_CHOICES: usize = 1_000;
/// Bytes of a title, a description or a choice at most.
const LONGEST_WORDS: usize = 4 << 10;
/// Things that a form cannot say and that are named, at most, and bytes of each one's place and of what it says.
const MOST_ODDITIES: usize = 50;
const LONGEST_PATH: usize = 256;
const LONGEST_ASKED: usize = 512;

/// What a server wants to know.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// Its fields, in the server's order.
    pub fields: Vec<Field>,
    /// What the server asks for beyond what a form can say, and what is not checked here therefore.
    pub oddities: Vec<Oddity>,
}

/// Something in a schema that the form leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oddity {
    /// Where it stands, as in `requestedSchema.properties.age.not`.
    pub path: String,
    /// What stands there: the start of its JSON text, in the server's words.
    pub asked: String,
    /// What that means here.
    pub what: Sentence,
}

/// One value that is asked for.
#[derive(Debug, Clone)]
pub struct Field {
    /// The name of the value in the answer.
    pub name: String,
    /// What the server calls it.
    pub title: Option<String>,
    /// What the server says about it.
    pub description: Option<String>,
    /// It has to be answered.
    pub required: bool,
    /// What can be answered.
    pub kind: FieldKind,
    /// What the server proposes; it is one that can be answered.
    pub default: Option<Value>,
}

/// What a field takes.
#[derive(Debug, Clone)]
pub enum FieldKind {
    /// A text.
    Text {
        /// Characters at least.
        min: Option<u64>,
        /// Characters at most.
        max: Option<u64>,
        /// What it has to match.
        pattern: Option<Pattern>,
        /// What it has to be.
        format: Option<Format>,
    },
    /// A number.
    Number {
        /// Without a fraction.
        whole: bool,
        /// At least this.
        min: Option<Number>,
        /// At most this.
        max: Option<Number>,
        /// More than this.
        above: Option<Number>,
        /// Less than this.
        below: Option<Number>,
        /// A multiple of this.
        step: Option<Number>,
    },
    /// Yes or no.
    Boolean,
    /// One of these.
    One(Vec<Choice>),
    /// Some of these.
    Several {
        /// These.
        choices: Vec<Choice>,
        /// How many at least.
        min: Option<u64>,
        /// How many at most.
        max: Option<u64>,
    },
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What is answered.
    pub value: String,
    /// What the server calls it, where that is something else.
    pub title: Option<String>,
}

/// What is not a form that can be shown as it is meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unsupported {
    /// Where.
    path: String,
    /// What.
    what: Sentence,
}

impl Unsupported {
    pub(super) fn into_sentence(self) -> Sentence {
        say!("{path}: {what}", path = self.path, what = self.what)
    }
}

fn unsupported<T>(path: &str, what: Sentence) -> Result<T, Unsupported> {
    Err(Unsupported { path: path.to_owned(), what })
}

impl Form {
    pub(super) fn read(schema: &RawValue) -> Result<Self, Unsupported> {
        const ROOT: &str = "requestedSchema";
        if schema.get().len() > MOST_BYTES {
            return unsupported(ROOT, say!("is longer than {bytes} bytes", bytes = MOST_BYTES));
        }
        let Ok(Value::Object(schema)) = serde_json::from_str(schema.get()) else {
            return unsupported(ROOT, say!("is not an object"));
        };
        let mut form = Self::default();
        if schema.get("type").is_some_and(|kind| kind != "object") {
            return unsupported(ROOT, say!("does not describe an object"));
        }
        for (key, value) in &schema {
            if !["type", "properties", "required", "$schema", "title", "description", "additionalProperties"]
                .contains(&key.as_str())
            {
                form.odd(&format!("{ROOT}.{key}"), value, say!("is not known in forms and was left out"));
            }
        }
        let none = Map::new();
        let properties = match schema.get("properties") {
            None => &none,
            Some(Value::Object(properties)) => properties,
            Some(_) => return unsupported(&format!("{ROOT}.properties"), say!("is not an object")),
        };
        if properties.len() > MOST_FIELDS {
            return unsupported(ROOT, say!("has more than {count} fields", count = MOST_FIELDS));
        }
        let required = form.required(schema.get("required"), properties);
        for (name, field) in properties {
            let path = format!("{ROOT}.properties.{name}");
            let Value::Object(field) = field else { return unsupported(&path, say!("is not an object")) };
            let field = form.field(&path, name, field, required.contains(name))?;
            form.fields.push(field);
        }
        Ok(form)
    }

    fn odd(&mut self, path: &str, asked: &Value, what: Sentence) {
        let what = match self.oddities.len() {
            ..MOST_ODDITIES => what,
            MOST_ODDITIES => say!("is not all that was left out: there is more of it than can be listed"),
            _ => return,
        };
        self.oddities.push(Oddity {
            path: excerpt::start(path.to_owned(), LONGEST_PATH),
            asked: excerpt::start(asked.to_string(), LONGEST_ASKED),
            what,
        });
    }

    fn required(&mut self, required: Option<&Value>, properties: &Map<String, Value>) -> Vec<String> {
        const PATH: &str = "requestedSchema.required";
        let Some(required) = required else { return Vec::new() };
        let Value::Array(required) = required else {
            self.odd(PATH, required, say!("is not an array and was left out"));
            return Vec::new();
        };
        let mut names = Vec::new();
        for name in required {
            match name.as_str().filter(|name| properties.contains_key(*name)) {
                Some(name) => names.push(name.to_owned()),
                None => self.odd(PATH, name, say!("names something that is not asked for")),
            }
        }
        names
    }

    fn field(
        &mut self,
        path: &str,
        name: &str,
        schema: &Map<String, Value>,
        required: bool,
    ) -> Result<Field, Unsupported> {
        let (kind, known) = self.kind(path, schema)?;
        for (key, value) in schema {
            if !["type", "title", "description", "default"].contains(&key.as_str())
                && !known.contains(&key.as_str())
            {
                self.odd(&format!("{path}.{key}"), value, say!("is not known in forms and was left out"));
            }
        }
        let mut field = Field {
            name: name.to_owned(),
            title: words(schema, "title"),
            description: words(schema, "description"),
            required,
            kind,
            default: None,
        };
        if let Some(default) = schema.get("default") {
            match field.check(default) {
                Ok(()) => field.default = Some(default.clone()),
                Err(why) => {
                    let what = say!("cannot be answered and was left out: {why}", why);
                    self.odd(&format!("{path}.default"), default, what);
                }
            }
        }
        Ok(field)
    }

    /// What a field takes, and the keywords that say so.
    fn kind(
        &mut self,
        path: &str,
        schema: &Map<String, Value>,
    ) -> Result<(FieldKind, &'static [&'static str]), Unsupported> {
        let one = schema.contains_key("enum") || schema.contains_key("oneOf");
        match schema.get("type").map(Value::as_str) {
            None if one => Ok((self.one(path, schema)?, &["enum", "enumNames", "oneOf"])),
            Some(Some("string")) if one => Ok((self.one(path, schema)?, &["enum", "enumNames", "oneOf"])),
            Some(Some("string")) => {
                Ok((self.text(path, schema), &["minLength", "maxLength", "pattern", "format"]))
            }
            Some(Some(kind @ ("number" | "integer"))) => {
                let mut bound = |name: &str| self.bound(path, schema, name);
                let (min, max) = (bound("minimum"), bound("maximum"));
                let (above, below) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
                let step = self.step(path, schema);
                let kind = FieldKind::Number { whole: kind == "integer", min, max, above, below, step };
                Ok((kind, &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]))
            }
            Some(Some("boolean")) => Ok((FieldKind::Boolean, &[])),
            Some(Some("array")) => {
                Ok((self.several(path, schema)?, &["items", "minItems", "maxItems", "uniqueItems"]))
            }
            Some(Some("object")) => unsupported(path, say!("is an object inside the form")),
            None => unsupported(path, say!("has no type")),
            Some(_) => unsupported(path, say!("has a type that forms do not have")),
        }
    }

    fn text(&mut self, path: &str, schema: &Map<String, Value>) -> FieldKind {
        let pattern = schema.get("pattern").and_then(|pattern| {
            let read = pattern.as_str().map(Pattern::new);
            if let Some(Ok(pattern)) = read {
                return Some(pattern);
            }
            self.odd(
                &format!("{path}.pattern"),
                pattern,
                say!("cannot be checked here; the server checks it"),
            );
            None
        });
        let format = schema.get("format").and_then(|format| {
            let known = format.as_str().and_then(Format::from_name);
            if known.is_none() {
                self.odd(&format!("{path}.format"), format, say!("is not known in forms and was left out"));
            }
            known
        });
        let (min, max) = (self.count(path, schema, "minLength"), self.count(path, schema, "maxLength"));
        FieldKind::Text { min, max, pattern, format }
    }

    fn one(&mut self, path: &str, schema: &Map<String, Value>) -> Result<FieldKind, Unsupported> {
        if let Some(titled) = schema.get("oneOf") {
            return Ok(FieldKind::One(self.titled(&format!("{path}.oneOf"), titled)?));
        }
        let mut choices = self.untitled(&format!("{path}.enum"), schema.get("enum"))?;
        match schema.get("enumNames") {
            None => {}
            Some(Value::Array(names)) if names.len() == choices.len() => {
                for (choice, name) in choices.iter_mut().zip(names) {
                    choice.title = name.as_str().map(|name| excerpt::start(name.to_owned(), LONGEST_WORDS));
                }
            }
            Some(names) => {
                let what = say!("does not belong to the choices and was left out");
                self.odd(&format!("{path}.enumNames"), names, what);
            }
        }
        Ok(FieldKind::One(choices))
    }

    fn several(&mut self, path: &str, schema: &Map<String, Value>) -> Result<FieldKind, Unsupported> {
        let items = format!("{path}.items");
        let Some(Value::Object(of)) = schema.get("items") else {
            return unsupported(&items, say!("does not say what can be chosen"));
        };
        let choices = match of.get("anyOf").or_else(|| of.get("oneOf")) {
            Some(titled) => self.titled(&format!("{items}.anyOf"), titled)?,
            None if of.contains_key("enum") => self.untitled(&format!("{items}.enum"), of.get("enum"))?,
            None => return unsupported(&items, say!("does not say what can be chosen")),
        };
        let (min, max) = (self.count(path, schema, "minItems"), self.count(path, schema, "maxItems"));
        Ok(FieldKind::Several { choices, min, max })
    }

    fn untitled(&self, path: &str, values: Option<&Value>) -> Result<Vec<Choice>, Unsupported> {
        let Some(Value::Array(values)) = values else { return unsupported(path, say!("is not an array")) };
        self.choices(
            path,
            values.iter().map(|value| Some(Choice { value: value.as_str()?.to_owned(), title: None })),
        )
    }

    fn titled(&self, path: &str, values: &Value) -> Result<Vec<Choice>, Unsupported> {
        let Value::Array(values) = values else { return unsupported(path, say!("is not an array")) };
        let choice = |value: &Value| {
            let constant = value.get("const")?.as_str()?;
            let title = value.get("title").and_then(Value::as_str);
            Some(Choice {
                value: constant.to_owned(),
                title: title.map(|title| excerpt::start(title.to_owned(), LONGEST_WORDS)),
            })
        };
        self.choices(path, values.iter().map(choice))
    }

    #[expect(clippy::unused_self, reason = "one of the readers of this form")]
    fn choices(
        &self,
        path: &str,
        choices: impl ExactSizeIterator<Item = Option<Choice>>,
    ) -> Result<Vec<Choice>, Unsupported> {
        if choices.len() == 0 {
            return unsupported(path, say!("has nothing to choose from"));
        }
        if choices.len() > MOST_CHOICES {
            return unsupported(path, say!("has more than {count} choices", count = MOST_CHOICES));
        }
        match choices.collect() {
            Some(choices) => Ok(choices),
            None => unsupported(path, say!("has a choice that is not a text")),
        }
    }

    fn count(&mut self, path: &str, schema: &Map<String, Value>, name: &str) -> Option<u64> {
        let value = schema.get(name)?;
        // Some write whole numbers with a point.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and not negative")]
        let whole =
            value.as_f64().filter(|value| value.fract() == 0.0 && *value >= 0.0).map(|value| value as u64);
        let count = value.as_u64().or(whole);
        if count.is_none() {
            self.odd(&format!("{path}.{name}"), value, say!("is not a count and was left out"));
        }
        count
    }

    fn bound(&mut self, path: &str, schema: &Map<String, Value>, name: &str) -> Option<Number> {
        let bound = schema.get(name)?;
        if let Value::Number(bound) = bound {
            return Some(bound.clone());
        }
        self.odd(&format!("{path}.{name}"), bound, say!("is not a number and was left out"));
        None
    }

    /// What a number is to be a multiple of, if that can be told exactly.
    fn step(&mut self, path: &str, schema: &Map<String, Value>) -> Option<Number> {
        let step = self.bound(path, schema, "multipleOf")?;
        if Decimal::of(&step).is_some_and(Decimal::is_positive) {
            return Some(step);
        }
        let what = say!("cannot be checked here; the server checks it");
        self.odd(&format!("{path}.multipleOf"), &Value::Number(step), what);
        None
    }
}

fn words(schema: &Map<String, Value>, name: &str) -> Option<String> {
    let words = schema.get(name)?.as_str()?;
    Some(excerpt::start(words.to_owned(), LONGEST_WORDS))
}

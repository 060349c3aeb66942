//! Reads a form from its JSON Schema.

use mooring_base::excerpt;
use mooring_jsonrpc::is_equal;
use mooring_words::say;
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::choices::{self, MAX_LABEL_BYTES};
use crate::decimal::Decimal;
use crate::form::{Choice, Field, FieldKind, Form};
use crate::schema::{Keywords, SchemaDocument, has_only_required};
use crate::unsupported::{UnsupportedSchema, unsupported_schema};

/// The most bytes of a schema.
const MOST_BYTES: usize = 256 << 10;
/// The most fields of a form.
const MOST_FIELDS: usize = 100;
/// The most alternatives of a field.
const MOST_ALTERNATIVES: usize = 20;
/// The most levels of nested lists and alternatives.
const MAX_DEPTH: usize = 4;
/// The formats of a text: the name in a schema, and the name in the form.
const FORMATS: [(&str, &str); 5] =
    [("email", "email"), ("uri", "uri"), ("url", "uri"), ("date", "date"), ("date-time", "date-time")];
/// Keywords for numbers, and for values of any type.
const NUMBER_KEYWORDS: &[&str] =
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const ALL_KEYWORDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
];
impl Form {
    /// Reads the form that a schema describes.
    pub(crate) fn from_schema(schema: &RawValue) -> Result<Self, UnsupportedSchema> {
        const ROOT: &str = "requestedSchema";
        if schema.get().len() > MOST_BYTES {
            return unsupported_schema(ROOT, say!("is longer than {bytes} bytes", bytes = MOST_BYTES));
        }
        let Ok(root) = serde_json::from_str::<Value>(schema.get()) else {
            return unsupported_schema(ROOT, say!("isn’t an object"));
        };
        let document = SchemaDocument::new(&root);
        let schema = document.resolve_keywords(&root).or_else(|what| unsupported_schema(ROOT, what))?;
        let mut form = Self::default();
        form.add_keyword_oddities(ROOT, &schema);
        if schema.get("type").is_some_and(|kind| kind != "object") {
            return unsupported_schema(ROOT, say!("doesn’t describe an object"));
        }
        if document.find_alternatives(&schema).is_some() {
            return unsupported_schema(ROOT, say!("has several alternatives"));
        }
        for (key, value) in schema.constraints() {
            if !["type", "properties", "required", "additionalProperties"].contains(&key) {
                form.add_oddity(
                    &format!("{ROOT}.{key}"),
                    value,
                    say!("isn’t supported in forms and was left out"),
                );
            }
        }
        let none = Map::new();
        let properties = match schema.get("properties") {
            None => &none,
            Some(Value::Object(properties)) => properties,
            // PHP writes an empty object as an empty list.
            Some(Value::Array(empty)) if empty.is_empty() => &none,
            Some(_) => return unsupported_schema(&format!("{ROOT}.properties"), say!("isn’t an object")),
        };
        if properties.len() > MOST_FIELDS {
            return unsupported_schema(ROOT, say!("has more than {count} fields", count = MOST_FIELDS));
        }
        let is_open = schema.get("additionalProperties") != Some(&Value::Bool(false));
        let (required, others) = form.read_required(schema.get("required"), properties, is_open);
        for (name, field) in properties {
            document.reset_steps();
            let path = format!("{ROOT}.properties.{name}");
            let field = form.read_field(&document, &path, name, field, required.contains(name))?;
            form.fields.push(field);
        }
        // The schema requires these fields without defining them, so no answer is valid without them.
        form.fields.extend(others.into_iter().map(|name| Field {
            name,
            title: None,
            description: None,
            required: true,
            nullable: true,
            kind: FieldKind::Any,
            default: None,
        }));
        Ok(form)
    }

    /// Reads the names of required properties. Returns those that the schema defines, and those that it
    /// doesn't define.
    fn read_required(
        &mut self,
        required: Option<&Value>,
        properties: &Map<String, Value>,
        is_open: bool,
    ) -> (Vec<String>, Vec<String>) {
        const PATH: &str = "requestedSchema.required";
        let (mut names, mut others) = (Vec::new(), Vec::new());
        let required = match required {
            None => return (names, others),
            Some(Value::Array(required)) => required,
            Some(other) => {
                self.add_oddity(PATH, other, say!("isn’t an array and was left out"));
                return (names, others);
            }
        };
        for name in required {
            match name.as_str() {
                Some(name) if properties.contains_key(name) => names.push(name.to_owned()),
                Some(other) if is_open && properties.len() + others.len() < MOST_FIELDS => {
                    self.add_oddity(PATH, name, say!("is requested without a description"));
                    if !others.iter().any(|known| known == other) {
                        others.push(other.to_owned());
                    }
                }
                _ => self.add_oddity(PATH, name, say!("names something that wasn’t requested")),
            }
        }
        (names, others)
    }

    fn read_field(
        &mut self,
        document: &SchemaDocument<'_>,
        path: &str,
        name: &str,
        schema: &Value,
        required: bool,
    ) -> Result<Field, UnsupportedSchema> {
        let keywords = document.resolve_keywords(schema).or_else(|what| unsupported_schema(path, what))?;
        // Draft 3 and handwritten schemas have `required` in the field.
        let own = keywords.get("required").and_then(Value::as_bool);
        let (kind, with_null) = self.read_kind(document, path, &keywords, 0)?;
        let nullable = keywords.nullable || with_null;
        let mut field = Field {
            name: name.to_owned(),
            title: read_label(&keywords, "title"),
            description: read_label(&keywords, "description"),
            required: required || own == Some(true),
            nullable,
            kind,
            default: None,
        };
        match keywords.get("default") {
            None => {}
            // If the field may be left out, that has the same meaning.
            Some(Value::Null) if nullable => field.default = field.required.then_some(Value::Null),
            Some(default) => match field.check_value(default) {
                Ok(()) => field.default = Some(field.to_choice(default)),
                Err(why) => {
                    let what = say!("can’t be answered and was skipped: {why}", why);
                    self.add_oddity(&format!("{path}.default"), default, what);
                }
            },
        }
        Ok(field)
    }

    /// Adds oddities for types that were read differently from how they are written, and for keywords that
    /// conflict.
    fn add_keyword_oddities(&mut self, path: &str, keywords: &Keywords<'_>) {
        for (written, meant) in &keywords.misspelled {
            let what = match meant {
                Some(meant) => say!("isn’t a JSON Schema type and was read as {meant}", meant),
                None => say!("isn’t a JSON Schema type: any value is accepted"),
            };
            self.add_oddity(&format!("{path}.type"), written, what);
        }
        for key in &keywords.conflicts {
            let value = keywords.get(key).unwrap_or(&Value::Null);
            let what = say!("can’t be checked here; the server checks it");
            self.add_oddity(&format!("{path}.{key}"), value, what);
        }
    }

    /// Reads the kind of a field, and whether null is one of its choices.
    fn read_kind(
        &mut self,
        document: &SchemaDocument<'_>,
        path: &str,
        schema: &Keywords<'_>,
        depth: usize,
    ) -> Result<(FieldKind, bool), UnsupportedSchema> {
        const LENGTHS: &[&str] = &["minLength", "maxLength", "pattern", "format"];
        self.add_keyword_oddities(path, schema);
        let of_list = choices::choice_keywords();
        let mut null = false;
        let alternatives = document.find_alternatives(schema);
        let kind = schema.get("type").and_then(Value::as_str);
        let (kind, known): (FieldKind, &[&str]) = if let Some(only) = schema.get("const") {
            (FieldKind::One { choices: vec![Choice { value: only.clone(), title: None }] }, &of_list)
        } else if let Some(values) = schema.get("enum") {
            let (these, has_null) = choices::read_enum_choices(self, path, values, schema)?;
            null = has_null;
            (FieldKind::One { choices: these }, &of_list)
        } else if let Some((name, branches)) = &alternatives {
            let kind = match choices::read_branch_choices(&format!("{path}.{name}"), branches)? {
                Some(these) => FieldKind::One { choices: these },
                None => {
                    self.read_alternatives(document, &format!("{path}.{name}"), schema, branches, depth)?
                }
            };
            // Keywords next to the alternatives apply to each alternative, and were read with it.
            return Ok((kind, null));
        } else {
            match kind {
                Some("string") => (self.read_text(document, path, schema), LENGTHS),
                Some(number @ ("number" | "integer")) => {
                    (self.read_number(path, schema, number == "integer"), NUMBER_KEYWORDS)
                }
                Some("boolean") => (FieldKind::Boolean, &[]),
                Some("array") => (
                    self.read_array(document, path, schema, depth)?,
                    &["items", "minItems", "maxItems", "uniqueItems"],
                ),
                Some(_) => return unsupported_schema(path, say!("is an object inside the form")),
                None => match schema.get("type") {
                    Some(Value::Array(types)) => {
                        (self.read_types(document, path, schema, types, depth)?, ALL_KEYWORDS)
                    }
                    _ => (FieldKind::Any, &[]),
                },
            }
        };
        for (key, value) in schema.constraints() {
            let is_said = key == "type" || key == "required" && value.is_boolean() || known.contains(&key);
            if !is_said && !value.as_array().is_some_and(|all| all.iter().all(has_only_required)) {
                self.add_oddity(
                    &format!("{path}.{key}"),
                    value,
                    say!("isn’t supported in forms and was left out"),
                );
            }
        }
        Ok((kind, null))
    }

    /// Reads alternatives from several schemas. A form can't ask for an object among them.
    fn read_alternatives(
        &mut self,
        document: &SchemaDocument<'_>,
        path: &str,
        schema: &Keywords<'_>,
        branches: &[&Value],
        depth: usize,
    ) -> Result<FieldKind, UnsupportedSchema> {
        if branches.len() > MOST_ALTERNATIVES || depth > MAX_DEPTH {
            return unsupported_schema(path, say!("has more alternatives than a form can offer"));
        }
        let mut kinds = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let path = format!("{path}.{index}");
            let keywords =
                document.resolve_branch(branch, schema).or_else(|what| unsupported_schema(&path, what))?;
            let (kind, null) = self.read_kind(document, &path, &keywords, depth + 1)?;
            kinds.push(kind);
            if null || keywords.nullable {
                kinds.push(FieldKind::One { choices: vec![Choice { value: Value::Null, title: None }] });
            }
        }
        Ok(FieldKind::Either { kinds })
    }

    /// Reads alternatives from several types.
    fn read_types(
        &mut self,
        document: &SchemaDocument<'_>,
        path: &str,
        schema: &Keywords<'_>,
        types: &[Value],
        depth: usize,
    ) -> Result<FieldKind, UnsupportedSchema> {
        let mut kinds = Vec::new();
        for kind in types.iter().filter_map(Value::as_str) {
            kinds.push(match kind {
                "string" => self.read_text(document, path, schema),
                "number" | "integer" => self.read_number(path, schema, kind == "integer"),
                "boolean" => FieldKind::Boolean,
                "array" => self.read_array(document, path, schema, depth)?,
                _ => return unsupported_schema(path, say!("is an object inside the form")),
            });
        }
        Ok(FieldKind::Either { kinds })
    }

    fn read_number(&mut self, path: &str, schema: &Keywords<'_>, whole: bool) -> FieldKind {
        // Draft 4 and OpenAPI 3.0 use a flag to exclude the bound itself.
        let excluded =
            |name: &str, bound: &str| schema.get(name) == Some(&Value::Bool(true)) && schema.has(bound);
        let (is_above, is_below) =
            (excluded("exclusiveMinimum", "minimum"), excluded("exclusiveMaximum", "maximum"));
        let (mut min, mut max) =
            (self.read_bound(path, schema, "minimum"), self.read_bound(path, schema, "maximum"));
        let above = if is_above { min.take() } else { self.read_bound(path, schema, "exclusiveMinimum") };
        let below = if is_below { max.take() } else { self.read_bound(path, schema, "exclusiveMaximum") };
        FieldKind::Number { whole, min, max, above, below, step: self.read_step(path, schema) }
    }

    fn read_text(&mut self, document: &SchemaDocument<'_>, path: &str, schema: &Keywords<'_>) -> FieldKind {
        let pattern = schema.get("pattern").and_then(|pattern| {
            let text = pattern.as_str().filter(|text| document.checks_pattern(text));
            if text.is_some() {
                return text.map(str::to_owned);
            }
            self.add_oddity(
                &format!("{path}.pattern"),
                pattern,
                say!("can’t be checked here; the server checks it"),
            );
            None
        });
        let format = schema.get("format").and_then(|format| {
            let known = FORMATS.iter().find(|(name, _)| format == name).map(|(_, format)| *format);
            if known.is_none() {
                self.add_oddity(
                    &format!("{path}.format"),
                    format,
                    say!("isn’t supported in forms and was left out"),
                );
            }
            known
        });
        let (min, max) =
            (self.read_count(path, schema, "minLength"), self.read_count(path, schema, "maxLength"));
        FieldKind::Text { min, max, pattern, format }
    }

    /// Reads a list of choices, or a list of values of one kind.
    fn read_array(
        &mut self,
        document: &SchemaDocument<'_>,
        path: &str,
        schema: &Keywords<'_>,
        depth: usize,
    ) -> Result<FieldKind, UnsupportedSchema> {
        let items = format!("{path}.items");
        let (min, max) =
            (self.read_count(path, schema, "minItems"), self.read_count(path, schema, "maxItems"));
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let nothing = Value::Bool(true);
        let of = match schema.get("items") {
            // Before 2020-12, `items` could be a list with a schema for each position.
            Some(tuple @ Value::Array(places)) if !places.is_empty() => {
                self.add_oddity(&items, tuple, say!("can’t be checked here; the server checks it"));
                &nothing
            }
            Some(of) => of,
            None => &nothing,
        };
        if depth > MAX_DEPTH {
            return unsupported_schema(&items, say!("is nested too deeply"));
        }
        let keywords = document.resolve_keywords(of).or_else(|what| unsupported_schema(&items, what))?;
        let (kind, null) = self.read_kind(document, &items, &keywords, depth + 1)?;
        let takes_null = null || keywords.nullable;
        Ok(match kind {
            FieldKind::One { choices } if !takes_null => FieldKind::Several { choices, min, max },
            FieldKind::Several { .. } | FieldKind::List { .. } => {
                return unsupported_schema(&items, say!("is a list inside a list"));
            }
            kind => {
                let null = FieldKind::One { choices: vec![Choice { value: Value::Null, title: None }] };
                let of = if takes_null { FieldKind::Either { kinds: vec![kind, null] } } else { kind };
                FieldKind::List { of: Box::new(of), min, max, unique }
            }
        })
    }

    fn read_count(&mut self, path: &str, schema: &Keywords<'_>, name: &str) -> Option<u64> {
        let value = schema.get(name)?;
        // Some servers write integers with a decimal point.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and not negative")]
        let whole =
            value.as_f64().filter(|value| value.fract() == 0.0 && *value >= 0.0).map(|value| value as u64);
        let count = value.as_u64().or(whole);
        if count.is_none() {
            self.add_oddity(&format!("{path}.{name}"), value, say!("isn’t a count and was left out"));
        }
        count
    }

    fn read_bound(&mut self, path: &str, schema: &Keywords<'_>, name: &str) -> Option<Number> {
        let bound = schema.get(name)?;
        match bound {
            Value::Number(bound) => return Some(bound.clone()),
            // In draft 4, this means that the bound itself is not excluded.
            Value::Bool(false) => return None,
            _ => {}
        }
        self.add_oddity(&format!("{path}.{name}"), bound, say!("isn’t a number and was left out"));
        None
    }

    /// Reads the `multipleOf` of a number, if it can be checked exactly.
    fn read_step(&mut self, path: &str, schema: &Keywords<'_>) -> Option<Number> {
        let step = self.read_bound(path, schema, "multipleOf")?;
        if Decimal::parse(&step.to_string()).is_some_and(|step| step.is_positive()) {
            return Some(step);
        }
        let what = say!("can’t be checked here; the server checks it");
        self.add_oddity(&format!("{path}.multipleOf"), &Value::Number(step), what);
        None
    }
}

fn read_label(schema: &Keywords<'_>, name: &str) -> Option<String> {
    let words = schema.get(name)?.as_str()?;
    Some(excerpt::truncate(words.to_owned(), MAX_LABEL_BYTES))
}

impl Field {
    /// The choice that equals a value. For example, 1.0 may be the choice 1.
    fn to_choice(&self, value: &Value) -> Value {
        let among = |choices: &[Choice], value: &Value| {
            let found = choices.iter().find(|choice| is_equal(&choice.value, value));
            found.map_or_else(|| value.clone(), |choice| choice.value.clone())
        };
        match (&self.kind, value) {
            (FieldKind::One { choices }, value) => among(choices, value),
            (FieldKind::Several { choices, .. }, Value::Array(values)) => {
                values.iter().map(|value| among(choices, value)).collect()
            }
            (_, value) => value.clone(),
        }
    }
}

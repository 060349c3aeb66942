//! Translates a schema of any dialect, from draft 4 to 2020-12, or as generators write it, to 2020-12.
//!
//! Exclusive limits, tuples, dependencies and identifiers of older dialects are rewritten. Type names of
//! programming languages are replaced. Every reference becomes `#/$defs/<number>`. Rules that can't be
//! checked are left out and listed. The result is well formed and about as large as the original.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde_json::{Map, Value, json};

use super::exact::ExactValue;
use super::keywords::{self, CONST, ENUM};
use super::pattern::{Pattern, Patterns};
use super::references::{Document, REFERENCES};
use super::{UncheckedReason, UncheckedRule};
use crate::type_names::{self, TypeMeaning};

/// The most schemas in a schema, and their greatest depth.
const MAX_SCHEMAS: usize = 10_000;
const MAX_DEPTH: usize = 64;
/// The most unchecked rules that are listed.
const MAX_UNCHECKED: usize = 1_000;
/// The formats that are checked: the name in a schema, and the name for the engine.
const FORMATS: [(&str, &str); 7] = [
    ("date", "date"),
    ("date-time", "date-time"),
    ("time", "time"),
    ("email", "email"),
    ("uri", "uri"),
    ("url", "uri"),
    ("uuid", "uuid"),
];
const COUNTS: [&str; 8] = [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
];

/// A schema for the engine.
pub(super) struct NormalizedSchema {
    pub(super) schema: Value,
    /// The patterns, by the text that the engine gets.
    pub(super) patterns: HashMap<String, Pattern>,
    pub(super) unchecked: Vec<UncheckedRule>,
}

/// Normalizes a schema.
pub(super) fn normalize(schema: &ExactValue) -> Result<NormalizedSchema, UncheckedReason> {
    let mut translator = Translator {
        document: Document::new(schema),
        known: HashMap::new(),
        waiting: VecDeque::new(),
        patterns: Patterns::new(),
        read: HashMap::new(),
        unchecked: Vec::new(),
        left: MAX_SCHEMAS,
    };
    translator.refer_to(schema, true);
    let mut definitions = Map::new();
    while let Some((number, schema, is_asked)) = translator.waiting.pop_front() {
        let place = Place { depth: 0, is_asked };
        definitions.insert(number.to_string(), translator.normalize_schema(schema, place)?);
    }
    Ok(NormalizedSchema {
        schema: json!({ "$ref": "#/$defs/0", "$defs": definitions }),
        patterns: translator.read,
        unchecked: translator.unchecked,
    })
}

struct Translator<'a> {
    document: Document<'a>,
    /// The numbers of the schemas that are referred to. A schema has one number as a constraint (true) and
    /// another one as a condition (false).
    known: HashMap<(*const ExactValue, bool), usize>,
    waiting: VecDeque<(usize, &'a ExactValue, bool)>,
    patterns: Patterns,
    read: HashMap<String, Pattern>,
    unchecked: Vec<UncheckedRule>,
    left: usize,
}

/// The context of a schema.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// Whether the schema constrains the value itself, and is not a condition (`if`, `not`).
    is_asked: bool,
}

impl Place {
    fn nested(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    fn as_condition(self) -> Self {
        Self { depth: self.depth + 1, is_asked: false }
    }
}

type Out = Map<String, Value>;

impl<'a> Translator<'a> {
    /// Creates a reference to a schema. Each schema is normalized only once.
    fn refer_to(&mut self, schema: &'a ExactValue, is_asked: bool) -> String {
        let next = self.known.len();
        let number = *self.known.entry((std::ptr::from_ref(schema), is_asked)).or_insert_with(|| {
            self.waiting.push_back((next, schema, is_asked));
            next
        });
        format!("#/$defs/{number}")
    }

    fn add_unchecked(&mut self, rule: &str, asked: &ExactValue, why: UncheckedReason) {
        if self.unchecked.len() < MAX_UNCHECKED {
            let asked = asked.as_text().map(str::to_owned);
            self.unchecked.push(UncheckedRule { rule: rule.to_owned(), asked, why });
        }
    }

    fn normalize_schema(&mut self, schema: &'a ExactValue, place: Place) -> Result<Value, UncheckedReason> {
        self.left = self.left.checked_sub(1).ok_or(UncheckedReason::TooLarge)?;
        let members = match schema {
            ExactValue::Bool(all) => return Ok(Value::Bool(*all)),
            ExactValue::Members(members) => members,
            other => {
                // PHP writes an empty object as an empty list.
                if other != &ExactValue::List(Vec::new()) {
                    self.add_unchecked("", other, UncheckedReason::Malformed);
                }
                return Ok(Value::Bool(true));
            }
        };
        if place.depth > MAX_DEPTH {
            self.add_unchecked("", schema, UncheckedReason::Deep);
            return Ok(Value::Bool(true));
        }
        let mut out = Out::new();
        if let Some(target) = self.document.find_target(schema) {
            match target {
                Ok(target) => {
                    drop(out.insert("$ref".to_owned(), self.refer_to(target, place.is_asked).into()));
                }
                Err(why) => {
                    let reference = REFERENCES.iter().find_map(|name| members.get(*name)).unwrap_or(schema);
                    self.add_unchecked("$ref", reference, why);
                }
            }
        }
        let nullable = self.normalize_types(members, place, &mut out);
        self.normalize_number_limits(members, &mut out);
        self.normalize_text_limits(members, &mut out);
        self.normalize_array(members, place, &mut out)?;
        self.normalize_object(members, place, &mut out)?;
        self.normalize_combinations(members, place, &mut out)?;
        Ok(if nullable { allow_null(out) } else { Value::Object(out) })
    }

    /// Normalizes the allowed types and values. Returns whether null is also allowed.
    fn normalize_types(
        &mut self,
        members: &'a BTreeMap<String, ExactValue>,
        place: Place,
        out: &mut Out,
    ) -> bool {
        for (name, keyword) in [("const", CONST), ("enum", ENUM)] {
            if let Some(values) = members.get(name) {
                let one = std::slice::from_ref(values);
                let values = if name == "const" { one } else { values.as_list() };
                out.insert(keyword.to_owned(), values.iter().map(ExactValue::equality_key).collect());
            }
        }
        let mut nullable = members.get("nullable").is_some_and(ExactValue::is_true);
        let Some(written) = members.get("type") else {
            let speaks = |name: &str| {
                members
                    .get(name)
                    .is_some_and(|value| !matches!(value, ExactValue::Bool(_)) || name != "required")
            };
            let says = [
                "$ref",
                "$dynamicRef",
                "$recursiveRef",
                "allOf",
                "anyOf",
                "oneOf",
                "enum",
                "const",
                "not",
                "if",
            ];
            let is_open = place.is_asked && !says.iter().any(|name| members.contains_key(*name));
            if let Some(name) = type_names::type_of_keywords(speaks).filter(|_| is_open) {
                out.insert("type".to_owned(), json!([name]));
            }
            return nullable;
        };
        let names = written.as_list();
        let read: Vec<Option<TypeMeaning>> =
            names.iter().map(|name| type_names::parse_type(name.as_text()?, 0)).collect();
        let mut types: Vec<&str> = Vec::new();
        let mut is_any = read.iter().any(Option::is_none);
        if is_any {
            self.add_unchecked("type", written, UncheckedReason::Malformed);
        }
        for one in read.into_iter().flatten() {
            is_any |= one.types.is_empty() && !one.nullable;
            // A type that only means null is an ordinary type, and doesn't make other types nullable.
            nullable |= one.nullable && !one.types.is_empty();
            types.extend(
                one.types.iter().copied().chain((one.nullable && one.types.is_empty()).then_some("null")),
            );
            if let Some(items) = one.items.filter(|_| !members.contains_key("items")) {
                let items = json!({ "type": type_names::parse_type(&items, 0).map_or_else(Vec::new, |one| one.types) });
                if items != json!({ "type": [] }) {
                    out.insert("items".to_owned(), items);
                }
            }
        }
        types.sort_unstable();
        types.dedup();
        // Listed values imply their types.
        let is_listed = members.contains_key("enum") || members.contains_key("const");
        if !is_any && !is_listed && !types.is_empty() {
            out.insert("type".to_owned(), json!(types));
        }
        nullable
    }

    fn normalize_number_limits(&mut self, members: &'a BTreeMap<String, ExactValue>, out: &mut Out) {
        for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            let (value, other) = (members.get(bound), members.get(exclusive));
            // In draft 4, a flag excludes the bound itself.
            let is_excluded = other.is_some_and(ExactValue::is_true);
            let name = if is_excluded { exclusive } else { bound };
            self.normalize_number_limit(name, value, out);
            if !matches!(other, Some(ExactValue::Bool(_))) {
                self.normalize_number_limit(exclusive, other, out);
            }
        }
        self.normalize_number_limit("multipleOf", members.get("multipleOf"), out);
        for name in COUNTS {
            let Some(value) = members.get(name) else { continue };
            let count = match value {
                ExactValue::Number(number) => number.to_decimal().and_then(|decimal| decimal.as_count()),
                _ => None,
            };
            match count {
                Some(count) => drop(out.insert(name.to_owned(), count.into())),
                None => self.add_unchecked(name, value, UncheckedReason::Malformed),
            }
        }
    }

    fn normalize_number_limit(&mut self, name: &str, value: Option<&ExactValue>, out: &mut Out) {
        let Some(value) = value else { return };
        let number = match value {
            ExactValue::Number(number) => number
                .to_decimal()
                .filter(|decimal| name != "multipleOf" || decimal.is_positive())
                .map(|_| number.as_text()),
            _ => None,
        };
        match number {
            Some(number) => drop(out.insert(keywords::with_prefix(name), number.into())),
            None => self.add_unchecked(name, value, UncheckedReason::Malformed),
        }
    }

    fn normalize_text_limits(&mut self, members: &'a BTreeMap<String, ExactValue>, out: &mut Out) {
        if let Some(pattern) = members.get("pattern") {
            match self
                .normalize_pattern(pattern.as_text().unwrap_or_default())
                .filter(|_| pattern.as_text().is_some())
            {
                Some(text) => drop(out.insert("pattern".to_owned(), text.into())),
                None => self.add_unchecked("pattern", pattern, UncheckedReason::Pattern),
            }
        }
        let format = members.get("format").and_then(ExactValue::as_text);
        if let Some((_, format)) = FORMATS.iter().find(|(name, _)| Some(*name) == format) {
            out.insert("format".to_owned(), (*format).into());
        }
    }

    fn normalize_pattern(&mut self, written: &str) -> Option<String> {
        let pattern = self.patterns.compile(written)?;
        let text = pattern.text.to_string();
        self.read.insert(text.clone(), pattern);
        Some(text)
    }

    fn normalize_array(
        &mut self,
        members: &'a BTreeMap<String, ExactValue>,
        place: Place,
        out: &mut Out,
    ) -> Result<(), UncheckedReason> {
        if members.get("uniqueItems").is_some_and(ExactValue::is_true) {
            out.insert("uniqueItems".to_owned(), true.into());
        }
        let items = members.get("items");
        // Before 2020-12, a tuple was a list in `items`.
        let old = items.filter(|items| matches!(items, ExactValue::List(_)));
        let tuple = match members.get("prefixItems").or(old) {
            Some(ExactValue::List(places)) => places.as_slice(),
            _ => &[],
        };
        let rest = if old.is_some() { members.get("additionalItems") } else { items };
        if !tuple.is_empty() {
            let places: Vec<_> = tuple
                .iter()
                .map(|item| self.normalize_schema(item, place.nested()))
                .collect::<Result<_, _>>()?;
            out.insert("prefixItems".to_owned(), places.into());
        }
        match rest {
            None => {}
            // The tuple's length is the limit, and no schema for further items is needed.
            Some(rest) if is_false_schema(rest) => {
                let most = out.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
                out.insert(
                    "maxItems".to_owned(),
                    most.min(u64::try_from(tuple.len()).unwrap_or(u64::MAX)).into(),
                );
            }
            Some(rest) => drop(out.insert("items".to_owned(), self.normalize_schema(rest, place.nested())?)),
        }
        if let Some(contains) = members.get("contains") {
            out.insert("contains".to_owned(), self.normalize_schema(contains, place.as_condition())?);
        }
        if let Some(rest) = members.get("unevaluatedItems") {
            out.insert("unevaluatedItems".to_owned(), self.normalize_schema(rest, place.nested())?);
        }
        Ok(())
    }

    fn normalize_object(
        &mut self,
        members: &'a BTreeMap<String, ExactValue>,
        place: Place,
        out: &mut Out,
    ) -> Result<(), UncheckedReason> {
        let mut required = read_names(members.get("required"));
        let mut knows_all_names = true;
        if let Some(properties) = self.read_member_map("properties", members) {
            // Draft 3 and handwritten schemas have `required` in the property.
            let own = properties
                .iter()
                .filter(|(_, schema)| schema.get("required").is_some_and(ExactValue::is_true));
            required.extend(own.map(|(name, _)| name.clone()));
            out.insert("properties".to_owned(), self.normalize_schemas(properties, place)?);
        }
        required.sort_unstable();
        required.dedup();
        if !required.is_empty() {
            out.insert("required".to_owned(), required.into());
        }
        if let Some(patterns) = self.read_member_map("patternProperties", members) {
            let mut schemas = Out::new();
            for (written, schema) in patterns {
                if let Some(pattern) = self.normalize_pattern(written) {
                    schemas.insert(pattern, self.normalize_schema(schema, place.nested())?);
                } else {
                    knows_all_names = false;
                    self.add_unchecked(
                        "patternProperties",
                        &ExactValue::Text(written.clone()),
                        UncheckedReason::Pattern,
                    );
                }
            }
            out.insert("patternProperties".to_owned(), schemas.into());
        }
        for name in ["additionalProperties", "unevaluatedProperties"] {
            if let Some(rest) = members.get(name).filter(|_| knows_all_names) {
                // If there is any list of names, the engine reports which name is not in it.
                out.entry("properties").or_insert_with(|| json!({}));
                out.insert(name.to_owned(), self.normalize_schema(rest, place.nested())?);
            }
        }
        if let Some(schema) = members.get("propertyNames") {
            out.insert("propertyNames".to_owned(), self.normalize_schema(schema, place.as_condition())?);
        }
        let (mut demanded, mut dependent) = (Out::new(), Out::new());
        // Before 2019-09, one keyword had both meanings.
        for keyword in ["dependencies", "dependentRequired", "dependentSchemas"] {
            for (name, asked) in self.read_member_map(keyword, members).into_iter().flatten() {
                if matches!(asked, ExactValue::List(_) | ExactValue::Text(_)) {
                    let mut names = read_names(Some(asked));
                    names.sort_unstable();
                    names.dedup();
                    demanded.insert(name.clone(), names.into());
                } else {
                    dependent.insert(name.clone(), self.normalize_schema(asked, place.nested())?);
                }
            }
        }
        for (keyword, all) in [("dependentRequired", demanded), ("dependentSchemas", dependent)] {
            if !all.is_empty() {
                out.insert(keyword.to_owned(), all.into());
            }
        }
        Ok(())
    }

    fn normalize_combinations(
        &mut self,
        members: &'a BTreeMap<String, ExactValue>,
        place: Place,
        out: &mut Out,
    ) -> Result<(), UncheckedReason> {
        for name in ["allOf", "anyOf", "oneOf"] {
            let Some(schemas) = members.get(name) else { continue };
            if matches!(schemas, ExactValue::List(_) | ExactValue::Members(_))
                && !schemas.as_list().is_empty()
            {
                let schemas =
                    schemas.as_list().iter().map(|schema| self.normalize_schema(schema, place.nested()));
                out.insert(name.to_owned(), schemas.collect::<Result<Vec<_>, _>>()?.into());
            } else {
                self.add_unchecked(name, schemas, UncheckedReason::Malformed);
            }
        }
        if let Some(schema) = members.get("not") {
            // Use a reference, because every problem has a copy of the schema.
            let reference = self.refer_to(schema, false);
            out.insert("not".to_owned(), json!({ "$ref": reference }));
        }
        if let Some(condition) = members.get("if") {
            out.insert("if".to_owned(), self.normalize_schema(condition, place.as_condition())?);
            for name in ["then", "else"] {
                if let Some(schema) = members.get(name) {
                    out.insert(name.to_owned(), self.normalize_schema(schema, place.nested())?);
                }
            }
        }
        Ok(())
    }

    /// Reads the members of a keyword. PHP writes an empty object as an empty list.
    fn read_member_map(
        &mut self,
        keyword: &str,
        members: &'a BTreeMap<String, ExactValue>,
    ) -> Option<&'a BTreeMap<String, ExactValue>> {
        match members.get(keyword)? {
            ExactValue::Members(map) => Some(map),
            ExactValue::List(none) if none.is_empty() => None,
            other => {
                self.add_unchecked(keyword, other, UncheckedReason::Malformed);
                None
            }
        }
    }

    fn normalize_schemas(
        &mut self,
        all: &'a BTreeMap<String, ExactValue>,
        place: Place,
    ) -> Result<Value, UncheckedReason> {
        let schemas = all
            .iter()
            .map(|(name, schema)| Ok((name.clone(), self.normalize_schema(schema, place.nested())?)));
        Ok(Value::Object(schemas.collect::<Result<_, _>>()?))
    }
}

/// Changes a schema to also accept null.
fn allow_null(mut out: Out) -> Value {
    let is_plain =
        !["$ref", "allOf", "anyOf", "oneOf", "not", "if"].iter().any(|name| out.contains_key(*name));
    if !is_plain {
        return json!({ "anyOf": [out, { "type": "null" }] });
    }
    for (name, null) in [
        ("type", "null".to_owned()),
        (ENUM, ExactValue::Null.equality_key()),
        (CONST, ExactValue::Null.equality_key()),
    ] {
        if let Some(Value::Array(all)) = out.get_mut(name)
            && !all.iter().any(|one| *one == null)
        {
            all.push(null.into());
        }
    }
    Value::Object(out)
}

/// Whether a schema is `false`, or `{"not": {}}` as zod writes it.
fn is_false_schema(schema: &ExactValue) -> bool {
    let not = schema.get("not");
    *schema == ExactValue::Bool(false)
        || not.is_some_and(|not| not.is_true() || matches!(not, ExactValue::Members(none) if none.is_empty()))
}

fn read_names(list: Option<&ExactValue>) -> Vec<String> {
    list.map(ExactValue::as_list)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_text().map(str::to_owned))
        .collect()
}

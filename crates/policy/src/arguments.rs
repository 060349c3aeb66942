//! The arguments that a rule looks at. What reaches the server is what was judged: text in which a name stands twice is
//! refused, because parsers differ in which of its values they take.

use std::fmt;

use mooring_base::excerpt;
use mooring_words::{Sentence, say};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Bytes of a name that an error names.
const LONGEST_NAME: usize = 100;

/// The arguments as a rule sees them; the error says why they cannot be judged.
pub fn parse_arguments(text: &str) -> Result<Value, Sentence> {
    let mut twice = None;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = UniqueKeyVisitor { twice: &mut twice }.deserialize(&mut deserializer);
    match (read.and_then(|value| deserializer.end().map(|()| value)), twice) {
        (Ok(value), None) => Ok(value),
        (_, Some(name)) => Err(say!(
            "the name {name} appears twice and a rule checks the arguments, so it is unclear which value the server would use: keep one",
            name = excerpt::truncate(name, LONGEST_NAME)
        )),
        (Err(error), None) => Err(Sentence::quoted(error.to_string())),
    }
}

/// Reads a value, and notes a name that stands twice in one object, however it is escaped.
struct UniqueKeyVisitor<'a> {
    twice: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for UniqueKeyVisitor<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeyVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(UniqueKeyVisitor { twice: self.twice })? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if members.contains_key(&name) {
                *self.twice = Some(name);
                return Err(A::Error::custom("a name appears twice"));
            }
            let value = map.next_value_seed(UniqueKeyVisitor { twice: self.twice })?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SEC-26.
    #[test]
    fn arguments_are_judged_only_where_every_name_stands_once() {
        for text in [
            "{}",
            r#"{"a":1,"b":[true,null,-2,1.5,"x",{"a":{"a":18446744073709551615}}]}"#,
            r#"{"a":{"c":1},"b":{"c":2}}"#,
        ] {
            assert_eq!(parse_arguments(text), Ok(serde_json::from_str(text).unwrap()), "{text}");
        }
        for text in [
            r#"{"mode":"safe","mode":"x"}"#,
            r#"{"mod\u0065":"safe","mode":"x"}"#,
            r#"{"a":[{"b":{"mode":1,"\u006dode":1}}]}"#,
            r#"{"mode":1,"mode":1}"#,
        ] {
            let why = parse_arguments(text).unwrap_err().to_string();
            assert!(why.starts_with("the name mode appears twice"), "{why}");
        }
        for text in ["{", "{} {}", r#"{"a":1e999}"#, r#"{"a":"\ud800"}"#] {
            assert!(parse_arguments(text).is_err(), "{text}");
        }
    }
}

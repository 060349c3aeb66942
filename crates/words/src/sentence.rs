//! A sentence for a person that can be translated.
//!
//! [`say!`](crate::say) makes a sentence from an English pattern, which is its code, and the values for the
//! pattern. Its text is the English one. For other languages, a front end translates the code and inserts the
//! values. A server's words are values, or separate from the sentence; they are never part of a code.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};
use ts_rs::TS;

/// Something Mooring says, to be worded in the window's language.
#[derive(Clone, PartialEq, Eq, TS)]
#[ts(as = "crate::StoredSentence")]
pub struct Sentence(Box<Inner>);

// Apart, so that a sentence makes an error no larger than a pointer does.
#[derive(Clone, PartialEq, Eq)]
struct Inner {
    code: &'static str,
    params: Vec<(&'static str, Param)>,
    text: String,
}

/// A value that fills a place of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Param {
    /// A name, a number, a quotation.
    Text(String),
    /// Another sentence of ours.
    Sentence(Sentence),
}

/// A sentence: an English pattern and the values for its `{places}`, as `name` or `name = value`.
///
/// The pattern is the sentence's code. Each needs its words in `ui/src/locales/zh-CN/sentences.json`; the tidy tests
/// name those that lack them.
#[macro_export]
macro_rules! say {
    (@value $name:ident) => { $name };
    (@value $name:ident $value:expr) => { $value };
    ($pattern:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::Sentence::new(
            $pattern,
            vec![$((stringify!($name), $crate::Param::from($crate::say!(@value $name $($value)?)))),*],
        )
    };
}

impl Sentence {
    /// Longest value in bytes, because values may contain a server's words.
    const LONGEST_VALUE: usize = 64 * 1024;

    /// Use [`say!`](crate::say).
    #[doc(hidden)]
    pub fn new(code: &'static str, params: Vec<(&'static str, Param)>) -> Self {
        let text = fill_params(code, &params);
        Self(Box::new(Inner { code, params, text }))
    }

    /// A text of the system or a library, which is not translated.
    pub fn quoted(words: impl Into<String>) -> Self {
        say!("{quoted}", quoted = words.into())
    }

    /// The English pattern, which every language knows the sentence by.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The values, by the names of their places.
    pub fn params(&self) -> &[(&'static str, Param)] {
        &self.0.params
    }

    /// The English text.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// The sentence as the database and the log have it: code and values, from which
    /// [`StoredSentence`](crate::StoredSentence) makes the text again.
    pub fn stored(&self) -> impl Serialize + '_ {
        SentenceJson { sentence: self, with_text: false }
    }

    /// The sentence with every value changed by `change`, such as one that takes secrets out.
    #[must_use]
    pub fn map(&self, change: &dyn Fn(&str) -> String) -> Self {
        let params = self.0.params.iter().map(|(name, param)| {
            let param = match param {
                Param::Text(text) => Param::Text(change(text)),
                Param::Sentence(sentence) => Param::Sentence(sentence.map(change)),
            };
            (*name, param)
        });
        Self::new(self.0.code, params.collect())
    }
}

fn fill_params(pattern: &str, params: &[(&'static str, Param)]) -> String {
    fill_pattern(pattern, |name| {
        params.iter().find(|(known, _)| *known == name).map(|(_, param)| param.as_str())
    })
}

/// Fills the placeholders of a pattern. A brace that begins no known placeholder is kept.
pub(crate) fn fill_pattern<'a>(pattern: &str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut text = String::with_capacity(pattern.len() + 32);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let place = after.split_once('}').and_then(|(name, after)| Some((value(name)?, after)));
        if let Some((value, after)) = place {
            text.push_str(value);
            rest = after;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

impl Param {
    fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Sentence(sentence) => sentence.as_str(),
        }
    }
}

/// Writes code, values and the resulting text for a front end. [`Sentence::stored`] omits the text.
impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SentenceJson { sentence: self, with_text: true }.serialize(serializer)
    }
}

/// A sentence as JSON, with or without the text that its code and values make.
struct SentenceJson<'a> {
    sentence: &'a Sentence,
    with_text: bool,
}

impl Serialize for SentenceJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Inner { code, params, text } = &*self.sentence.0;
        let mut sentence = serializer.serialize_struct("Sentence", 3)?;
        sentence.serialize_field("code", code)?;
        sentence.serialize_field("params", &ParamsJson { params, with_text: self.with_text })?;
        if self.with_text {
            sentence.serialize_field("text", text)?;
        }
        sentence.end()
    }
}

struct ParamsJson<'a> {
    params: &'a [(&'static str, Param)],
    with_text: bool,
}

impl Serialize for ParamsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.params.len()))?;
        for (name, param) in self.params {
            match param {
                Param::Text(text) => map.serialize_entry(name, text)?,
                Param::Sentence(sentence) => {
                    map.serialize_entry(name, &SentenceJson { sentence, with_text: self.with_text })?;
                }
            }
        }
        map.end()
    }
}

impl Deref for Sentence {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.text)
    }
}

impl fmt::Debug for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.text, f)
    }
}

impl PartialEq<str> for Sentence {
    fn eq(&self, text: &str) -> bool {
        self.0.text == text
    }
}

impl PartialEq<&str> for Sentence {
    fn eq(&self, text: &&str) -> bool {
        self.0.text == *text
    }
}

impl From<Sentence> for String {
    fn from(sentence: Sentence) -> Self {
        sentence.0.text
    }
}

impl From<Sentence> for Param {
    fn from(sentence: Sentence) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<&Sentence> for Param {
    fn from(sentence: &Sentence) -> Self {
        Self::Sentence(sentence.clone())
    }
}

impl From<String> for Param {
    fn from(mut text: String) -> Self {
        text.truncate(text.floor_char_boundary(Sentence::LONGEST_VALUE));
        Self::Text(text)
    }
}

impl From<&str> for Param {
    fn from(text: &str) -> Self {
        Self::Text(
            text.get(..text.floor_char_boundary(Sentence::LONGEST_VALUE)).unwrap_or_default().to_owned(),
        )
    }
}

impl From<&String> for Param {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Cow<'_, str>> for Param {
    fn from(text: Cow<'_, str>) -> Self {
        Self::from(text.into_owned())
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl From<$number> for Param {
            fn from(number: $number) -> Self {
                Self::Text(number.to_string())
            }
        }
    )*};
}

numbers!(u16 u32 u64 u128 usize i32 i64 f32 f64 char);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoredSentence;

    #[test]
    fn a_sentence_reads_as_english_and_carries_what_fills_it() {
        let limit = 4_usize;
        let inner = say!("is longer than {limit} bytes", limit);
        let sentence = say!("{path}: {what}", path = "tools[1]", what = &inner);
        assert_eq!(sentence.to_string(), "tools[1]: is longer than 4 bytes");
        assert_eq!(
            serde_json::to_value(sentence.stored()).unwrap(),
            serde_json::json!({ "code": "{path}: {what}", "params": {
                "path": "tools[1]",
                "what": { "code": "is longer than {limit} bytes", "params": { "limit": "4" } },
            } })
        );
        let shown = serde_json::to_value(&sentence).unwrap();
        assert_eq!(shown["text"], "tools[1]: is longer than 4 bytes");
        assert_eq!(shown["params"]["what"]["text"], "is longer than 4 bytes");
        assert_eq!(shown, serde_json::to_value(StoredSentence::from(sentence)).unwrap());
    }

    #[test]
    fn a_value_that_looks_like_a_place_is_left_alone() {
        let sentence = say!("starts with {what}, not { or {other}", what = "{other}", other = "x");
        assert_eq!(&*sentence, "starts with {other}, not { or x");
    }

    #[test]
    fn every_value_can_be_changed_also_inside_a_value() {
        let sentence = say!("{a} {b}", a = "secret", b = say!("({c})", c = "secret"));
        assert_eq!(&*sentence.map(&|text| text.replace("secret", "…")), "… (…)");
    }

    #[test]
    fn a_value_is_cut_at_the_limit() {
        let sentence = Sentence::quoted("é".repeat(Sentence::LONGEST_VALUE));
        assert_eq!(sentence.len(), Sentence::LONGEST_VALUE);
    }
}

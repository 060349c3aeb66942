//! A sentence read from the database or the log, which another version of Mooring may have written.

use std::collections::BTreeMap;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::sentence::{Sentence, fill_pattern};

/// Something Mooring says, to be worded in the window's language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "Sentence")]
pub struct StoredSentence {
    /// The English pattern with `{places}`, which every language knows the sentence by.
    pub code: String,
    /// The values of the placeholders.
    pub params: BTreeMap<String, StoredParam>,
    /// The English text.
    pub text: String,
}

/// The value of a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged)]
#[ts(rename = "SentenceParam")]
pub enum StoredParam {
    /// A name, a number, a quotation.
    Text(String),
    /// Another sentence.
    Sentence(StoredSentence),
}

impl<'de> Deserialize<'de> for StoredSentence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct StoredFields {
            code: String,
            params: BTreeMap<String, StoredParam>,
        }
        let StoredFields { code, params } = StoredFields::deserialize(deserializer)?;
        if code.is_empty() {
            return Err(D::Error::custom("a sentence without words"));
        }
        let text = fill_pattern(&code, |name| {
            params.get(name).map(|param| match param {
                StoredParam::Text(text) => text.as_str(),
                StoredParam::Sentence(sentence) => sentence.text.as_str(),
            })
        });
        Ok(Self { code, params, text })
    }
}

impl From<Sentence> for StoredSentence {
    fn from(sentence: Sentence) -> Self {
        let params = sentence.params().iter().map(|(name, param)| {
            let param = match param {
                crate::Param::Text(text) => StoredParam::Text(text.clone()),
                crate::Param::Sentence(sentence) => StoredParam::Sentence(sentence.clone().into()),
            };
            ((*name).to_owned(), param)
        });
        Self { code: sentence.code().to_owned(), params: params.collect(), text: sentence.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say;

    #[test]
    fn a_sentence_that_was_kept_says_the_same() {
        let inner = say!("exit code {code}", code = 3);
        let said = say!("it ended ({exit}) after {time} s {", exit = inner, time = 5);
        let kept: StoredSentence =
            serde_json::from_str(&serde_json::to_string(&said.stored()).unwrap()).unwrap();
        assert_eq!(kept, said.clone().into());
        assert_eq!(kept.text, said.as_str());
        for broken in ["", "{}", "[]", r#"{"code":"","params":{}}"#, r#"{"code":"x","params":{"y":1}}"#] {
            assert!(serde_json::from_str::<StoredSentence>(broken).is_err(), "{broken}");
        }
    }
}

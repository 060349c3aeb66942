//! URI templates, from which a person's input makes the URI of a resource (RFC 6570, all four levels).
//!
//! An invalid template is refused with the position of the error. The only extension to the RFC: names may
//! contain hyphens, because servers use them.

mod expand;
mod matching;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fmt;

use mooring_words::{Sentence, say};

/// A parsed template, ready to be expanded. `Display` writes its original text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    parts: Vec<TemplatePart>,
}

impl UriTemplate {
    /// Length limit in bytes.
    pub const MAX_BYTES: usize = 8 * 1024;

    /// Parses a template.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        Ok(Self { parts: parse::parts(text)?, text: text.to_owned() })
    }

    /// The variables, each once, in order of their first occurrence.
    pub fn variables(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        self.parts
            .iter()
            .filter_map(|part| match part {
                TemplatePart::Literal(_) => None,
                TemplatePart::Expression { variables, .. } => Some(variables),
            })
            .flatten()
            .filter(|variable| seen.insert(variable.name.as_str()))
            .map(|variable| variable.name.clone())
            .collect()
    }

    /// Expands the template with these texts. A variable without a text is left out, together with the prefix
    /// of its operator.
    pub fn expand(&self, texts: &BTreeMap<String, String>) -> String {
        expand::expand(&self.parts, |name| texts.get(name).map(|text| ValueRef::Text(text)))
    }

    /// Expands the template like [`Self::expand`], with lists and pairs as well.
    pub fn expand_values(&self, values: &BTreeMap<String, TemplateValue>) -> String {
        expand::expand(&self.parts, |name| {
            values.get(name).map(|value| match value {
                TemplateValue::Text(text) => ValueRef::Text(text),
                TemplateValue::List(items) => ValueRef::List(items),
                TemplateValue::Pairs(pairs) => ValueRef::Pairs(pairs),
            })
        })
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The value of a variable (RFC 6570 §2.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateValue {
    /// One text.
    Text(String),
    /// Texts in order. An empty list counts as undefined.
    List(Vec<String>),
    /// Names with their texts, in order. An empty list counts as undefined.
    Pairs(Vec<(String, String)>),
}

/// Why a text is not a URI template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// What is wrong.
    pub problem: TemplateProblem,
    /// Position of the error, in characters.
    pub position: usize,
}

/// What can be wrong with a URI template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateProblem {
    /// It is longer than [`UriTemplate::MAX_BYTES`].
    TooLong,
    /// An expression that does not end.
    Unclosed,
    /// The end of an expression that does not begin.
    Unopened,
    /// An operator that the RFC reserves.
    Operator,
    /// An expression whose name is missing or has invalid characters.
    Name,
    /// Something other than `*` or a length from 1 to 9999 after a name.
    Modifier,
}

impl TemplateProblem {
    fn sentence(self) -> Sentence {
        match self {
            Self::TooLong => say!("longer than {limit} bytes", limit = UriTemplate::MAX_BYTES),
            Self::Unclosed => say!("a { without its }"),
            Self::Unopened => say!("a } without its {"),
            Self::Operator => say!("an unknown operator"),
            Self::Name => say!("an invalid name"),
            Self::Modifier => say!("an unknown modifier"),
        }
    }
}

impl TemplateError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        say!(
            "not a URI template: {problem} at character {position}",
            problem = self.problem.sentence(),
            position = self.position + 1
        )
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for TemplateError {}

/// A borrowed value for a variable.
#[derive(Clone, Copy)]
enum ValueRef<'a> {
    Text(&'a str),
    List(&'a [String]),
    Pairs(&'a [(String, String)]),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    /// Copied as it is. Characters that a URI can't contain are already escaped.
    Literal(String),
    Expression {
        operator: Operator,
        variables: Vec<Variable>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable {
    name: String,
    modifier: Modifier,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Modifier {
    None,
    /// `:n`: only the first characters.
    Prefix(usize),
    /// `*`: each item separately.
    Explode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Path,
    Parameter,
    Query,
    Continuation,
}

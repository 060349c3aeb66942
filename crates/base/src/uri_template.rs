//! URI templates: from what a person fills in to the URI of a resource (RFC 6570, all four levels).
//!
//! What cannot be read as a template is refused with the place where it goes wrong. One thing is taken more widely
//! than the RFC has it: names may hold hyphens, as servers write them.

mod expand;
mod matching;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fmt;

use mooring_words::{Sentence, say};

/// A template that was read, ready to be filled in. Shows itself as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    parts: Vec<TemplatePart>,
}

impl UriTemplate {
    /// Longest template in bytes.
    pub const MAX_BYTES: usize = 8 * 1024;

    /// Reads a template.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        Ok(Self { parts: parse::parts(text)?, text: text.to_owned() })
    }

    /// The names that can be filled in, each once, in the order in which they first occur.
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

    /// The URI with these texts filled in. A name without a text is left out, together with what its operator would
    /// have written before it.
    pub fn expand(&self, texts: &BTreeMap<String, String>) -> String {
        expand::expand(&self.parts, |name| texts.get(name).map(|text| ValueRef::Text(text)))
    }

    /// As [`Self::expand`], with lists and pairs as well.
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

/// What a name of a template stands for (RFC 6570 §2.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateValue {
    /// One text.
    Text(String),
    /// Texts in order; none at all counts as not filled in.
    List(Vec<String>),
    /// Names with their texts, in order; none at all counts as not filled in.
    Pairs(Vec<(String, String)>),
}

/// Why a text is no URI template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// What is wrong.
    pub problem: TemplateProblem,
    /// How many characters stand before it.
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
    /// An operator that the RFC keeps for later.
    Operator,
    /// An expression whose name is missing or has other characters than names may have.
    Name,
    /// Something other than `*` or a length from 1 to 9999 behind a name.
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
    /// Copied; what a URI may not hold is escaped already.
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
    /// `:n`: the first characters only.
    Prefix(usize),
    /// `*`: each item on its own.
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

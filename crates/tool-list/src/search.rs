//! A search for tools, for apps that don't want all definitions. It ranks tools by BM25 (Robertson and
//! Zaragoza, "The Probabilistic Relevance Framework", 2009) over their names, titles, descriptions and
//! arguments.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;

/// The part of a query that counts, in bytes and in words. The time of a search depends on it.
const MAX_QUERY: usize = 1 << 10;
const MAX_WORDS: usize = 32;
/// Weights of a word in a name and in a title, relative to a word in a description.
const NAME_WEIGHT: f64 = 4.0;
const TITLE_WEIGHT: f64 = 2.0;
/// BM25's usual constants: `K1` for the saturation of repeated words, `B` for the normalization by length.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Weight of a tool's word that only begins with the query's word.
const PREFIX_WEIGHT: f64 = 0.5;
/// The shortest word of a query that also finds longer words, in characters.
const MIN_PREFIX: usize = 3;

/// The words of the tools that an app sees, for searching.
#[derive(Debug, Default)]
pub struct ToolIndex {
    /// The weighted word counts of each tool, in the catalogue's order.
    tools: Vec<HashMap<String, f64>>,
    /// The number of tools that contain each word.
    found_in: HashMap<String, usize>,
    /// The mean of the tools' lengths. See [`weighted_length`].
    mean_length: f64,
}

impl ToolIndex {
    /// `tools` yields the name and the definition of each tool.
    pub fn new<'a>(tools: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let tools: Vec<_> = tools.map(|(name, definition)| collect_words(name, definition)).collect();
        let mut found_in = HashMap::new();
        for word in tools.iter().flat_map(HashMap::keys) {
            *found_in.entry(word.clone()).or_default() += 1;
        }
        let all: f64 = tools.iter().map(weighted_length).sum();
        let mean_length = all / as_number(tools.len().max(1));
        Self { tools, found_in, mean_length }
    }

    /// Returns the positions of the matching tools in the catalogue, the best match first.
    pub fn search(&self, query: &str) -> Vec<usize> {
        let query = &query[..query.floor_char_boundary(MAX_QUERY)];
        let looked_for: BTreeSet<String> = split_words(query).into_iter().take(MAX_WORDS).collect();
        let mut found: Vec<(f64, usize)> = Vec::new();
        for (place, words) in self.tools.iter().enumerate() {
            let score: f64 = looked_for.iter().map(|word| self.score_word(word, words)).sum();
            if score > 0.0 {
                found.push((score, place));
            }
        }
        // Among equal scores, the catalogue's order is kept.
        found.sort_by(|(one, place), (other, other_place)| other.total_cmp(one).then(place.cmp(other_place)));
        found.into_iter().map(|(_, place)| place).collect()
    }

    fn score_word(&self, looked_for: &str, words: &HashMap<String, f64>) -> f64 {
        let whole = self.score_exact_word(looked_for, words);
        if whole > 0.0 || looked_for.chars().count() < MIN_PREFIX {
            return whole;
        }
        let begun = words.keys().filter(|word| word.starts_with(looked_for));
        begun.map(|word| self.score_exact_word(word, words) * PREFIX_WEIGHT).fold(0.0, f64::max)
    }

    fn score_exact_word(&self, word: &str, words: &HashMap<String, f64>) -> f64 {
        let (Some(count), Some(found_in)) = (words.get(word), self.found_in.get(word)) else { return 0.0 };
        let (tools, found_in) = (as_number(self.tools.len()), as_number(*found_in));
        let rarity = (1.0 + (tools - found_in + 0.5) / (found_in + 0.5)).ln();
        let norm = 1.0 - B + B * weighted_length(words) / self.mean_length;
        rarity * count * (K1 + 1.0) / (count + K1 * norm)
    }
}

/// The sum of the weights of a tool's words.
fn weighted_length(words: &HashMap<String, f64>) -> f64 {
    words.values().sum()
}

fn as_number(count: usize) -> f64 {
    // With more tools than this, the score no longer changes.
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The parts of a definition that are searched.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SearchedParts {
    title: Option<String>,
    description: Option<String>,
    #[serde(rename = "inputSchema")]
    input: SearchedSchema,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SearchedSchema {
    properties: HashMap<String, serde_json::Value>,
}

/// The words of a tool, each with the sum of its weights.
fn collect_words(name: &str, definition: &str) -> HashMap<String, f64> {
    // If its parts have unexpected types, a tool is found only by its name.
    let parts: SearchedParts = serde_json::from_str(definition).unwrap_or_default();
    let mut words = HashMap::new();
    let mut add = |text: &str, weight: f64| {
        for word in split_words(text) {
            *words.entry(word).or_default() += weight;
        }
    };
    add(name, NAME_WEIGHT);
    add(parts.title.as_deref().unwrap_or_default(), TITLE_WEIGHT);
    add(parts.description.as_deref().unwrap_or_default(), 1.0);
    for (argument, schema) in &parts.input.properties {
        add(argument, 1.0);
        add(schema["description"].as_str().unwrap_or_default(), 1.0);
    }
    words
}

/// The words of a text, in lower case and singular: `createIssue` and `create_issues` have the same words.
/// Each Chinese character is a word.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    let mut end = |word: &mut String| {
        if !word.is_empty() {
            words.push(to_singular(std::mem::take(word)));
        }
    };
    for letter in text.chars() {
        let is_alone = ('\u{2e80}'..='\u{9fff}').contains(&letter);
        if !letter.is_alphanumeric() || is_alone || (letter.is_uppercase() && was_lower) {
            end(&mut word);
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        if is_alone {
            end(&mut word);
        }
        was_lower = letter.is_lowercase() || letter.is_numeric();
    }
    end(&mut word);
    words
}

/// Removes the English plural ending, so that singular and plural match.
fn to_singular(word: String) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_people_mean() {
        assert_eq!(split_words("github__createIssues v2"), ["github", "create", "issue", "v2"]);
        assert_eq!(
            split_words("HTTPStatus of a bus, in 青岛"),
            ["httpstatus", "of", "a", "bus", "in", "青", "岛"]
        );
    }

    #[test]
    fn the_best_tool_is_the_first() {
        let tool = |name: &str, description: &str| {
            let definition = serde_json::json!({
                "name": name, "description": description,
                "inputSchema": {"properties": {"repository": {"description": "owner and name"}}},
            });
            (name.to_owned(), definition.to_string())
        };
        let tools = [
            tool("github__list_issues", "Lists what is open"),
            tool("github__create_issue", "Opens an issue"),
            tool("mail__send", "Sends a message about anything, such as an issue that was created"),
            tool("clock__now", "The time"),
        ];
        let index =
            ToolIndex::new(tools.iter().map(|(name, definition)| (name.as_str(), definition.as_str())));
        assert_eq!(index.search("create issue")[0], 1);
        assert_eq!(index.search("list issues")[0], 0);
        assert_eq!(index.search("repo owner clock")[0], 3);
        assert_eq!(index.search("nothing of that"), [2], "it has the word that");
        assert_eq!(index.search(""), [0; 0]);
        // A longer query doesn't take longer.
        assert_eq!(index.search(&"create issue ".repeat(1 << 20))[0], 1);
        assert_eq!(ToolIndex::new(std::iter::empty()).search("issue"), [0; 0]);
    }
}

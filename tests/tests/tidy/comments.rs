//! Counts archaic phrases in comments. The limits only go down.

use crate::limits::Limits;
use crate::source::{Source, sources};
use crate::{assert_found, assert_none};

/// The names of the limits and their phrases. Case is ignored, and only whole words count.
const PHRASES: [(&str, &[&str]); 9] = [
    ("stands", &["stands", "stand"]),
    ("nobody", &["nobody"]),
    ("told", &["told"]),
    ("none", &["; none:"]),
    ("whoever", &["whoever"]),
    ("looked", &["looked at", "looked for"]),
    ("anew", &["anew"]),
    ("so-many", &["so many", "so long"]),
    ("the-same", &["/// the same"]),
];

/// The comment in a line of Rust or TypeScript.
fn comment(line: &str) -> Option<&str> {
    let at = line.match_indices("//").find(|(at, _)| {
        let before = &line[..*at];
        before.matches('"').count().is_multiple_of(2) && !before.ends_with(':')
    })?;
    line.get(at.0..)
}

/// Whether a comment contains this phrase as whole words.
fn has(comment: &str, phrase: &str) -> bool {
    let comment = comment.to_lowercase();
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let begins_a_word = is_letter(phrase.chars().next());
    comment.match_indices(phrase).any(|(at, _)| {
        let continues_a_word = begins_a_word && is_letter(comment[..at].chars().next_back());
        !continues_a_word && !is_letter(comment[at + phrase.len()..].chars().next())
    })
}

/// The lines with one of these phrases.
fn lines_with<'a>(sources: &'a [Source], phrases: &[&str]) -> Vec<(&'a Source, usize)> {
    let mut found = Vec::new();
    for source in sources {
        for (at, line) in source.text.lines().enumerate() {
            if comment(line).is_some_and(|comment| phrases.iter().any(|phrase| has(comment, phrase))) {
                found.push((source, at + 1));
            }
        }
    }
    found
}

/// The phrases that are used more often than their limits allow, with the last places.
fn overused(sources: &[Source], limits: &Limits) -> Vec<String> {
    let over = |(name, phrases): &(&str, &[&str])| {
        let most = limits.of(&format!("comments.{name}"));
        let found = lines_with(sources, phrases);
        (found.len() > most).then(|| {
            let places: Vec<String> =
                found.iter().rev().take(5).map(|(source, line)| format!("{}:{line}", source.path)).collect();
            format!("{phrases:?}: {} comment lines, of {most}, as in {}", found.len(), places.join(", "))
        })
    };
    PHRASES.iter().filter_map(over).collect()
}

#[test]
fn comments_are_written_in_plain_words() {
    let mut sources = sources(&["rs", "ts", "tsx", "mjs"]);
    sources.retain(|source| source.path != "tests/tests/tidy/comments.rs");
    assert_none(&overused(&sources, &Limits::read()));
}

#[test]
fn an_overused_phrase_is_found() {
    let limits =
        Limits::parse(&format!("[comments]\n{}", PHRASES.map(|(name, _)| format!("{name} = 1\n")).concat()));
    let source = |text: &str| [Source::sample("crates/x/src/a.rs", text)];
    let check = |text: &str| overused(&source(text), &limits);
    assert_found(&check("// Nobody asks.\nlet a = 1; // and nobody answers\n"), "2 comment lines, of 1");
    assert_found(&check("// Its name; none: no name.\n// An id; none: any.\n"), "2 comment lines, of 1");
    assert_found(&check("/// The same.\n/// The same, twice.\n"), "the same");
    assert_none(&check(
        "// nobody\nlet url = \"https://nobody\";\n// understands, outstanding\n// withstand\n",
    ));
}

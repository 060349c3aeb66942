//! The repository's text files, and views of Rust code without the parts that a rule must ignore.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders with generated content.
const GENERATED_FOLDERS: [&str; 9] =
    [".git", "target", "node_modules", "dist", "dist-mock", "gen", ".tools", "sidecars", "bindings"];

/// One file, with its path relative to the repository.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// A sample file that violates a rule.
    pub(crate) fn sample(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        let found = Path::new(&self.path).extension().and_then(|extension| extension.to_str());
        found.is_some_and(|found| extensions.contains(&found))
    }

    /// The Rust code that ships: without comments, text literals and tests.
    pub(crate) fn code(&self) -> String {
        if is_test(&self.path) { String::new() } else { without_text(&without_tests(&self.text)) }
    }

    /// The first line with this text and its number, as the beginning of an offence.
    pub(crate) fn line_with(&self, needle: &str) -> String {
        let found = self.text.lines().enumerate().find(|(_, line)| line.contains(needle));
        let (index, line) = found.unwrap_or_default();
        format!("{}:{}: {}", self.path, index + 1, line.trim())
    }
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every handwritten text file in the repository with one of these extensions.
pub(crate) fn sources(extensions: &[&str]) -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    walk(&root, &root, &mut found);
    found.retain(|source| source.has_extension(extensions));
    assert!(!found.is_empty(), "no files found: the rules would hold for nothing");
    found
}

fn walk(root: &Path, directory: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if !GENERATED_FOLDERS.iter().any(|name| path.ends_with(name)) {
                walk(root, &path, found);
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            let path = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            found.push(Source { path, text });
        }
    }
}

/// Whether a file only contains tests or helpers for tests.
pub(crate) fn is_test(path: &str) -> bool {
    path.contains("/tests/")
        || path.starts_with("tests/")
        || path.contains("/testkit/")
        || path.ends_with("/tests.rs")
        || path.contains(".test.")
        || path.contains("/benches/")
}

/// Rust code without inline `#[cfg(test)] mod tests { … }`, as formatted by rustfmt.
pub(crate) fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let opens = |next: &&str| next.starts_with("mod ") && next.ends_with('{');
        if line == "#[cfg(test)]" && lines.peek().is_some_and(opens) {
            for inside in lines.by_ref() {
                if inside == "}" {
                    break;
                }
            }
            continue;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// Rust code with comments and the content of text literals removed.
pub(crate) fn without_text(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(hashes) = raw_literal(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = hashes + 2;
            rest.get(start..).and_then(|body| body.find(&end)).map_or(rest.len(), |at| start + at + end.len())
        } else if next == '"' {
            end_of_literal(rest)
        } else if rest.starts_with("'\"'") {
            3
        } else {
            0
        };
        if skipped == 0 {
            kept.push(next);
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
        } else {
            let (gone, left) = rest.split_at(skipped);
            kept.extend(gone.chars().filter(|letter| *letter == '\n'));
            rest = left;
        }
    }
    kept
}

/// The number of hashes, if a raw literal starts here.
fn raw_literal(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('r')?;
    let hashes = after.chars().take_while(|letter| *letter == '#').count();
    after.get(hashes..)?.starts_with('"').then_some(hashes)
}

fn end_of_literal(rest: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[test]
fn code_is_seen_without_comments_texts_and_tests() {
    let text = "// a note\nlet x = \"tokio::spawn\"; /* y */ real();\nlet r = r#\"raw \" text\"#;\n\n#[cfg(test)]\nmod tests {\n    fn hidden() {}\n}\nfn after() {}\n";
    let code = Source::sample("crates/mcp/src/client.rs", text).code();
    assert_eq!(code, "\nlet x = ;  real();\nlet r = ;\n\nfn after() {}\n");
}

//! The page `docs/errors.md`: one section for each code of a check or an error.

use std::fmt::Write as _;

use mooring_errors::{ErrorCode, FailureCode};

use crate::check::CheckCode;

/// What the codes mean and what to do: lines of code, meaning and next step, separated by tabs.
const MEANINGS: &str = include_str!("reference.tsv");

/// The meaning and the next step of a code.
fn meaning_of(code: &str) -> Option<(&'static str, &'static str)> {
    let mut lines = MEANINGS.lines().map(|line| line.splitn(3, '\t'));
    lines.find_map(|mut line| {
        (line.next() == Some(code)).then(|| (line.next().unwrap_or(""), line.next().unwrap_or("")))
    })
}

/// The text of `docs/errors.md`.
pub fn errors_page() -> String {
    let mut page = String::from(
        "# Errors and checks\n\nWhat the codes mean that `mooring doctor`, `--json` and the window show, and what to do. This page is generated: `cargo run -p mooring-doctor --example errors_page > docs/errors.md`.\n",
    );
    let mut known = Vec::new();
    let checks = CheckCode::ALL.iter().map(|code| code.as_str());
    let failures = FailureCode::ALL.iter().map(|code| code.as_str());
    let errors = ErrorCode::ALL.iter().map(|code| code.as_str());
    add_sections(&mut page, "Checks of `mooring doctor`", checks, &mut known);
    add_sections(&mut page, "Why a server doesn’t connect", failures, &mut known);
    add_sections(&mut page, "Why something wasn’t done", errors, &mut known);
    page
}

/// Adds a section for each code that has none yet.
fn add_sections(
    page: &mut String,
    title: &str,
    codes: impl Iterator<Item = &'static str>,
    known: &mut Vec<&'static str>,
) {
    // Writing to a string doesn't fail.
    let _written = write!(page, "\n## {title}\n");
    for code in codes {
        if known.contains(&code) {
            continue;
        }
        known.push(code);
        let (meaning, next) = meaning_of(code).unwrap_or_default();
        let _written = write!(page, "\n### {code}\n\n{meaning}\n");
        if !next.is_empty() {
            let _written = write!(page, "\nNext: {next}\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_of_errors_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
        let written = std::fs::read_to_string(path).unwrap();
        let is_current = written == errors_page();
        assert!(is_current, "cargo run -p mooring-doctor --example errors_page > docs/errors.md");
    }

    #[test]
    fn every_code_has_a_meaning_and_one_anchor() {
        let page = errors_page();
        let checks = CheckCode::ALL.iter().map(|code| code.as_str());
        let failures = FailureCode::ALL.iter().map(|code| code.as_str());
        let errors = ErrorCode::ALL.iter().map(|code| code.as_str());
        for code in checks.chain(failures).chain(errors) {
            assert!(meaning_of(code).is_some_and(|(meaning, _)| !meaning.is_empty()), "{code}");
            assert_eq!(page.matches(&format!("\n### {code}\n")).count(), 1, "{code}");
        }
        // A line of the table without a code would never be shown.
        for line in MEANINGS.lines() {
            let code = line.split('\t').next().unwrap();
            assert!(page.contains(&format!("\n### {code}\n")), "{code}");
        }
    }

    #[test]
    fn links_of_the_page_lead_to_its_sections() {
        let page = errors_page();
        for link in page.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(page.contains(&format!("\n### {link}\n")), "{link}");
        }
    }
}

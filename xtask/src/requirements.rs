//! `docs/requirements.md`: the protocol's requirements with the tests that cover them.
//!
//! A comment above a test names its requirements: `// Requirements: BASE-01, LIFE-03.` The list of all
//! requirements is in `tests/requirements`, with reasons for those that have no test or are only partly
//! tested.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::Workspace;

const PAGE: &str = "docs/requirements.md";
const LIST: &str = "tests/requirements/list.tsv";
const GROUPS: &str = "tests/requirements/groups.tsv";
/// The folders that contain tests.
const FOLDERS: [&str; 5] = ["crates", "src-tauri", "tests", "ui/src", "xtask"];
const MARK: &str = "// Requirements:";
/// How many lines below the comment the test's name may be.
const MAX_DISTANCE: usize = 16;

/// Writes the page. With `check`, fails if the page is out of date.
pub(crate) fn requirements(workspace: &Workspace, check: bool) -> Result<()> {
    let root = &workspace.root;
    let list = table(root, LIST)?;
    let groups = table(root, GROUPS)?;
    let shown = collect_tests(root)?;
    let page = page(&list, &groups, &shown)?;
    let path = root.join(PAGE);
    if !check {
        return fs::write(&path, page).with_context(|| path.display().to_string());
    }
    let committed = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    ensure!(committed == page, "{PAGE} is not what the tests say: run `cargo xtask requirements`");
    Ok(())
}

/// The rows of a tab-separated file, without comments.
fn table(root: &Path, name: &str) -> Result<Vec<Vec<String>>> {
    let text = fs::read_to_string(root.join(name)).with_context(|| name.to_owned())?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

/// The path and name of each requirement's tests.
type TestsByRequirement = BTreeMap<String, Vec<(String, String)>>;

fn collect_tests(root: &Path) -> Result<TestsByRequirement> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        sources(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut shown = TestsByRequirement::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let place = file.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        for (id, test) in marks(&text).with_context(|| place.clone())? {
            shown.entry(id).or_default().push((place.clone(), test));
        }
    }
    Ok(shown)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !["node_modules", "target", "gen"].contains(&name) {
                sources(&path, found)?;
            }
        } else if path.extension().is_some_and(|kind| ["rs", "mjs", "ts", "tsx"].iter().any(|k| kind == *k)) {
            found.push(path);
        }
    }
    Ok(())
}

/// The requirements that a source names, each with the test below it.
fn marks(text: &str) -> Result<Vec<(String, String)>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut marks = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some(ids) = line.trim_start().strip_prefix(MARK) else { continue };
        let mut below = (number + 1..lines.len()).take(MAX_DISTANCE);
        let Some(test) = below.find_map(|at| test_name(lines[at], lines.get(at + 1).unwrap_or(&""))) else {
            bail!("line {}: there is no test below this comment", number + 1);
        };
        for id in ids.trim().trim_end_matches('.').split(", ") {
            marks.push((id.to_owned(), test.to_owned()));
        }
    }
    Ok(marks)
}

/// The name of the test that begins in this line: `fn name(`, `test("name"`, or after a table `])("name"` and
/// `it.each(table)("name"`. If the line ends with the bracket, the name is in the next line.
fn test_name<'a>(line: &'a str, next: &'a str) -> Option<&'a str> {
    let line = line.trim_start();
    if let Some((_, rest)) = line.split_once("fn ") {
        return rest.split(['(', '<']).next();
    }
    let called = ["test(", "it(", "t.test(", "await t.test("].iter().find_map(|call| line.strip_prefix(call));
    let is_table = || line.starts_with(']') || line.starts_with("it.each(");
    let after_table = || line.split_once(")(").filter(|_| is_table()).map(|(_, rest)| rest);
    let quoted = called.or_else(after_table)?;
    let quoted = if quoted.is_empty() { next.trim_start() } else { quoted };
    let quote = quoted.chars().next().filter(|quote| ['"', '\'', '`'].contains(quote))?;
    quoted.get(1..)?.split(quote).next()
}

fn page(list: &[Vec<String>], groups: &[Vec<String>], shown: &TestsByRequirement) -> Result<String> {
    let known: Vec<&str> = list.iter().filter_map(|row| row.first()).map(String::as_str).collect();
    if let Some((id, tests)) = shown.iter().find(|(id, _)| !known.contains(&id.as_str())) {
        bail!("{} names a requirement that there is none of: {id}", tests.first().map_or("", |test| &test.0));
    }
    let count = known.iter().filter(|id| shown.contains_key(**id)).count();
    let mut page = format!(
        "# Requirements of the protocol, and the tests that show them\n\n\
         Written by `cargo xtask requirements` from the comments above the tests; CI checks that it is current. \
         The columns of the revisions say M for must, S for should, O for optional, R for removed; `d` deprecated, `-` not \
         there. A level with `*` follows from others. Pages are those of the specification, `docs/specification/<revision>`.\n\n\
         {count} of {} requirements are named by a test. What no test names is listed with the reason at the head of \
         its group; a named test may show only part of a requirement, and where that is known it is said.\n",
        known.len()
    );
    for group in groups {
        let [name, title, reason] = group.as_slice() else { bail!("{GROUPS}: three columns: {group:?}") };
        let prefix = format!("{name}-");
        write!(page, "\n## {name}: {title}\n\n")?;
        let rows: Vec<_> =
            list.iter().filter(|row| row.first().is_some_and(|id| id.starts_with(&prefix))).collect();
        if !without_test(&mut page, &rows, reason, shown)? {
            continue;
        }
        page.push_str(
            "| | level | 24-11 25-03 25-06 25-11 26-07 | said in | shown by |\n|---|---|---|---|---|\n",
        );
        for row in rows {
            let (id, level, revisions, source, left_out) = match row.as_slice() {
                [id, level, revisions, source] => (id, level, revisions, source, None),
                [id, level, revisions, source, left_out] => (id, level, revisions, source, Some(left_out)),
                _ => bail!("{LIST}: four columns, or five: {row:?}"),
            };
            let Some(tests) = shown.get(id) else { continue };
            let mut names: Vec<&str> = tests.iter().map(|(_, test)| test.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.extend(left_out.map(|left_out| format!("not shown: {left_out}")));
            let source = source.replace('|', "\\|");
            writeln!(page, "| {id} | {level} | {revisions} | {source} | {} |", names.join("<br>"))?;
        }
    }
    Ok(page)
}

/// Writes the group's requirements without a test, each with its own reason or the group's. Returns whether
/// the group has any others.
fn without_test(
    page: &mut String,
    rows: &[&Vec<String>],
    reason: &str,
    shown: &TestsByRequirement,
) -> Result<bool> {
    let mut missing: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut count = 0;
    for row in rows {
        let Some(id) = row.first().filter(|id| !shown.contains_key(*id)) else { continue };
        let why = row.get(4).map_or(reason, String::as_str);
        ensure!(!why.is_empty(), "{LIST}: {id} has neither a test nor a reason");
        match missing.iter_mut().find(|(known, _)| *known == why) {
            Some((_, ids)) => ids.push(id),
            None => missing.push((why, vec![id])),
        }
        count += 1;
    }
    match missing.as_slice() {
        [] => {}
        [(why, ids)] => write!(page, "Without a test ({why}): {}.\n\n", ids.join(", "))?,
        several => {
            page.push_str("Without a test:\n\n");
            for (why, ids) in several {
                writeln!(page, "- {}: {why}.", ids.join(", "))?;
            }
            page.push('\n');
        }
    }
    Ok(count < rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_requirements_of_the_test_below_it() {
        let text = "    // Requirements: BASE-01, LIFE-03.\n    #[tokio::test]\n    async fn it_works() {\n";
        let found = marks(text).unwrap();
        let expected = [("BASE-01", "it_works"), ("LIFE-03", "it_works")];
        assert_eq!(found, expected.map(|(id, test)| (id.to_owned(), test.to_owned())));
        let script = "// Requirements: TOOL-01.\ntest(\"a tool, called\", async () => {\n";
        assert_eq!(marks(script).unwrap(), [("TOOL-01".to_owned(), "a tool, called".to_owned())]);
        let table = "// Requirements: TOOL-01.\nit.each([\n  [1, 2],\n] as X[])(\"%s is\", (x) => {\n";
        assert_eq!(marks(table).unwrap(), [("TOOL-01".to_owned(), "%s is".to_owned())]);
        let named = "// Requirements: TOOL-01.\nit.each(rows)(\"%s is\", (x) => {\n";
        assert_eq!(marks(named).unwrap(), [("TOOL-01".to_owned(), "%s is".to_owned())]);
        assert!(marks("// Requirements: TOOL-01.\nlet x = 1;\n").is_err());
    }

    #[test]
    fn requirements_page_lists_shown_and_missing_requirements() {
        let row = |text: &str| text.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let list = [row("A-1\tMUST\tM M M M M\tbasic|index"), row("A-2\tMAY\tO O O O O\tderived")];
        let groups = [row("A\tFirst\tlater")];
        let shown =
            |id: &str| TestsByRequirement::from([(id.to_owned(), vec![("x.rs".to_owned(), "t".to_owned())])]);
        let written = page(&list, &groups, &shown("A-1")).unwrap();
        assert!(written.contains("1 of 2 requirements"), "{written}");
        assert!(written.contains("Without a test (later): A-2."), "{written}");
        assert!(written.contains("| A-1 | MUST | M M M M M | basic\\|index | `t` |"), "{written}");
        let error = page(&list, &groups, &shown("A-3")).unwrap_err().to_string();
        assert!(error.contains("A-3") && error.contains("x.rs"), "{error}");
    }

    #[test]
    fn what_has_a_reason_of_its_own_is_listed_with_it() {
        let row = |text: &str| text.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let list = [
            row("A-1\tM\tM\tx\tonly half"),
            row("A-2\tM\tM\tx"),
            row("A-3\tM\tM\tx\tits own"),
            row("A-4\tM\tM\tx\tits own"),
        ];
        let shown = TestsByRequirement::from([("A-1".to_owned(), vec![("x.rs".to_owned(), "t".to_owned())])]);
        let written = page(&list, &[row("A\tFirst\tlater")], &shown).unwrap();
        assert!(written.contains("Without a test:\n\n- A-2: later.\n- A-3, A-4: its own.\n\n|"), "{written}");
        assert!(written.contains("| `t`<br>not shown: only half |"), "{written}");
        let error = page(&list, &[row("A\tFirst\t")], &shown).unwrap_err().to_string();
        assert!(error.contains("A-2 has neither"), "{error}");
    }
}

//! `cargo xtask files-to-add`: which files a new screen, setting, question and so on needs.
//!
//! The lists are in `files_to_add/*.toml`. CONTRIBUTING.md shows them. Most have an example: what is inserted where to
//! add one called *tides*. The checks make sure that every place is still there; with `--try` the examples are added to
//! a copy of the sources, which must build with all of its parts and must not build without each that says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::command::Command;
use crate::setup::pages;
use crate::workspace::{NPM, Workspace};

const GUIDE: &str = "CONTRIBUTING.md";
/// The lines of the guide before and after the lists.
const START: &str = "## Files to add a …\n";
const END: &str = "\n## Licence\n";

const LISTS: [&str; 7] = [
    include_str!("files_to_add/screen.toml"),
    include_str!("files_to_add/setting.toml"),
    include_str!("files_to_add/command.toml"),
    include_str!("files_to_add/field.toml"),
    include_str!("files_to_add/question.toml"),
    include_str!("files_to_add/table.toml"),
    include_str!("files_to_add/verb.toml"),
];

/// The places to edit to add something of one kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    /// The heading in the guide.
    title: String,
    /// The name in the guide's table.
    row: String,
    /// The most files that there may be.
    limit: usize,
    /// What the guide says below the list.
    note: String,
    #[serde(rename = "place")]
    places: Vec<Place>,
    /// What a task writes into recordings for the example. Each text may occur several times.
    #[serde(default)]
    generated: Vec<Edit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    /// The line of the guide.
    text: String,
    /// The files, for a place without an example. Names in capitals are placeholders.
    #[serde(default)]
    files: Vec<String>,
    /// What doesn't build without this place.
    left_out: Option<Part>,
    /// The example.
    #[serde(default, rename = "edit")]
    edits: Vec<Edit>,
}

/// A part of the sources that is built by itself.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Part {
    Rust,
    Types,
}

/// Text that the example inserts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    file: String,
    /// The only occurrence of this text in the file. `None` for a new file.
    after: Option<String>,
    /// Whether to insert in front of that text instead of after it.
    #[serde(default)]
    before: bool,
    /// Whether to replace that text.
    #[serde(default)]
    instead: bool,
    add: String,
}

impl List {
    fn files(&self) -> BTreeSet<&str> {
        self.places.iter().flat_map(Place::files).collect()
    }

    fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.places.iter().flat_map(|place| &place.edits)
    }
}

impl Place {
    fn files(&self) -> impl Iterator<Item = &str> {
        let edited = self.edits.iter().map(|edit| edit.file.as_str());
        self.files.iter().map(String::as_str).chain(edited)
    }
}

impl Edit {
    /// The file's text with the example in it. `text` is `None` if there is no such file.
    fn apply(&self, text: Option<&str>) -> Result<String> {
        let Some(anchor) = &self.after else {
            ensure!(text.is_none(), "there is a file {} already", self.file);
            return Ok(self.add.clone());
        };
        let text = text.with_context(|| format!("there is no file {}", self.file))?;
        let anchor = anchor.strip_suffix('\n').unwrap_or(anchor);
        let count = text.matches(anchor).count();
        ensure!(count == 1, "{count} times instead of once in {}: {anchor}", self.file);
        let (add, at) =
            (self.add.strip_suffix('\n').unwrap_or(&self.add), text.find(anchor).unwrap_or_default());
        let (front, back) = (&text[..at], &text[at + anchor.len()..]);
        Ok(if self.instead {
            format!("{front}{add}{back}")
        } else if self.before {
            format!("{front}{add}\n{anchor}{back}")
        } else {
            format!("{front}{anchor}\n{add}{back}")
        })
    }
}

fn read_lists() -> Result<Vec<List>> {
    LISTS.iter().map(|text| toml::from_str(text).context("a list of files to add")).collect()
}

/// The section of the guide.
fn section(lists: &[List]) -> String {
    let mut text = String::from(START);
    text.push_str(
        "\nThe lists name the files that you edit, besides tests, the CHANGELOG and the feature itself. *Generated* files \
         are written for you: run `cargo xtask bindings` and commit the result. `cargo xtask files-to-add` writes this \
         section; with `--try` it adds an example of each to a copy of the sources and shows that it builds.\n\n\
         | to add | files that you edit |\n|---|---|\n",
    );
    for list in lists {
        let anchor = list.title.to_lowercase().replace(' ', "-").replace('`', "");
        // Writing to a text can't fail.
        let _ = writeln!(text, "| [{}](#{anchor}) | {} |", list.row, list.files().len());
    }
    for list in lists {
        let _ = write!(text, "\n### {}\n\n", list.title);
        for (number, place) in (1..).zip(&list.places) {
            let _ = writeln!(text, "{number}. {}", place.text);
        }
        if !list.note.is_empty() {
            let _ = write!(text, "\n{}\n", list.note);
        }
    }
    text
}

/// The guide with the section as it should be.
fn with_section(guide: &str, lists: &[List]) -> Result<String> {
    let start = guide.find(START).context("the guide has no section for files to add")?;
    let end = guide[start..].find(END).context("nothing follows the section for files to add")? + start;
    Ok(format!("{}{}{}", &guide[..start], section(lists), &guide[end..]))
}

/// Makes sure that no list is longer than its limit, that every place is there, and that the guide shows the lists.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let lists = read_lists()?;
    for list in &lists {
        let count = list.files().len();
        ensure!(count <= list.limit, "{} files instead of {} to add {}", count, list.limit, list.row);
        let mut texts = Sources::new(&workspace.root);
        for edit in list.edits() {
            texts.apply(edit).with_context(|| format!("to add {}", list.row))?;
        }
    }
    let path = workspace.root.join(GUIDE);
    let guide = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    ensure!(
        guide == with_section(&guide, &lists)?,
        "{GUIDE} has other lists: run `cargo xtask files-to-add`"
    );
    Ok(())
}

/// Writes the section of the guide, or with `is_trial` adds each example whose name contains `wanted` to a copy.
pub(crate) fn files_to_add(workspace: &Workspace, is_trial: bool, wanted: &str) -> Result<()> {
    let lists = read_lists()?;
    if !is_trial {
        let path = workspace.root.join(GUIDE);
        let guide = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        fs::write(&path, with_section(&guide, &lists)?)?;
        for list in &lists {
            println!("{:>3} of {:>3}  {}", list.files().len(), list.limit, list.row);
        }
        return check(workspace);
    }
    pages::packages(workspace)?;
    let copy = Copy::make(workspace)?;
    for list in lists.iter().filter(|list| list.edits().next().is_some() && list.row.contains(wanted)) {
        println!("to add {}: {} files", list.row, list.files().len());
        copy.try_list(list)?;
    }
    Ok(())
}

/// Sources in memory, with the examples that were added to them.
struct Sources<'a> {
    root: &'a Path,
    texts: BTreeMap<String, String>,
}

impl<'a> Sources<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, texts: BTreeMap::new() }
    }

    fn apply(&mut self, edit: &Edit) -> Result<()> {
        let read = || fs::read_to_string(self.root.join(&edit.file)).ok();
        let before = self.texts.get(&edit.file).cloned().or_else(read);
        self.texts.insert(edit.file.clone(), edit.apply(before.as_deref())?);
        Ok(())
    }
}

/// A copy of the sources, built into the same target directory.
struct Copy<'a> {
    workspace: &'a Workspace,
    root: PathBuf,
}

impl<'a> Copy<'a> {
    fn make(workspace: &'a Workspace) -> Result<Self> {
        let copy = Self { workspace, root: workspace.target.join("files-to-add") };
        let listed = Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .directory(&workspace.root)
            .capture()?;
        for file in listed.lines() {
            // A file that was deleted is still listed until that is committed.
            if let Ok(bytes) = fs::read(workspace.root.join(file)) {
                copy.write(file, &bytes)?;
            }
        }
        let packages = copy.root.join("ui/node_modules");
        if !packages.exists() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(workspace.ui().join("node_modules"), &packages)?;
            #[cfg(windows)]
            std::os::windows::fs::symlink_dir(workspace.ui().join("node_modules"), &packages)?;
        }
        // The window's code embeds the built pages.
        fs::create_dir_all(copy.root.join("ui/dist"))?;
        Ok(copy)
    }

    /// Writes a file of the copy, unless it has this content, so that it isn't built again.
    fn write(&self, file: &str, bytes: &[u8]) -> Result<()> {
        let path = self.root.join(file);
        if fs::read(&path).ok().as_deref() == Some(bytes) {
            return Ok(());
        }
        fs::create_dir_all(path.parent().context("a file without a folder")?)?;
        fs::write(&path, bytes).with_context(|| path.display().to_string())
    }

    /// Writes the files of a list's example, without those of the place `left_out`.
    fn write_example(&self, list: &List, left_out: Option<usize>) -> Result<()> {
        let mut sources = Sources::new(&self.workspace.root);
        for Edit { file, after, add, .. } in &list.generated {
            let text = fs::read_to_string(self.workspace.root.join(file)).with_context(|| file.clone())?;
            let anchor = after.as_deref().context("a recording is there already")?;
            ensure!(text.contains(anchor), "not in {file}: {anchor}");
            sources.texts.insert(file.clone(), text.replace(anchor, &format!("{anchor}{add}")));
        }
        for (number, place) in list.places.iter().enumerate() {
            for edit in &place.edits {
                if left_out != Some(number) {
                    sources.apply(edit)?;
                } else if edit.after.is_none() {
                    fs::remove_file(self.root.join(&edit.file))?;
                } else if let Ok(text) = fs::read_to_string(self.workspace.root.join(&edit.file)) {
                    sources.texts.entry(edit.file.clone()).or_insert(text);
                }
            }
        }
        sources.texts.iter().try_for_each(|(file, text)| self.write(file, text.as_bytes()))
    }

    /// Takes the example out again.
    fn remove_example(&self, list: &List) -> Result<()> {
        for edit in list.edits().chain(&list.generated) {
            match fs::read(self.workspace.root.join(&edit.file)) {
                Ok(bytes) => self.write(&edit.file, &bytes)?,
                // A place that was left out last may have removed it.
                Err(_) => drop(fs::remove_file(self.root.join(&edit.file))),
            }
        }
        Ok(())
    }

    /// Tries a list, and takes its example out again in any case.
    fn try_list(&self, list: &List) -> Result<()> {
        let tried = self.try_example(list);
        let removed = self.remove_example(list);
        tried.and(removed)
    }

    fn try_example(&self, list: &List) -> Result<()> {
        self.write_example(list, None)?;
        self.build_rust().run().context("the whole example doesn't build")?;
        self.write_bindings().run()?;
        self.build_types().run().context("the pages don't build with the whole example")?;
        for (number, place) in list.places.iter().enumerate() {
            let Some(part) = place.left_out else { continue };
            self.write_example(list, Some(number))?;
            let built = if part == Part::Rust { self.build_rust() } else { self.build_types() };
            ensure!(!built.succeeds(), "it builds without: {}", place.text);
            let files: BTreeSet<_> = place.files().collect();
            println!("  doesn't build without {}", files.into_iter().collect::<Vec<_>>().join(", "));
            self.write_example(list, None)?;
        }
        Ok(())
    }

    fn build_rust(&self) -> Command {
        Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
            .args([
                "build",
                "--locked",
                "-p",
                "mooring-cli",
                "-p",
                "mooring-desktop",
                "--example",
                "bindings",
            ])
            .args(["--bin", "mooring", "--features", "mooring-desktop/custom-protocol"])
            .env("CARGO_TARGET_DIR", self.workspace.target.as_os_str())
            .directory(&self.root)
    }

    fn write_bindings(&self) -> Command {
        Command::new(self.workspace.binaries().join("examples/bindings"))
            .arg(self.root.join("ui/src/ipc/bindings"))
            .directory(&self.root)
    }

    fn build_types(&self) -> Command {
        Command::new(NPM).args(["run", "--silent", "typecheck"]).directory(&self.root.join("ui"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(after: Option<&str>, before: bool, instead: bool) -> Edit {
        Edit {
            file: "f".to_owned(),
            after: after.map(str::to_owned),
            before,
            instead,
            add: "new\n".to_owned(),
        }
    }

    #[test]
    fn an_example_is_inserted_where_it_belongs() {
        let text = "a\nb\nc\n";
        let with = |edit: &Edit| edit.apply(Some(text)).unwrap();
        assert_eq!(with(&edit(Some("b\n"), false, false)), "a\nb\nnew\nc\n");
        assert_eq!(with(&edit(Some("b\n"), true, false)), "a\nnew\nb\nc\n");
        assert_eq!(with(&edit(Some("b\n"), false, true)), "a\nnew\nc\n");
        assert_eq!(edit(None, false, false).apply(None).unwrap(), "new\n");
    }

    #[test]
    fn a_place_that_is_gone_is_an_error() {
        let gone = edit(Some("x\n"), false, false).apply(Some("a\n")).unwrap_err();
        assert_eq!(gone.to_string(), "0 times instead of once in f: x");
        let twice = edit(Some("a\n"), false, false).apply(Some("a\na\n")).unwrap_err();
        assert_eq!(twice.to_string(), "2 times instead of once in f: a");
        assert!(edit(None, false, false).apply(Some("a")).is_err());
        assert!(edit(Some("a"), false, false).apply(None).is_err());
    }
}

//! Generates the manual pages and shell completions of the command line.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::CommandFactory as _;
use mooring_command_line::{Cli, Shell, TOPICS, script};
use serde_json::{Map, Value};

/// Where each shell expects its completions.
const SCRIPTS: [(Shell, &str); 3] = [
    (Shell::Bash, "/usr/share/bash-completion/completions/mooring"),
    (Shell::Zsh, "/usr/share/zsh/vendor-completions/_mooring"),
    (Shell::Fish, "/usr/share/fish/vendor_completions.d/mooring.fish"),
];

/// Writes the files to a folder. Returns the installed path and the current path of each.
pub(super) fn write(folder: &Path) -> Result<Map<String, Value>> {
    // A file of an earlier version may have another name.
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut files = Map::new();
    let mut add = |installed: String, file: PathBuf| {
        files.insert(installed, file.display().to_string().into());
    };
    for file in pages(folder)? {
        let name = file.file_name().and_then(|name| name.to_str()).context("a page has a name")?;
        add(format!("/usr/share/man/man1/{name}"), file);
    }
    for (shell, installed) in SCRIPTS {
        let name = Path::new(installed).file_name().context("a script has a name")?;
        let file = folder.join(name);
        fs::write(&file, script(shell, "mooring")?)?;
        add(installed.to_owned(), file);
    }
    Ok(files)
}

/// Writes a page for `mooring` and for each of its commands.
fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut command = Cli::command();
    command.build();
    let mut made = Vec::new();
    write_page(&command, "mooring", folder, &mut made)?;
    Ok(made)
}

fn write_page(command: &clap::Command, name: &str, folder: &Path, made: &mut Vec<PathBuf>) -> Result<()> {
    let page = clap_mangen::Man::new(command.clone()).title(name).section("1");
    let mut text = Vec::new();
    page.render(&mut text)?;
    if name == "mooring" {
        for topic in TOPICS {
            let body = topic.text.replace('\\', "\\\\").replace("\n.", "\n\\&.").replace("\n'", "\n\\&'");
            writeln!(
                text,
                ".SH {}\n.nf\n{}\n.fi",
                topic.name.to_uppercase().replace('-', "\\-"),
                body.trim_end()
            )?;
        }
    }
    let file = folder.join(format!("{name}.1"));
    fs::write(&file, text).with_context(|| format!("could not write: {}", file.display()))?;
    made.push(file);
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        write_page(verb, &format!("{name}-{}", verb.get_name()), folder, made)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_each_shell_its_script() {
        let folder = tempfile::tempdir().unwrap();
        let files = write(&folder.path().join("manual")).unwrap();
        for installed in [
            "/usr/share/man/man1/mooring.1",
            "/usr/share/man/man1/mooring-call.1",
            "/usr/share/man/man1/mooring-apps-set.1",
            "/usr/share/bash-completion/completions/mooring",
        ] {
            let file =
                files.get(installed).and_then(Value::as_str).unwrap_or_else(|| panic!("no {installed}"));
            assert!(fs::metadata(file).unwrap().len() > 200, "{installed}");
        }
        let page = fs::read_to_string(files["/usr/share/man/man1/mooring.1"].as_str().unwrap()).unwrap();
        assert!(page.contains("SIGN\\-IN") && page.contains("mooring call demo echo"), "{page}");
        assert_eq!(files.len(), fs::read_dir(folder.path().join("manual")).unwrap().count());
    }
}

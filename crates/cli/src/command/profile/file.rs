//! `mooring profile export` and `import`.

use std::fmt::Display;
use std::io::Read as _;
use std::path::Path;

use mooring_host::{Host, ProfileImportChoice, ProfileReview, ReviewedFolder};
use serde::Serialize;

use super::{ProfileJson, to_json};
use crate::args::ProfileImportArgs;
use crate::command::apps::ask;
use crate::fault::Fault;
use crate::files::{already_exists, write_file};
use crate::output::{Output, escape_line, quote};
use crate::table::Table;

/// Maximum number of bytes that are read of a file. The host refuses smaller ones, too.
const MAX_FILE: u64 = 1 << 20;

/// The result of `profile import` in JSON.
#[derive(Serialize)]
struct ProfileImportJson {
    name: String,
    servers: Vec<ImportedServerJson>,
    hidden: usize,
    folders: Option<Vec<ImportedFolderJson>>,
    project: Option<ImportedFolderJson>,
    /// The saved profile. `None` if the person declined.
    profile: Option<ProfileJson>,
}

#[derive(Serialize)]
struct ImportedServerJson {
    name: String,
    runs: String,
    found: bool,
    /// What the server of this name runs here, if it is something else.
    runs_here: Option<String>,
}

#[derive(Serialize)]
struct ImportedFolderJson {
    path: String,
    here: bool,
}

impl From<ReviewedFolder> for ImportedFolderJson {
    fn from(ReviewedFolder { path, is_here }: ReviewedFolder) -> Self {
        Self { path, here: is_here }
    }
}

pub(super) fn export(
    output: Output,
    host: &Host,
    name: &str,
    file: Option<&Path>,
    force: bool,
) -> Result<(), Fault> {
    let text = host.export_profile(host.profile_named(name)?.id)?;
    if let Some(path) = file {
        if !force && path.exists() {
            return Err(already_exists(path));
        }
        write_file(path, text.as_bytes(), force)?;
        output.note(&format!("Saved: {}", escape_line(&path.display().to_string())));
    }
    if output.json {
        let content: serde_json::Value = serde_json::from_str(&text).map_err(anyhow::Error::from)?;
        output.result(&content)?;
    } else if file.is_none() {
        output.text(&text)?;
    }
    Ok(())
}

pub(super) async fn import(output: Output, host: &Host, args: ProfileImportArgs) -> Result<(), Fault> {
    let text = read_file(&args.file)?;
    let review = host.review_profile(&text).await?;
    if !output.json {
        print_review(output, &review, &args)?;
    }
    let refused = Fault::usage("saving a profile from a file needs your consent").next("Add --yes");
    let agreed = ask(output, "Save this profile?", args.yes, refused).await?;
    let choice = ProfileImportChoice { name: args.name, others: args.others, project: args.project };
    let saved = if agreed { Some(host.import_profile(&text, choice).await?) } else { None };
    if output.json {
        let servers = review.servers.into_iter().map(|server| ImportedServerJson {
            found: server.server.is_some(),
            name: server.name,
            runs: server.runs,
            runs_here: server.runs_here,
        });
        return Ok(output.result(&ProfileImportJson {
            name: review.name,
            servers: servers.collect(),
            hidden: review.hidden,
            folders: review.folders.map(|folders| folders.into_iter().map(Into::into).collect()),
            project: review.project.map(Into::into),
            profile: saved.map(|saved| to_json(host, saved)),
        })?);
    }
    match saved {
        Some(saved) => {
            output.line(&format!("Saved {}.", escape_line(&saved.name)))?;
            output.note(&format!("Use it: mooring profile use {}", escape_line(&quote(&saved.name))));
        }
        None => output.line("Nothing was saved.")?,
    }
    Ok(())
}

/// Prints what a file says, and what of it is here.
fn print_review(output: Output, review: &ProfileReview, args: &ProfileImportArgs) -> Result<(), Fault> {
    output.line(&format!("Profile {}", escape_line(&review.name)))?;
    let mut table = Table::default();
    for server in &review.servers {
        let state = match (&server.server, &server.runs_here) {
            (None, _) => "missing here".to_owned(),
            (Some(_), None) => "found".to_owned(),
            (Some(_), Some(here)) if args.others => format!("found, but it runs {here} here"),
            (Some(_), Some(here)) => format!("left out: it runs {here} here (--others)"),
        };
        table.row(["server".to_owned(), server.name.clone(), server.runs.clone(), state]);
    }
    for folder in review.folders.iter().flatten() {
        let state = if folder.is_here { "shared" } else { "not shared here" };
        table.row(["folder".to_owned(), folder.path.clone(), String::new(), state.to_owned()]);
    }
    if let Some(project) = &review.project {
        let state = match (project.is_here, args.project) {
            (false, _) => "there is no such folder",
            (true, true) => "bound",
            (true, false) => "left out (--project)",
        };
        table.row(["project folder".to_owned(), project.path.clone(), String::new(), state.to_owned()]);
    }
    table.print(output, &[])?;
    if review.hidden > 0 {
        output.note(&format!("It hides {} tools or servers from apps.", review.hidden));
    }
    Ok(())
}

fn read_file(path: &Path) -> Result<String, Fault> {
    let unreadable = |why: &dyn Display| Fault::usage(format!("{} can’t be read: {why}", path.display()));
    let file = std::fs::File::open(path).map_err(|error| unreadable(&error))?;
    let mut text = String::new();
    file.take(MAX_FILE).read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    Ok(text)
}

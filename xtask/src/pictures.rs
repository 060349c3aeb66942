//! `cargo xtask pictures`: shows every screen in every state with the mock backend, in the window's web view.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::headless;
use crate::run;
use crate::setup::{InstallMode, pages, system};
use crate::workspace::Workspace;

/// Which pictures to take; by default all.
#[derive(Args)]
pub(crate) struct PictureOptions {
    /// Only scenes whose name has this (a regular expression)
    pattern: Option<String>,
    /// Only in this theme
    #[arg(long, value_parser = ["light", "dark"])]
    look: Vec<String>,
    /// Only in this language
    #[arg(long, value_parser = ["en", "zh-CN"])]
    language: Vec<String>,
    /// Only in a page of this size; by default 1280x800 and 900x600
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Vec<String>,
    /// Take the README's pictures instead, from the real window with real servers
    #[arg(long, conflicts_with_all = ["pattern", "look", "language", "size"])]
    readme: bool,
}

/// Builds the pages with the mock backend, visits every scene, and fails if something is wrong with one.
pub(crate) fn pictures(
    workspace: &Workspace,
    wanted: &PictureOptions,
    installing: InstallMode,
) -> Result<ExitCode> {
    if wanted.readme {
        return run::readme_pictures(workspace, installing);
    }
    system::ensure(&[system::HEADLESS, system::BROWSER], installing)?;
    let browser = system::browser().context("the web view's own browser was not found")?;
    pages::node()?;
    pages::packages(workspace)?;
    let built = pages::build_scripted(workspace)?;
    let mut session = headless::session(workspace, &workspace.binaries())?
        .env("MOORING_BROWSER", browser)
        .env("MOORING_PAGES", built)
        .env("MOORING_PICTURES", workspace.target.join("pictures"))
        .arg(workspace.root.join("tests/e2e/pictures/take.mjs"));
    for (option, chosen) in
        [("--look", &wanted.look), ("--language", &wanted.language), ("--size", &wanted.size)]
    {
        session = session.args(chosen.iter().flat_map(|value| [option, value]));
    }
    // Without `--`, a pattern with a leading dash would be parsed as an option.
    session = session.arg("--").args(&wanted.pattern);
    Ok(if session.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Validates a size.
fn size(text: &str) -> Result<String, String> {
    let sides = text.split_once('x').map(|(width, height)| (width.parse::<u16>(), height.parse::<u16>()));
    match sides {
        Some((Ok(400..=1600), Ok(300..=1100))) => Ok(text.to_owned()),
        _ => Err("a width from 400 to 1600 and a height from 300 to 1100, as in 1280x800".to_owned()),
    }
}

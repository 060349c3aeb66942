//! Creates the document that describes Mooring to authorization servers (OAuth Client ID Metadata Document).
//!
//! Includes one file of `crates/oauth` directly, because building that crate takes minutes.

#[path = "../../crates/oauth/src/document.rs"]
#[expect(unreachable_pub, reason = "public in the crate that it belongs to")]
mod document;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde_json::Value;

use document::{ClientInfo, client_document};

#[derive(Args)]
pub(crate) struct Cimd {
    /// Where the document will be published, letter by letter: it becomes the client's id
    #[arg(long)]
    url: String,
    /// Home page
    #[arg(long, value_name = "URL")]
    home: Option<String>,
    /// Picture
    #[arg(long, value_name = "URL")]
    logo: Option<String>,
    /// Terms of service
    #[arg(long, value_name = "URL")]
    terms: Option<String>,
    /// Privacy policy
    #[arg(long, value_name = "URL")]
    privacy: Option<String>,
    /// Write it to this file instead of printing it
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only say whether this file, fetched from where it is published, is the document
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    check: Option<PathBuf>,
}

/// Prints, writes or checks the document.
pub(crate) fn cimd(options: &Cimd) -> Result<ExitCode> {
    let about = ClientInfo {
        home: options.home.as_deref(),
        logo: options.logo.as_deref(),
        terms: options.terms.as_deref(),
        privacy: options.privacy.as_deref(),
    };
    let document = client_document(&options.url, about)
        .map_err(|why| anyhow!("no document can be made for {}: {why}", options.url))?;
    if let Some(file) = &options.check {
        let published =
            fs::read_to_string(file).with_context(|| format!("could not read: {}", file.display()))?;
        let same = serde_json::from_str::<Value>(&published).is_ok_and(|published| published == document);
        println!("{} is {}the document", file.display(), if same { "" } else { "not " });
        return Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let text = format!("{document:#}\n");
    match &options.output {
        Some(file) => {
            fs::write(file, text).with_context(|| format!("could not write: {}", file.display()))?;
        }
        None => print!("{text}"),
    }
    Ok(ExitCode::SUCCESS)
}

//! `mooring restore`: lists the backups, which have everything but the log, and restores one.

use std::path::{Path, PathBuf};

use mooring_host::{Host, home_from_environment};
use mooring_store::Backup;
use mooring_terminal::time;
use serde::Serialize;

use crate::CommandContext;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::{Output, escape_line};
use crate::table::Table;

/// A backup in JSON.
#[derive(Serialize)]
struct BackupJson {
    number: usize,
    at_ms: i64,
    /// The database format of the backup.
    format: i64,
    path: PathBuf,
}

/// What was restored, in JSON.
#[derive(Serialize)]
struct RestoreJson {
    /// `None` if Mooring starts with empty data instead.
    restored: Option<BackupJson>,
    /// Where the previous data is now.
    set_aside: Option<PathBuf>,
}

pub(crate) async fn run(session: &CommandContext, args: args::Restore) -> Result<Exit, Fault> {
    let home = home_from_environment()?;
    let backups = Host::backups(&home).into_iter().enumerate().map(|(at, backup)| (at + 1, backup));
    match args {
        args::Restore { backup: None, empty: false } => list(session.output, backups.map(json).collect())?,
        args::Restore { backup: None, empty: true } => restore_backup(session, &home, None).await?,
        args::Restore { backup: Some(number), .. } => {
            let (mut known, count) = (backups.clone(), backups.clone().count());
            let Some(found) = known.find(|(known, _)| *known == number) else {
                return Err(Fault::usage(format!("there is no backup {number}"))
                    .next(format!("There are {count}: mooring restore lists them.")));
            };
            restore_backup(session, &home, Some(found)).await?;
        }
    }
    Ok(Exit::Ok)
}

fn json((number, backup): (usize, Backup)) -> BackupJson {
    BackupJson { number, at_ms: backup.at_us / 1_000, format: backup.format, path: backup.path }
}

fn list(output: Output, backups: Vec<BackupJson>) -> Result<(), Fault> {
    if output.json {
        return Ok(output.result(&backups)?);
    }
    if backups.is_empty() {
        return Ok(output
            .line("There is no backup yet. Mooring makes one each day it is used, if anything changed.")?);
    }
    let mut table = Table::default();
    for backup in backups {
        let name = backup.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        table.row([backup.number.to_string(), time(backup.at_ms * 1_000), name]);
    }
    table.print(output, &[])?;
    output.note("Backups include everything except the log. Restore the newest: mooring restore 1");
    Ok(())
}

async fn restore_backup(
    session: &CommandContext,
    home: &Path,
    backup: Option<(usize, Backup)>,
) -> Result<(), Fault> {
    let output = session.output;
    let at_us = backup.as_ref().map(|(_, backup)| backup.at_us);
    // This must not be interrupted halfway.
    let set_aside = Host::restore(home, at_us).await?;
    if output.json {
        return Ok(output.result(&RestoreJson { restored: backup.map(json), set_aside })?);
    }
    output.line(&match at_us {
        Some(at_us) => format!("Restored the backup from {}. It doesn’t include the log.", time(at_us)),
        None => "Mooring now has empty data.".to_owned(),
    })?;
    if let Some(folder) = set_aside {
        output.note(&format!("Previous data moved to {}", escape_line(&folder.to_string_lossy())));
    }
    Ok(())
}

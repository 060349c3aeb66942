//! The checks of Mooring as a whole: its data, its keychain, its settings, the apps and the saved servers.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mooring_app_access::{AppKeyState, AppPresence, AppView};
use mooring_apps::AppEnvironment;
use mooring_errors::{ErrorCode, HostError};
use mooring_host::{Host, VaultView};
use mooring_process::{PathSource, free_space};
use mooring_server_state::StateName;
use mooring_store::WriterHealth;
use mooring_vault::{VaultMode, VaultState};
use mooring_words::{Sentence, io_error_sentence, say};

use crate::check::{Check, CheckCode, Fix};
use crate::manager::version_manager;
use crate::report::DoctorReport;
use crate::run::{OnCheck, Run, within};

/// The free space below which writing may soon fail.
const LEAST_SPACE: u64 = 256 << 20;
/// How long a keychain may take. It may ask the person something.
const KEYCHAIN_LIMIT: Duration = Duration::from_mins(1);
/// How long any other check may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Checks Mooring as a whole. `apps` says where apps keep their files; `None` skips them. Each check is passed
/// to `on_check` as soon as it has a result. Dropping the future cancels the checks.
pub async fn check_mooring(
    host: &Host,
    apps: Option<&AppEnvironment>,
    on_check: OnCheck<'_>,
) -> DoctorReport {
    let servers = host.servers();
    let mut run = Run::new(host.redactor(servers.iter().map(|server| &server.config)), on_check);
    run.add(limited(CheckCode::DataFolder, check_data_folder(host.home())).await);
    run.add(check_disk_space(host.home()));
    run.add(limited(CheckCode::Database, check_database(host)).await);
    run.add(limited(CheckCode::Log, check_log(host)).await);
    run.add(
        within(KEYCHAIN_LIMIT, CheckCode::Keychain, check_keychain(host)).await.unwrap_or_else(|late| late),
    );
    run.add(limited(CheckCode::LoginShell, check_login_shell(host)).await);
    run.add(check_network_settings(host));
    if let Some(apps) = apps {
        match within(LIMIT, CheckCode::AppEntry, host.apps(apps)).await {
            Ok(Ok(apps)) => add_apps(&apps, &mut run),
            Ok(Err(error)) => run.add(from_host_error(CheckCode::AppEntry, &error)),
            Err(late) => run.add(late),
        }
    } else {
        let reason = say!("it isn’t known where apps keep their files");
        run.add(Check::skipped(CheckCode::AppEntry, reason));
    }
    add_servers(host, &mut run);
    DoctorReport::new(None, run.finish())
}

/// The report if not even the data folder could be opened.
pub fn report_of_open_error(error: &HostError, on_check: OnCheck<'_>) -> DoctorReport {
    let code = match error.code() {
        ErrorCode::NoHome | ErrorCode::ReadOnly | ErrorCode::FolderOfOthers | ErrorCode::AlreadyOpen => {
            CheckCode::DataFolder
        }
        ErrorCode::DiskFull => CheckCode::DiskSpace,
        _ => CheckCode::Database,
    };
    let check = from_host_error(code, error).fix(Fix::OpenDataFolder);
    on_check(&check);
    DoctorReport::new(None, vec![check])
}

async fn limited(code: CheckCode, check: impl Future<Output = Check>) -> Check {
    within(LIMIT, code, check).await.unwrap_or_else(|late| late)
}

fn from_host_error(code: CheckCode, error: &HostError) -> Check {
    let check = Check::failed(code, [error.sentence()]).next(error.next_step());
    Check { error: Some(error.code().as_str().to_owned()), ..check }
}

/// Writes a file and removes it.
async fn check_data_folder(home: &Path) -> Check {
    const CODE: CheckCode = CheckCode::DataFolder;
    let path = home.display().to_string();
    let file = home.join(format!("doctor-{}", std::process::id()));
    let written = tokio::fs::write(&file, b"doctor").await;
    let removed = tokio::fs::remove_file(&file).await;
    match written.and(removed) {
        Ok(()) => Check::passed(CODE, [say!("Mooring can write to {path}", path)]),
        Err(error) => {
            let reason = io_error_sentence(&error);
            Check::failed(CODE, [say!("Mooring can’t write to {path}: {reason}", path, reason)])
                .next(say!("Make the data folder writable for your user."))
                .fix(Fix::OpenDataFolder)
        }
    }
}

fn check_disk_space(home: &Path) -> Check {
    const CODE: CheckCode = CheckCode::DiskSpace;
    let space = match free_space(home) {
        Ok(Some(space)) => space,
        Ok(None) => return Check::skipped(CODE, say!("Mooring can’t read it on this system")),
        Err(error) => return Check::failed(CODE, [io_error_sentence(&error)]),
    };
    let sentence = say!("{size} MiB are free", size = space >> 20);
    if space >= LEAST_SPACE {
        return Check::passed(CODE, [sentence]);
    }
    Check::failed(CODE, [sentence])
        .next(say!("Free some space, or delete a part of the log."))
        .fix(Fix::OpenLogSettings)
}

async fn check_database(host: &Host) -> Check {
    const CODE: CheckCode = CheckCode::Database;
    match host.info().await {
        Ok(info) => {
            let rows = say!("the log has {count} rows", count = info.log_rows);
            let size = say!("the database has {size} MiB", size = info.database_bytes >> 20);
            let backup = match info.backed_up_ms {
                Some(_) => say!("there is a backup"),
                None => say!("there is no backup yet; Mooring makes one every day"),
            };
            Check::passed(CODE, [say!("it was checked when Mooring opened it"), size, rows, backup])
        }
        Err(error) => from_host_error(CODE, &error).fix(Fix::OpenDataFolder),
    }
}

async fn check_log(host: &Host) -> Check {
    const CODE: CheckCode = CheckCode::Log;
    host.flush_log().await;
    match host.journal_health() {
        WriterHealth::Ok => Check::passed(CODE, [say!("it can be written")]),
        WriterHealth::Failing { message, dropped } => {
            let lost = say!("{count} events are missing", count = dropped);
            Check::failed(CODE, [message, lost])
                .next(say!("Free some space, or delete a part of the log."))
                .fix(Fix::OpenLogSettings)
        }
    }
}

/// Opens a vault whose key is in the keychain. A passphrase is not asked for.
async fn check_keychain(host: &Host) -> Check {
    const CODE: CheckCode = CheckCode::Keychain;
    let known = match host.vault_view().await {
        Ok(view) => view,
        Err(error) => return from_host_error(CODE, &error),
    };
    let opens = known.mode == Some(VaultMode::Keychain) && !matches!(known.state, VaultState::Open { .. });
    let view = match if opens { host.open_vault().await } else { Ok(known) } {
        Ok(view) => view,
        Err(error) => return from_host_error(CODE, &error),
    };
    let place = match view.mode {
        None => return Check::passed(CODE, [say!("nothing is encrypted yet, so there is no key")]),
        Some(VaultMode::Keychain) => say!("the key is in the system’s keychain"),
        Some(VaultMode::Passphrase) => say!("the key is protected with your passphrase"),
        Some(VaultMode::Memory) => say!("the key is only in memory, and gone when Mooring quits"),
    };
    let count = say!("the number of encrypted values is {count}", count = view.secret_count);
    match view.state {
        VaultState::Locked { .. } if view.mode == Some(VaultMode::Passphrase) => {
            Check::skipped(CODE, say!("the vault is locked with your passphrase")).fix(Fix::OpenVault)
        }
        VaultState::Waiting | VaultState::Locked { .. } | VaultState::Unavailable { .. } => {
            vault_failure(&view, place)
        }
        VaultState::Open { .. } | VaultState::Closed | VaultState::Opening => {
            Check::passed(CODE, [place, count])
        }
    }
}

fn vault_failure(view: &VaultView, place: Sentence) -> Check {
    let evidence = [place].into_iter().chain(view.message());
    Check::failed(CheckCode::Keychain, evidence).next(view.next_step()).fix(Fix::OpenVault)
}

async fn check_login_shell(host: &Host) -> Check {
    const CODE: CheckCode = CheckCode::LoginShell;
    let known = host.login_shell_path().await;
    let folders = known.path.directories();
    let mut evidence = vec![say!("programs are searched in {count} folders", count = folders.len())];
    let mut managers: Vec<&str> =
        folders.iter().filter_map(|folder| version_manager(&folder.join("program"))).collect();
    managers.sort_unstable();
    managers.dedup();
    if !managers.is_empty() {
        evidence.push(say!("some of them belong to {managers}", managers = managers.join(", ")));
    }
    match &known.source {
        PathSource::Shell { shell } => {
            evidence.insert(0, say!("{shell} answered", shell = shell.display().to_string()));
            Check::passed(CODE, evidence)
        }
        PathSource::Environment { reason } if cfg!(windows) => {
            evidence.insert(0, reason.clone());
            Check::passed(CODE, evidence)
        }
        PathSource::Environment { reason } => {
            evidence.insert(0, reason.clone());
            Check::failed(CODE, evidence).next(say!(
                "Make the start-up files of your shell faster, and free of errors. Until then, usual folders are searched."
            ))
        }
    }
}

fn check_network_settings(host: &Host) -> Check {
    const CODE: CheckCode = CheckCode::NetworkSettings;
    if let Some(problem) = host.network_problem() {
        return Check::failed(CODE, [problem.message])
            .next(say!("Review the network settings."))
            .fix(Fix::OpenNetworkSettings);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let certificates = host.certificates();
    let expired = certificates.iter().find(|certificate| certificate.ends_ms < now_ms);
    if let Some(expired) = expired {
        return Check::failed(CODE, [say!("the certificate of {name} has expired", name = &expired.name)])
            .next(say!("Remove it, and add the new one."))
            .fix(Fix::OpenNetworkSettings);
    }
    let count = say!("the number of additional authorities is {count}", count = certificates.len());
    Check::passed(CODE, [say!("the saved settings are in force"), count])
}

/// Adds a check for each app that uses Mooring or whose file can't be read.
fn add_apps(apps: &[AppView], run: &mut Run<'_>) {
    const CODE: CheckCode = CheckCode::AppEntry;
    let mut has_some = false;
    for app in apps {
        let check = match (app.state, app.key) {
            (AppPresence::Broken | AppPresence::Unreadable, _) => {
                let next = say!("Connect the app again, so that its entry is written again.");
                Check::failed(CODE, app.problem.clone()).next(next)
            }
            (AppPresence::Connected, AppKeyState::Refused) => {
                Check::failed(CODE, [say!("its entry has no key that Mooring knows, so it can’t connect")])
                    .next(say!("Connect the app again, so that it gets a key."))
            }
            (AppPresence::Connected, _) => {
                let file = app.file.as_ref().map(|file| file.display().to_string());
                Check::passed(CODE, file.map(|file| say!("{file} has an entry that starts Mooring", file)))
            }
            (AppPresence::Absent | AppPresence::Found | AppPresence::Unlisted, _) => continue,
        };
        has_some = true;
        let is_failed = check.outcome == crate::check::CheckOutcome::Failed;
        let fix = is_failed.then(|| Fix::OpenApp { app: app.id.clone() });
        run.add(check.subject(app.title.clone()).fix(fix));
    }
    if !has_some {
        run.add(Check::skipped(CODE, say!("no app uses Mooring")));
    }
}

/// Adds a check for each saved server that is to run but doesn't. Nothing is started.
fn add_servers(host: &Host, run: &mut Run<'_>) {
    const CODE: CheckCode = CheckCode::SavedServer;
    let servers = host.servers();
    let mut works = 0_usize;
    for server in servers {
        let fix = Fix::OpenServer { server: server.id.0 };
        match (server.connection.state, server.connection.failure) {
            (_, Some(failure)) => {
                run.add(Check::from_failure(CODE, failure).subject(server.config.name).fix(fix));
            }
            (StateName::Ready | StateName::WaitingForYou, None) => works += 1,
            _ => {}
        }
    }
    if works > 0 {
        run.add(Check::passed(CODE, [say!("the number of connected servers is {count}", count = works)]));
    } else if host.servers().iter().all(|server| server.connection.state == StateName::Stopped) {
        run.add(Check::skipped(CODE, say!("no server runs here; check one with its name")));
    }
}

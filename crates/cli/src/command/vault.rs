//! `mooring vault`: shows where the vault's key is, and unlocks, re-encrypts or resets the vault.

use std::path::PathBuf;

use mooring_connect::open_host;
use mooring_errors::HostError;
use mooring_host::{Host, VaultView};
use mooring_vault::{KeyPlacement as VaultChoice, VaultError, VaultMode, VaultState};
use mooring_words::Sentence;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;

use crate::CommandContext;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::TextStyle;
use crate::secret_input::{self, SecretSource};

/// The state of the vault, as JSON.
#[derive(Serialize)]
struct VaultJson {
    state: &'static str,
    mode: Option<&'static str>,
    reason: Option<&'static str>,
    message: Option<String>,
    next: Option<String>,
    sealed: u64,
}

impl From<&VaultView> for VaultJson {
    fn from(view: &VaultView) -> Self {
        Self {
            state: state(&view.state),
            mode: view.mode.map(VaultMode::as_str),
            reason: view.reason(),
            message: view.message().map(Sentence::into),
            next: view.next_step().map(Sentence::into),
            sealed: view.secret_count,
        }
    }
}

fn state(state: &VaultState) -> &'static str {
    match state {
        VaultState::Closed => "closed",
        VaultState::Opening => "opening",
        VaultState::Waiting => "waiting",
        VaultState::Open { .. } => "open",
        VaultState::Locked { .. } => "locked",
        VaultState::Unavailable { .. } => "unavailable",
    }
}

pub(crate) async fn run(session: &CommandContext, args: args::Vault) -> Result<Exit, Fault> {
    let host = open_host(session, false).await?;
    let command = args.command.unwrap_or(args::VaultCommand::Status);
    let opens = matches!(command, args::VaultCommand::Unlock { .. } | args::VaultCommand::Rekey { .. });
    let done = session.interrupt.guard(run_command(session, &host, command)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let view = done??;
    match vault_fault(&view.state).filter(|_| opens) {
        Some(fault) => show_failed(session, &view, &fault),
        None => Exit::Ok.after_printing(show(session, &view)),
    }
}

/// Why the vault could not be opened. `None` also if it has no key yet.
fn vault_fault(state: &VaultState) -> Option<Fault> {
    let error = match state {
        VaultState::Open { .. } | VaultState::Closed => return None,
        VaultState::Opening | VaultState::Waiting => VaultError::Waiting,
        VaultState::Locked { why } => VaultError::Locked(why.clone()),
        VaultState::Unavailable { why } => VaultError::Unavailable(why.clone()),
    };
    Some(HostError::Vault(error).into())
}

async fn run_command(
    session: &CommandContext,
    host: &Host,
    command: args::VaultCommand,
) -> Result<VaultView, Fault> {
    match command {
        args::VaultCommand::Status => Ok(host.vault_view().await?),
        args::VaultCommand::Unlock { passphrase_file: Some(path) } => {
            let words =
                secret_input::read(session, SecretSource::File(path), "Passphrase".to_owned()).await?;
            Ok(host.unlock_vault(words).await?)
        }
        args::VaultCommand::Unlock { passphrase_file: None } => Ok(host.open_vault().await?),
        args::VaultCommand::Rekey { to, passphrase_file } => {
            let choice = match to {
                args::KeyLocation::Keychain => VaultChoice::Keychain,
                args::KeyLocation::Passphrase => {
                    VaultChoice::Passphrase(new_passphrase(session, passphrase_file).await?)
                }
            };
            match host.vault_view().await? {
                VaultView { mode: None, secret_count: 0, .. } => Ok(host.create_vault(choice).await?),
                _ => Ok(host.rekey_vault(choice).await?),
            }
        }
        args::VaultCommand::StartOver { yes: true } => Ok(host.start_over_vault().await?),
        args::VaultCommand::StartOver { yes: false } => {
            let sealed = host.vault_view().await?.secret_count;
            let what = if sealed == 1 { "1 secret is".to_owned() } else { format!("{sealed} secrets are") };
            Err(Fault::usage(format!("{what} encrypted and would be deleted for good")).next(
                "You’ll be signed out everywhere and have to enter secrets again. To start over: --yes",
            ))
        }
    }
}

/// Reads a new passphrase. On a terminal, the person has to type it twice.
async fn new_passphrase(session: &CommandContext, file: Option<PathBuf>) -> Result<SecretString, Fault> {
    if let Some(path) = file {
        return secret_input::read(session, SecretSource::File(path), "Passphrase".to_owned()).await;
    }
    let first = secret_input::read(session, SecretSource::Terminal, "New passphrase".to_owned()).await?;
    let second = secret_input::read(session, SecretSource::Terminal, "Confirm passphrase".to_owned()).await?;
    if first.expose_secret() != second.expose_secret() {
        return Err(Fault::usage("the passphrases don’t match"));
    }
    Ok(first)
}

fn show_failed(session: &CommandContext, view: &VaultView, fault: &Fault) -> Result<Exit, Fault> {
    if !session.output.json {
        return fault.exit.after_printing(show(session, view));
    }
    let view = serde_json::value::to_raw_value(&VaultJson::from(view)).map_err(anyhow::Error::from)?;
    session.output.print_failure(fault, Some(&view), None)?;
    Ok(fault.exit)
}

fn show(session: &CommandContext, view: &VaultView) -> Result<(), Fault> {
    let output = session.output;
    if output.json {
        return Ok(output.result(&VaultJson::from(view))?);
    }
    let key = match view.mode {
        None => "no key yet",
        Some(VaultMode::Keychain) => "its key is in the system keychain",
        Some(VaultMode::Passphrase) => "its key is encrypted with your passphrase",
        Some(VaultMode::Memory) => "its key is in memory for one session",
    };
    let sealed = match view.secret_count {
        1 => "1 secret is encrypted".to_owned(),
        count => format!("{count} secrets are encrypted"),
    };
    let state = output.tone(TextStyle::Strong, state(&view.state)).into_owned();
    output.line(&format!("The vault is {state}: {key}, {sealed}."))?;
    for sentence in [view.message(), view.next_step()].into_iter().flatten() {
        output.note(&sentence);
    }
    Ok(())
}

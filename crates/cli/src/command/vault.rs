//! `mooring vault`: where the key of what is sealed is, and what to do about it.

use std::path::PathBuf;

use mooring_host::{Host, HostError, Sentence, VaultChoice, VaultError, VaultMode, VaultState, VaultView};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;

use crate::Session;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::Tone;
use crate::secret_input::{self, Source};
use crate::visit::open;

/// Where the vault stands, in JSON.
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
            sealed: view.sealed,
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

pub(crate) async fn run(session: &Session, args: args::Vault) -> Result<Exit, Fault> {
    let host = open(session, false).await?;
    let command = args.command.unwrap_or(args::VaultCommand::Status);
    let opens = matches!(command, args::VaultCommand::Unlock { .. } | args::VaultCommand::Rekey { .. });
    let done = session.interrupt.guard(act(session, &host, command)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let view = done??;
    match why_not_open(&view.state).filter(|_| opens) {
        Some(fault) => show_failed(session, &view, &fault),
        None => Exit::Ok.after(show(session, &view)),
    }
}

/// Why a vault that was to be opened is not; none also for one that has no key yet.
fn why_not_open(state: &VaultState) -> Option<Fault> {
    let error = match state {
        VaultState::Open { .. } | VaultState::Closed => return None,
        VaultState::Opening | VaultState::Waiting => VaultError::Waiting,
        VaultState::Locked { why } => VaultError::Locked(why.clone()),
        VaultState::Unavailable { why } => VaultError::Unavailable(why.clone()),
    };
    Some(HostError::Vault(error).into())
}

async fn act(session: &Session, host: &Host, command: args::VaultCommand) -> Result<VaultView, Fault> {
    match command {
        args::VaultCommand::Status => Ok(host.vault_view().await?),
        args::VaultCommand::Unlock { passphrase_file: Some(path) } => {
            let words = secret_input::read(session, Source::File(path), "Passphrase".to_owned()).await?;
            Ok(host.unlock_vault(words).await?)
        }
        args::VaultCommand::Unlock { passphrase_file: None } => Ok(host.open_vault().await?),
        args::VaultCommand::Rekey { to, passphrase_file } => {
            let choice = match to {
                args::KeyPlace::Keychain => VaultChoice::Keychain,
                args::KeyPlace::Passphrase => {
                    VaultChoice::Passphrase(new_passphrase(session, passphrase_file).await?)
                }
            };
            match host.vault_view().await? {
                VaultView { mode: None, sealed: 0, .. } => Ok(host.create_vault(choice).await?),
                _ => Ok(host.rekey_vault(choice).await?),
            }
        }
        args::VaultCommand::StartOver { yes: true } => Ok(host.start_over_vault().await?),
        args::VaultCommand::StartOver { yes: false } => {
            let sealed = host.vault_view().await?.sealed;
            let what = if sealed == 1 { "1 secret is".to_owned() } else { format!("{sealed} secrets are") };
            Err(Fault::usage(format!("{what} sealed, and would be gone for good"))
                .next("Every login ends, and values of servers are to be entered again: --yes starts over."))
        }
    }
}

/// A passphrase that is to be; a person types it twice.
async fn new_passphrase(session: &Session, file: Option<PathBuf>) -> Result<SecretString, Fault> {
    if let Some(path) = file {
        return secret_input::read(session, Source::File(path), "Passphrase".to_owned()).await;
    }
    let first = secret_input::read(session, Source::Terminal, "New passphrase".to_owned()).await?;
    let second = secret_input::read(session, Source::Terminal, "The same again".to_owned()).await?;
    if first.expose_secret() != second.expose_secret() {
        return Err(Fault::usage("the two passphrases differ"));
    }
    Ok(first)
}

fn show_failed(session: &Session, view: &VaultView, fault: &Fault) -> Result<Exit, Fault> {
    if !session.output.json {
        return fault.exit.after(show(session, view));
    }
    let view = serde_json::value::to_raw_value(&VaultJson::from(view)).map_err(anyhow::Error::from)?;
    session.output.failed(fault, Some(&view.into()), None)?;
    Ok(fault.exit)
}

fn show(session: &Session, view: &VaultView) -> Result<(), Fault> {
    let output = session.output;
    if output.json {
        return Ok(output.result(&VaultJson::from(view))?);
    }
    let key = match view.mode {
        None => "there is no key yet",
        Some(VaultMode::Keychain) => "its key is in the system's keychain",
        Some(VaultMode::Passphrase) => "its key is wrapped by your passphrase",
        Some(VaultMode::Memory) => "its key is in the memory of one run",
    };
    let sealed = match view.sealed {
        1 => "1 secret is sealed".to_owned(),
        count => format!("{count} secrets are sealed"),
    };
    let state = output.tone(Tone::Strong, state(&view.state)).into_owned();
    output.line(&format!("The vault is {state}: {key}, {sealed}."))?;
    for sentence in [view.message(), view.next_step()].into_iter().flatten() {
        output.note(&sentence);
    }
    Ok(())
}

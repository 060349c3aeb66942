//! The application: its settings, its environment, and its events.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mooring_server_state::HostEvent;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::watch;

use crate::dto::{AppInfo, IpcError, Opened, PaintPhase};
use crate::notices;
use crate::sink::Sink;
use crate::state::AppState;
use crate::timings;
use mooring_approvals::NetworkProblem;
use mooring_errors::HostError;
use mooring_host::{CertificateView, Host};
use mooring_settings::Settings;
use mooring_words::Sentence;

/// Events are collected for this long, so that the window reads only once after a burst.
const DEBOUNCE: Duration = Duration::from_millis(30);

pub(super) async fn app_info(state: &AppState) -> Result<AppInfo, IpcError> {
    Ok(state.host().await?.info().await?.into())
}

pub(super) async fn get_settings(state: &AppState) -> Result<Settings, IpcError> {
    Ok(state.host().await?.settings())
}

pub(super) async fn set_settings(state: &AppState, settings: Settings) -> Result<Settings, IpcError> {
    Ok(state.host().await?.set_settings(settings).await?)
}

pub(super) async fn list_certificates(state: &AppState) -> Result<Vec<CertificateView>, IpcError> {
    Ok(state.host().await?.certificates())
}

pub(super) async fn read_certificates(
    _state: &AppState,
    file: String,
) -> Result<Vec<CertificateView>, IpcError> {
    let file = BASE64_STANDARD.decode(file);
    let file = file.map_err(|error| HostError::Internal(Sentence::quoted(error.to_string())))?;
    Ok(Host::read_certificates(&file)?)
}

pub(super) async fn add_certificates(state: &AppState, ders: Vec<String>) -> Result<(), IpcError> {
    Ok(state.host().await?.add_certificates(&ders).await?)
}

pub(super) async fn remove_certificate(state: &AppState, fingerprint: String) -> Result<(), IpcError> {
    Ok(state.host().await?.remove_certificate(&fingerprint).await?)
}

pub(super) async fn get_network_problem(state: &AppState) -> Result<Option<NetworkProblem>, IpcError> {
    Ok(state.host().await?.network_problem())
}

pub(super) async fn settle_network(state: &AppState, hash: String, take: bool) -> Result<(), IpcError> {
    Ok(state.host().await?.settle_network(&hash, take).await?)
}

pub(super) async fn get_notices(_state: &AppState) -> Result<Option<String>, IpcError> {
    let read = || notices::read(&std::env::current_exe()?);
    let text =
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
    text.map_err(|error| HostError::Internal(Sentence::quoted(error.to_string())).into())
}

pub(super) async fn open_data_folder(state: &AppState) -> Result<(), IpcError> {
    Ok(state.host().await?.reveal_home()?)
}

pub(super) async fn restore_data(state: &AppState, backup_us: Option<i64>) -> Result<(), IpcError> {
    state.restore(backup_us).await
}

pub(super) async fn watch_host(state: &AppState, sink: Sink<HostEvent>) -> Result<(), IpcError> {
    let events = state.host().await?.events();
    let (hidden, tray) = (state.background.hidden(), state.background.tray().subscribe());
    state.spawn_for_page(forward_events(events, hidden, tray, sink));
    Ok(())
}

pub(super) async fn watch_opened(state: &AppState, sink: Sink<Opened>) -> Result<(), IpcError> {
    let opened = Arc::clone(&state.opened);
    state.spawn_for_page(async move { opened.forward(sink).await });
    Ok(())
}

pub(super) async fn first_paint(state: &AppState, phase: PaintPhase, ago: u32) -> Result<(), IpcError> {
    let step = match phase {
        PaintPhase::Paint => "first paint",
        PaintPhase::Interactive => "interactive",
    };
    timings::report(step, Duration::from_millis(ago.into()));
    if phase == PaintPhase::Interactive {
        state.set_drawn();
    }
    Ok(())
}

/// Forwards host events to the window in batches, without duplicates, until the host or the window is gone.
/// A hidden window gets them when it is shown. A change of the tray counts as a change of the application.
async fn forward_events(
    mut events: Receiver<HostEvent>,
    mut hidden: watch::Receiver<bool>,
    mut tray: watch::Receiver<bool>,
    sink: Sink<HostEvent>,
) {
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            Ok(()) = tray.changed() => Ok(HostEvent::AppChanged),
        };
        let mut gathered = match event {
            Ok(event) => vec![event],
            Err(RecvError::Lagged(_)) => refresh_events(),
            Err(RecvError::Closed) => return,
        };
        if hidden.wait_for(|hidden| !*hidden).await.is_err() {
            return;
        }
        tokio::time::sleep(DEBOUNCE).await;
        loop {
            match events.try_recv() {
                Ok(event) => gathered.push(event),
                Err(TryRecvError::Lagged(_)) => gathered.append(&mut refresh_events()),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        for event in latest_of_each(gathered) {
            if !sink(event) {
                return;
            }
        }
    }
}

/// The events that make the window reload everything. Sent when events were lost.
fn refresh_events() -> Vec<HostEvent> {
    vec![HostEvent::ServersChanged, HostEvent::SettingsChanged]
}

/// Removes duplicate events, and keeps the last of each.
fn latest_of_each(events: Vec<HostEvent>) -> Vec<HostEvent> {
    let mut kept: Vec<HostEvent> = Vec::new();
    for event in events {
        kept.retain(|earlier| match (earlier, &event) {
            (HostEvent::JournalHealth { .. }, HostEvent::JournalHealth { .. })
            | (HostEvent::LogChanged { .. }, HostEvent::LogChanged { .. }) => false,
            _ => earlier != &event,
        });
        kept.push(event);
    }
    kept
}

//! Past calls, saved calls, and results saved as files.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mooring_disk::StoreError;
use mooring_errors::HostError;
use mooring_log::Item;
use mooring_recorder::{LoggedCallContent, LoggedCallPage, logged_call, logged_calls};
use mooring_store::{NewSavedCall, SavedCall};
use mooring_words::{Sentence, say};
use tokio::task::spawn_blocking;

use super::tools::json;
use crate::dto::{IpcError, WindowCode};
use crate::picker;
use crate::state::AppState;

pub(super) async fn list_logged_calls(
    state: &AppState,
    item: Item,
    before: Option<i64>,
    limit: u32,
) -> Result<LoggedCallPage, IpcError> {
    let log = state.host().await?.log_reader();
    Ok(logged_calls(&log, &item, before, limit).await.map_err(HostError::from)?)
}

pub(super) async fn get_logged_call(
    state: &AppState,
    id: i64,
    answer: Option<i64>,
) -> Result<Option<LoggedCallContent>, IpcError> {
    let log = state.host().await?.log_reader();
    Ok(logged_call(&log, id, answer).await.map_err(HostError::from)?)
}

pub(super) async fn list_saved_calls(state: &AppState) -> Result<Vec<SavedCall>, IpcError> {
    Ok(state.host().await?.saved_calls().list().await.map_err(HostError::from)?)
}

pub(super) async fn save_call(state: &AppState, call: NewSavedCall) -> Result<SavedCall, IpcError> {
    json(call.arguments.clone())?;
    Ok(state.host().await?.save_call(call).await?)
}

pub(super) async fn rename_saved_call(state: &AppState, id: i64, name: String) -> Result<(), IpcError> {
    found(state.host().await?.saved_calls().rename(id, &name).await)
}

pub(super) async fn remove_saved_call(state: &AppState, id: i64) -> Result<(), IpcError> {
    found(state.host().await?.saved_calls().remove(id).await)
}

pub(super) async fn restore_saved_call(state: &AppState, id: i64) -> Result<(), IpcError> {
    found(state.host().await?.saved_calls().restore(id).await)
}

/// Fails if there is no such saved call: another window or program may have removed it first.
fn found(call: Result<Option<SavedCall>, StoreError>) -> Result<(), IpcError> {
    match call {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(IpcError::new(WindowCode::NotSaved, say!("this saved call is no longer there"))),
        Err(StoreError::NameTaken { name }) => {
            Err(IpcError::new(WindowCode::NotSaved, say!("another saved call has this name: {name}", name)))
        }
        Err(error) => Err(HostError::from(error).into()),
    }
}

pub(super) async fn save_file(
    _: &AppState,
    name: String,
    content: String,
    base64: bool,
) -> Result<Option<String>, IpcError> {
    let Some(path) = picker::pick_new_file(&name).await else { return Ok(None) };
    let shown = path.display().to_string();
    let written = spawn_blocking(move || write_file(&path, content, base64)).await;
    match written.unwrap_or_else(|error| Err(Sentence::quoted(error.to_string()))) {
        Ok(()) => Ok(Some(shown)),
        Err(reason) => {
            let message = say!("the file couldn’t be saved: {reason}", reason);
            Err(IpcError::new(WindowCode::NotSaved, message))
        }
    }
}

/// Writes a file. It may replace an existing one, because the save dialog has already asked about that.
fn write_file(path: &Path, content: String, base64: bool) -> Result<(), Sentence> {
    let quoted = |error: &dyn std::fmt::Display| Sentence::quoted(error.to_string());
    let bytes =
        if base64 { STANDARD.decode(content).map_err(|error| quoted(&error))? } else { content.into_bytes() };
    fs::write(path, bytes).map_err(|error| quoted(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_are_written_and_a_failure_is_said() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.bin");
        write_file(&path, "日本\n".to_owned(), false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), "日本\n".as_bytes());
        write_file(&path, "AP8=".to_owned(), true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [0, 255]);
        assert!(write_file(&path, "no base64!".to_owned(), true).is_err());
        assert_eq!(fs::read(&path).unwrap(), [0, 255], "what was there stays");
        assert!(write_file(&home.path().join("none/a"), String::new(), false).is_err());
    }
}

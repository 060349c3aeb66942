//! The checks of a server, or of Mooring itself.

use mooring_base::server_id::ServerId;
use mooring_connections::Target;
use mooring_doctor::{Check, check_mooring, check_server};
use mooring_host::Host;

use crate::commands::tools::register;
use crate::dto::IpcError;
use crate::lifecycle;
use crate::sink::Sink;
use crate::state::AppState;

pub(super) async fn run_doctor(
    state: &AppState,
    sink: Sink<Check>,
    id: Option<i64>,
    call_id: String,
) -> Result<Option<String>, IpcError> {
    let host = state.host().await?;
    let running = register(state, call_id)?;
    let on_check = move |check: &Check| {
        // If the page is gone, it needs no results.
        let _gone = sink(check.clone());
    };
    let checks = async {
        if let Some(id) = id {
            let target = Target::Saved { name: host.server(ServerId(id))?.config.name };
            return Box::pin(check_server(host, target, None, &on_check)).await;
        }
        let apps = Host::app_environment(lifecycle::cli()).ok();
        Ok(Box::pin(check_mooring(host, apps.as_ref(), &on_check)).await)
    };
    tokio::select! {
        report = checks => Ok(Some(report?.to_text())),
        () = running.cancelled() => Ok(None),
    }
}

//! Other apps that use the servers: finding, connecting and setting them up.

use mooring_app_access::{AppActivityView, AppView};
use mooring_approvals::{AppOff, AppToolList, PinnedTool};
use mooring_apps::{AppEnvironment, AppPlan, AppSnippetFormat, AppUndo, AppUndone};
use mooring_definitions::StartRule;
use mooring_definitions::import::ImportValue;
use mooring_host::{Host, ImportChoice};
use mooring_policy::AppLevel;

use crate::dto::{AppCost, AppImportPreview, AppTokenView, ImportPlace, IpcError, ServerView};
use crate::lifecycle;
use crate::state::AppState;

/// Where this person's apps have their files. Apps start the `mooring` beside this program.
fn environment() -> Result<AppEnvironment, IpcError> {
    Ok(Host::app_environment(lifecycle::cli())?)
}

pub(super) async fn list_apps(state: &AppState) -> Result<Vec<AppView>, IpcError> {
    Ok(state.host().await?.apps(&environment()?).await?)
}

pub(super) async fn app_activity(state: &AppState) -> Result<Vec<AppActivityView>, IpcError> {
    Ok(state.host().await?.app_activity())
}

pub(super) async fn cancel_app_call(state: &AppState, call: i64) -> Result<bool, IpcError> {
    Ok(state.host().await?.cancel_app_call(call))
}

pub(super) async fn plan_connect_app(
    state: &AppState,
    id: String,
    renew: bool,
    replaces: Vec<String>,
) -> Result<Option<AppPlan>, IpcError> {
    Ok(state.host().await?.plan_connect(&environment()?, &id, renew, replaces).await?)
}

pub(super) async fn connect_app(
    state: &AppState,
    id: String,
    hash: String,
    replaces: Vec<String>,
) -> Result<AppView, IpcError> {
    Ok(state.host().await?.connect_app(&environment()?, &id, &hash, replaces).await?)
}

pub(super) async fn plan_disconnect_app(state: &AppState, id: String) -> Result<AppUndo, IpcError> {
    Ok(state.host().await?.plan_disconnect(&id).await?)
}

pub(super) async fn disconnect_app(
    state: &AppState,
    id: String,
    hash: String,
) -> Result<AppUndone, IpcError> {
    Ok(state.host().await?.disconnect_app(&id, &hash).await?)
}

pub(super) async fn set_app_level(
    state: &AppState,
    id: String,
    level: Option<AppLevel>,
) -> Result<(), IpcError> {
    Ok(state.host().await?.set_app_level(&id, level).await?)
}

pub(super) async fn set_app_off(state: &AppState, id: String, off: Vec<AppOff>) -> Result<(), IpcError> {
    Ok(state.host().await?.set_app_off(&id, off.into_iter().collect()).await?)
}

pub(super) async fn set_app_offers(
    state: &AppState,
    id: String,
    prompts: bool,
    resources: bool,
) -> Result<(), IpcError> {
    Ok(state.host().await?.set_app_offers(&id, prompts, resources).await?)
}

pub(super) async fn set_app_pinned(
    state: &AppState,
    id: String,
    pinned: Vec<PinnedTool>,
) -> Result<(), IpcError> {
    Ok(state.host().await?.set_app_pinned(&id, pinned.into_iter().collect()).await?)
}

pub(super) async fn set_app_tool_list(
    state: &AppState,
    id: String,
    tool_list: AppToolList,
) -> Result<(), IpcError> {
    Ok(state.host().await?.set_app_tool_list(&id, tool_list).await?)
}

pub(super) async fn set_app_longest_name(
    state: &AppState,
    id: String,
    longest: Option<u8>,
) -> Result<(), IpcError> {
    Ok(state.host().await?.set_app_longest_name(&id, longest).await?)
}

pub(super) async fn app_snippet(
    state: &AppState,
    id: String,
    format: AppSnippetFormat,
) -> Result<String, IpcError> {
    Ok(state.host().await?.app_snippet(&environment()?, &id, format)?)
}

pub(super) async fn create_app_entry(
    state: &AppState,
    id: String,
    format: AppSnippetFormat,
) -> Result<String, IpcError> {
    Ok(state.host().await?.create_app_entry(&environment()?, &id, format).await?)
}

pub(super) async fn remove_app_key(state: &AppState, id: String) -> Result<(), IpcError> {
    state.host().await?.remove_app_key(&id).await?;
    Ok(())
}

pub(super) async fn list_terminals(state: &AppState) -> Result<Vec<String>, IpcError> {
    Ok(state.host().await?.allowed_terminals())
}

pub(super) async fn forget_terminal(state: &AppState, program: String) -> Result<(), IpcError> {
    state.host().await?.forget_terminal(&program).await?;
    Ok(())
}

pub(super) async fn app_cost(state: &AppState, id: String) -> Result<Option<AppCost>, IpcError> {
    let host = state.host().await?;
    Ok(Some(state.cost_meter.app_cost(host, &id).await?.into()))
}

pub(super) async fn get_app_token(state: &AppState, id: String) -> Result<Option<AppTokenView>, IpcError> {
    let token = state.host().await?.app_tokens().into_iter().find(|token| token.app == id);
    Ok(token.map(|token| AppTokenView {
        created_ms: token.created_at_us / 1_000,
        used_ms: token.used_at_us.map(|at| at / 1_000),
        vouched: token.is_vouched,
    }))
}

pub(super) async fn create_app_token(state: &AppState, id: String) -> Result<String, IpcError> {
    Ok(state.host().await?.create_app_token(&id).await?)
}

pub(super) async fn revoke_app_token(state: &AppState, id: String) -> Result<(), IpcError> {
    state.host().await?.revoke_app_token(&id).await?;
    Ok(())
}

pub(super) async fn check_app_import(
    state: &AppState,
    place: ImportPlace,
    values: Vec<ImportValue>,
) -> Result<AppImportPreview, IpcError> {
    let host = state.host().await?;
    let mut import = match place {
        ImportPlace::App(id) => host.check_app_import(&environment()?, &id).await?,
        ImportPlace::Folder(folder) => host.check_project_import(&folder).await?,
    };
    import.report = import.report.with_values(&values);
    Ok(import.into())
}

pub(super) async fn import_app_servers(
    state: &AppState,
    place: ImportPlace,
    hash: String,
    names: Vec<String>,
    values: Vec<ImportValue>,
    start: StartRule,
) -> Result<Vec<ServerView>, IpcError> {
    let host = state.host().await?;
    let choice = ImportChoice { names: &names, values: &values, start, ..ImportChoice::default() };
    let servers = match place {
        ImportPlace::App(id) => host.import_app(&environment()?, &id, &hash, choice).await?,
        ImportPlace::Folder(folder) => host.import_project(&folder, &hash, choice).await?,
    };
    Ok(servers.into_iter().map(Into::into).collect())
}

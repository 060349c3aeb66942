//! Generates Tauri's commands from the command table. Each command is a thin function in a module of this
//! folder. The logic is in `mooring-host`.

mod about;
mod accounts;
mod apps;
mod background;
mod calls;
mod inbox;
mod log;
mod models;
mod offers;
mod policy;
mod roots;
mod servers;
mod tools;
pub(crate) mod topic;
mod vault;

use tauri::ipc::{Channel, Invoke};
use tauri::{Runtime, State};

use crate::dto::IpcError;
use crate::sink;
use crate::state::AppState;

include!("commands/table.rs");

macro_rules! define {
    ($($module:ident { $(
        $(#[doc = $doc:literal])*
        $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty
            $(, streams $stream:ty)? $(, reads $reads:tt)? $(, changes $changes:tt)?;
    )* })*) => {
        /// The functions that Tauri calls, under the names that the window uses.
        mod invoked {
            use std::collections::BTreeMap;
            use std::sync::Arc;

            use super::*;
            use crate::dto::*;

            $($(
                $(#[doc = $doc])*
                #[tauri::command]
                pub(super) async fn $name(
                    state: State<'_, AppState>,
                    $(channel: Channel<$stream>,)?
                    $($arg: $ty,)*
                ) -> Result<$ret, IpcError> {
                    super::$module::$name(
                        state.inner(),
                        $(sink::to_window::<$stream>(channel),)?
                        $($arg,)*
                    ).await
                }
            )*)*
        }

        /// Dispatches the window's calls to the commands.
        pub(crate) fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($(invoked::$name),*),*]
        }
    };
}

command_table!(define);

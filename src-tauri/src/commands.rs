//! Generates the window's commands from the command table. Each command is a thin function in a module of this
//! folder. The logic is in `mooring-host`.

mod about;
mod accounts;
mod apps;
mod background;
mod bundles;
mod calls;
mod catalog;
mod doctor;
mod inbox;
pub(crate) mod invoked;
mod log;
mod models;
mod offers;
mod policy;
mod profiles;
mod roots;
mod servers;
mod tools;
pub(crate) mod topic;
mod vault;

use tauri::Runtime;
use tauri::ipc::{Invoke, InvokeError};

use self::invoked::{Run, respond};
use crate::sink::Sink;
use crate::state::AppState;

include!("commands/table.rs");

macro_rules! define {
    ($($module:ident { $(
        $(#[doc = $doc:literal])*
        $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty
            $(, streams $stream:ty)? $(, reads $reads:tt)? $(, changes $changes:tt)?;
    )* })*) => {
        /// Each command, under the name that the window uses.
        mod commands {
            use std::collections::BTreeMap;
            use std::sync::Arc;

            use super::invoked::{Call, Done};
            use super::*;
            use crate::dto::*;

            $($(
                $(#[doc = $doc])*
                pub(super) fn $name<'a>(state: &'a AppState, call: &Call<'_>) -> Result<Done<'a>, InvokeError> {
                    $(let stream = call.stream::<$stream>()?;)?
                    $(let $arg = call.argument::<$ty>(stringify!($arg))?;)*
                    Ok(call.answer::<$ret>(super::$module::$name(state, $(stream as Sink<$stream>,)? $($arg,)*)))
                }
            )*)*
        }

        /// Runs the command that the window calls. False if there is no such command.
        pub(crate) fn handle<R: Runtime>(invoke: Invoke<R>) -> bool {
            let (command, run): (_, Run) = match invoke.message.command() {
                $($(stringify!($name) => (stringify!($name), commands::$name),)*)*
                _ => return false,
            };
            respond(command, run, invoke);
            true
        }
    };
}

command_table!(define);

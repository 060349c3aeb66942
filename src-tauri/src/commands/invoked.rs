//! One call of the window: its arguments, its stream and its result, as JSON.
//!
//! Tauri's own macro makes generic code of each command, for which the compiler needs two thirds of the time of
//! this crate: the type of the runtime keeps it from using again what it knows about the futures behind a command.
//! Here only [`respond`] knows the runtime.

use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tauri::ipc::{Channel, Invoke, InvokeBody, InvokeError, InvokeResponseBody, JavaScriptChannelId};
use tauri::{Manager as _, Runtime};

use crate::dto::IpcError;
use crate::sink::{self, Sink};
use crate::state::AppState;

/// The result of a command, or its [`IpcError`].
pub(super) type Done<'a> = Pin<Box<dyn Future<Output = Result<InvokeResponseBody, InvokeError>> + Send + 'a>>;

/// Runs a command: reads its arguments, then calls it.
pub(super) type Run = for<'a> fn(&'a AppState, &Call<'_>) -> Result<Done<'a>, InvokeError>;

/// What the window sent with a call.
pub(super) struct Call<'a> {
    command: &'static str,
    arguments: &'a Value,
    channel: &'a (dyn Fn(&JavaScriptChannelId) -> Channel + Send + Sync),
}

impl Call<'_> {
    /// The argument with this name, which the window writes in camel case. Without a value it is null.
    pub(super) fn argument<T: DeserializeOwned>(&self, name: &str) -> Result<T, InvokeError> {
        let value = self.arguments.get(camel_case(name));
        T::deserialize(value.unwrap_or(&Value::Null)).map_err(|error| {
            let reason =
                if value.is_some() { format!("can’t be read: {error}") } else { "is missing".to_owned() };
            InvokeError::from(format!("`{name}` of `{}` {reason}", self.command))
        })
    }

    /// The stream that the window listens to.
    pub(super) fn stream<T: Serialize + Send + Sync + 'static>(&self) -> Result<Sink<T>, InvokeError> {
        let id = self.argument::<JavaScriptChannelId>("channel")?;
        Ok(sink::to_window((self.channel)(&id)))
    }

    /// Writes the command's result as JSON.
    pub(super) fn answer<'a, T: Serialize>(
        &self,
        done: impl Future<Output = Result<T, IpcError>> + Send + 'a,
    ) -> Done<'a> {
        let command = self.command;
        Box::pin(async move {
            match serde_json::to_string(&done.await?) {
                Ok(json) => Ok(json.into()),
                Err(error) => {
                    Err(InvokeError::from(format!("the result of `{command}` can’t be written: {error}")))
                }
            }
        })
    }
}

/// An argument's name as the window writes it: `app_id` is `appId`.
pub fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let mut letters = word.chars();
        all.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        all.push_str(letters.as_str());
        all
    })
}

/// Runs a command and sends the window what comes of it.
pub(super) fn respond<R: Runtime>(command: &'static str, run: Run, invoke: Invoke<R>) {
    let Invoke { message, resolver, .. } = invoke;
    resolver.respond_async(async move {
        let webview = message.webview();
        let state = webview.state::<AppState>();
        let InvokeBody::Json(arguments) = message.payload() else {
            return Err(InvokeError::from("the arguments are no JSON"));
        };
        let channel = |id: &JavaScriptChannelId| id.channel_on(message.webview());
        let done = run(state.inner(), &Call { command, arguments, channel: &channel })?;
        done.await
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_the_names_that_the_window_writes() {
        assert_eq!(
            ["id", "app_id", "backup_us", "a_b_c"].map(camel_case),
            ["id", "appId", "backupUs", "aBC"]
        );
    }
}

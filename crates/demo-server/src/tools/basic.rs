//! The first tools to try: echo, add, a slow one with progress, a failing one, and log messages.

use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ErrorData, ProgressNotificationParam};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::log::LEVELS;
use crate::server::DemoServer;

/// Arguments of `echo`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Echo {
    /// Any text; it comes back unchanged.
    #[schemars(example = "Ahoy!")]
    text: String,
}

/// Arguments of `add`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Add {
    /// The first number.
    a: f64,
    /// The second number.
    b: f64,
}

/// Arguments of `progress`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Progress {
    /// How long the work takes, in seconds.
    #[serde(default = "ten")]
    #[schemars(range(min = 0, max = 300))]
    seconds: f64,
}

fn ten() -> f64 {
    10.0
}

/// Arguments of `fail`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Fail {
    /// In which of the two ways to fail.
    #[serde(default)]
    kind: Failure,
    /// What the failure says.
    #[serde(default = "anchor")]
    #[schemars(length(min = 1, max = 500))]
    message: String,
}

fn anchor() -> String {
    "the anchor is fouled".to_owned()
}

/// The two ways in which a call can fail.
#[derive(Debug, Default, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Failure {
    /// The tool ran and reports an error in its result.
    #[default]
    ToolError,
    /// The request itself is answered with a JSON-RPC error.
    ProtocolError,
}

/// Arguments of `log`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Say {
    /// What each message says.
    #[serde(default = "fog")]
    message: String,
    /// How many messages to send at each level.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    repeat: u32,
}

fn fog() -> String {
    "fog on the river".to_owned()
}

fn one() -> u32 {
    1
}

#[tool_router(router = basic_tools, vis = "pub(crate)")]
impl DemoServer {
    #[tool(
        title = "Echo",
        description = "Returns the text you send, byte for byte.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn echo(Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(
        title = "Add two numbers",
        description = "Adds `a` and `b` and returns the sum as text.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn add(Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }

    #[tool(
        title = "Slow work with progress",
        description = "Hauls in a long mooring line: takes `seconds`, reports progress four times a second, and stops at once when the call is cancelled.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn progress(
        &self,
        Parameters(Progress { seconds }): Parameters<Progress>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        if !(0.0..=300.0).contains(&seconds) {
            return Err(ErrorData::invalid_params(
                format!("seconds must lie between 0 and 300: {seconds}"),
                None,
            ));
        }
        let [_, (info, _), (notice, _), ..] = LEVELS;
        let steps = steps(seconds);
        let pause = Duration::from_secs_f64(seconds) / steps;
        let token = context.meta.get_progress_token();
        let start = json!({ "event": "progress started", "seconds": seconds });
        self.log.send(&context, info, start).await;
        for step in 0..=steps {
            if let Some(token) = token.clone() {
                let report = ProgressNotificationParam::new(token, f64::from(step))
                    .with_total(f64::from(steps))
                    .with_message(format!("{step} of {steps} fathoms hauled in"));
                context.peer.notify_progress(report).await.map_err(crate::resources::internal_error)?;
            }
            if step == steps {
                break;
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = context.ct.cancelled() => {
                    let stop = json!({ "event": "progress cancelled", "step": step });
                    self.log.send(&context, notice, stop).await;
                    return Ok(CallToolResult::error(vec![ContentBlock::text(format!(
                        "cancelled after {step} of {steps} fathoms"
                    ))]));
                }
            }
        }
        Ok(CallToolResult::success(vec![ContentBlock::text(format!(
            "All {steps} fathoms are on deck after {seconds} s."
        ))]))
    }

    #[tool(
        title = "Fail on purpose",
        description = "Fails, either as a tool error inside a normal result or as a JSON-RPC error, so that you can see the difference.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    fn fail(Parameters(Fail { kind, message }): Parameters<Fail>) -> Result<CallToolResult, ErrorData> {
        match kind {
            Failure::ToolError => Ok(CallToolResult::error(vec![ContentBlock::text(message)])),
            Failure::ProtocolError => Err(ErrorData::new(
                ErrorCode::INTERNAL_ERROR,
                message,
                Some(json!({ "hint": "this is what a server's own failure looks like" })),
            )),
        }
    }

    #[tool(
        title = "Send log messages",
        description = "Sends log notifications at all eight levels, from debug to emergency, and says which ones were held back by the level you asked for.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn log(
        &self,
        Parameters(Say { message, repeat }): Parameters<Say>,
        context: RequestContext<RoleServer>,
    ) -> String {
        let (mut sent, mut memory) = (0_u32, Vec::new());
        for (level, name) in LEVELS {
            for number in 1..=repeat.clamp(1, 100) {
                let data = json!({ "message": message, "number": number });
                if self.log.send(&context, level, data).await {
                    sent += 1;
                } else if number == 1 {
                    memory.push(name);
                }
            }
        }
        match memory.as_slice() {
            [] => format!("Sent {sent} messages."),
            held => format!("Sent {sent} messages; held back: {}.", held.join(", ")),
        }
    }
}

/// Four steps a second, and at least one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds lie between 0 and 300")]
fn steps(seconds: f64) -> u32 {
    ((seconds * 4.0).round() as u32).max(1)
}

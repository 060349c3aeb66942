//! Prompts: one without arguments, one with a required and optional ones.
#![expect(clippy::unused_self, reason = "the SDK takes prompts as methods only")]

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ErrorData, GetPromptResult, PromptMessage, Role};
use rmcp::{prompt, prompt_router};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::harbour;
use crate::resources::guide;
use crate::server::DemoServer;

/// What `passage_plan` needs to know.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Passage {
    /// The harbour you leave from, for example Rotterdam.
    from: String,
    /// The harbour you sail to, for example 青岛.
    to: String,
    /// How the plan should sound: brief, thorough or cheerful. Brief unless said otherwise.
    tone: Option<String>,
}

#[prompt_router(router = "harbour_prompts", vis = "pub(crate)")]
impl DemoServer {
    /// Asks for the harbour guide to be explained.
    #[prompt(
        name = "explain_guide",
        title = "Explain the guide",
        description = "Ask for the harbour guide in plain words; it carries the guide as a link"
    )]
    fn explain_guide(&self) -> Vec<PromptMessage> {
        vec![
            PromptMessage::new_text(
                Role::User,
                "Explain the harbour guide to somebody who has never been on a boat.",
            ),
            PromptMessage::new_resource_link(Role::User, guide()),
        ]
    }

    /// Asks for a passage plan between two harbours.
    #[prompt(
        name = "passage_plan",
        title = "Plan a passage",
        description = "Ask for a passage plan between two harbours this server knows"
    )]
    fn passage_plan(&self, Parameters(passage): Parameters<Passage>) -> Result<GetPromptResult, ErrorData> {
        let [from, to] = [&passage.from, &passage.to].map(|name| {
            harbour::find(name).ok_or_else(|| {
                ErrorData::invalid_params(
                    format!("no such harbour: {name} (known: {})", harbour::cities()),
                    None,
                )
            })
        });
        let (from, to) = (from?, to?);
        let tone = passage.tone.as_deref().unwrap_or("brief");
        Ok(GetPromptResult::new(vec![
            PromptMessage::new_text(
                Role::User,
                format!(
                    "Write a {tone} passage plan from {} ({}) to {} ({}). The deepest draught there is {} m.",
                    from.city, from.country, to.city, to.country, to.depth_metres
                ),
            ),
            PromptMessage::new_text(
                Role::Assistant,
                "First I will check tides, fuel and the free berths at the other end.",
            ),
        ])
        .with_description(format!("Passage from {} to {}", from.city, to.city)))
    }
}

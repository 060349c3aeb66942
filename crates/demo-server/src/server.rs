//! The server itself: what it offers and what it remembers.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use rmcp::handler::server::router::{prompt::PromptRouter, tool::ToolRouter};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::log::Log;

/// One demo server, serving one client.
#[derive(Clone)]
pub(crate) struct DemoServer {
    pub(crate) log: Arc<Log>,
    /// The buoy's second coat is on.
    pub(crate) repainted: watch::Sender<bool>,
    /// Whether it was when the tools were last listed.
    pub(crate) listed_repainted: Arc<AtomicBool>,
    /// The gate was asked for, and its page named.
    pub(crate) gate_asked: Arc<AtomicBool>,
    /// Messages that this server will still send unprompted.
    pub(crate) sayings: Arc<Mutex<JoinSet<()>>>,
    pub(crate) tools: ToolRouter<Self>,
    pub(crate) prompts: PromptRouter<Self>,
}

impl DemoServer {
    /// A server with every tool, resource and prompt.
    pub(crate) fn new() -> Self {
        Self {
            log: Arc::new(Log::new()),
            repainted: watch::Sender::new(false),
            listed_repainted: Arc::default(),
            gate_asked: Arc::default(),
            sayings: Arc::default(),
            tools: Self::basic_tools()
                + Self::content_tools()
                + Self::form_tools()
                + Self::question_tools()
                + Self::trial_tools(),
            prompts: Self::harbour_prompts(),
        }
    }
}

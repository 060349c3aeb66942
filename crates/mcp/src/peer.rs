//! The server's side of the protocol: its state, and the handling of its requests and notifications. Requests
//! are refused, answered at once or queued for the host. Notifications update the state and go to the host.

pub(crate) mod cache;
pub(crate) mod elicitations;
pub(crate) mod notifications;
pub(crate) mod over_limit;
pub(crate) mod pending;
pub(crate) mod queued;
pub(crate) mod requests;
pub(crate) mod subscriptions;
pub(crate) mod tasks;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use tokio::sync::{mpsc, watch};

use crate::client_capabilities::ClientCapabilities;
use crate::inbound::ClientHandler;
use crate::link::{MessageHandler, MessageLink};
use crate::model::notification::Notification;
use crate::peer::cache::Cache;
use crate::peer::elicitations::UrlElicitations;
use crate::peer::over_limit::OverLimit;
use crate::peer::pending::QuestionRegistry;
use crate::peer::queued::QueuedRequest;
use crate::peer::subscriptions::Subscriptions;
use crate::peer::tasks::Tasks;
use crate::table::{Entry, RpcResponse};
use crate::transport::sink::FrameSource;

/// The server of one connection.
pub(crate) struct Peer {
    pub(crate) subscriptions: Subscriptions,
    pub(crate) tasks: Tasks,
    pub(crate) cache: Cache,
    pub(crate) elicitations: UrlElicitations,
    inbound: Arc<dyn ClientHandler>,
    capabilities: ClientCapabilities,
    questions: mpsc::Sender<Box<QueuedRequest>>,
    /// The questions that are being answered.
    pub(crate) pending: QuestionRegistry,
    /// Questions over the limit, whose error responses wait for room in the outbox.
    pub(crate) over_limit: OverLimit,
    /// How often the roots were sent to the server.
    pub(crate) roots_sent: watch::Sender<u32>,
    /// Set once log messages were requested.
    wants_logs: AtomicBool,
}

impl Peer {
    /// A server in its initial state. Its questions are sent to `questions`.
    pub(crate) fn new(inbound: Arc<dyn ClientHandler>, questions: mpsc::Sender<Box<QueuedRequest>>) -> Self {
        Self {
            subscriptions: Subscriptions::default(),
            tasks: Tasks::default(),
            cache: Cache::default(),
            elicitations: UrlElicitations::default(),
            capabilities: inbound.capabilities(),
            inbound,
            questions,
            pending: QuestionRegistry::default(),
            over_limit: OverLimit::default(),
            roots_sent: watch::Sender::new(0),
            wants_logs: AtomicBool::new(false),
        }
    }
}

impl MessageHandler for Peer {
    fn handle_request(
        &self,
        link: &MessageLink,
        id: &str,
        method: &str,
        params: Option<&Bytes>,
        on: FrameSource,
    ) {
        self.take_request(link, id, method, params, on);
    }

    fn handle_notification(&self, link: &MessageLink, notification: Notification, on: FrameSource) {
        self.dispatch_notification(link, notification, on);
    }

    fn handle_task_response(&self, link: &MessageLink, entry: Entry, answer: RpcResponse) {
        self.handle_task_answer(link, entry, answer);
    }
}

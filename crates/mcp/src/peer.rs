//! A server as the other side of the protocol: what is known of it, and what becomes of what it asks and tells.
//!
//! What it asks is refused, answered at once or put into a queue, whose other end carries it to the host. What it tells
//! changes what is known of it and goes to the host.

pub(crate) mod asked;
pub(crate) mod asking;
pub(crate) mod beyond;
pub(crate) mod cache;
pub(crate) mod elicitations;
pub(crate) mod pending;
pub(crate) mod subscriptions;
pub(crate) mod tasks;
pub(crate) mod told;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use tokio::sync::{mpsc, watch};

use crate::abilities::Abilities;
use crate::inbound::Inbound;
use crate::link::{Handler, Link};
use crate::model::notification::Notification;
use crate::peer::asking::Asking;
use crate::peer::beyond::Beyond;
use crate::peer::cache::Cache;
use crate::peer::elicitations::Elicitations;
use crate::peer::pending::Pending;
use crate::peer::subscriptions::Subscriptions;
use crate::peer::tasks::Tasks;
use crate::table::{Answer, Entry};
use crate::transport::sink::On;

/// The server of one connection.
pub(crate) struct Peer {
    pub(crate) subscriptions: Subscriptions,
    pub(crate) tasks: Tasks,
    pub(crate) cache: Cache,
    pub(crate) elicitations: Elicitations,
    inbound: Arc<dyn Inbound>,
    abilities: Abilities,
    questions: mpsc::Sender<Box<Asking>>,
    /// The questions that are under way.
    pub(crate) pending: Pending,
    /// Questions beyond what is held, whose answers wait for room.
    pub(crate) beyond: Beyond,
    /// How often the server was told of the folders.
    pub(crate) roots_told: watch::Sender<u32>,
    /// Set once log messages were asked for.
    wants_logs: AtomicBool,
}

impl Peer {
    /// A server of which nothing is known. What it asks goes into `questions`.
    pub(crate) fn new(inbound: Arc<dyn Inbound>, questions: mpsc::Sender<Box<Asking>>) -> Self {
        Self {
            subscriptions: Subscriptions::default(),
            tasks: Tasks::default(),
            cache: Cache::default(),
            elicitations: Elicitations::default(),
            abilities: inbound.abilities(),
            inbound,
            questions,
            pending: Pending::default(),
            beyond: Beyond::default(),
            roots_told: watch::Sender::new(0),
            wants_logs: AtomicBool::new(false),
        }
    }
}

impl Handler for Peer {
    fn asked(&self, link: &Link, id: &str, method: &str, params: Option<&Bytes>, on: On) {
        self.take_request(link, id, method, params, on);
    }

    fn told(&self, link: &Link, notification: Notification, on: On) {
        self.take_notification(link, notification, on);
    }

    fn answered_with_task(&self, link: &Link, entry: Entry, answer: Answer) {
        self.take_task(link, entry, answer);
    }
}

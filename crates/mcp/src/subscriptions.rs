//! Subscribes to changes with `subscriptions/listen` (stateless era) or `resources/subscribe` (session era).
//!
//! In the stateless era, one stream serves the server's lists and the subscribed resources. For a new filter,
//! a stream is opened before the old stream is closed, so that no notification is missed (SUB-06).

mod listen;

use std::time::Duration;

use mooring_jsonrpc::JsonObject;
use mooring_words::{Sentence, say};

use crate::error::{Deadline, RequestError};
use crate::limits::LimitKind;
use crate::peer::subscriptions::{ListenState, Subscriptions};
use crate::request::Request;
use crate::wire::RequestSender;

pub(crate) use listen::keep_listening;

impl RequestSender {
    fn subscriptions(&self) -> &Subscriptions {
        &self.peer.subscriptions
    }

    pub(crate) async fn subscribe(&self, uri: &str) -> Result<(), RequestError> {
        let unsendable = |reason: Sentence| Err(RequestError::Unsendable { reason });
        let offers = self.offers();
        if offers.known && !offers.subscribe {
            return unsendable(say!("the server doesn’t support resource subscriptions"));
        }
        if self.subscriptions().lock_known().contains_key(uri) {
            return Ok(());
        }
        let limit = self.link.limits.subscriptions;
        if self.subscriptions().lock_known().len() >= limit {
            self.link.note_limit(LimitKind::Subscriptions);
            return unsendable(say!("{limit} resources are subscribed to already", limit));
        }
        if self.is_modern() {
            return self.subscribe_by_stream(uri).await;
        }
        self.send_session_request("resources/subscribe", uri).await?;
        self.subscriptions().add(uri);
        Ok(())
    }

    pub(crate) async fn unsubscribe(&self, uri: &str) -> Result<(), RequestError> {
        if self.subscriptions().lock_known().remove(uri).is_none() {
            return Ok(());
        }
        if self.is_modern() {
            self.subscriptions().wanted.send_if_modified(|wanted| wanted.uris.remove(uri));
            return Ok(());
        }
        self.send_session_request("resources/unsubscribe", uri).await
    }

    /// Restores all subscriptions in a session that replaced a lost one (LIFE-14).
    pub(crate) async fn subscribe_again(&self) -> Result<(), RequestError> {
        for uri in self.subscriptions().uris() {
            let params = JsonObject::new().text("uri", &uri);
            let request =
                Request { subject: Some(uri.into()), ..Request::new("resources/subscribe", Some(&params)) };
            Box::pin(self.request_once(&request)).await?;
        }
        Ok(())
    }

    async fn send_session_request(&self, method: &'static str, uri: &str) -> Result<(), RequestError> {
        let params = JsonObject::new().text("uri", uri);
        let request = Request { subject: Some(uri.into()), ..Request::new(method, Some(&params)) };
        Box::pin(self.request(&request)).await?;
        Ok(())
    }

    /// Waits until a stream that covers `uri` is acknowledged, or until opening the stream has failed.
    async fn subscribe_by_stream(&self, uri: &str) -> Result<(), RequestError> {
        let subscriptions = self.subscriptions();
        let mut status = subscriptions.status.subscribe();
        subscriptions.add(uri);
        // An earlier failure for this URI does not count.
        subscriptions.status.send_if_modified(|status| status.requested.uris.remove(uri));
        subscriptions.wanted.send_if_modified(|wanted| wanted.uris.insert(uri.to_owned()));
        let settled = status.wait_for(|status| {
            let is_over = !matches!(
                status.listening,
                ListenState::Off | ListenState::Connecting | ListenState::Waiting { .. }
            );
            status.requested.uris.contains(uri) && is_over
        });
        // The longest time to the acknowledgement of a stream, plus a moment to open the stream.
        let patience = self.deadlines.idle + Duration::from_secs(1);
        let unsendable = |reason: Sentence| RequestError::Unsendable { reason };
        let error = match tokio::time::timeout(patience, settled).await {
            Ok(Ok(status)) => match &status.listening {
                ListenState::Live if status.acknowledged.uris.contains(uri) => return Ok(()),
                ListenState::Live => unsendable(say!("the server sends no updates for this resource")),
                ListenState::Failed { reason } => unsendable(reason.clone()),
                _ => unsendable(say!("the server has no notification stream")),
            },
            // No stream can be opened now, but maybe later.
            Ok(Err(_)) | Err(_) => RequestError::timeout(Deadline::Idle, patience),
        };
        self.unsubscribe(uri).await?;
        Err(error)
    }
}

//! The [`Host`]'s methods for questions to the person.

use std::sync::Arc;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_base::url_error::url_error_sentence;
use mooring_errors::HostError;
use mooring_forms::Mistake;
use mooring_inbox::{
    AppRegistration, AppResponder, DecisionView, InboxView, InteractionAnswer, InteractionOpening,
    inspect_url, remembered_by,
};
use mooring_words::say;
use url::Url;

use super::Host;

/// How long to wait for the browser to report whether it opened a link. It may still open it later.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(10);

impl Host {
    /// The questions that wait for the person, and the servers and apps that are silenced.
    pub fn inbox(&self) -> InboxView {
        self.inner.responders.interactions.view()
    }

    /// Whether a question caused by this request of an app is waiting for the person.
    pub fn asks_because_of(&self, request: &str) -> bool {
        self.inner.responders.interactions.has_waiting_because_of(request)
    }

    /// Lets an app answer the questions that servers ask because of its request, until the registration is
    /// dropped. `connection` identifies the app's connection and is the same for all of its requests.
    pub fn register_app(
        &self,
        request: Arc<str>,
        connection: u64,
        app: Arc<dyn AppResponder>,
    ) -> AppRegistration {
        self.inner.responders.apps.register(request, connection, app)
    }

    /// Opens a question for the person, and returns what is needed to answer it.
    pub fn open_interaction(&self, id: i64) -> Result<InteractionOpening, HostError> {
        Ok(self.inner.responders.interactions.open(id)?)
    }

    /// Answers a question. The decision is on the disk before the asker receives the answer. If it should be
    /// remembered, the reply says what remembers it, or that this was not possible.
    pub async fn answer_interaction(
        &self,
        id: i64,
        nonce: &str,
        answer: InteractionAnswer,
    ) -> Result<DecisionView, HostError> {
        let (decision, number) = self.inner.responders.interactions.answer(id, nonce, answer).await?;
        let remembered = number.and_then(|number| remembered_by(decision.kind, decision.server, number));
        Ok(DecisionView { remembered, ..decision })
    }

    /// Saves a draft of the answer, as JSON text, while the question waits. It is never written to disk.
    pub fn save_draft(&self, id: i64, draft: &str) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.save_draft(id, draft)?)
    }

    /// Validates the values of a form, given as JSON text, and returns the mistakes.
    pub fn check_form(&self, id: i64, content: &str) -> Result<Vec<Mistake>, HostError> {
        Ok(self.inner.responders.interactions.check_form(id, content)?)
    }

    /// Retries an approved step: asks the model again after a failure, or opens the URL again if the browser
    /// failed or was closed too early.
    pub fn retry_interaction(&self, id: i64, nonce: &str) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.retry(id, nonce)?)
    }

    /// Opens a link from a server's text in the person's browser, with the same checks as links in questions.
    /// Call it only after the person clicked and saw the destination from [`inspect_url`].
    pub async fn open_link(&self, written: &str) -> Result<(), HostError> {
        let address = inspect_url(written);
        if let Some(why) = address.blocked {
            return Err(HostError::Link(why));
        }
        let url = Url::parse(&address.url).map_err(|error| HostError::Link(url_error_sentence(error)))?;
        let browser = (self.inner.options.browser)();
        match tokio::time::timeout(BROWSER_TIMEOUT, browser.visit(&url)).await {
            Ok(opened) => opened.map_err(|error| HostError::Link(error.sentence().clone())),
            Err(_) => {
                Err(HostError::Link(say!("the browser hasn’t answered so far; it may still open the URL")))
            }
        }
    }

    /// Hides a question for this time, or with `None` until this run ends. It still waits and can be
    /// answered.
    pub fn put_off_interaction(&self, id: i64, time: Option<Duration>) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.put_off(id, time)?)
    }

    /// Shows a hidden question again.
    pub fn bring_back_interaction(&self, id: i64) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.bring_back(id)?)
    }

    /// Lets a silenced server ask questions again.
    pub async fn lift_silence(&self, server: ServerId) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.lift_silence(server).await?)
    }

    /// Shows questions about a silenced app's calls again.
    pub fn lift_app_silence(&self, app: &str) {
        self.inner.responders.interactions.lift_app_silence(app);
    }
}

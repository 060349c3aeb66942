//! The host's verbs for questions to the person.

use std::sync::Arc;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_base::url_error::url_error_sentence;
use mooring_forms::Mistake;
use mooring_inbox::{
    AppRegistration, AppResponder, DecisionView, InboxView, InteractionAnswer, InteractionOpening,
    inspect_url,
};
use mooring_words::say;
use url::Url;

use super::Host;
use super::decisions::remembered_by;
use crate::error::HostError;

/// How long the browser may take to say that it opened a link, or that it can't. It may open it later.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(10);

impl Host {
    /// What waits for the person, and whose questions are not shown.
    pub fn inbox(&self) -> InboxView {
        self.inner.responders.interactions.view()
    }

    /// Whether a question that came because of this request of an app waits for the person.
    pub fn asks_because_of(&self, request: &str) -> bool {
        self.inner.responders.interactions.has_waiting_because_of(request)
    }

    /// Has an app answer what servers ask because of its request of this name, as far as it can, until the registration
    /// is dropped. `connection` is the same for all requests of one connection of the app, and of no other.
    pub fn register_app(
        &self,
        request: Arc<str>,
        connection: u64,
        app: Arc<dyn AppResponder>,
    ) -> AppRegistration {
        self.inner.responders.apps.register(request, connection, app)
    }

    /// The person looks at a question now: what it takes to answer it.
    pub fn open_interaction(&self, id: i64) -> Result<InteractionOpening, HostError> {
        Ok(self.inner.responders.interactions.open(id)?)
    }

    /// Answers a question. The decision is on the disk before whoever asked hears of it. Where it is to be remembered, the
    /// reply says what does, or that nothing could.
    pub async fn answer_interaction(
        &self,
        id: i64,
        nonce: &str,
        answer: InteractionAnswer,
    ) -> Result<DecisionView, HostError> {
        let (decision, number) = self.inner.responders.interactions.answer(id, nonce, answer).await?;
        let remembered = number.and_then(|number| remembered_by(&decision, number));
        Ok(DecisionView { remembered, ..decision })
    }

    /// Keeps what was entered so far, as JSON text, for as long as the question waits. Never on the disk.
    pub fn save_draft(&self, id: i64, draft: &str) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.save_draft(id, draft)?)
    }

    /// What is wrong with the values of a form, as JSON text.
    pub fn check_form(&self, id: i64, content: &str) -> Result<Vec<Mistake>, HostError> {
        Ok(self.inner.responders.interactions.check_form(id, content)?)
    }

    /// Asks the model once more, after it could not answer; or opens an address once more that the person has agreed
    /// to, after the browser could not, or closed it too early.
    pub fn retry_interaction(&self, id: i64, nonce: &str) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.retry(id, nonce)?)
    }

    /// Opens a link of a server's text in the person's browser, by the rules for links in questions: only a click of the
    /// person's leads here, after [`inspect_url`] said where it goes.
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

    /// Hides a question for so long; none: until this run ends. It goes on waiting and can be answered.
    pub fn put_off_interaction(&self, id: i64, time: Option<Duration>) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.put_off(id, time)?)
    }

    /// Shows a question again that was put off.
    pub fn bring_back_interaction(&self, id: i64) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.bring_back(id)?)
    }

    /// Lets a server ask again.
    pub async fn lift_silence(&self, server: ServerId) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.lift_silence(server).await?)
    }

    /// Lets the calls of an app be asked about again.
    pub fn lift_app_silence(&self, app: &str) {
        self.inner.responders.interactions.lift_app_silence(app);
    }
}

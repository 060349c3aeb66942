//! Carries messages between an app and the gateway. The app doesn't have to restart when the gateway does,
//! because the carrier repeats the app's handshake and subscriptions at the new gateway.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::Path;
use std::time::Duration;

use mooring_app_key::AppKey;
use mooring_jsonrpc::{
    JsonObject, Message, RequestId, cancelled, code, elements, error_response, id_of_parts, notification,
    parse, response, response_id,
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Instant, sleep_until, timeout};

use crate::hello::{AppHello, Connected, Hello, connect};
use crate::lines::{Line, Lines};
use crate::queue::Queue;
use crate::replay::{Lasting, Replay};
use crate::{BridgeError, MAX_MESSAGE};

/// How often to try to connect while requests of the app wait for a gateway.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How often to try to connect while no request waits.
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long to wait after a gateway has closed before starting another one. A window that takes over from a
/// gateway without a window needs this time.
const RESTART_DELAY: Duration = Duration::from_millis(500);
/// How long an app's requests wait for a gateway.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How long each side may take at the end to read the remaining messages.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// While this many bytes wait to be written to one side, nothing is read from the other side.
const MAX_UNREAD: usize = 1 << 20;
/// The most requests that wait for a gateway. At this limit, nothing more is read from the app.
const MAX_PENDING: usize = 64;
/// The most bytes that wait for a gateway. At this limit, nothing more is read from the app.
const MAX_WAITING: usize = 8 << 20;
/// The most notifications that wait for a gateway.
const MAX_UNSENT: usize = 64;

/// The error for calls that were running when the gateway closed.
const INTERRUPTED: &str = "Mooring was closed or restarted while this ran. It may have been done or not: look before you repeat it.";

/// A request from the app that hasn't been answered.
struct Pending {
    /// Empty if the request was sent and must not be sent again.
    line: String,
    /// The request was sent to a gateway, which may have closed since.
    was_sent: bool,
    /// Repeating the request is safe.
    can_be_repeated: bool,
    /// The request is `subscriptions/listen`. Its stream ends when the gateway closes. The app then opens
    /// another stream and reads its lists again.
    is_stream: bool,
    /// What the next gateway has to know if this gateway grants the request.
    lasting: Option<Lasting>,
}

struct Carrier {
    to_app: Queue,
    to_gateway: Queue,
    /// By number, in the order of arrival.
    pending: BTreeMap<u64, (RequestId, Pending)>,
    next: u64,
    replay: Replay,
    /// The ids of requests from the gateway that the app hasn't answered.
    asked: BTreeSet<RequestId>,
    /// Messages other than requests that arrived without a gateway.
    unsent: VecDeque<String>,
    /// The earliest time to start a gateway if none is running.
    may_start_at: Instant,
    /// When to try to connect next.
    look_at: Instant,
    /// When the wait for a gateway began.
    missing_since: Instant,
}

/// Carries an app's messages to the gateway of a data folder and back, until the app closes its input. `key`
/// is the key in the app's entry. `start` starts a gateway in the background. It is called if no gateway
/// listens.
///
/// If no gateway starts or the app is refused, the app's requests are answered with the reason, because apps
/// show answers but not the output of a server.
pub async fn carry(
    home: &Path,
    app: AppHello,
    key: Option<AppKey>,
    from_app: impl AsyncRead + Unpin,
    mut to_app: impl AsyncWrite + Unpin,
    mut start: impl FnMut() -> io::Result<()>,
) -> Result<(), BridgeError> {
    let public = key.as_ref().map(AppKey::public).or(app.key);
    let hello = Hello::App(AppHello { app: app.app, server: app.server, key: public });
    let mut carrier = Carrier::new();
    let ended = carrier
        .carry_messages(
            home,
            (&hello, key.as_ref()),
            Lines::new(from_app, MAX_MESSAGE),
            &mut to_app,
            &mut start,
        )
        .await;
    // Write the remaining messages, as long as the app reads them.
    let write = async {
        carrier.to_app.write_all(&mut to_app).await?;
        to_app.flush().await
    };
    let _written = timeout(CLOSE_TIMEOUT, write).await;
    ended
}

impl Carrier {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            to_app: Queue::default(),
            to_gateway: Queue::default(),
            pending: BTreeMap::new(),
            next: 0,
            replay: Replay::default(),
            asked: BTreeSet::new(),
            unsent: VecDeque::new(),
            // No gateway has closed, so none is about to come back. The first one may be started at once.
            may_start_at: now,
            look_at: now,
            missing_since: now,
        }
    }

    async fn carry_messages(
        &mut self,
        home: &Path,
        (hello, key): (&Hello, Option<&AppKey>),
        mut from_app: Lines<impl AsyncRead + Unpin>,
        to_app: &mut (impl AsyncWrite + Unpin),
        start: &mut impl FnMut() -> io::Result<()>,
    ) -> Result<(), BridgeError> {
        let mut link: Option<Connected> = None;
        loop {
            let has_gateway = link.is_some();
            // Reads and writes are polled together. Writing to one side until it reads could block both
            // forever.
            let reads_app = if has_gateway {
                self.to_gateway.size() < MAX_UNREAD
            } else {
                self.pending.len() < MAX_PENDING && self.waiting_bytes() < MAX_WAITING
            };
            let reads_gateway = has_gateway && self.to_app.size() < MAX_UNREAD;
            let writes_gateway = has_gateway && !self.to_gateway.is_empty();
            let (from_gateway, to_gateway) = link.as_mut().map(|link| (&mut link.from, &mut link.to)).unzip();
            tokio::select! {
                line = from_app.next(), if reads_app => {
                    let Some(line) = line.map_err(BridgeError::App)? else {
                        if let Some(link) = &mut link {
                            // The last message may be a cancellation.
                            let _written = timeout(CLOSE_TIMEOUT, self.to_gateway.write_all(&mut link.to)).await;
                        }
                        return Ok(());
                    };
                    self.accept_line(line, has_gateway);
                }
                line = read_next_line(from_gateway), if reads_gateway => {
                    if let Some(text) = line {
                        self.pass_to_app(&text);
                    } else {
                        link = None;
                        self.forget_gateway();
                    }
                }
                written = self.to_app.write_some(to_app), if !self.to_app.is_empty() => {
                    written.map_err(BridgeError::App)?;
                }
                written = write_queue(to_gateway, &mut self.to_gateway), if writes_gateway => {
                    if written.is_err() {
                        link = None;
                        self.forget_gateway();
                    }
                }
                () = sleep_until(self.look_at), if !has_gateway => {
                    let is_needed = !self.pending.is_empty();
                    self.look_at = Instant::now() + if is_needed { POLL_INTERVAL } else { IDLE_POLL_INTERVAL };
                    match connect(home, hello, key).await {
                        Ok(connected) => {
                            link = Some(connected);
                            self.resume_session();
                        }
                        Err(BridgeError::NotRunning) => self.handle_missing_gateway(start),
                        // The reason becomes the answer to the first request of the app.
                        Err(_) if self.pending.is_empty() => {}
                        Err(error) => {
                            self.refuse_pending(&error.to_string());
                            return Err(error);
                        }
                    }
                }
            }
        }
    }

    /// Starts a gateway if requests wait for one, and refuses the requests if no gateway listens in time.
    fn handle_missing_gateway(&mut self, start: &mut impl FnMut() -> io::Result<()>) {
        if self.pending.is_empty() {
            return;
        }
        if Instant::now() >= self.may_start_at {
            self.may_start_at = Instant::now() + START_TIMEOUT;
            if let Err(error) = start() {
                self.refuse_pending(&format!("Mooring can’t be started: {error}"));
            }
        }
        if self.missing_since.elapsed() >= START_TIMEOUT {
            self.refuse_pending(&BridgeError::NotRunning.to_string());
        }
    }

    /// Accepts a line from the app. Without a gateway, the line waits.
    fn accept_line(&mut self, line: Line, has_gateway: bool) {
        if self.pending.is_empty() {
            self.missing_since = Instant::now();
        }
        self.look_at = self.look_at.min(Instant::now());
        let Line::Text(text) = line else {
            let (id, refused) = match line {
                Line::TooLong { beginning, end, .. } => (
                    id_of_parts(&beginning, &end),
                    format!("Invalid Request: longer than {MAX_MESSAGE} bytes"),
                ),
                Line::NoText(_) | Line::Text(_) => (None, "Parse error: not UTF-8".to_owned()),
            };
            // An app that doesn't read its responses gets no more of these errors.
            if self.to_app.size() < MAX_UNREAD {
                self.to_app.push(&error_response(id.as_ref(), code::INVALID_REQUEST, &refused, None));
            }
            return;
        };
        match elements(&text) {
            Some(elements) if self.replay.has_batches() => {
                for element in elements {
                    self.accept_message(element.get(), has_gateway);
                }
            }
            // The gateway refuses the whole batch.
            Some(_) if !has_gateway => self.keep_unsent(&text),
            Some(_) => {}
            None => self.accept_message(&text, has_gateway),
        }
        if has_gateway {
            self.to_gateway.push(&text);
        }
    }

    /// Accepts one message from the app.
    fn accept_message(&mut self, text: &str, has_gateway: bool) {
        match parse(text) {
            Ok(Message::Request { id, method, params }) => {
                let lasting = self.replay.note_request(&method, params.as_ref());
                let can_be_repeated = method != "tools/call";
                let line = if has_gateway && !can_be_repeated { String::new() } else { text.to_owned() };
                let is_stream = method == "subscriptions/listen";
                let pending = Pending { line, was_sent: has_gateway, can_be_repeated, is_stream, lasting };
                self.pending.insert(self.next, (id, pending));
                self.next += 1;
                return;
            }
            Ok(Message::Notification { method, params }) => {
                self.replay.note_notification(&method, text);
                if method == "notifications/cancelled"
                    && let Some(id) = cancelled(params.as_ref())
                {
                    // A cancelled request gets no answer.
                    self.pending.retain(|_, (pending, _)| *pending != id);
                }
            }
            Ok(Message::Response { id, .. }) => {
                self.asked.remove(&id);
            }
            // The gateway answers with an error.
            Err(_) => {}
        }
        if !has_gateway && !text.trim().is_empty() {
            self.keep_unsent(text);
        }
    }

    fn keep_unsent(&mut self, text: &str) {
        if self.unsent.len() < MAX_UNSENT {
            self.unsent.push_back(text.to_owned());
        }
    }

    /// How many bytes wait for a gateway.
    fn waiting_bytes(&self) -> usize {
        let pending = self.pending.values().map(|(_, pending)| &pending.line);
        pending.chain(&self.unsent).map(String::len).sum()
    }

    /// Passes a line from the gateway to the app.
    fn pass_to_app(&mut self, text: &str) {
        if let Some(id) = response_id(text) {
            if Replay::is_repeated_id(&id) {
                return;
            }
            // If an app uses an id for two requests at the same time, the gateway refuses the later one
            // immediately. The first answer therefore belongs to the later request.
            let answered = self.pending.iter().rfind(|(_, (pending, _))| *pending == id).map(|(at, _)| *at);
            if let Some((_, pending)) = answered.and_then(|at| self.pending.remove(&at))
                && let Some(lasting) = pending.lasting
            {
                self.replay.note_answer(lasting, text);
            }
        } else {
            match parse(text) {
                Ok(Message::Request { id, .. }) => drop(self.asked.insert(id)),
                Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                    if let Some(id) = cancelled(params.as_ref()) {
                        self.asked.remove(&id);
                    }
                }
                // Progress notifications and notifications about changes.
                _ => {}
            }
        }
        self.to_app.push(text);
    }

    /// Handles that the gateway is gone. Calls that may have run are answered with an error, and other
    /// requests wait for the next gateway.
    fn forget_gateway(&mut self) {
        self.to_gateway.clear();
        let has_ended = |pending: &Pending| pending.was_sent && pending.is_stream;
        for (_, (id, _)) in self.pending.extract_if(.., |_, (_, pending)| has_ended(pending)) {
            let meta = JsonObject::new().raw("io.modelcontextprotocol/subscriptionId", id.get());
            let result = JsonObject::new().text("resultType", "complete").object("_meta", &meta);
            self.to_app.push(&response(&id, &result.whole()));
        }
        let is_uncertain = |pending: &Pending| pending.was_sent && !pending.can_be_repeated;
        for (_, (id, _)) in self.pending.extract_if(.., |_, (_, pending)| is_uncertain(pending)) {
            self.to_app.push(&error_response(Some(&id), code::TOO_MANY, INTERRUPTED, None));
        }
        // No one waits for these answers any more, but the app may still be asking the user.
        for id in std::mem::take(&mut self.asked) {
            let params = JsonObject::new()
                .raw("requestId", id.get())
                .text("reason", "Mooring was closed or restarted");
            self.to_app.push(&notification("notifications/cancelled", Some(&params.whole())));
        }
        let now = Instant::now();
        (self.may_start_at, self.look_at, self.missing_since) = (now + RESTART_DELAY, now, now);
    }

    /// Sends a new gateway the session state of the app, and everything that waits.
    fn resume_session(&mut self) {
        let is_known = self.replay.is_initialized();
        for line in self.replay.build_messages() {
            self.to_gateway.push(&line);
        }
        for (_, pending) in self.pending.values_mut() {
            pending.was_sent = true;
            self.to_gateway.push(&pending.line);
            if !pending.can_be_repeated {
                pending.line = String::new();
            }
        }
        for line in self.unsent.drain(..) {
            self.to_gateway.push(&line);
        }
        if is_known {
            for kind in ["tools", "prompts", "resources"] {
                self.to_app.push(&notification(&format!("notifications/{kind}/list_changed"), None));
            }
            // The resources may have changed while there was no gateway.
            for uri in self.replay.followed_uris() {
                let params = JsonObject::new().text("uri", uri).whole();
                self.to_app.push(&notification("notifications/resources/updated", Some(&params)));
            }
        }
    }

    fn refuse_pending(&mut self, reason: &str) {
        for (id, _) in std::mem::take(&mut self.pending).into_values() {
            self.to_app.push(&error_response(Some(&id), code::INTERNAL_ERROR, reason, None));
        }
    }
}

/// Reads the next line from the gateway. `None` once the gateway is gone.
async fn read_next_line(from: Option<&mut Lines<OwnedReadHalf>>) -> Option<String> {
    match from?.next().await {
        Ok(Some(Line::Text(text))) => Some(text),
        Ok(_) | Err(_) => None,
    }
}

/// Writes queued bytes to the gateway, if there is one.
async fn write_queue(to: Option<&mut OwnedWriteHalf>, queue: &mut Queue) -> io::Result<()> {
    match to {
        Some(to) => queue.write_some(to).await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes the lines that are queued for the app.
    async fn take_queued(carrier: &mut Carrier) -> String {
        let mut written = Vec::new();
        carrier.to_app.write_all(&mut written).await.unwrap();
        String::from_utf8(written).unwrap()
    }

    #[tokio::test]
    async fn only_questions_that_are_open_are_taken_back() {
        let mut carrier = Carrier::new();
        for id in [1, 2, 3] {
            carrier.pass_to_app(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{{}}}}"#
            ));
        }
        carrier
            .pass_to_app(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
        carrier.accept_line(Line::Text(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#.to_owned()), true);
        take_queued(&mut carrier).await;
        carrier.forget_gateway();
        let told = take_queued(&mut carrier).await;
        assert!(told.contains(r#""requestId":3"#) && told.lines().count() == 1, "{told}");
    }

    #[tokio::test]
    async fn what_may_have_been_done_is_not_done_again() {
        let mut carrier = Carrier::new();
        let call = |id: u32| Line::Text(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#));
        carrier.accept_line(call(1), true);
        carrier.forget_gateway();
        carrier.accept_line(call(2), false);
        carrier.accept_line(Line::Text(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#.to_owned()), false);
        assert!(take_queued(&mut carrier).await.contains(INTERRUPTED));
        carrier.resume_session();
        let mut sent = Vec::new();
        carrier.to_gateway.write_all(&mut sent).await.unwrap();
        let sent = String::from_utf8(sent).unwrap();
        assert!(
            !sent.contains(r#""id":1"#) && sent.contains(r#""id":2"#) && sent.contains(r#""id":3"#),
            "{sent}"
        );
    }

    #[tokio::test]
    async fn an_app_that_reads_no_errors_is_not_told_for_ever() {
        let mut carrier = Carrier::new();
        for _ in 0..100_000 {
            carrier.accept_line(Line::NoText(vec![0xff]), true);
        }
        assert!(carrier.to_app.size() < 2 * MAX_UNREAD);
    }
}

//! Carries messages between an app and the gateway. When the gateway goes away and comes back, the app need not be started
//! again: its handshake and what it follows are sent once more.

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

/// How often a gateway that is not there is looked for while the app waits for it, and while it does not.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long a gateway that went away may take to come back before another one is started: a window that takes over from
/// one without a window needs that long.
const RESTART_DELAY: Duration = Duration::from_millis(500);
/// How long an app's requests wait for a gateway.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How long each side may take at the end to read what is left.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// One side is read from while less than this waits for the other, in bytes.
const MAX_UNREAD: usize = 1 << 20;
/// With so many requests waiting for a gateway that is not there, or so many bytes, nothing more is read from the app.
const MAX_PENDING: usize = 64;
const MAX_WAITING: usize = 8 << 20;
/// The most notifications that wait for a gateway.
const MAX_UNSENT: usize = 64;

/// What an app's calls are told that were under way when the gateway went away.
const INTERRUPTED: &str = "Mooring was closed or restarted while this ran. It may have been done or not: look before you repeat it.";

/// A request of the app that has no answer yet.
struct Pending {
    /// Empty once it was sent, where it is never sent again.
    line: String,
    /// It may have reached a gateway that has gone since.
    was_sent: bool,
    /// Sending it once more does nothing twice.
    can_be_repeated: bool,
    /// It is a stream of changes, which ends with its gateway: the app opens another, and reads anew what it has.
    is_stream: bool,
    /// What is to be told to the next gateway, once this one has granted it.
    lasting: Option<Lasting>,
}

struct Carrier {
    to_app: Queue,
    to_gateway: Queue,
    /// In the order in which they came.
    pending: BTreeMap<u64, (RequestId, Pending)>,
    next: u64,
    replay: Replay,
    /// What the gateway asks the app, and has no answer to.
    asked: BTreeSet<RequestId>,
    /// Notifications that came while nobody listened.
    unsent: VecDeque<String>,
    /// When a gateway may be started where there is none.
    may_start_at: Instant,
    /// When one is looked for.
    look_at: Instant,
    /// Since when one is missing.
    missing_since: Instant,
}

/// Carries an app's messages to the gateway of a data folder and back, until the app goes. `key`: the one that its entry
/// has. `start` starts a gateway in the background; it is called where nobody listens.
///
/// Where no gateway comes or the app is refused, its requests are answered with the reason: apps show that, and not what
/// is printed.
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
        .run(home, (&hello, key.as_ref()), Lines::new(from_app, MAX_MESSAGE), &mut to_app, &mut start)
        .await;
    // As far as the app takes it.
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
            // Nobody went away: who is not there now does not come by itself.
            may_start_at: now,
            look_at: now,
            missing_since: now,
        }
    }

    async fn run(
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
            // Neither side is written to while the other waits to be read: each could wait for the other for ever.
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
                            // What it said last may be that something is to be cancelled.
                            let _written = timeout(CLOSE_TIMEOUT, self.to_gateway.write_all(&mut link.to)).await;
                        }
                        return Ok(());
                    };
                    self.accept(line, has_gateway);
                }
                line = next_of(from_gateway), if reads_gateway => {
                    if let Some(text) = line {
                        self.pass(&text);
                    } else {
                        link = None;
                        self.lost();
                    }
                }
                written = self.to_app.write_some(to_app), if !self.to_app.is_empty() => {
                    written.map_err(BridgeError::App)?;
                }
                written = write_to(to_gateway, &mut self.to_gateway), if writes_gateway => {
                    if written.is_err() {
                        link = None;
                        self.lost();
                    }
                }
                () = sleep_until(self.look_at), if !has_gateway => {
                    let is_needed = !self.pending.is_empty();
                    self.look_at = Instant::now() + if is_needed { POLL_INTERVAL } else { IDLE_POLL_INTERVAL };
                    match connect(home, hello, key).await {
                        Ok(connected) => {
                            link = Some(connected);
                            self.resume();
                        }
                        Err(BridgeError::NotRunning) => self.do_without(start),
                        // The app's first request is told why.
                        Err(_) if self.pending.is_empty() => {}
                        Err(error) => {
                            self.refuse_all(&error.to_string());
                            return Err(error);
                        }
                    }
                }
            }
        }
    }

    /// Nobody listens: who is needed is started, and when nobody comes the app is told.
    fn do_without(&mut self, start: &mut impl FnMut() -> io::Result<()>) {
        if self.pending.is_empty() {
            return;
        }
        if Instant::now() >= self.may_start_at {
            self.may_start_at = Instant::now() + START_TIMEOUT;
            if let Err(error) = start() {
                self.refuse_all(&format!("Mooring can’t be started: {error}"));
            }
        }
        if self.missing_since.elapsed() >= START_TIMEOUT {
            self.refuse_all(&BridgeError::NotRunning.to_string());
        }
    }

    /// Takes a line of the app. Without a gateway it waits.
    fn accept(&mut self, line: Line, has_gateway: bool) {
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
            // Who does not read answers is not told either.
            if self.to_app.size() < MAX_UNREAD {
                self.to_app.push(&error_response(id.as_ref(), code::INVALID_REQUEST, &refused, None));
            }
            return;
        };
        match elements(&text) {
            Some(elements) if self.replay.has_batches() => {
                for element in elements {
                    self.accept_one(element.get(), has_gateway);
                }
            }
            // The gateway refuses it as a whole.
            Some(_) if !has_gateway => self.keep_unsent(&text),
            Some(_) => {}
            None => self.accept_one(&text, has_gateway),
        }
        if has_gateway {
            self.to_gateway.push(&text);
        }
    }

    /// Takes one message of the app.
    fn accept_one(&mut self, text: &str, has_gateway: bool) {
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
                    // There will be no answer.
                    self.pending.retain(|_, (pending, _)| *pending != id);
                }
            }
            Ok(Message::Response { id, .. }) => {
                self.asked.remove(&id);
            }
            // The gateway says what is wrong with it.
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

    /// What waits for a gateway, in bytes.
    fn waiting_bytes(&self) -> usize {
        let pending = self.pending.values().map(|(_, pending)| &pending.line);
        pending.chain(&self.unsent).map(String::len).sum()
    }

    /// Passes a line of the gateway to the app.
    fn pass(&mut self, text: &str) {
        if let Some(id) = response_id(text) {
            if Replay::is_own(&id) {
                return;
            }
            // Of an id that an app uses twice at once the later request is refused, which is the first answer.
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
                // Progress, or what has changed.
                _ => {}
            }
        }
        self.to_app.push(text);
    }

    /// The gateway is gone: what may have been done is said to be uncertain, the rest waits for the next.
    fn lost(&mut self) {
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
        // Nobody waits for the answers any more: a person may be about to give one.
        for id in std::mem::take(&mut self.asked) {
            let params = JsonObject::new()
                .raw("requestId", id.get())
                .text("reason", "Mooring was closed or restarted");
            self.to_app.push(&notification("notifications/cancelled", Some(&params.whole())));
        }
        let now = Instant::now();
        (self.may_start_at, self.look_at, self.missing_since) = (now + RESTART_DELAY, now, now);
    }

    /// Tells a new gateway what the app told the last one, and what waits.
    fn resume(&mut self) {
        let is_known = self.replay.is_initialized();
        for line in self.replay.lines() {
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
            // They may have changed while nobody looked.
            for uri in self.replay.followed() {
                let params = JsonObject::new().text("uri", uri).whole();
                self.to_app.push(&notification("notifications/resources/updated", Some(&params)));
            }
        }
    }

    fn refuse_all(&mut self, reason: &str) {
        for (id, _) in std::mem::take(&mut self.pending).into_values() {
            self.to_app.push(&error_response(Some(&id), code::INTERNAL_ERROR, reason, None));
        }
    }
}

/// The next line of the gateway; none when it is gone.
async fn next_of(from: Option<&mut Lines<OwnedReadHalf>>) -> Option<String> {
    match from?.next().await {
        Ok(Some(Line::Text(text))) => Some(text),
        Ok(_) | Err(_) => None,
    }
}

/// Writes to the gateway, where there is one.
async fn write_to(to: Option<&mut OwnedWriteHalf>, queue: &mut Queue) -> io::Result<()> {
    match to {
        Some(to) => queue.write_some(to).await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was queued for the app, as text.
    async fn told(carrier: &mut Carrier) -> String {
        let mut written = Vec::new();
        carrier.to_app.write_all(&mut written).await.unwrap();
        String::from_utf8(written).unwrap()
    }

    #[tokio::test]
    async fn only_questions_that_are_open_are_taken_back() {
        let mut carrier = Carrier::new();
        for id in [1, 2, 3] {
            carrier.pass(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{{}}}}"#
            ));
        }
        carrier.pass(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
        carrier.accept(Line::Text(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#.to_owned()), true);
        told(&mut carrier).await;
        carrier.lost();
        let told = told(&mut carrier).await;
        assert!(told.contains(r#""requestId":3"#) && told.lines().count() == 1, "{told}");
    }

    #[tokio::test]
    async fn what_may_have_been_done_is_not_done_again() {
        let mut carrier = Carrier::new();
        let call = |id: u32| Line::Text(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#));
        carrier.accept(call(1), true);
        carrier.lost();
        carrier.accept(call(2), false);
        carrier.accept(Line::Text(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#.to_owned()), false);
        assert!(told(&mut carrier).await.contains(INTERRUPTED));
        carrier.resume();
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
            carrier.accept(Line::NoText(vec![0xff]), true);
        }
        assert!(carrier.to_app.size() < 2 * MAX_UNREAD);
    }
}

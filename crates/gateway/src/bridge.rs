//! The bridge: what an app starts as its MCP server. It passes messages between the app and the gateway. When the gateway
//! goes away and comes back, the app need not be started again: its handshake and what it follows are sent once more.

mod replay;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::GatewayError;
use crate::hello::{AppHello, Connected, Hello, connect};
use crate::lines::{Line, Lines};
use crate::message::{self, Message, RequestId, code, error_response, notification, response};
use crate::outbox::{Keep, Outbox};
use crate::revisions::MAX_MESSAGE;

use self::replay::Replay;

/// How often a gateway that is not there is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long a gateway that went away may take to come back before another one is started: a window that takes over from
/// one without a window needs that long.
const RESTART_DELAY: Duration = Duration::from_millis(500);
/// How long an app's requests wait for a gateway.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// The gateway is read from while less than this waits for the app to read, in bytes.
const MAX_UNREAD: usize = 1 << 20;
/// With so many requests waiting for a gateway that is not there, nothing more is read from the app.
const MAX_PENDING: usize = 64;

/// The most notifications that wait for a gateway.
const MAX_UNSENT: usize = 64;

/// What an app's calls are told that were under way when the gateway went away.
const INTERRUPTED: &str = "Mooring was closed or restarted while this ran. It may have been done or not: look before you repeat it.";

/// A request of the app that has no answer yet.
struct Pending {
    line: String,
    /// It reached a gateway that has gone since.
    was_sent: bool,
    /// Sending it once more does nothing twice.
    can_be_repeated: bool,
    /// It is a stream of changes, which ends with its gateway: the app opens another, and reads anew what it has.
    is_stream: bool,
}

struct Bridge {
    out: Outbox,
    /// In the order in which they came.
    pending: BTreeMap<u64, (RequestId, Pending)>,
    next: u64,
    replay: Replay,
    /// Notifications that came while nobody listened.
    unsent: VecDeque<String>,
}

/// Carries an app's messages to the gateway of a data folder and back, until the app goes. `server`: the app sees that
/// server alone. `start` starts a gateway in the background; it is called where nobody listens.
///
/// Where no gateway comes or the app is refused, its requests are answered with the reason: apps show that, and not what
/// is printed.
pub async fn bridge(
    home: &Path,
    app: &str,
    server: Option<&str>,
    from_app: impl AsyncRead + Unpin,
    to_app: impl AsyncWrite + Send + Unpin + 'static,
    mut start: impl FnMut() -> std::io::Result<()>,
) -> Result<(), GatewayError> {
    let hello = Hello::App(AppHello { app: app.to_owned(), server: server.map(str::to_owned) });
    let (out, stream) = Outbox::new(Keep::Unread);
    let mut writing = JoinSet::new();
    writing.spawn(stream.reader(None).write_to(to_app));
    let bridge =
        Bridge { out, pending: BTreeMap::new(), next: 0, replay: Replay::default(), unsent: VecDeque::new() };
    let ended = bridge.run(home, &hello, Lines::new(from_app, MAX_MESSAGE), &mut start).await;
    // What is queued is written, as far as the app takes it.
    let _written = tokio::time::timeout(Duration::from_secs(2), writing.join_next()).await;
    ended
}

impl Bridge {
    async fn run(
        mut self,
        home: &Path,
        hello: &Hello,
        mut from_app: Lines<impl AsyncRead + Unpin>,
        start: &mut impl FnMut() -> std::io::Result<()>,
    ) -> Result<(), GatewayError> {
        let mut link: Option<Connected> = None;
        // Nobody went away: who is not there now does not come by itself.
        let mut may_start_at = Instant::now();
        let mut look_at = Instant::now();
        let mut missing_since = Instant::now();
        loop {
            let reads = self.out.has_less_than(MAX_UNREAD);
            let takes = link.is_some() || self.pending.len() < MAX_PENDING;
            tokio::select! {
                line = from_app.next(), if takes => match line.map_err(GatewayError::App)? {
                    None => return Ok(()),
                    Some(line) => {
                        if self.pending.is_empty() {
                            missing_since = Instant::now();
                        }
                        look_at = look_at.min(Instant::now());
                        let Some(text) = self.accept(line, link.is_some()) else { continue };
                        if let Some(connected) = &mut link
                            && send(connected, &text).await.is_err()
                        {
                            link = None;
                            (may_start_at, look_at, missing_since) = self.lost();
                        }
                    }
                },
                line = next_of(&mut link), if reads && link.is_some() => {
                    if let Some(text) = line {
                        self.pass(text);
                    } else {
                        link = None;
                        (may_start_at, look_at, missing_since) = self.lost();
                    }
                }
                () = sleep_until(look_at), if link.is_none() => {
                    look_at = Instant::now() + POLL_INTERVAL;
                    match connect(home, hello).await {
                        Ok(connected) => {
                            link = self.resume(connected).await;
                            if link.is_none() {
                                (may_start_at, look_at, missing_since) = self.lost();
                            }
                        }
                        Err(GatewayError::NotRunning) => {
                            if self.pending.is_empty() {
                                continue;
                            }
                            if Instant::now() >= may_start_at {
                                may_start_at = Instant::now() + START_TIMEOUT;
                                if let Err(error) = start() {
                                    self.refuse_all(&format!("Mooring can’t be started: {error}"));
                                }
                            }
                            if missing_since.elapsed() >= START_TIMEOUT {
                                self.refuse_all(&GatewayError::NotRunning.to_string());
                            }
                        }
                        Err(error) => {
                            // The app's first request is told why.
                            if !self.pending.is_empty() {
                                self.refuse_all(&error.to_string());
                                return Err(error);
                            }
                        }
                    }
                }
                () = tokio::time::sleep(POLL_INTERVAL), if !reads => {}
            }
        }
    }

    /// Takes a line of the app; gives it back where it is to be sent at once. Without a gateway it waits.
    fn accept(&mut self, line: Line, has_gateway: bool) -> Option<String> {
        let Line::Text(text) = line else {
            let refused = match line {
                Line::TooLong { .. } => format!("Invalid Request: longer than {MAX_MESSAGE} bytes"),
                Line::NoText(_) | Line::Text(_) => "Parse error: not UTF-8".to_owned(),
            };
            self.out.send(error_response(None, code::INVALID_REQUEST, &refused, None));
            return None;
        };
        let elements = message::batch(&text);
        let parts: Option<Vec<&str>> =
            elements.as_ref().map(|batch| batch.iter().map(|element| element.get()).collect());
        for part in parts.unwrap_or_else(|| vec![text.as_str()]) {
            match message::parse(part) {
                Ok(Message::Request { id, method, params }) => {
                    self.replay.note_request(&method, part, params.as_deref());
                    let can_be_repeated = method != "tools/call";
                    let is_stream = method == "subscriptions/listen";
                    let (line, was_sent) = (part.to_owned(), has_gateway);
                    let pending = Pending { line, was_sent, can_be_repeated, is_stream };
                    self.pending.insert(self.next, (id, pending));
                    self.next += 1;
                    continue;
                }
                Ok(Message::Notification { method, params }) => {
                    self.replay.note_notification(&method, part);
                    if method == "notifications/cancelled"
                        && let Some(id) = message::cancelled(params.as_deref())
                    {
                        // There will be no answer.
                        self.pending.retain(|_, (pending, _)| *pending != id);
                    }
                }
                // The gateway says what is wrong with it.
                Ok(Message::Response { .. }) | Err(_) => {}
            }
            if !has_gateway && !part.trim().is_empty() && self.unsent.len() < MAX_UNSENT {
                self.unsent.push_back(part.to_owned());
            }
        }
        has_gateway.then_some(text)
    }

    /// Passes a line of the gateway to the app.
    fn pass(&mut self, text: String) {
        if let Some(id) = message::response_id(&text) {
            if Replay::is_own(&id) {
                return;
            }
            // An app that uses an id twice at once gets the answers in their order.
            let answered = self.pending.iter().find(|(_, (pending, _))| *pending == id).map(|(at, _)| *at);
            if let Some((_, pending)) = answered.and_then(|at| self.pending.remove(&at)) {
                self.replay.note_answer(&pending.line);
            }
        }
        self.out.send(text);
    }

    /// The gateway is gone: what may have been done is said to be uncertain, the rest waits for the next. Gives the
    /// times at which another may be started, at which one is looked for, and since which it is missing.
    fn lost(&mut self) -> (Instant, Instant, Instant) {
        let has_ended = |pending: &Pending| pending.was_sent && pending.is_stream;
        for (_, (id, _)) in self.pending.extract_if(.., |_, (_, pending)| has_ended(pending)) {
            let meta = format!(r#"{{"io.modelcontextprotocol/subscriptionId":{}}}"#, id.get());
            self.out.send(response(&id, &format!(r#"{{"resultType":"complete","_meta":{meta}}}"#)));
        }
        let is_uncertain = |pending: &Pending| pending.was_sent && !pending.can_be_repeated;
        for (_, (id, _)) in self.pending.extract_if(.., |_, (_, pending)| is_uncertain(pending)) {
            self.out.send(error_response(Some(&id), code::TOO_MANY, INTERRUPTED, None));
        }
        let now = Instant::now();
        (now + RESTART_DELAY, now, now)
    }

    /// Tells a new gateway what the app told the last one, and what waits.
    async fn resume(&mut self, mut connected: Connected) -> Option<Connected> {
        let is_known = self.replay.is_initialized();
        for line in self.replay.lines() {
            send(&mut connected, &line).await.ok()?;
        }
        for (_, pending) in self.pending.values_mut() {
            // Also where it reached the gateway only in part.
            pending.was_sent = true;
            send(&mut connected, &pending.line).await.ok()?;
        }
        while let Some(line) = self.unsent.pop_front() {
            send(&mut connected, &line).await.ok()?;
        }
        if is_known {
            for kind in ["tools", "prompts", "resources"] {
                self.out.send(notification(&format!("notifications/{kind}/list_changed"), None));
            }
        }
        Some(connected)
    }

    fn refuse_all(&mut self, reason: &str) {
        for (id, _) in std::mem::take(&mut self.pending).into_values() {
            self.out.send(error_response(Some(&id), code::INTERNAL_ERROR, reason, None));
        }
    }
}

/// Writes a line and its end at once: the gateway is not woken for half a message.
async fn send(connected: &mut Connected, line: &str) -> std::io::Result<()> {
    connected.to.write_all(&[line.as_bytes(), b"\n"].concat()).await
}

/// The next line of the gateway; none when it is gone.
async fn next_of(link: &mut Option<Connected>) -> Option<String> {
    match link.as_mut()?.from.next().await {
        Ok(Some(Line::Text(text))) => Some(text),
        Ok(_) | Err(_) => None,
    }
}

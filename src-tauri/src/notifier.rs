//! Notifies the person when a question arrives while they are not looking at the window. A notification
//! says who asks, with the person's own name for the server. It never contains text from the server and
//! can't answer the question. Pressing it opens the Inbox.

use std::collections::HashSet;
#[cfg(target_os = "linux")]
use std::time::Duration;

use mooring_apps::display_name;
use mooring_base::clock::now_ms;
use mooring_host::Host;
use mooring_inbox::{InboxView, InteractionQuestion, InteractionView};
use mooring_policy::Caller;
use mooring_server_state::HostEvent;
use mooring_settings::{Language, Settings};
use mooring_words::say;
use tauri::{AppHandle, Manager as _, Runtime, UserAttentionType};
use tokio::sync::broadcast::error::RecvError;
#[cfg(target_os = "linux")]
use tokio::time::timeout;

use crate::language::in_language;
use crate::window;
#[cfg(target_os = "linux")]
use crate::{state::AppState, tray};

/// The action for a press on the notification itself.
#[cfg(target_os = "linux")]
const PRESSED: &str = "default";
/// How long a notification can be pressed. Services save them, and not every service reports when one is
/// dismissed.
#[cfg(target_os = "linux")]
const PRESS_TIMEOUT: Duration = Duration::from_hours(12);

/// Ways to get the person's attention.
pub(crate) trait Notifier: Send + Sync {
    /// Whether the window has the focus.
    fn is_window_focused(&self) -> bool;

    /// Shows a desktop notification.
    fn notify(&self, title: String, body: String);

    /// Requests attention for the window, or withdraws the request.
    fn request_attention(&self, wants: bool);
}

/// The window and the system's notifications.
pub(crate) struct DesktopNotifier<R: Runtime>(pub(crate) AppHandle<R>);

impl<R: Runtime> Notifier for DesktopNotifier<R> {
    fn is_window_focused(&self) -> bool {
        // Without a window there is nothing to notify about.
        self.0.get_webview_window(window::LABEL).is_none_or(|window| window.is_focused().unwrap_or(false))
    }

    fn notify(&self, title: String, body: String) {
        if std::env::var_os("MOORING_NO_NOTIFICATIONS").is_some_and(|off| !off.is_empty()) {
            return;
        }
        let mut notification = notify_rust::Notification::new();
        notification.appname("Mooring").summary(&title).body(&body);
        show_notification(&self.0, notification);
    }

    fn request_attention(&self, wants: bool) {
        if let Some(window) = self.0.get_webview_window(window::LABEL)
            && let Err(error) =
                window.request_user_attention(wants.then_some(UserAttentionType::Informational))
        {
            tracing::debug!(%error, "the window could not be marked");
        }
    }
}

/// Shows a notification that opens the Inbox when pressed. Doesn't block if the service doesn't answer.
#[cfg(target_os = "linux")]
fn show_notification<R: Runtime>(app: &AppHandle<R>, mut notification: notify_rust::Notification) {
    // Some services draw a button for this action, so it needs a label.
    notification.action(PRESSED, "Mooring");
    let app = app.clone();
    app.clone().state::<AppState>().spawn(async move {
        let handle = match notification.show_async().await {
            Ok(handle) => handle,
            Err(error) => return tracing::debug!(%error, "there is no notification service"),
        };
        let pressed = handle.wait_for_action_async(|response| {
            if matches!(response, notify_rust::NotificationResponse::Default) {
                tray::open_inbox(&app);
            }
        });
        if timeout(PRESS_TIMEOUT, pressed).await.is_err() {
            tracing::debug!("a notification was neither pressed nor closed");
        }
    });
}

/// Shows a notification. The system brings the application to the front when it is pressed.
#[cfg(not(target_os = "linux"))]
fn show_notification<R: Runtime>(_app: &AppHandle<R>, notification: notify_rust::Notification) {
    // The service may never answer, so this must not block.
    tauri::async_runtime::spawn_blocking(move || {
        if let Err(error) = notification.show() {
            tracing::debug!(%error, "there is no notification service");
        }
    });
}

/// Withdraws the attention request once the window has the focus. The desktop doesn't do that by itself.
pub(crate) fn clear_attention<R: Runtime>(app: &AppHandle<R>) {
    DesktopNotifier(app.clone()).request_attention(false);
}

/// Watches the Inbox until the future is dropped.
pub(crate) async fn watch_inbox(host: Host, attention: impl Notifier) {
    let mut events = host.events();
    let mut known = HashSet::new();
    loop {
        match events.recv().await {
            Ok(HostEvent::InboxChanged) | Err(RecvError::Lagged(_)) => {
                notify_new(&host.inbox(), &host.settings(), now_ms(), &mut known, &attention);
            }
            Ok(_) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Shows one notification for all new questions, unless the person has turned them off.
fn notify_new(
    inbox: &InboxView,
    settings: &Settings,
    now_ms: i64,
    known: &mut HashSet<i64>,
    attention: &impl Notifier,
) {
    let is_quiet = settings.do_not_disturb.is_on(now_ms);
    let is_wanted = |kind: &str| !is_quiet && !settings.muted_kinds.iter().any(|muted| muted == kind);
    // A question that was put off counts as new when it comes back.
    let shown = inbox.waiting.iter().filter(|waiting| waiting.put_off.is_none());
    let fresh: Vec<_> = shown
        .clone()
        .filter(|waiting| !known.contains(&waiting.id) && is_wanted(waiting.question.kind().as_str()))
        .collect();
    let names: HashSet<&str> = fresh.iter().map(|waiting| waiting.server_name.as_str()).collect();
    let is_new = !fresh.is_empty();
    let only = fresh.first().filter(|_| names.len() == 1);
    let body =
        only.map_or_else(|| body_of_several(settings.language), |waiting| body(settings.language, waiting));
    *known = shown.map(|waiting| waiting.id).collect();
    if known.is_empty() {
        attention.request_attention(false);
    }
    if !is_new || attention.is_window_focused() {
        return;
    }
    attention.request_attention(true);
    attention.notify("Mooring".to_owned(), body);
}

/// The text for a question. An approval of a call names the caller. All other questions name the server.
fn body(language: Language, waiting: &InteractionView) -> String {
    if let InteractionQuestion::App { is_terminal: true, .. } = &waiting.question {
        let chinese = "终端中的命令行想使用你的服务器。".to_owned();
        return in_language(
            language,
            chinese,
            &say!("The command line in a terminal wants to use your servers."),
        );
    }
    if let InteractionQuestion::App { app, .. } = &waiting.question {
        let app = escape_markup(app);
        let chinese = format!("{app} 想使用你的服务器。");
        return in_language(language, chinese, &say!("{app} wants to use your servers.", app));
    }
    let name = escape_markup(&waiting.server_name);
    let call = match &waiting.question {
        InteractionQuestion::Tool { tool, .. } => waiting.occasion.caller.as_deref().zip(Some(tool)),
        _ => None,
    };
    let call = call.and_then(|(caller, tool)| Some((Caller::from_name(caller)?, escape_markup(tool))));
    let (chinese, english) = match call {
        Some((Caller::Workbench, tool)) => (
            format!("你对 {name} 的“{tool}”的调用需要你批准。"),
            say!("Your call to “{tool}” of {name} needs your approval.", tool, name),
        ),
        Some((Caller::CommandLine, tool)) => (
            format!("来自命令行、对 {name} 的“{tool}”的调用需要你批准。"),
            say!("A call to “{tool}” of {name} from the command line needs your approval.", tool, name),
        ),
        Some((Caller::Sampling, tool)) => (
            format!("AI 模型想运行 {name} 的“{tool}”。"),
            say!("An AI model wants to run “{tool}” of {name}.", tool, name),
        ),
        Some((Caller::App(app), tool)) => {
            let app = escape_markup(display_name(app.name()));
            (
                format!("{app} 想运行 {name} 的“{tool}”。"),
                say!("{app} wants to run “{tool}” of {name}.", app, tool, name),
            )
        }
        None => (format!("{name} 有问题要问你。"), say!("{name} has a question for you.", name)),
    };
    in_language(language, chinese, &english)
}

fn body_of_several(language: Language) -> String {
    in_language(language, "有多个请求在等待你。".to_owned(), &say!("Several requests are waiting for you."))
}

/// Makes a name safe for a notification: some systems parse it as markup.
fn escape_markup(name: &str) -> String {
    let plain = name.chars().filter(|character| !character.is_control() && !"<>&".contains(*character));
    plain.take(64).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use mooring_base::server_id::ServerId;
    use mooring_calls::ToolCall;
    use mooring_definitions::{NewServer, Transport};
    use mooring_forms::Form;
    use mooring_inbox::{InteractionAnswer, InteractionOccasion, PutOff, Remember};
    use mooring_policy::ToolClaims;
    use mooring_server_state::StateName;
    use mooring_settings::DoNotDisturb;
    use mooring_testkit::scripted_server_path;
    use serde_json::json;
    use serde_json::value::to_raw_value;
    use tokio::sync::Notify;

    use super::*;
    use crate::test_host::test_host;

    #[derive(Default)]
    struct RecordingNotifier {
        looked_at: AtomicBool,
        said: Mutex<Vec<String>>,
        marked: AtomicBool,
        unmarked: AtomicUsize,
        news: Notify,
    }

    impl RecordingNotifier {
        fn said(&self) -> Vec<String> {
            self.said.lock().unwrap().clone()
        }

        async fn until(&self, wanted: impl Fn(&Self) -> bool) {
            let wait = async {
                while !wanted(self) {
                    self.news.notified().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(30), wait).await.unwrap();
        }
    }

    impl Notifier for Arc<RecordingNotifier> {
        fn is_window_focused(&self) -> bool {
            self.looked_at.load(Ordering::Relaxed)
        }

        fn notify(&self, title: String, body: String) {
            self.said.lock().unwrap().push(format!("{title}: {body}"));
            self.news.notify_one();
        }

        fn request_attention(&self, wants: bool) {
            self.marked.store(wants, Ordering::Relaxed);
            self.unmarked.fetch_add(usize::from(!wants), Ordering::Relaxed);
            self.news.notify_one();
        }
    }

    fn waiting(id: i64, name: &str) -> InteractionView {
        InteractionView {
            id,
            server: ServerId(1),
            server_name: name.to_owned(),
            transport: Transport::Stdio,
            place: "canary-place".to_owned(),
            account: None,
            asked_ms: 0,
            occasion: InteractionOccasion {
                method: None,
                subject: Some("canary-subject".to_owned()),
                caller: None,
                requests: Vec::new(),
                is_guess: false,
                said: say!("Sent without a call in progress."),
            },
            position: 0,
            question: InteractionQuestion::Roots { folders: Vec::new() },
            draft: None,
            put_off: None,
            together: Vec::new(),
        }
    }

    fn inbox(waiting: Vec<InteractionView>) -> InboxView {
        InboxView { waiting, silenced: Vec::new() }
    }

    // Requirements: SEC-03, ELIC-04.
    #[test]
    fn each_new_question_notifies_once_without_server_text() {
        let (told, mut known) = (Arc::new(RecordingNotifier::default()), HashSet::new());
        let english = Settings { language: Language::English, ..Settings::default() };
        let chinese = Settings { language: Language::SimplifiedChinese, ..Settings::default() };
        let one = inbox(vec![waiting(1, "Depot <b>&")]);
        notify_new(&one, &english, 0, &mut known, &told);
        notify_new(&one, &english, 0, &mut known, &told);
        assert_eq!(told.said(), ["Mooring: Depot b has a question for you."]);
        assert!(told.marked.load(Ordering::Relaxed));
        let three = inbox(vec![waiting(1, "Depot"), waiting(2, "A"), waiting(3, "B")]);
        notify_new(&three, &chinese, 0, &mut known, &told);
        assert_eq!(&told.said()[1..], ["Mooring: 有多个请求在等待你。"]);
        notify_new(&inbox(Vec::new()), &english, 0, &mut known, &told);
        assert!(!told.marked.load(Ordering::Relaxed));
        told.looked_at.store(true, Ordering::Relaxed);
        notify_new(&inbox(vec![waiting(4, "A")]), &english, 0, &mut known, &told);
        assert_eq!(told.said().len(), 2);
        assert!(!told.marked.load(Ordering::Relaxed));
    }

    #[test]
    fn a_question_put_off_notifies_again_when_it_returns() {
        let (told, mut known) = (Arc::new(RecordingNotifier::default()), HashSet::new());
        let english = Settings { language: Language::English, ..Settings::default() };
        let shown = || inbox(vec![waiting(1, "Depot")]);
        let later = InteractionView { put_off: Some(PutOff { until_ms: None }), ..waiting(1, "Depot") };
        notify_new(&shown(), &english, 0, &mut known, &told);
        notify_new(&inbox(vec![later]), &english, 0, &mut known, &told);
        assert_eq!((told.said().len(), told.marked.load(Ordering::Relaxed)), (1, false));
        notify_new(&shown(), &english, 0, &mut known, &told);
        assert_eq!((told.said().len(), told.marked.load(Ordering::Relaxed)), (2, true));
    }

    #[test]
    fn a_call_that_waits_is_named_by_its_caller_not_the_server() {
        let call = |caller: Option<&str>| {
            let view = waiting(1, "Depot");
            let occasion = InteractionOccasion { caller: caller.map(str::to_owned), ..view.occasion };
            let question = InteractionQuestion::Tool {
                tool: "add<b>".to_owned(),
                title: None,
                description: None,
                cut: false,
                arguments: "{}".to_owned(),
                hints: ToolClaims::default(),
                reason: say!("one of your rules says so"),
                rule: None,
                reviewed: true,
                definition: None,
                keyless: false,
                scopes: mooring_policy::ToolScopes::default(),
            };
            InteractionView { occasion, question, ..view }
        };
        for (caller, english, chinese) in [
            (
                Some("workbench"),
                "Your call to “addb” of Depot needs your approval.",
                "你对 Depot 的“addb”的调用需要你批准。",
            ),
            (
                Some("command_line"),
                "A call to “addb” of Depot from the command line needs your approval.",
                "来自命令行、对 Depot 的“addb”的调用需要你批准。",
            ),
            (Some("sampling"), "An AI model wants to run “addb” of Depot.", "AI 模型想运行 Depot 的“addb”。"),
            (
                Some("app:claude-code"),
                "Claude Code wants to run “addb” of Depot.",
                "Claude Code 想运行 Depot 的“addb”。",
            ),
            (None, "Depot has a question for you.", "Depot 有问题要问你。"),
        ] {
            assert_eq!(body(Language::English, &call(caller)), english);
            assert_eq!(body(Language::SimplifiedChinese, &call(caller)), chinese);
        }
        // A question from the server names the server, even during a call.
        let form = waiting(1, "Depot");
        let occasion = InteractionOccasion { caller: Some("workbench".to_owned()), ..form.occasion };
        let form = InteractionView { occasion, ..form };
        assert_eq!(body(Language::English, &form), "Depot has a question for you.");
    }

    #[test]
    fn muted_kinds_and_silence_hold_notices_back() {
        let (told, mut known) = (Arc::new(RecordingNotifier::default()), HashSet::new());
        let english = Settings { language: Language::English, ..Settings::default() };
        let form = InteractionView {
            question: InteractionQuestion::Form { message: String::new(), form: Form::default() },
            ..waiting(2, "B")
        };
        let muted = Settings { muted_kinds: vec!["roots".to_owned()], ..english.clone() };
        notify_new(&inbox(vec![waiting(1, "A"), form]), &muted, 0, &mut known, &told);
        assert_eq!(told.said(), ["Mooring: B has a question for you."]);
        told.request_attention(false);
        for (id, silence) in [(3, DoNotDisturb::Until(10)), (4, DoNotDisturb::Always)] {
            let quiet = Settings { do_not_disturb: silence, ..english.clone() };
            notify_new(&inbox(vec![waiting(id, "A")]), &quiet, 9, &mut known, &told);
        }
        assert_eq!((told.said().len(), told.marked.load(Ordering::Relaxed)), (1, false));
        // Questions that came during do-not-disturb are in the Inbox, but are not announced afterwards.
        let over = Settings { do_not_disturb: DoNotDisturb::Until(10), ..english };
        notify_new(&inbox(vec![waiting(4, "A"), waiting(5, "C")]), &over, 10, &mut known, &told);
        assert_eq!(&told.said()[1..], ["Mooring: C has a question for you."]);
    }

    /// Starts a window's host with a server whose tool `ask` asks a given question.
    async fn asking(home: &std::path::Path) -> (Host, ServerId) {
        let host = test_host(home, true).await;
        let server = NewServer {
            command: Some(scripted_server_path().display().to_string()),
            args: vec!["ok".to_owned()],
            env: BTreeMap::from([("PILOT_KEY".to_owned(), "canary-2f1b7d90e4".to_owned())]),
            ..NewServer::new("Depot", Transport::Stdio)
        };
        let mut events = host.events();
        let id = host.add_server(server).await.unwrap().id;
        while host.server(id).unwrap().connection.state != StateName::Ready {
            drop(events.recv().await);
        }
        (host, id)
    }

    /// Makes the server ask a form question, and declines it as soon as `when` resolves.
    async fn ask_and_decline(host: &Host, id: ServerId, when: impl AsyncFnOnce()) {
        let schema = json!({ "type": "object", "properties": { "canary": { "type": "string" } } });
        let params = json!({ "message": "canary-message", "requestedSchema": schema });
        let arguments = json!({ "method": "elicitation/create", "params": params });
        let call = ToolCall {
            request: None,
            tool: "ask".to_owned(),
            arguments: Some(to_raw_value(&arguments).unwrap()),
            caller: Caller::Workbench,
            idle: None,
            total: None,
        };
        let mut events = host.events();
        let declining = async {
            let waiting = loop {
                match host.inbox().waiting.first() {
                    Some(waiting) => break waiting.id,
                    None => drop(events.recv().await),
                }
            };
            when().await;
            // Opening the question changes the Inbox too, but doesn't notify again.
            let opening = host.open_interaction(waiting).unwrap();
            let no = InteractionAnswer::Decline { remember: Remember::Once };
            host.answer_interaction(waiting, &opening.nonce, no).await.unwrap();
        };
        let both = async { tokio::join!(host.call_tool(id, call, Arc::new(|_| {})), declining) };
        let (outcome, ()) = tokio::time::timeout(Duration::from_secs(30), both).await.unwrap();
        assert!(outcome.unwrap().result.unwrap().get().contains("decline"));
    }

    // Requirements: SEC-03, ELIC-04.
    #[tokio::test]
    async fn whoever_looks_away_is_called_and_whoever_looks_is_not() {
        let home = tempfile::tempdir().unwrap();
        let (host, id) = asking(home.path()).await;
        let told = Arc::new(RecordingNotifier::default());
        let mut watching = tokio::task::JoinSet::new();
        watching.spawn(watch_inbox(host.clone(), Arc::clone(&told)));
        let called = "Mooring: Depot has a question for you.".to_owned();
        for times in 1..=2 {
            let is_called = async || told.until(|told| told.said().len() == times).await;
            ask_and_decline(&host, id, is_called).await;
            assert_eq!(told.said(), vec![called.clone(); times]);
            told.until(|told| told.unmarked.load(Ordering::Relaxed) >= times).await;
        }
        told.looked_at.store(true, Ordering::Relaxed);
        let before = told.unmarked.load(Ordering::Relaxed);
        ask_and_decline(&host, id, async || ()).await;
        told.until(|told| told.unmarked.load(Ordering::Relaxed) > before).await;
        assert_eq!((told.said().len(), told.marked.load(Ordering::Relaxed)), (2, false));
        host.shutdown().await;
    }
}

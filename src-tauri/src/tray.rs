//! The tray: an icon with Mooring's state, and a menu for tasks that don't need the window. This module
//! builds the contents from the host's views, and a module per platform shows them.

mod icon;
#[cfg(target_os = "linux")]
#[path = "tray/linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "tray/native.rs"]
mod platform;
mod words;

use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_host::{Host, ProfileView};
use mooring_server_state::{HostEvent, ServerView, StateName};
use mooring_settings::Language;
use tauri::{AppHandle, Manager as _, Runtime};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use self::words::{is_value_missing, words};
use crate::background;
use crate::closing::WindowRequest;
use crate::opened::Opened;
use crate::state::AppState;
use crate::window;

/// Changes are collected for this long, because starting servers announce many.
const DEBOUNCE: Duration = Duration::from_millis(250);
/// The most servers in the menu. The window lists all of them.
const MAX_SERVERS: usize = 20;
/// The most characters of a server's name.
const MAX_NAME: usize = 40;
/// The most menu presses that wait to be carried out.
const MAX_PRESSES: usize = 16;

/// The state that the icon shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TrayStatus {
    /// The person has nothing to do.
    #[default]
    Ok,
    /// Something waits for the person.
    Waiting,
    /// A server has failed.
    Failed,
}

/// What an item of the menu does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrayAction {
    Open,
    OpenInbox,
    OpenReview,
    Start(ServerId),
    Stop(ServerId),
    Pause,
    Resume,
    /// Uses a profile, or none.
    UseProfile(Option<i64>),
    Quit,
}

/// An entry of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TrayEntry {
    Item { label: String, action: TrayAction },
    Menu { label: String, entries: Vec<Self> },
    Separator,
}

/// Everything that the tray shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TrayView {
    status: TrayStatus,
    /// The tooltip under Mooring's name.
    tooltip: String,
    entries: Vec<TrayEntry>,
}

/// Shows the tray while the application runs, once its data is open.
pub(crate) fn start<R: Runtime>(app: &AppHandle<R>) {
    let state = app.state::<AppState>();
    state.spawn(background::stay_reachable(app.clone()));
    let app = app.clone();
    state.spawn(async move {
        let state = app.state::<AppState>();
        // The window shows what is wrong with the data, and the tray has nothing to show.
        let Ok(host) = state.host().await else { return };
        let events = host.events();
        let (views, shown) = watch::channel(view_of(host).await);
        let (presses, pressed) = mpsc::channel(MAX_PRESSES);
        let tray = state.background.tray().clone();
        tokio::join!(
            platform::show(&app, shown, presses, tray),
            follow(host, events, views),
            carry_out(&app, host, pressed)
        );
    });
}

/// Updates the view when the host changes.
async fn follow(host: &Host, mut events: Receiver<HostEvent>, views: watch::Sender<TrayView>) {
    loop {
        match events.recv().await {
            Ok(
                HostEvent::ServersChanged
                | HostEvent::ServerChanged { .. }
                | HostEvent::InboxChanged
                | HostEvent::TrustChanged { .. }
                | HostEvent::ProfilesChanged
                | HostEvent::SettingsChanged
                | HostEvent::AppChanged,
            )
            | Err(RecvError::Lagged(_)) => {}
            Ok(_) => continue,
            Err(RecvError::Closed) => return,
        }
        sleep(DEBOUNCE).await;
        events = events.resubscribe();
        let view = view_of(host).await;
        views.send_if_modified(|shown| {
            let changed = *shown != view;
            if changed {
                *shown = view;
            }
            changed
        });
    }
}

async fn view_of(host: &Host) -> TrayView {
    let waiting = host.inbox().waiting.iter().filter(|waiting| waiting.put_off.is_none()).count();
    let paused = match host.paused_servers().await {
        Ok(paused) => !paused.is_empty(),
        Err(error) => {
            tracing::warn!(%error, "which servers are paused can't be read");
            false
        }
    };
    let language = host.settings().language;
    let mut shown = view(&host.servers(), waiting, paused, language);
    add_profiles(&mut shown, &host.profile_views(), language);
    shown
}

/// Carries out menu presses one after the other.
async fn carry_out<R: Runtime>(app: &AppHandle<R>, host: &Host, mut pressed: mpsc::Receiver<TrayAction>) {
    while let Some(action) = pressed.recv().await {
        let done = match action {
            TrayAction::Open => {
                window::raise(app);
                Ok(())
            }
            TrayAction::OpenInbox => {
                open_in_window(app, Opened::Inbox);
                Ok(())
            }
            TrayAction::OpenReview => {
                open_in_window(app, Opened::Review);
                Ok(())
            }
            TrayAction::Start(id) => host.start(id).await,
            TrayAction::Stop(id) => host.stop(id).await,
            TrayAction::Pause => host.pause_servers().await,
            TrayAction::Resume => host.resume_servers().await,
            TrayAction::UseProfile(id) => host.profiles().switch(id).await.map(drop).map_err(HostError::from),
            TrayAction::Quit => {
                app.state::<AppState>().background.request(WindowRequest::Quit);
                Ok(())
            }
        };
        if let Err(error) = done {
            report(app, action, &error);
        }
    }
}

/// Shows an error in the window.
fn report<R: Runtime>(app: &AppHandle<R>, action: TrayAction, error: &HostError) {
    tracing::warn!(%error, ?action, "what the tray was asked for failed");
    app.state::<AppState>().opened.push(Opened::Rejected { message: error.sentence() });
    window::raise(app);
}

/// Brings the window to the front and opens the Inbox.
pub(crate) fn open_inbox<R: Runtime>(app: &AppHandle<R>) {
    open_in_window(app, Opened::Inbox);
}

fn open_in_window<R: Runtime>(app: &AppHandle<R>, what: Opened) {
    app.state::<AppState>().opened.push(what);
    window::raise(app);
}

/// Builds the view from the servers and the number of open questions.
fn view(servers: &[ServerView], questions: usize, paused: bool, language: Language) -> TrayView {
    let words = words(language);
    let states = || servers.iter().map(|server| server.connection.state);
    let missing = servers.iter().filter(|server| is_value_missing(server)).count();
    let failed = states().filter(|state| *state == StateName::Failed).count() - missing;
    let (status, tooltip) = if questions > 0 {
        (TrayStatus::Waiting, words.questions(questions))
    } else if missing > 0 || servers.iter().any(wants_person) {
        (TrayStatus::Waiting, words.wants_you.to_owned())
    } else if failed > 0 {
        (TrayStatus::Failed, words.failed(failed))
    } else if paused {
        (TrayStatus::Ok, words.paused.to_owned())
    } else {
        let runs = |state: &StateName| !matches!(state, StateName::Stopped | StateName::Asleep);
        (TrayStatus::Ok, words.running(states().filter(runs).count()))
    };
    let item = |label: String, action| TrayEntry::Item { label, action };
    let mut entries = vec![
        item(words.open.to_owned(), TrayAction::Open),
        item(words.open_inbox(questions), TrayAction::OpenInbox),
    ];
    let to_review = servers.iter().filter_map(to_review).sum();
    if to_review > 0 {
        entries.push(item(words.review(to_review), TrayAction::OpenReview));
    }
    entries.push(TrayEntry::Separator);
    if !servers.is_empty() {
        entries.extend(servers.iter().take(MAX_SERVERS).map(|server| {
            let label = format!("{} – {}", shown_name(server), words.shown(server));
            let (verb, action) = if server.enabled && server.connection.state != StateName::Failed {
                (words.stop, TrayAction::Stop(server.id))
            } else {
                (words.start, TrayAction::Start(server.id))
            };
            TrayEntry::Menu { label, entries: vec![item(verb.to_owned(), action)] }
        }));
        if servers.len() > MAX_SERVERS {
            entries.push(item(words.more.to_owned(), TrayAction::Open));
        }
        entries.push(TrayEntry::Separator);
        if servers.iter().any(|server| server.enabled) {
            entries.push(item(words.pause.to_owned(), TrayAction::Pause));
        }
        if paused {
            entries.push(item(words.resume.to_owned(), TrayAction::Resume));
        }
        if !matches!(entries.last(), Some(TrayEntry::Separator)) {
            entries.push(TrayEntry::Separator);
        }
    }
    entries.push(item(words.quit.to_owned(), TrayAction::Quit));
    TrayView { status, tooltip, entries }
}

/// Adds the menu of the profiles, before the last item, and the name of the one in use.
fn add_profiles(shown: &mut TrayView, profiles: &[ProfileView], language: Language) {
    if profiles.is_empty() {
        return;
    }
    let words = words(language);
    let active = profiles.iter().find(|profile| profile.is_active);
    let name = |profile: &ProfileView| short_name(&profile.name);
    let item = |label: String, is_active: bool, id| {
        let label = if is_active { format!("✓ {label}") } else { label };
        TrayEntry::Item { label, action: TrayAction::UseProfile(id) }
    };
    let mut entries = vec![item(words.everything.to_owned(), active.is_none(), None)];
    let named = profiles.iter().take(MAX_SERVERS);
    entries.extend(named.map(|profile| item(name(profile), profile.is_active, Some(profile.id))));
    if profiles.len() > MAX_SERVERS {
        entries.push(TrayEntry::Item { label: words.more.to_owned(), action: TrayAction::Open });
    }
    let label = words.profile(&active.map_or_else(|| words.everything.to_owned(), name));
    let at = shown.entries.len().saturating_sub(1);
    shown.entries.splice(at..at, [TrayEntry::Menu { label, entries }, TrayEntry::Separator]);
    if let Some(active) = active {
        shown.tooltip = format!("{} – {}", shown.tooltip, name(active));
    }
}

/// Whether a server in this state waits for the person.
fn wants_person(server: &ServerView) -> bool {
    match server.connection.state {
        StateName::SignInNeeded | StateName::WaitingForYou | StateName::Changed | StateName::Locked => true,
        StateName::Ready | StateName::Degraded => server.changed,
        _ => false,
    }
}

/// How many things of a server need a review. A stopped server offers nothing.
fn to_review(server: &ServerView) -> Option<usize> {
    let counts = server.review;
    let waits = counts.new + counts.changed + usize::from(counts.blocked);
    (server.connection.state != StateName::Stopped).then_some(waits)
}

/// A server's name on one line.
fn shown_name(server: &ServerView) -> String {
    short_name(&server.config.name)
}

fn short_name(name: &str) -> String {
    let plain = |text: &str| text.chars().filter(|character| !character.is_control()).collect::<String>();
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", plain(&name[..end])),
        None => plain(name),
    }
}

#[cfg(test)]
mod tests {
    use mooring_definitions::{NewServer, ServerSecret, Transport};
    use mooring_store::SecretPlace;

    use super::*;
    use crate::test_host::test_host;

    /// Views of stopped servers with these names.
    async fn stopped(names: &[String]) -> Vec<ServerView> {
        let home = tempfile::tempdir().unwrap();
        let host = test_host(home.path(), false).await;
        for name in names {
            let command = Some("/nowhere/at-all".to_owned());
            host.add_server(NewServer { command, ..NewServer::new(name, Transport::Stdio) }).await.unwrap();
        }
        let servers = host.servers();
        host.shutdown().await;
        servers
    }

    fn in_state(mut server: ServerView, state: StateName) -> ServerView {
        server.enabled = state != StateName::Stopped;
        server.connection.state = state;
        server
    }

    fn labels(entries: &[TrayEntry]) -> Vec<String> {
        let label = |entry: &TrayEntry| match entry {
            TrayEntry::Item { label, .. } => label.clone(),
            TrayEntry::Menu { label, entries } => format!("{label} > {}", labels(entries).join(", ")),
            TrayEntry::Separator => "-".to_owned(),
        };
        entries.iter().map(label).collect()
    }

    #[test]
    fn without_servers_the_menu_opens_and_quits() {
        let empty = view(&[], 0, false, Language::English);
        assert_eq!(labels(&empty.entries), ["Open Mooring", "Open Inbox", "-", "Quit Mooring"]);
        assert_eq!((empty.status, empty.tooltip.as_str()), (TrayStatus::Ok, "No servers running"));
    }

    #[tokio::test]
    async fn the_menu_has_each_server_with_its_state_and_verb() {
        let servers = stopped(&["alpha".to_owned(), "beta".to_owned(), "gamma".to_owned()]).await;
        let states = [StateName::Ready, StateName::Stopped, StateName::Failed];
        let servers: Vec<_> =
            servers.into_iter().zip(states).map(|(server, state)| in_state(server, state)).collect();
        let shown = view(&servers, 2, false, Language::English);
        assert_eq!(
            labels(&shown.entries),
            [
                "Open Mooring",
                "Open Inbox (2)",
                "-",
                "alpha – Ready > Stop",
                "beta – Stopped > Start",
                "gamma – Failed > Start",
                "-",
                "Pause all servers",
                "-",
                "Quit Mooring",
            ]
        );
        let chinese = view(&servers, 2, true, Language::SimplifiedChinese);
        assert_eq!(
            labels(&chinese.entries),
            [
                "打开 Mooring",
                "打开收件箱（2）",
                "-",
                "alpha – 就绪 > 停止",
                "beta – 已停止 > 启动",
                "gamma – 失败 > 启动",
                "-",
                "暂停所有服务器",
                "恢复已暂停的服务器",
                "-",
                "退出 Mooring",
            ]
        );
        assert_eq!(chinese.tooltip, "2 个请求在等待你");
    }

    #[tokio::test]
    async fn the_icon_tells_what_is_most_urgent() {
        let servers = stopped(&["alpha".to_owned(), "beta".to_owned()]).await;
        let look = |states: [StateName; 2], questions, paused| {
            let pairs = servers.clone().into_iter().zip(states);
            let servers: Vec<_> = pairs.map(|(server, state)| in_state(server, state)).collect();
            let view = view(&servers, questions, paused, Language::English);
            (view.status, view.tooltip)
        };
        let (ready, stopped, failed) = (StateName::Ready, StateName::Stopped, StateName::Failed);
        for (states, questions, paused, status, tooltip) in [
            ([ready, stopped], 0, false, TrayStatus::Ok, "1 server running"),
            ([ready, ready], 0, false, TrayStatus::Ok, "2 servers running"),
            ([stopped, stopped], 0, true, TrayStatus::Ok, "Servers are paused"),
            ([failed, ready], 0, false, TrayStatus::Failed, "1 server failed"),
            ([failed, StateName::SignInNeeded], 0, false, TrayStatus::Waiting, "A server needs you"),
            ([failed, ready], 1, false, TrayStatus::Waiting, "1 request is waiting for you"),
            ([ready, ready], 3, false, TrayStatus::Waiting, "3 requests are waiting for you"),
        ] {
            assert_eq!(look(states, questions, paused), (status, tooltip.to_owned()));
        }
    }

    #[tokio::test]
    async fn what_changed_or_lacks_a_value_waits_for_the_person() {
        let home = tempfile::tempdir().unwrap();
        let host = test_host(home.path(), true).await;
        let secret =
            ServerSecret { place: SecretPlace::Env, name: "KEY".to_owned(), value: None, entered: false };
        let command = Some("/bin/true".to_owned());
        let server =
            NewServer { command, secrets: vec![secret], ..NewServer::new("alpha", Transport::Stdio) };
        let id = host.add_server(server).await.unwrap().id;
        let failed = async {
            loop {
                let server = host.server(id).unwrap();
                if server.connection.state == StateName::Failed {
                    break server;
                }
                tokio::task::yield_now().await;
            }
        };
        let missing = tokio::time::timeout(std::time::Duration::from_secs(30), failed).await.unwrap();
        host.shutdown().await;
        let shown = view(std::slice::from_ref(&missing), 0, false, Language::English);
        assert_eq!((shown.status, shown.tooltip.as_str()), (TrayStatus::Waiting, "A server needs you"));
        assert!(
            labels(&shown.entries).contains(&"alpha – A value is missing > Start".to_owned()),
            "{:?}",
            labels(&shown.entries)
        );

        assert!(!labels(&shown.entries).iter().any(|label| label.starts_with("To review")));

        let mut changed = ServerView { changed: true, ..in_state(missing, StateName::Ready) };
        changed.review.new = 2;
        changed.review.changed = 1;
        let mut stopped = in_state(changed.clone(), StateName::Stopped);
        let both = view(&[changed.clone(), stopped.clone()], 0, false, Language::English);
        assert_eq!(labels(&both.entries)[1..3], ["Open Inbox", "To review (3)"]);
        stopped.connection.state = StateName::Changed;
        stopped.review.blocked = true;
        let both = view(&[changed.clone(), stopped], 0, false, Language::SimplifiedChinese);
        assert_eq!(labels(&both.entries)[2], "待审阅（7）");
        let shown = view(&[changed], 0, false, Language::English);
        assert_eq!((shown.status, shown.tooltip.as_str()), (TrayStatus::Waiting, "A server needs you"));
        assert!(
            labels(&shown.entries).contains(&"alpha – Changed, needs review > Stop".to_owned()),
            "{:?}",
            labels(&shown.entries)
        );
    }

    #[test]
    fn the_profile_in_use_is_marked_and_named() {
        let profile = |id, name: &str, is_active| ProfileView {
            id,
            name: name.to_owned(),
            is_active,
            servers: Vec::new(),
            missing: Vec::new(),
            hidden: Vec::new(),
            folders: None,
            project: None,
        };
        let shown = |is_active, language| {
            let mut shown = view(&[], 0, false, language);
            let profiles = [profile(1, "Home", false), profile(2, "Work", is_active)];
            add_profiles(&mut shown, &profiles, language);
            (labels(&shown.entries), shown.tooltip)
        };
        let (entries, tooltip) = shown(true, Language::English);
        assert_eq!(entries[3..], ["Profile: Work > Everything, Home, ✓ Work", "-", "Quit Mooring"]);
        assert_eq!(tooltip, "No servers running – Work");
        let (entries, tooltip) = shown(false, Language::SimplifiedChinese);
        assert_eq!(entries[3..], ["配置方案：全部 > ✓ 全部, Home, Work", "-", "退出 Mooring"]);
        assert!(!tooltip.contains("Work"));
    }

    #[tokio::test]
    async fn a_long_list_of_servers_ends_with_more() {
        let names: Vec<_> = (0..=MAX_SERVERS).map(|number| format!("server {number:02}")).collect();
        let labels = labels(&view(&stopped(&names).await, 0, false, Language::English).entries);
        assert_eq!(labels.iter().filter(|label| label.starts_with("server")).count(), MAX_SERVERS);
        assert_eq!(labels[3 + MAX_SERVERS], "More…");
    }

    #[tokio::test]
    async fn a_long_name_is_cut() {
        let names = ["船".repeat(MAX_NAME), "船".repeat(MAX_NAME + 1)];
        let shown: Vec<_> = stopped(&names).await.iter().map(shown_name).collect();
        assert_eq!(shown, [names[0].clone(), format!("{}…", names[0])]);
    }
}

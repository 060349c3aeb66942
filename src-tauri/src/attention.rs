//! Calls the person when a question begins to wait and they look elsewhere. It says that there is one, and of which
//! server by the person's own name for it: never what the server says, and nothing can be answered from it.

use std::collections::HashSet;

use mooring_host::{Host, HostEvent, InboxView, Language, say};
use tauri::{AppHandle, Manager as _, Runtime, UserAttentionType};
use tokio::sync::broadcast::error::RecvError;

use crate::window;

/// What can be done to be noticed.
pub(crate) trait Attention: Send + Sync {
    /// Whether the person looks at the window already.
    fn is_looked_at(&self) -> bool;

    /// Shows these words outside of the window.
    fn notify(&self, title: String, body: String);

    /// Marks the window.
    fn mark(&self);
}

/// The window and the system's notifications.
pub(crate) struct Desktop<R: Runtime>(pub(crate) AppHandle<R>);

impl<R: Runtime> Attention for Desktop<R> {
    fn is_looked_at(&self) -> bool {
        // Without a window there is nobody to call.
        self.0.get_webview_window(window::LABEL).is_none_or(|window| window.is_focused().unwrap_or(false))
    }

    fn notify(&self, title: String, body: String) {
        if std::env::var_os("MOORING_NO_NOTIFICATIONS").is_some_and(|off| !off.is_empty()) {
            return;
        }
        // A service that does not answer keeps nobody waiting.
        tauri::async_runtime::spawn_blocking(move || {
            let shown =
                notify_rust::Notification::new().appname("Mooring").summary(&title).body(&body).show();
            if let Err(error) = shown {
                tracing::debug!(%error, "there is no notification service");
            }
        });
    }

    fn mark(&self) {
        if let Some(window) = self.0.get_webview_window(window::LABEL)
            && let Err(error) = window.request_user_attention(Some(UserAttentionType::Informational))
        {
            tracing::debug!(%error, "the window could not be marked");
        }
    }
}

/// Watches the Inbox until the host is gone.
pub(crate) async fn watch(host: Host, attention: impl Attention) {
    let mut events = host.events();
    let mut known = HashSet::new();
    loop {
        match events.recv().await {
            Ok(HostEvent::InboxChanged) | Err(RecvError::Lagged(_)) => {
                call(&host.inbox(), host.settings().language, &mut known, &attention);
            }
            Ok(_) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Calls for what was not there before: once, however much it is.
fn call(inbox: &InboxView, language: Language, known: &mut HashSet<i64>, attention: &impl Attention) {
    let fresh: Vec<_> = inbox.waiting.iter().filter(|waiting| !known.contains(&waiting.id)).collect();
    let names: HashSet<&str> = fresh.iter().map(|waiting| waiting.server_name.as_str()).collect();
    let is_new = !fresh.is_empty();
    let first = fresh.first().map(|waiting| shown(&waiting.server_name));
    let others = names.len() > 1;
    *known = inbox.waiting.iter().map(|waiting| waiting.id).collect();
    if !is_new || attention.is_looked_at() {
        return;
    }
    attention.mark();
    let body = match (first, others) {
        (Some(name), false) => body(language, &name),
        _ => body_of_several(language),
    };
    attention.notify("Mooring".to_owned(), body);
}

fn is_chinese(language: Language) -> bool {
    match language {
        Language::SimplifiedChinese => true,
        Language::English => false,
        Language::System => {
            let asked =
                ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
            asked.into_iter().find(|value| !value.is_empty()).is_some_and(|value| value.starts_with("zh"))
        }
    }
}

fn body(language: Language, name: &str) -> String {
    if is_chinese(language) {
        format!("{name} 有问题要问您。")
    } else {
        say!("{name} has a question for you.", name = name.to_owned()).to_string()
    }
}

fn body_of_several(language: Language) -> String {
    if is_chinese(language) {
        "多个服务器有问题要问您。".to_owned()
    } else {
        say!("Several servers have questions for you.").to_string()
    }
}

/// A name as it may stand in a notification, which some systems read as markup.
fn shown(name: &str) -> String {
    let plain = name.chars().filter(|character| !character.is_control() && !"<>&".contains(*character));
    plain.take(64).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use mooring_host::{InteractionOccasion, InteractionQuestion, InteractionView, ServerId, Transport};

    use super::*;

    #[derive(Default)]
    struct Told {
        looked_at: AtomicBool,
        said: Mutex<Vec<String>>,
        marked: AtomicBool,
    }

    impl Attention for Told {
        fn is_looked_at(&self) -> bool {
            self.looked_at.load(Ordering::Relaxed)
        }

        fn notify(&self, title: String, body: String) {
            self.said.lock().unwrap().push(format!("{title}: {body}"));
        }

        fn mark(&self) {
            self.marked.store(true, Ordering::Relaxed);
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
            deadline_ms: None,
            occasion: InteractionOccasion {
                method: None,
                subject: Some("canary-subject".to_owned()),
                caller: None,
                said: say!("The server asks of its own accord."),
            },
            position: 0,
            question: InteractionQuestion::Roots { folders: Vec::new() },
            draft: None,
        }
    }

    fn inbox(waiting: Vec<InteractionView>) -> InboxView {
        InboxView { waiting, silenced: Vec::new() }
    }

    // Requirements: SEC-03, ELIC-04.
    #[test]
    fn the_person_is_called_once_for_each_new_question_and_in_our_words_only() {
        let (told, mut known) = (Told::default(), HashSet::new());
        let english = Language::English;
        let one = inbox(vec![waiting(1, "Depot <b>&")]);
        call(&one, english, &mut known, &told);
        call(&one, english, &mut known, &told);
        assert_eq!(*told.said.lock().unwrap(), ["Mooring: Depot b has a question for you."]);
        assert!(told.marked.load(Ordering::Relaxed));
        let three = inbox(vec![waiting(1, "Depot"), waiting(2, "A"), waiting(3, "B")]);
        call(&three, Language::SimplifiedChinese, &mut known, &told);
        assert_eq!(told.said.lock().unwrap().len(), 2);
        assert!(!told.said.lock().unwrap().concat().contains("canary"));
        told.looked_at.store(true, Ordering::Relaxed);
        call(&inbox(vec![waiting(4, "A")]), english, &mut known, &told);
        assert_eq!(told.said.lock().unwrap().len(), 2);
    }
}

//! The tray's texts, in the window's languages.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use mooring_errors::FailureCode;
use mooring_server_state::{ServerView, StateName};
use mooring_settings::Language;
use serde::Deserialize;

use crate::language::is_chinese;

/// The texts of one language.
pub(super) struct Words {
    chinese: bool,
    pub(super) open: &'static str,
    pub(super) start: &'static str,
    pub(super) stop: &'static str,
    pub(super) more: &'static str,
    pub(super) pause: &'static str,
    pub(super) resume: &'static str,
    pub(super) quit: &'static str,
    pub(super) paused: &'static str,
    pub(super) wants_you: &'static str,
    /// The use of no profile.
    pub(super) everything: &'static str,
}

const ENGLISH: Words = Words {
    chinese: false,
    open: "Open Mooring",
    start: "Start",
    stop: "Stop",
    more: "More…",
    pause: "Pause all servers",
    resume: "Resume paused servers",
    quit: "Quit Mooring",
    paused: "Servers are paused",
    wants_you: "A server needs you",
    everything: "Everything",
};

const CHINESE: Words = Words {
    chinese: true,
    open: "打开 Mooring",
    start: "启动",
    stop: "停止",
    more: "更多…",
    pause: "暂停所有服务器",
    resume: "恢复已暂停的服务器",
    quit: "退出 Mooring",
    paused: "服务器已暂停",
    wants_you: "有服务器需要你处理",
    everything: "全部",
};

/// Whether a server waits for the person to enter a value.
pub(super) fn is_value_missing(server: &ServerView) -> bool {
    let code = server.connection.failure.as_ref().map(|failure| failure.code);
    server.connection.state == StateName::Failed && code == Some(FailureCode::SecretMissing)
}

/// The texts in this language.
pub(super) fn words(language: Language) -> &'static Words {
    if is_chinese(language) { &CHINESE } else { &ENGLISH }
}

impl Words {
    /// The menu item that opens the Inbox, with the number of questions.
    pub(super) fn open_inbox(&self, questions: usize) -> String {
        match (self.chinese, questions) {
            (false, 0) => "Open Inbox".to_owned(),
            (false, count) => format!("Open Inbox ({count})"),
            (true, 0) => "打开收件箱".to_owned(),
            (true, count) => format!("打开收件箱（{count}）"),
        }
    }

    /// The menu item that opens the review, with the number of changes.
    pub(super) fn review(&self, count: usize) -> String {
        if self.chinese { format!("待审阅（{count}）") } else { format!("To review ({count})") }
    }

    /// The menu of the profiles, with the name of the one in use.
    pub(super) fn profile(&self, name: &str) -> String {
        if self.chinese { format!("配置方案：{name}") } else { format!("Profile: {name}") }
    }

    /// Says how many questions wait.
    pub(super) fn questions(&self, count: usize) -> String {
        match (self.chinese, count) {
            (true, count) => format!("{count} 个请求在等待你"),
            (false, 1) => "1 request is waiting for you".to_owned(),
            (false, count) => format!("{count} requests are waiting for you"),
        }
    }

    /// Says how many servers failed.
    pub(super) fn failed(&self, count: usize) -> String {
        match (self.chinese, count) {
            (true, count) => format!("{count} 个服务器失败"),
            (false, 1) => "1 server failed".to_owned(),
            (false, count) => format!("{count} servers failed"),
        }
    }

    /// Says how many servers run.
    pub(super) fn running(&self, count: usize) -> String {
        match (self.chinese, count) {
            (true, 0) => "没有正在运行的服务器".to_owned(),
            (true, count) => format!("{count} 个服务器正在运行"),
            (false, 0) => "No servers running".to_owned(),
            (false, 1) => "1 server running".to_owned(),
            (false, count) => format!("{count} servers running"),
        }
    }

    /// The state that the window shows for a server. It also covers missing values and changed tools.
    pub(super) fn shown(&self, server: &ServerView) -> &'static str {
        if let Some(step) = server.connection.start_step {
            return self.state(step.as_str());
        }
        match server.connection.state {
            StateName::Failed if is_value_missing(server) => self.state("value_missing"),
            StateName::Ready | StateName::Degraded if server.changed => {
                self.state(StateName::Changed.as_str())
            }
            state => self.state(state.as_str()),
        }
    }

    /// The word for a server's state or start step. Uses the window's texts, so that both agree.
    fn state(&self, name: &'static str) -> &'static str {
        let words: &BTreeMap<String, String> = if self.chinese { &CHINESE_STATES } else { &ENGLISH_STATES };
        words.get(name).map_or(name, String::as_str)
    }
}

static ENGLISH_STATES: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| states(include_str!("../../../ui/src/locales/en/common.json")));
static CHINESE_STATES: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| states(include_str!("../../../ui/src/locales/zh-CN/common.json")));

/// The words for states in the window's texts, by name.
fn states(texts: &str) -> BTreeMap<String, String> {
    #[derive(Deserialize)]
    struct Texts {
        state: BTreeMap<String, String>,
    }
    match serde_json::from_str::<Texts>(texts) {
        Ok(texts) => texts.state,
        Err(error) => {
            tracing::error!(%error, "the window's texts have no words for states");
            BTreeMap::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use mooring_server_state::StartStep;

    use super::*;

    #[test]
    fn each_state_and_step_has_a_word_in_both_languages() {
        let names = StateName::ALL.iter().map(|state| state.as_str());
        let names = names.chain(StartStep::ALL.iter().map(|step| step.as_str())).chain(["value_missing"]);
        for name in names {
            for words in [&ENGLISH, &CHINESE] {
                assert_ne!(words.state(name), name);
            }
        }
    }
}

//! What the tray says, in the languages of the window.

use mooring_host::{FailureCode, Language, ServerView, StartStep, StateName};

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
    value_missing: &'static str,
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
    value_missing: "A value is missing",
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
    value_missing: "缺少值",
};

/// Whether a server waits for a value that the person has to enter.
pub(super) fn is_value_missing(server: &ServerView) -> bool {
    let code = server.connection.failure.as_ref().map(|failure| failure.code);
    server.connection.state == StateName::Failed && code == Some(FailureCode::SecretMissing)
}

/// The texts in the language that is set.
pub(super) fn words(language: Language) -> &'static Words {
    if is_chinese(language) { &CHINESE } else { &ENGLISH }
}

impl Words {
    /// The item that leads to so many questions.
    pub(super) fn open_inbox(&self, questions: usize) -> String {
        match (self.chinese, questions) {
            (false, 0) => "Open Inbox".to_owned(),
            (false, count) => format!("Open Inbox ({count})"),
            (true, 0) => "打开收件箱".to_owned(),
            (true, count) => format!("打开收件箱（{count}）"),
        }
    }

    /// The item that leads to so many things to review.
    pub(super) fn review(&self, count: usize) -> String {
        if self.chinese { format!("待审阅（{count}）") } else { format!("To review ({count})") }
    }

    /// That so many questions wait.
    pub(super) fn questions(&self, count: usize) -> String {
        match (self.chinese, count) {
            (true, count) => format!("{count} 个请求在等待你"),
            (false, 1) => "1 request is waiting for you".to_owned(),
            (false, count) => format!("{count} requests are waiting for you"),
        }
    }

    /// That so many servers have failed.
    pub(super) fn failed(&self, count: usize) -> String {
        match (self.chinese, count) {
            (true, count) => format!("{count} 个服务器失败"),
            (false, 1) => "1 server failed".to_owned(),
            (false, count) => format!("{count} servers failed"),
        }
    }

    /// That so many servers run.
    pub(super) fn running(&self, count: usize) -> String {
        match (self.chinese, count) {
            (true, 0) => "没有正在运行的服务器".to_owned(),
            (true, count) => format!("{count} 个服务器正在运行"),
            (false, 0) => "No servers running".to_owned(),
            (false, 1) => "1 server running".to_owned(),
            (false, count) => format!("{count} servers running"),
        }
    }

    /// What the window shows as a server's state: what is missing or changed waits for the person.
    pub(super) fn shown(&self, server: &ServerView) -> &'static str {
        if let Some(step) = server.connection.start_step {
            return self.step(step);
        }
        match server.connection.state {
            StateName::Failed if is_value_missing(server) => self.value_missing,
            StateName::Ready | StateName::Degraded if server.changed => self.state(StateName::Changed),
            state => self.state(state),
        }
    }

    /// What a server does while it starts, in the words of the window.
    fn step(&self, step: StartStep) -> &'static str {
        let (english, chinese) = match step {
            StartStep::Restarting => ("Restarting", "正在重启"),
            StartStep::Downloading => ("Downloading", "正在下载"),
        };
        if self.chinese { chinese } else { english }
    }

    /// A server's state, in the words of the window.
    fn state(&self, state: StateName) -> &'static str {
        let (english, chinese) = match state {
            StateName::Stopped => ("Stopped", "已停止"),
            StateName::Starting => ("Starting", "正在启动"),
            StateName::Ready => ("Ready", "就绪"),
            StateName::Degraded => ("Degraded", "部分可用"),
            StateName::SignInNeeded => ("Sign-in needed", "需要登录"),
            StateName::WaitingForYou => ("Waiting for you", "等你处理"),
            StateName::Reconnecting => ("Trying again", "正在重试"),
            StateName::Changed => ("Changed, needs review", "有变更，待审阅"),
            StateName::Locked => ("Locked", "已锁定"),
            StateName::Failed => ("Failed", "失败"),
        };
        if self.chinese { chinese } else { english }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;

    #[test]
    fn states_have_the_words_of_the_window() {
        for (words, language) in [(&ENGLISH, "en"), (&CHINESE, "zh-CN")] {
            let texts = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("../ui/src/locales/{language}/common.json"));
            let texts: serde_json::Value = serde_json::from_slice(&std::fs::read(texts).unwrap()).unwrap();
            let states: BTreeMap<String, String> = serde_json::from_value(texts["state"].clone()).unwrap();
            assert_eq!(states.len(), StateName::ALL.len() + StartStep::ALL.len() + 1);
            assert_eq!(words.value_missing, states["value_missing"]);
            for &step in StartStep::ALL {
                assert_eq!(words.step(step), states[step.as_str()]);
            }
            for &state in StateName::ALL {
                assert_eq!(words.state(state), states[state.as_str()]);
            }
        }
    }
}

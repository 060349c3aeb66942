//! How a process ended.

use mooring_words::{Sentence, say};
use std::fmt;
use std::process::ExitStatus;

/// How a process ended: with a code, or by a signal (Unix).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessExit {
    /// The exit code, if the process exited.
    pub code: Option<i32>,
    /// The signal that ended the process, if one did.
    pub signal: Option<i32>,
}

impl ProcessExit {
    /// The process ended with an unknown exit status.
    pub(crate) const UNKNOWN: Self = Self { code: None, signal: None };

    /// Whether the process exited with code 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }
}

impl ProcessExit {
    /// The exit as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match (self.code, self.signal) {
            (Some(code), _) => say!("exit code {code}", code),
            (None, Some(signal)) => match signal_name(signal) {
                Some(name) => say!("signal {signal} ({name})", signal, name),
                None => say!("signal {signal}", signal),
            },
            (None, None) => say!("an unknown exit status"),
        }
    }
}

impl From<ExitStatus> for ProcessExit {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Self { code: status.code(), signal }
    }
}

impl fmt::Display for ProcessExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

/// The names of the signals whose numbers are the same on every Unix. Other signals are shown by number.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_described_by_its_code_or_its_signal() {
        let check = |code, signal, expect: &str| {
            assert_eq!(ProcessExit { code, signal }.to_string(), expect);
        };
        check(Some(0), None, "exit code 0");
        check(Some(3), None, "exit code 3");
        check(None, Some(9), "signal 9 (SIGKILL)");
        check(None, Some(15), "signal 15 (SIGTERM)");
        check(None, Some(64), "signal 64");
        check(None, None, "an unknown exit status");
    }
}

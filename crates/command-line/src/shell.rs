//! Commands that keep running: a shell, and watching a resource for changes.

use clap::Args;

use crate::{Era, Target, TargetChoice};

/// `mooring shell`
#[derive(Debug, Args)]
#[command(mut_arg("words", |words| words.help(
    "The server that the lines are about: a saved server, a URL, or a command that starts one"
)), mut_arg("command", |last| last))]
pub struct OpenShell {
    #[command(flatten)]
    pub target: Target,
}

/// `mooring subscribe`
#[derive(Debug, Args)]
#[command(
    override_usage = "mooring subscribe [OPTIONS] SERVER URI\n       mooring subscribe [OPTIONS] URI -- COMMAND"
)]
#[command(mut_arg("words", |words| words.value_name("SERVER URI").help(
    "A saved server or a URL, and the URI of one of its resources"
)), mut_arg("command", |last| last))]
pub struct Subscribe {
    #[command(flatten)]
    pub target: Target,
}

impl Target {
    /// Whether a server is named.
    pub fn names_server(&self) -> bool {
        let TargetChoice { server, url, command } = &self.choice;
        !self.words.is_empty() || server.is_some() || url.is_some() || !command.is_empty()
    }

    /// Takes from `base` the options that aren’t given here.
    pub fn fill_in(&mut self, base: Self) {
        let Self { header, env, era, timeout, max_message, account, alone, questions, .. } = base;
        if self.header.is_empty() {
            self.header = header;
        }
        if self.env.is_empty() {
            self.env = env;
        }
        if self.era == Era::Auto {
            self.era = era;
        }
        if self.questions.is_empty() {
            self.questions = questions;
        }
        self.timeout = self.timeout.or(timeout);
        self.max_message = self.max_message.or(max_message);
        self.account = self.account.or(account);
        self.alone |= alone;
    }

    /// Whether the connection for these options is also right for those of `other`. Time limits don't matter:
    /// each request has its own.
    pub fn connects_as(&self, other: &Self) -> bool {
        self.header == other.header
            && self.env == other.env
            && self.era == other.era
            && self.max_message == other.max_message
            && self.account == other.account
            && self.alone == other.alone
            && self.questions == other.questions
    }
}

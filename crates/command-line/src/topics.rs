//! `mooring help TOPIC`: ten texts about what people ask.

/// What `mooring help TOPIC` prints. `about` is the summary in the list of topics.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    pub name: &'static str,
    pub about: &'static str,
    pub text: &'static str,
}

/// The topics, in the order in which they are needed.
pub const TOPICS: [Topic; 10] = [
    Topic::new("servers", "Add a server, or use one without saving it", include_str!("topics/servers.txt")),
    Topic::new("calls", "Call a tool and use its result", include_str!("topics/calls.txt")),
    Topic::new("arguments", "Write arguments for tools and prompts", include_str!("topics/arguments.txt")),
    Topic::new("questions", "Answer what a server asks during a call", include_str!("topics/questions.txt")),
    Topic::new("sign-in", "Sign in to a server, also over SSH", include_str!("topics/sign-in.txt")),
    Topic::new("secrets", "Store tokens and passwords", include_str!("topics/secrets.txt")),
    Topic::new(
        "apps",
        "Lend your servers to Claude Code, Cursor and others",
        include_str!("topics/apps.txt"),
    ),
    Topic::new("running", "Keep servers running between commands", include_str!("topics/running.txt")),
    Topic::new(
        "scripts",
        "Use it in scripts: JSON, exit codes, no questions",
        include_str!("topics/scripts.txt"),
    ),
    Topic::new("trouble", "Find out what is wrong", include_str!("topics/trouble.txt")),
];

impl Topic {
    const fn new(name: &'static str, about: &'static str, text: &'static str) -> Self {
        Self { name, about, text }
    }
}

/// The topic with this name.
pub fn topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::TOPICS;
    use crate::Cli;

    /// Splits a line as a shell does, without pipes and without what comes after wider spaces.
    fn words(line: &str) -> Vec<OsString> {
        let line = line.split(" | ").find(|part| part.contains("mooring ")).unwrap();
        let line = line[line.find("mooring ").unwrap()..].split("   ").next().unwrap();
        let (mut words, mut quoted) = (Vec::new(), false);
        let mut word = String::new();
        for letter in line.chars() {
            match letter {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(std::mem::take(&mut word)),
                letter => word.push(letter),
            }
        }
        words.push(word);
        words.into_iter().filter(|word| !word.is_empty() && word != "…").map(OsString::from).collect()
    }

    #[test]
    fn every_line_of_a_topic_can_be_typed() {
        let mut lines = 0;
        for topic in TOPICS {
            assert!(topic.text.lines().all(|line| line.chars().count() <= 100), "{}", topic.name);
            for line in topic.text.lines().filter(|line| line.contains("mooring ") && line.starts_with("  "))
            {
                let read = Cli::read(words(line));
                assert!(read.is_ok(), "{}: {line}: {:?}", topic.name, read.err());
                lines += 1;
            }
        }
        assert!(lines > 30, "{lines}");
    }

    #[test]
    fn the_help_names_every_topic() {
        let help = <Cli as clap::CommandFactory>::command().render_help().to_string();
        assert!(TOPICS.iter().all(|topic| help.contains(topic.name)), "{help}");
    }
}

//! Queries the terminal about its features.

use std::sync::OnceLock;

/// Whether the terminal shows sixels. Queries the terminal once.
pub(crate) fn shows_sixels() -> bool {
    static ASKED: OnceLock<bool> = OnceLock::new();
    *ASKED.get_or_init(|| terminal::query_attributes().is_some_and(|answer| names_sixels(&answer)))
}

/// Whether an answer to *Primary Device Attributes* (DEC STD 070) such as `ESC [ ? 62 ; 4 c` includes sixels,
/// which are attribute 4.
fn names_sixels(answer: &str) -> bool {
    let Some((_, attributes)) = answer.split_once("\x1b[?") else { return false };
    let Some((attributes, _)) = attributes.split_once('c') else { return false };
    // The first value is the type of the terminal.
    attributes.split(';').skip(1).any(|attribute| attribute == "4")
}

#[cfg(unix)]
mod terminal {
    use std::fs::File;
    use std::io::{Read as _, Write as _};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::getpgrp;
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcgetpgrp, tcsetattr};

    /// The longest answer that is read, in bytes.
    const LONGEST: usize = 256;
    /// How long to wait for each byte of the answer, in tenths of a second. The terminal may be remote.
    const PATIENCE: u8 = 10;

    /// The terminal's answer to *Primary Device Attributes*. `None` if there is none, or if this process is
    /// in the background.
    pub(super) fn query_attributes() -> Option<String> {
        let mut terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
        // The system would stop a background process that changes the terminal's settings.
        tcgetpgrp(&terminal).ok().filter(|foreground| *foreground == getpgrp())?;
        // Input that was typed before would be mistaken for the answer.
        let mut ready = [PollFd::new(&terminal, PollFlags::IN)];
        poll(&mut ready, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).ok().filter(|ready| *ready == 0)?;
        let before = tcgetattr(&terminal).ok()?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
        silent.special_codes[SpecialCodeIndex::VMIN] = 0;
        silent.special_codes[SpecialCodeIndex::VTIME] = PATIENCE;
        tcsetattr(&terminal, OptionalActions::Now, &silent).ok()?;
        let answer = terminal.write_all(b"\x1b[c").ok().and_then(|()| read_answer(&mut terminal));
        // A late answer is discarded. Errors don't matter, because a terminal that is gone shows nothing.
        let end = if answer.is_some() { OptionalActions::Now } else { OptionalActions::Flush };
        let _gone = tcsetattr(&terminal, end, &before);
        answer
    }

    fn read_answer(terminal: &mut File) -> Option<String> {
        let (mut answer, mut byte) = (String::new(), [0]);
        while answer.len() < LONGEST && terminal.read(&mut byte).is_ok_and(|read| read == 1) {
            answer.push(char::from(byte[0]));
            let attributes = answer.split_once("\x1b[?").map(|(_, attributes)| attributes);
            if attributes.is_some_and(|attributes| attributes.ends_with('c')) {
                return Some(answer);
            }
        }
        None
    }
}

#[cfg(not(unix))]
mod terminal {
    pub(super) fn query_attributes() -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixels_are_the_fourth_attribute() {
        for (answer, shows) in [
            ("\x1b[?62;4;22c", true),
            ("\x1b[?63;1;2;4c", true),
            ("typed\x1b[?65;4c", true),
            ("\x1b[?4c", false),
            ("\x1b[?62;22c", false),
            ("\x1b[?62;14;40c", false),
            ("\x1b[?62;4", false),
            ("", false),
        ] {
            assert_eq!(names_sixels(answer), shows, "{answer:?}");
        }
    }
}

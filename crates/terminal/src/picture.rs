//! Pictures in terminals that can show one. Only bytes that were decoded from base64 go to the terminal, encoded anew, so
//! that none of them is taken for anything else.

use std::env;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::output::Output;

/// The largest picture that is shown, in bytes.
const LARGEST: usize = 8 << 20;
/// How much a kitty takes at once, in characters.
const KITTY_PART: usize = 4_096;
/// What a PNG begins with: the only kind that a kitty takes whole.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// How a terminal is shown a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// Kitty's graphics protocol: kitty, Ghostty.
    Kitty,
    /// Inline images: `iTerm2`, `WezTerm`, Konsole.
    Inline,
}

/// What shows a picture on the terminal that is printed to; none: it can't show one, or nobody looks.
pub(crate) fn shown(output: Output, bytes: &[u8]) -> Option<String> {
    let protocol = protocol(|name| env::var(name).ok()).filter(|_| output.is_terminal())?;
    draw(protocol, bytes)
}

/// Which of them a terminal says that it is. A terminal in another one passes nothing through.
fn protocol(variable: impl Fn(&str) -> Option<String>) -> Option<Protocol> {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let is = |name: &str, values: &[&str]| variable(name).is_some_and(|value| values.contains(&&*value));
    if is_set("TMUX") || is_set("STY") || is("TERM", &["dumb"]) {
        return None;
    }
    if is_set("KITTY_WINDOW_ID")
        || is("TERM", &["xterm-kitty", "xterm-ghostty"])
        || is("TERM_PROGRAM", &["ghostty"])
    {
        return Some(Protocol::Kitty);
    }
    let is_inline = is("TERM_PROGRAM", &["iTerm.app", "WezTerm"]) || is_set("KONSOLE_VERSION");
    is_inline.then_some(Protocol::Inline)
}

fn draw(protocol: Protocol, bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() || bytes.len() > LARGEST {
        return None;
    }
    let data = STANDARD.encode(bytes);
    match protocol {
        Protocol::Inline => {
            let size = bytes.len();
            Some(format!("\x1b]1337;File=inline=1;size={size};preserveAspectRatio=1:{data}\x07"))
        }
        Protocol::Kitty if bytes.starts_with(PNG) => {
            let mut parts = data.as_bytes().chunks(KITTY_PART).peekable();
            let mut drawn = String::with_capacity(data.len() + data.len() / 64);
            let mut begins = "a=T,f=100,q=2,";
            while let Some(part) = parts.next() {
                let more = parts.peek().is_some();
                // What base64 is made of is ASCII.
                let part = String::from_utf8_lossy(part);
                drawn.extend(["\x1b_G", begins, if more { "m=1;" } else { "m=0;" }, &part, "\x1b\\"]);
                begins = "";
            }
            Some(drawn)
        }
        Protocol::Kitty => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_shows_pictures_is_known_by_its_variables() {
        let of = |variables: &[(&str, &str)]| {
            protocol(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[("TERM", "xterm-256color")]), None);
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(Protocol::Kitty));
        assert_eq!(of(&[("TERM_PROGRAM", "iTerm.app")]), Some(Protocol::Inline));
        assert_eq!(of(&[("KONSOLE_VERSION", "240800")]), Some(Protocol::Inline));
        assert_eq!(of(&[("KITTY_WINDOW_ID", "1"), ("TMUX", "/tmp/tmux")]), None);
    }

    #[test]
    fn bytes_of_a_picture_never_end_what_carries_them() {
        let mut bytes = PNG.to_vec();
        bytes.extend(b"\x1b\\\x07\x1b]0;title\x07".repeat(2_000));
        let kitty = draw(Protocol::Kitty, &bytes).unwrap();
        let parts: Vec<&str> = kitty.split_terminator("\x1b\\").collect();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.matches('\x1b').count() == 1));
        assert!(
            parts[0].starts_with("\x1b_Ga=T,f=100,q=2,m=1;")
                && parts.last().unwrap().starts_with("\x1b_Gm=0;")
        );
        let inline = draw(Protocol::Inline, &bytes).unwrap();
        assert_eq!((inline.matches('\x1b').count(), inline.matches('\x07').count()), (1, 1));
        assert_eq!(draw(Protocol::Kitty, b"GIF89a"), None);
        assert_eq!(draw(Protocol::Inline, &vec![0; LARGEST + 1]), None);
    }
}

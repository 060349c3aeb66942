//! Shows pictures in terminals that support them. The bytes come from base64 and are encoded again, so that
//! the terminal can't interpret them as anything else.

use std::env;
use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use icy_sixel::{EncodeOptions, sixel_encode};
use image::{DynamicImage, ImageFormat, ImageReader, Limits};

use crate::output::Output;
use crate::terminal_query::shows_sixels;

/// The largest picture that is shown, in bytes.
const LARGEST: usize = 8 << 20;
/// The most characters of a part in kitty's protocol.
const KITTY_PART: usize = 4_096;
/// The largest side of a picture that is decoded in pixels, and the most memory for it in bytes.
const LARGEST_SIDE: u32 = 8_192;
const LARGEST_DECODED: u64 = 256 << 20;
/// The largest width and height that are drawn with sixels, in pixels.
const DRAWN: (u32, u32) = (800, 600);
/// The start of a PNG. Pictures in other formats are converted to PNG for kitty's protocol.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// How a terminal displays pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// Kitty's graphics protocol: kitty, Ghostty.
    Kitty,
    /// Inline images: `iTerm2`, `WezTerm`, Konsole.
    Inline,
    /// Sixels: foot, mlterm, xterm as a VT340, Windows Terminal.
    Sixel,
}

/// The escape sequence that shows a picture on the terminal. `None` if the output is no terminal, or if the
/// terminal can't show the picture.
pub(crate) fn encode_for_terminal(output: Output, bytes: &[u8]) -> Option<String> {
    if !output.is_terminal() {
        return None;
    }
    let variable = |name: &str| env::var(name).ok();
    let asked = || (!is_within_another(variable) && shows_sixels()).then_some(Protocol::Sixel);
    draw_picture(detect_protocol(variable).or_else(asked)?, bytes)
}

/// Whether the terminal is inside a multiplexer, which doesn't pass pictures through, or only shows text.
fn is_within_another(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    is_set("TMUX") || is_set("STY") || variable("TERM").is_none_or(|term| term == "dumb")
}

/// The protocol of the terminal, according to its environment variables.
fn detect_protocol(variable: impl Fn(&str) -> Option<String>) -> Option<Protocol> {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let is = |name: &str, values: &[&str]| variable(name).is_some_and(|value| values.contains(&&*value));
    if is_within_another(&variable) {
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

fn draw_picture(protocol: Protocol, bytes: &[u8]) -> Option<String> {
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
                // Base64 is ASCII.
                let part = String::from_utf8_lossy(part);
                drawn.extend(["\x1b_G", begins, if more { "m=1;" } else { "m=0;" }, &part, "\x1b\\"]);
                begins = "";
            }
            Some(drawn)
        }
        Protocol::Kitty => draw_picture(protocol, &encode_png(&decode_picture(bytes)?)?),
        Protocol::Sixel => {
            let picture = decode_picture(bytes)?;
            let (width, height) = DRAWN;
            let is_large = picture.width() > width || picture.height() > height;
            let drawn = if is_large { picture.thumbnail(width, height) } else { picture }.to_rgba8();
            let (width, height) = (drawn.width() as usize, drawn.height() as usize);
            sixel_encode(drawn.as_raw(), width, height, &EncodeOptions::default()).ok()
        }
    }
}

/// Decodes a PNG or JPEG that isn't too large.
fn decode_picture(bytes: &[u8]) -> Option<DynamicImage> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST_SIDE);
    limits.max_image_height = Some(LARGEST_SIDE);
    limits.max_alloc = Some(LARGEST_DECODED);
    reader.limits(limits);
    reader.decode().ok()
}

fn encode_png(picture: &DynamicImage) -> Option<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).ok()?;
    Some(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_shows_pictures_is_known_by_its_variables() {
        let of = |variables: &[(&str, &str)]| {
            detect_protocol(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[("TERM", "xterm-256color")]), None);
        assert_eq!(of(&[("TERM", "dumb"), ("KITTY_WINDOW_ID", "1")]), None);
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(Protocol::Kitty));
        let term = ("TERM", "xterm-256color");
        assert_eq!(of(&[term, ("TERM_PROGRAM", "iTerm.app")]), Some(Protocol::Inline));
        assert_eq!(of(&[term, ("KONSOLE_VERSION", "240800")]), Some(Protocol::Inline));
        assert_eq!(of(&[("KITTY_WINDOW_ID", "1"), ("TMUX", "/tmp/tmux")]), None);
    }

    fn gradient(width: u32, height: u32) -> DynamicImage {
        DynamicImage::ImageRgb8(image::RgbImage::from_fn(width, height, |x, y| {
            let part = |at: u32| u8::try_from(at % 256).unwrap();
            image::Rgb([part(x), part(y), 128])
        }))
    }

    #[test]
    fn a_picture_is_drawn_with_sixels_no_larger_than_a_window() {
        let sixels = draw_picture(Protocol::Sixel, &encode_png(&gradient(1_600, 400)).unwrap()).unwrap();
        assert!(sixels.starts_with("\x1bP") && sixels.ends_with("\x1b\\"), "{}", &sixels[..40]);
        assert_eq!(sixels.matches('\x1b').count(), 2);
        let shown = icy_sixel::SixelImage::decode(sixels.as_bytes()).unwrap();
        // Sixels are drawn in rows of six pixels.
        assert_eq!(shown.dimensions(), (800, 204));
        assert_eq!(draw_picture(Protocol::Sixel, b"GIF89a"), None);
        assert_eq!(draw_picture(Protocol::Sixel, &encode_png(&gradient(10, 10)).unwrap()[..60]), None);
    }

    #[test]
    fn a_kitty_gets_a_jpeg_as_png() {
        let mut jpeg = Cursor::new(Vec::new());
        gradient(20, 10).write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
        let kitty = draw_picture(Protocol::Kitty, jpeg.get_ref()).unwrap();
        let data = kitty.split_once(';').unwrap().1.trim_end_matches("\x1b\\");
        assert!(STANDARD.decode(data).unwrap().starts_with(PNG));
    }

    #[test]
    fn bytes_of_a_picture_never_end_what_carries_them() {
        let mut bytes = PNG.to_vec();
        bytes.extend(b"\x1b\\\x07\x1b]0;title\x07".repeat(2_000));
        let kitty = draw_picture(Protocol::Kitty, &bytes).unwrap();
        let parts: Vec<&str> = kitty.split_terminator("\x1b\\").collect();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.matches('\x1b').count() == 1));
        assert!(
            parts[0].starts_with("\x1b_Ga=T,f=100,q=2,m=1;")
                && parts.last().unwrap().starts_with("\x1b_Gm=0;")
        );
        let inline = draw_picture(Protocol::Inline, &bytes).unwrap();
        assert_eq!((inline.matches('\x1b').count(), inline.matches('\x07').count()), (1, 1));
        assert_eq!(draw_picture(Protocol::Kitty, b"GIF89a"), None);
        assert_eq!(draw_picture(Protocol::Inline, &vec![0; LARGEST + 1]), None);
    }
}

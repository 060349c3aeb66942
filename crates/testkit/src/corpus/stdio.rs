//! Oddities that only exist over a pipe: noise between messages, odd line ends and bytes.

use super::{Case, Expectation, ServerEra, ServerOutput, answer, result};

const METHOD: &str = "tools/call";

/// Lines that are no message.
const NOISE: [(&str, &[u8]); 14] = [
    ("words", b"Server listening on stdio"),
    ("an empty line", b""),
    ("white space", b"   \t "),
    ("colours", b"\x1b[32minfo\x1b[0m ready"),
    ("a clear screen", b"\x1b[2J\x1b[H"),
    ("an object", br#"{"level":30,"msg":"ready"}"#),
    ("a list", b"[1,2,3]"),
    ("a text", br#""ready""#),
    ("a number", b"42"),
    ("null", b"null"),
    ("half an object", br#"{"level":30,"#),
    ("invalid UTF-8", b"\xff\xfe\xfa"),
    ("NUL", b"\0\0\0"),
    ("markup", b"<!doctype html><title>Harbour</title>"),
];

/// The cases of stdio.
pub fn cases(wire: ServerEra) -> Vec<Case> {
    let good = answer(&result(METHOD, wire).expect("every wire knows tools/call").to_string());
    let mut cases = Vec::new();
    let mut push = |class, name: String, bytes: Vec<u8>, expect| {
        cases.push(Case { class, name, method: METHOD, output: ServerOutput::Bytes(bytes), expect });
    };
    let line = |parts: &[&[u8]]| parts.concat();
    for (name, noise) in NOISE {
        let blank = noise.iter().all(u8::is_ascii_whitespace);
        for (place, bytes) in [
            ("before", line(&[noise, b"\n", good.as_bytes(), b"\n"])),
            ("after", line(&[good.as_bytes(), b"\n", noise, b"\n"])),
            ("many before", line(&[&line(&[noise, b"\n"]).repeat(50), good.as_bytes(), b"\n"])),
        ] {
            // Bytes after the answer can't be attributed to the request: they are reported later.
            let expect =
                if blank || place == "after" { Expectation::Usable } else { Expectation::Odd(String::new()) };
            push("stdio: noise", format!("{name} {place}"), bytes, expect);
        }
        push(
            "stdio: same line",
            format!("{name} first"),
            line(&[noise, good.as_bytes(), b"\n"]),
            Expectation::Ends,
        );
        push(
            "stdio: same line",
            format!("{name} last"),
            line(&[good.as_bytes(), noise, b"\n"]),
            Expectation::Ends,
        );
    }
    for (name, end) in [("CRLF", "\r\n"), ("two", "\n\n"), ("CR CR LF", "\r\r\n"), ("form feed", "\u{c}\n")] {
        let expect = if name == "form feed" { Expectation::Ends } else { Expectation::Usable };
        push("stdio: line ends", name.to_owned(), format!("{good}{end}").into_bytes(), expect);
    }
    push("stdio: line ends", "CR only".into(), format!("{good}\r").into_bytes(), Expectation::Unanswered);
    push("stdio: line ends", "none".into(), good.clone().into_bytes(), Expectation::Unanswered);
    let invalid = good.replacen("free", "f\u{1}", 1).into_bytes();
    let invalid: Vec<u8> = invalid.into_iter().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
    push("stdio: bytes", "invalid UTF-8 in a text".into(), line(&[&invalid, b"\n"]), Expectation::Ends);
    let wide: Vec<u8> = good.encode_utf16().flat_map(u16::to_le_bytes).chain(*b"\n").collect();
    push("stdio: bytes", "UTF-16".into(), wide, Expectation::Unanswered);
    cases
}

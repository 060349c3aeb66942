//! Oddities that only exist over HTTP: statuses, content types and event streams.

use super::{Case, Expectation, ServerEra, ServerOutput, answer, result};
use crate::http::{BodyPiece, RawReply};

const METHOD: &str = "tools/call";
const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

/// The cases of HTTP.
pub fn cases(wire: ServerEra) -> Vec<Case> {
    let good = answer(&result(METHOD, wire).expect("every wire knows tools/call").to_string());
    let mut maker = HttpCases { good, cases: Vec::new() };
    maker.statuses();
    maker.content_types();
    maker.streams();
    maker.headers();
    maker.truncated_bodies();
    maker.cases
}

struct HttpCases {
    /// The usual answer.
    good: String,
    cases: Vec<Case>,
}

impl HttpCases {
    fn push(&mut self, class: &'static str, name: impl Into<String>, reply: RawReply, expect: Expectation) {
        self.cases.push(Case {
            class,
            name: name.into(),
            method: METHOD,
            output: ServerOutput::Http(reply),
            expect,
        });
    }

    fn statuses(&mut self) {
        let error =
            |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"ebb"}}}}"#);
        let bodies = [
            ("its answer", JSON, self.good.clone()),
            ("an error", JSON, error("$ID")),
            ("an error without id", JSON, error("null")),
            ("an error with an id of another", JSON, error("\"server-error\"")),
            ("a page", "text/html", "<h1>Ebb</h1>".to_owned()),
            ("words", "text/plain", "ebb".to_owned()),
            ("nothing", JSON, String::new()),
        ];
        let statuses = [
            201, 202, 203, 204, 205, 206, 226, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404,
            405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 425,
            426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511, 520, 530, 599,
        ];
        for status in statuses {
            for (name, kind, body) in &bodies {
                let reply = RawReply::new(status).header("content-type", kind);
                let reply = if body.is_empty() || matches!(status, 204 | 205 | 304) {
                    reply
                } else {
                    reply.text(body)
                };
                self.push("http: status", format!("{status} with {name}"), reply, Expectation::Ends);
            }
        }
    }

    fn content_types(&mut self) {
        let good = self.good.clone();
        let event = format!("data: {good}\n\n");
        for (name, kind, expect) in [
            ("odd case", "Application/JSON", Expectation::Usable),
            ("charset", "application/json; charset=utf-8", Expectation::Usable),
            ("parameters", "application/json;foo=\"bar;baz\" ; v=1", Expectation::Usable),
            ("white space", "  application/json  ", Expectation::Usable),
            ("twice", "application/json, application/json", Expectation::Ends),
            ("suffix", "application/vnd.api+json", Expectation::Ends),
            ("text", "text/plain", Expectation::Ends),
            ("text/json", "text/json", Expectation::Ends),
            ("page", "text/html", Expectation::Ends),
            ("bytes", "application/octet-stream", Expectation::Ends),
            ("nonsense", ";;;", Expectation::Ends),
            ("empty", "", Expectation::Ends),
        ] {
            let reply = RawReply::new(200).header("content-type", kind).text(&good);
            self.push("http: content type", format!("document, {name}"), reply, expect);
        }
        for (name, kind, expect) in [
            ("odd case", "Text/Event-Stream", Expectation::Usable),
            ("charset", "text/event-stream;charset=UTF-8", Expectation::Usable),
            ("as JSON", JSON, Expectation::Ends),
            ("as text", "text/plain", Expectation::Ends),
            ("as bytes", "application/octet-stream", Expectation::Ends),
        ] {
            let reply = RawReply::new(200).header("content-type", kind).text(&event);
            self.push("http: content type", format!("stream, {name}"), reply, expect);
        }
        self.push("http: content type", "document, none", RawReply::new(200).text(&good), Expectation::Ends);
        self.push("http: content type", "stream, none", RawReply::new(200).text(&event), Expectation::Ends);
        let reply = RawReply::new(200).header("content-type", STREAM).text(&good);
        self.push("http: content type", "document as stream", reply, Expectation::Ends);
        let bom = RawReply::new(200).header("content-type", JSON).text(&format!("\u{feff}{good}"));
        self.push("http: content type", "document with a byte order mark", bom, Expectation::Usable);
        let lines = format!("\r\n\r\n{}\r\n", good.replace(",\"", ",\r\n \""));
        let reply = RawReply::new(200).header("content-type", JSON).text(&lines);
        self.push("http: content type", "document of many lines", reply, Expectation::Usable);
    }

    fn streams(&mut self) {
        let good = self.good.clone();
        let (head, tail) = good.split_at(good.find(",\"").map_or(1, |at| at + 1));
        let stream = |text: &str| RawReply::stream().text(text);
        let class = "http: event stream";
        for (name, end) in [("LF", "\n"), ("CRLF", "\r\n"), ("CR", "\r")] {
            let event = |lines: &[&str]| format!("{}{end}{end}", lines.join(end));
            let data = format!("data: {good}");
            for (what, text) in [
                ("plain", event(&[&data])),
                ("named message", event(&["event: message", &data])),
                ("with an id", event(&["id: 7", &data])),
                ("with an empty id", event(&["id:", &data])),
                ("no space", event(&[&format!("data:{good}")])),
                ("several lines", event(&[&format!("data: {head}"), &format!("data: {tail}")])),
                ("a comment first", event(&[": tide", &data])),
                ("comments only first", format!(": tide{end}{end}: tide{end}{end}{}", event(&[&data]))),
                ("an empty event first", format!("{end}{end}{}", event(&[&data]))),
                ("empty data first", format!("{}{}", event(&["id: 1", "data:"]), event(&[&data]))),
                ("unknown fields", event(&["tide: high", "ebb", &data])),
                ("a byte order mark", format!("\u{feff}{}", event(&[&data]))),
                ("retry zero", event(&["retry: 0", &data])),
                ("retry huge", event(&["retry: 99999999999999999999", &data])),
                ("retry of words", event(&["retry: soon", &data])),
                ("retry negative", event(&["retry: -5", &data])),
                ("the answer twice", format!("{0}{0}", event(&[&data]))),
                ("more after the answer", format!("{}{}", event(&[&data]), event(&["data: tide"]))),
            ] {
                self.push(class, format!("{what}, {name}"), stream(&text), Expectation::Usable);
            }
            for (what, text) in [
                ("another name", event(&["event: tide", &data])),
                ("named error", event(&["event: error", "data: ebb"])),
                ("named ping", format!("{}{}", event(&["event: ping", "data: {}"]), event(&[&data]))),
                ("noise first", format!("{}{}", event(&["data: tide"]), event(&[&data]))),
                ("data without an end", data.clone()),
                ("data with one end", format!("{data}{end}")),
                ("nothing", String::new()),
                ("a comment only", format!(": tide{end}{end}")),
                ("an id only", event(&["id: 3"])),
                ("an id with NUL", event(&["id: a\0b", &data])),
                ("two messages in one", event(&[&data, &data])),
                ("a batch", event(&[&format!("data: [{good}]")])),
            ] {
                self.push(class, format!("{what}, {name}"), stream(&text), Expectation::Ends);
            }
        }
    }

    /// Headers that should not change anything.
    fn headers(&mut self) {
        for (name, value) in [
            ("mcp-session-id", "another"),
            ("mcp-session-id", ""),
            ("mcp-protocol-version", "1999-01-01"),
            ("retry-after", "never"),
            ("content-encoding", "identity"),
            ("content-language", "x-tide"),
            ("www-authenticate", "Bearer"),
            ("location", "http://[::1"),
            ("set-cookie", "tide=high; Path=/"),
            ("x-long", &"x".repeat(8000)),
        ] {
            let reply = RawReply::new(200).header("content-type", JSON).header(name, value).text(&self.good);
            let shown: String = value.chars().take(20).collect();
            self.push("http: headers", format!("{name}: {shown}"), reply, Expectation::Usable);
        }
        for encoding in ["gzip", "br", "tide"] {
            let reply = RawReply::new(200)
                .header("content-type", JSON)
                .header("content-encoding", encoding)
                .text(&self.good);
            self.push("http: headers", format!("content-encoding: {encoding}"), reply, Expectation::Ends);
        }
        for status in [301, 302, 303, 307, 308] {
            for (name, place) in [
                ("nowhere", "/elsewhere"),
                ("without a scheme", "//127.0.0.1:1/mcp"),
                ("another origin", "http://127.0.0.1:1/mcp"),
                ("a file", "file:///etc/hostname"),
                ("a script", "javascript:alert(1)"),
                ("not an address", "http://[::1"),
                ("nothing", ""),
            ] {
                let reply = RawReply::new(status).header("location", place);
                self.push("http: redirects", format!("{status} to {name}"), reply, Expectation::Ends);
            }
        }
    }

    /// Bodies that break off.
    fn truncated_bodies(&mut self) {
        let good = self.good.clone();
        let half = good.get(..good.len() / 2).unwrap_or_default().to_owned();
        let class = "http: breaks";
        for (name, kind, text) in [
            ("in a document", JSON, half.clone()),
            ("before a document", JSON, String::new()),
            ("in an event", STREAM, format!("data: {half}")),
            ("before an event", STREAM, String::new()),
            ("after a comment", STREAM, ": tide\n\n".to_owned()),
        ] {
            let reply = RawReply::new(200).header("content-type", kind);
            self.push(class, name, reply.text(&text).piece(BodyPiece::Abort), Expectation::Ends);
        }
        let event = format!("data: {good}\n\n");
        let reply = RawReply::stream().text(&event).piece(BodyPiece::Abort);
        // Whether the answer is out before the connection breaks is up to the system.
        self.push(class, "after the answer", reply, Expectation::Ends);
        let reply = RawReply::stream().text(&event).piece(BodyPiece::Hang);
        self.push(class, "never, after the answer", reply, Expectation::Usable);
    }
}

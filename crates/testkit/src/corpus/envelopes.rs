//! Odd envelopes, errors and interleaved messages around the response to a tool call.

use serde_json::{Value, json};

use super::odd_values::{MemberKind, VALUES};
use super::{Case, Expectation, ServerEra, ServerOutput, answer, diagnostic_path, replace_at, result};

const METHOD: &str = "tools/call";

pub(super) fn cases(wire: ServerEra) -> Vec<Case> {
    let usual = result(METHOD, wire).expect("every wire knows tools/call").to_string();
    let mut maker = EnvelopeCases { good: answer(&usual), usual, cases: Vec::new() };
    maker.members();
    maker.ids();
    maker.errors();
    maker.interleaved_messages();
    maker.batches();
    maker.malformed_json();
    maker.cases
}

struct EnvelopeCases {
    /// The usual result.
    usual: String,
    /// The usual answer.
    good: String,
    cases: Vec<Case>,
}

impl EnvelopeCases {
    fn push(
        &mut self,
        class: &'static str,
        name: impl Into<String>,
        messages: Vec<String>,
        expect: Expectation,
    ) {
        let said = ServerOutput::Messages(messages);
        self.cases.push(Case { class, name: name.into(), method: METHOD, output: said, expect });
    }

    /// The envelope's own members.
    fn members(&mut self) {
        for (name, value) in VALUES {
            let version = value.map_or_else(String::new, |value| format!(r#""jsonrpc":{value},"#));
            let message = format!(r#"{{{version}"id":$ID,"result":{}}}"#, self.usual);
            self.push("envelope: jsonrpc", name, vec![message], Expectation::Odd("jsonrpc".to_owned()));
            let Some(value) = value else { continue };
            let expect = if value.starts_with('{') {
                Expectation::Usable
            } else {
                Expectation::Odd("result".to_owned())
            };
            self.push("envelope: result", name, vec![answer(value)], expect);
            let message = self.good.replacen('{', &format!(r#"{{"tide":{value},"#), 1);
            self.push("envelope: unknown member", name, vec![message], Expectation::Usable);
        }
        let (good, usual) = (self.good.clone(), self.usual.clone());
        let of = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":$ID,{members}}}"#);
        let error = r#""error":{"code":-1,"message":"ebb"}"#;
        let class = "envelope: result and error";
        self.push(
            class,
            "null error",
            vec![of(&format!(r#""error":null,"result":{usual}"#))],
            Expectation::Usable,
        );
        self.push(class, "null result", vec![of(&format!(r#""result":null,{error}"#))], Expectation::Fails);
        self.push(class, "both", vec![of(&format!(r#""result":{usual},{error}"#))], Expectation::Fails);
        self.push(class, "both null", vec![of(r#""result":null,"error":null"#)], Expectation::Ends);
        self.push(class, "neither", vec![of(r#""tide":1"#)], Expectation::Fails);
        self.push(
            class,
            "a method too",
            vec![of(&format!(r#""method":"tide","result":{usual}"#))],
            Expectation::Usable,
        );
        self.push(
            class,
            "params too",
            vec![of(&format!(r#""params":{{}},"result":{usual}"#))],
            Expectation::Usable,
        );
        self.push(
            class,
            "result twice",
            vec![of(&format!(r#""result":7,"result":{usual}"#))],
            Expectation::Odd(String::new()),
        );
        self.push(
            class,
            "id twice",
            vec![good.replacen('{', r#"{"id":"x","#, 1)],
            Expectation::Odd(String::new()),
        );
    }

    /// Ids that are not quite the one that was sent.
    fn ids(&mut self) {
        let class = "envelope: id";
        let with = |usual: &str, id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{usual}}}"#);
        let usual = self.usual.clone();
        for (name, id) in [("as text", "\"$ID\""), ("as a fraction", "$ID.0")] {
            self.push(class, name, vec![with(&usual, id)], Expectation::Odd("id".to_owned()));
        }
        for (name, value) in VALUES {
            let message = match value {
                Some(value) if value != "0" => with(&usual, value),
                None => format!(r#"{{"jsonrpc":"2.0","result":{usual}}}"#),
                Some(_) => continue,
            };
            self.push(class, format!("{name} alone"), vec![message.clone()], Expectation::Unanswered);
            // An answer to nothing goes before the right one.
            self.push(class, format!("{name} first"), vec![message, self.good.clone()], Expectation::Usable);
        }
        self.push(class, "answered twice", vec![self.good.clone(), self.good.clone()], Expectation::Usable);
        self.push(
            class,
            "never asked",
            vec![with(&usual, "987654321"), self.good.clone()],
            Expectation::Usable,
        );
    }

    /// Errors with odd members.
    fn errors(&mut self) {
        let error = json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32000, "message": "ebb", "data": {"low": true}}});
        for (pointer, class) in [
            ("/error", "errors: error"),
            ("/error/code", "errors: code"),
            ("/error/message", "errors: message"),
            ("/error/data", "errors: data"),
        ] {
            for (name, value) in VALUES {
                let message = replace_at(&error, pointer, value).replacen(r#""id":0"#, r#""id":$ID"#, 1);
                self.push(class, name, vec![message], Expectation::Fails);
            }
        }
        for code in [-32700, -32600, -32601, -32602, -32603, -32002, -32001, -32000, -1, 0, 1, 404, 40001] {
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":{code},"message":"ebb"}}}}"#);
            self.push("errors: known codes", code.to_string(), vec![message], Expectation::Fails);
        }
    }

    /// Notifications and requests on the way to the answer.
    fn interleaved_messages(&mut self) {
        use MemberKind::{Any, Keyword, Text};
        let told =
            |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
        let message =
            told("notifications/message", json!({"level": "info", "logger": "gauge", "data": "high"}));
        let progress = told(
            "notifications/progress",
            json!({"progressToken": 0, "progress": 1, "total": 2, "message": "half"}),
        );
        let updated = told("notifications/resources/updated", json!({"uri": "berth://odd"}));
        let cancelled = told("notifications/cancelled", json!({"requestId": 0, "reason": "ebb"}));
        let unknown = told("notifications/tide", json!({"high": true}));
        let fields: [(&'static str, &Value, &str, MemberKind, bool); 14] = [
            ("told: message", &message, "/params", Any, true),
            ("told: message", &message, "/params/level", Keyword, true),
            ("told: message", &message, "/params/logger", Text, false),
            ("told: message", &message, "/params/data", Any, false),
            ("told: progress", &progress, "/params", Any, true),
            ("told: progress", &progress, "/params/progressToken", Any, true),
            ("told: progress", &progress, "/params/progress", Any, true),
            ("told: progress", &progress, "/params/total", Any, false),
            ("told: progress", &progress, "/params/message", Any, false),
            ("told: updated", &updated, "/params/uri", Text, true),
            ("told: cancelled", &cancelled, "/params/requestId", Any, true),
            ("told: unknown", &unknown, "/params", Any, false),
            ("told: unknown", &unknown, "/params/high", Any, false),
            ("told: unknown", &unknown, "/method", Any, true),
        ];
        for (class, notification, pointer, kind, needed) in fields {
            for (name, value) in VALUES {
                let odd = replace_at(notification, pointer, value);
                let expect = match kind.accepts(needed, value) {
                    Some(false) if !matches!(kind, Any) => Expectation::Odd(diagnostic_path(pointer)),
                    _ => Expectation::Usable,
                };
                let name = format!("{} {name}", diagnostic_path(pointer));
                self.push(class, name, vec![odd, self.good.clone()], expect);
            }
        }
        let asked = json!({"jsonrpc": "2.0", "id": "ask-1", "method": "roots/list", "params": {}});
        for pointer in ["/id", "/method", "/params"] {
            for (name, value) in VALUES {
                let odd = replace_at(&asked, pointer, value);
                let name = format!("{} {name}", diagnostic_path(pointer));
                self.push("asked", name, vec![odd, self.good.clone()], Expectation::Usable);
            }
        }
    }

    /// Several messages in one array.
    fn batches(&mut self) {
        let class = "batches";
        let told = r#"{"jsonrpc":"2.0","method":"notifications/tide"}"#;
        let good = self.good.clone();
        let odd = || Expectation::Odd(String::new());
        for (name, batch) in [
            ("alone", format!("[{good}]")),
            ("after a notification", format!("[{told},{good}]")),
            ("before a notification", format!("[{good},{told}]")),
            ("beside a number", format!("[7,{good}]")),
            ("beside null", format!("[{good},null]")),
            ("beside an array", format!("[[],{good}]")),
            ("twice", format!("[{good},{good}]")),
        ] {
            self.push(class, name, vec![batch], odd());
        }
        self.push(class, "empty, then the answer", vec!["[]".to_owned(), good.clone()], Expectation::Usable);
        self.push(class, "in a batch", vec![format!("[[{good}]]")], Expectation::Unanswered);
        self.push("white space", "around", vec![format!(" \t{good} \t ")], Expectation::Usable);
        self.push("white space", "inside", vec![good.replace(':', " :\t")], Expectation::Ends);
        self.push("white space", "byte order mark", vec![format!("\u{feff}{good}")], Expectation::Usable);
    }

    /// Damaged JSON.
    fn malformed_json(&mut self) {
        let class = "broken JSON";
        let good = self.good.clone();
        let cut = good.get(..good.len() - 1).unwrap_or_default().to_owned();
        let bad = [
            ("cut short", cut),
            ("trailing comma", good.replacen("}}", ",}}", 1)),
            ("not a number", good.replacen("\"free\"", "NaN", 1)),
            ("a comment", good.replacen('{', "{/* tide */", 1)),
            ("half an escape", good.replacen("free", r"\u00", 1)),
            ("an unknown escape", good.replacen("free", r"\q", 1)),
            ("a tab in a text", good.replacen("free", "fr\tee", 1)),
            ("more after the end", format!("{good}{{}}")),
            ("too deep", good.replacen("\"free\"", &format!("{}{}", "[".repeat(70), "]".repeat(70)), 1)),
            ("too many values", good.replacen("\"free\"", &format!("[{}0]", "0,".repeat(200_001)), 1)),
            ("too large", good.replacen("free", &"x".repeat(16 * 1024 * 1024), 1)),
        ];
        for (name, message) in bad {
            self.push(class, name, vec![message], Expectation::Ends);
        }
        // Not recognizable as the response.
        self.push(class, "single quotes", vec![good.replace('"', "'")], Expectation::Unanswered);
    }
}

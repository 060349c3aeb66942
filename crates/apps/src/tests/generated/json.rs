//! Generated JSON, with comments, trailing commas and every layout.

use super::{Random, Style};

struct Writer {
    style: Style,
    /// `None` if everything is on one line.
    step: Option<&'static str>,
    trailing_commas: bool,
    text: String,
}

pub(super) fn generate(seed: u64) -> String {
    let mut style = Style::new(seed);
    let step = [Some("  "), Some("    "), Some("\t"), Some(""), None][style.random.below(5)];
    if step.is_none() {
        style.comments = 0;
    }
    let trailing_commas = style.random.chance(30);
    let mut writer = Writer { style, step, trailing_commas, text: String::new() };
    if step.is_some() {
        writer.comment_line(0);
    }
    writer.root();
    let tail = writer.style.random.pick(&["\n", "\n\n", ""]);
    writer.text.push_str(tail);
    if step.is_some() {
        writer.comment_line(0);
    }
    let Writer { mut style, text, .. } = writer;
    style.finish(&text)
}

impl Writer {
    fn random(&mut self) -> &mut Random {
        &mut self.style.random
    }

    fn line(&mut self, depth: usize) {
        if let Some(step) = self.step {
            self.text.push('\n');
            self.text.push_str(&step.repeat(depth));
        }
    }

    fn comment_line(&mut self, depth: usize) {
        if let Some(comment) = self.style.comment() {
            if depth > 0 {
                self.line(depth);
            }
            let written =
                if self.random().chance(50) { format!("// {comment}") } else { format!("/* {comment} */") };
            self.text.push_str(&written);
            if depth == 0 {
                self.text.push('\n');
            }
        }
    }

    fn comment_behind(&mut self) {
        if let Some(comment) = self.style.comment() {
            self.text.extend([" // ", &comment]);
            // The next content is on another line in any case.
        }
    }

    fn root(&mut self) {
        let mut members: Vec<(String, usize)> =
            (0..self.random().below(4)).map(|_| (self.random().word(), 0)).collect();
        members.push(("sentinel".to_owned(), 1));
        match self.random().below(6) {
            0 => {}
            1 => members.push(("mcpServers".to_owned(), 2)),
            2 => members.push(("mcpServers".to_owned(), 3)),
            _ => members.push(("mcpServers".to_owned(), 4)),
        }
        let turn = self.random().below(members.len());
        members.rotate_left(turn);
        self.object(0, members);
    }

    /// Members and their kinds: any value, the sentinel, null, an empty object, or the servers.
    fn object(&mut self, depth: usize, members: Vec<(String, usize)>) {
        self.text.push('{');
        let count = members.len();
        for (at, (name, kind)) in members.into_iter().enumerate() {
            if self.step.is_some() {
                self.comment_line(depth + 1);
            }
            // Sometimes a member is on the same line as the previous one.
            if self.step.is_some() && (at == 0 || self.text.contains("//") || !self.random().chance(10)) {
                self.line(depth + 1);
            }
            self.text.extend([&serde_json::Value::from(name).to_string(), ": "]);
            self.value(depth + 1, kind);
            let is_last = at + 1 == count;
            if !is_last || self.trailing_commas {
                self.text.push(',');
            }
            if self.step.is_some() {
                self.comment_behind();
            }
        }
        let numbered = self.style.numbered;
        if self.step.is_some() {
            self.comment_line(depth + 1);
        }
        if count > 0 || self.style.numbered > numbered {
            self.line(depth);
        }
        self.text.push('}');
    }

    fn value(&mut self, depth: usize, kind: usize) {
        match kind {
            1 => self.text.push('1'),
            2 => self.text.push_str("null"),
            3 => self.object(depth, Vec::new()),
            4 => {
                let servers = (0..=self.random().below(3)).map(|at| (format!("server {at}"), 5)).collect();
                self.object(depth, servers);
            }
            5 => self.object(depth, vec![("command".to_owned(), 6), ("args".to_owned(), 7)]),
            7 => {
                let list = self.random().pick(&["[]", "[ \"-y\" ]", "[\"a\", \"b,\", \"}\"]"]);
                self.text.push_str(list);
            }
            6 => {
                let word = self.random().word();
                self.text.push_str(&serde_json::Value::from(word).to_string());
            }
            _ if depth < 4 && self.random().chance(30) => {
                let members = (0..self.random().below(3)).map(|_| (self.random().word(), 0)).collect();
                self.object(depth, members);
            }
            _ => {
                let plain = [
                    "true",
                    "-1.50e+3",
                    "\"// no comment\"",
                    "\"\\u00e9\\n\\\"\"",
                    "[1, {\"a\": []}]",
                    "\"\"",
                ];
                let plain = self.random().pick(&plain);
                self.text.push_str(plain);
            }
        }
    }
}

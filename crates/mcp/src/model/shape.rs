//! The shapes of what no typed view reads, so that whatever is odd there has a diagnostic with its path all the same.
//! Nothing is refused and nothing is changed by it.

use std::fmt;

use mooring_words::{Sentence, say};

use crate::diagnostic::{Code, Diagnostic};
use crate::json::{elements, string};
use crate::members::{Members, member as member_of};
use crate::raw_json::RawJson;
use crate::text::cut;

/// Most remarks on one thing.
const MOST: usize = 32;
/// Largest text that is looked at, in bytes; to walk through larger ones takes time that their callers need.
const LARGEST: usize = 256 * 1024;

/// What a value should be.
#[derive(Debug)]
pub(crate) enum Shape {
    Text,
    /// One of these texts.
    Word(&'static [&'static str]),
    Flag,
    Number,
    /// A whole number that is not negative.
    Count,
    Object(&'static [Member]),
    List(&'static Self),
    /// A content block (`ContentBlock` in the schema).
    Block,
    /// The contents of a resource (`ResourceContents`).
    Contents,
    /// As that, but something else than an object or a list has been noted by whoever reads it.
    Inside(&'static Self),
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    name: &'static str,
    shape: Shape,
    needed: bool,
}

const fn member(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, needed: false }
}

const fn needed(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, needed: true }
}

const META: Member = member("_meta", Shape::Object(&[]));
const TTL: Member = member("ttlMs", Shape::Count);
const SCOPE: Member = member("cacheScope", Shape::Word(&["public", "private"]));
const ICONS: Member = member(
    "icons",
    Shape::List(&Shape::Object(&[
        needed("src", Shape::Text),
        member("mimeType", Shape::Text),
        member("sizes", Shape::List(&Shape::Text)),
        member("theme", Shape::Text),
    ])),
);
const ANNOTATIONS: Member = member(
    "annotations",
    Shape::Object(&[
        member("audience", Shape::List(&Shape::Word(&["user", "assistant"]))),
        member("priority", Shape::Number),
        member("lastModified", Shape::Text),
    ]),
);
const CHANGES: Shape = Shape::Object(&[member("listChanged", Shape::Flag), member("subscribe", Shape::Flag)]);

/// An element of `tools`.
const TOOL: Shape = Shape::Inside(&Shape::Object(&[
    ICONS,
    META,
    member("execution", Shape::Object(&[member("taskSupport", Shape::Text)])),
    member(
        "annotations",
        Shape::Inside(&Shape::Object(&[
            member("title", Shape::Text),
            member("readOnlyHint", Shape::Flag),
            member("destructiveHint", Shape::Flag),
            member("idempotentHint", Shape::Flag),
            member("openWorldHint", Shape::Flag),
        ])),
    ),
]));
/// An element of `resources` or `resourceTemplates`.
const RESOURCE: Shape = Shape::Inside(&Shape::Object(&[ICONS, META, ANNOTATIONS]));
/// An element of `prompts`.
const PROMPT: Shape = Shape::Inside(&Shape::Object(&[ICONS, META]));
/// A page of a list, but for its items and its cursor.
pub(crate) const PAGE: Shape = Shape::Object(&[META, TTL, SCOPE]);
/// The answer to `initialize` or `server/discover`.
pub(crate) const HANDSHAKE: Shape = Shape::Object(&[
    member(
        "capabilities",
        Shape::Inside(&Shape::Object(&[
            member("tools", CHANGES),
            member("prompts", CHANGES),
            member("resources", CHANGES),
            member("logging", Shape::Object(&[])),
            member("completions", Shape::Object(&[])),
            member("tasks", Shape::Object(&[])),
            member("extensions", Shape::Object(&[])),
            member("experimental", Shape::Object(&[])),
        ])),
    ),
    member(
        "serverInfo",
        Shape::Object(&[
            member("name", Shape::Text),
            member("title", Shape::Text),
            member("version", Shape::Text),
            member("description", Shape::Text),
            member("websiteUrl", Shape::Text),
            ICONS,
        ]),
    ),
    META,
    TTL,
    SCOPE,
]);
const CALL: Shape = Shape::Object(&[META, member("content", Shape::Inside(&Shape::List(&Shape::Block)))]);
const READ: Shape = Shape::Object(&[META, TTL, SCOPE, needed("contents", Shape::List(&Shape::Contents))]);
const GET: Shape = Shape::Object(&[
    META,
    member("description", Shape::Text),
    needed(
        "messages",
        Shape::List(&Shape::Object(&[
            needed("role", Shape::Word(&["user", "assistant"])),
            needed("content", Shape::Block),
        ])),
    ),
]);
const COMPLETE: Shape = Shape::Object(&[
    META,
    needed(
        "completion",
        Shape::Object(&[
            needed("values", Shape::List(&Shape::Text)),
            member("total", Shape::Count),
            member("hasMore", Shape::Flag),
        ]),
    ),
]);

const MESSAGE: Shape = Shape::Object(&[
    needed(
        "level",
        Shape::Word(&["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]),
    ),
    member("logger", Shape::Text),
    META,
]);
const UPDATED: Shape = Shape::Object(&[needed("uri", Shape::Text), META]);

/// Looks at the answer to a method.
pub(crate) fn check_answer(method: &str, result: &RawJson, odd: &mut Vec<Diagnostic>) {
    let shape = match method {
        "tools/call" => &CALL,
        "resources/read" => &READ,
        "prompts/get" => &GET,
        "completion/complete" => &COMPLETE,
        _ => return,
    };
    check(shape, result.get(), "", odd);
}

/// Looks at the parameters of a notification.
pub(crate) fn check_told(method: &str, params: Option<&str>, odd: &mut Vec<Diagnostic>) {
    let shape = match method {
        "notifications/message" => &MESSAGE,
        "notifications/resources/updated" => &UPDATED,
        _ => return,
    };
    check(shape, params.unwrap_or("{}"), "params", odd);
}

/// Looks at one item of the list that stands in `list`.
pub(crate) fn check_item(list: &str, item: &str, path: &str, odd: &mut Vec<Diagnostic>) {
    let shape = match list {
        "tools" => &TOOL,
        "resources" | "resourceTemplates" => &RESOURCE,
        "prompts" => &PROMPT,
        _ => return,
    };
    check(shape, item, path, odd);
}

/// Looks at a value that stands at `path`.
pub(crate) fn check(shape: &Shape, value: &str, path: &str, odd: &mut Vec<Diagnostic>) {
    if value.len() <= LARGEST {
        Look { odd, left: MOST }.at(shape, value, &Path::Root(path));
    }
}

/// Where a value stands; only written out for a remark.
enum Path<'a> {
    Root(&'a str),
    Member(&'a Self, &'a str),
    Item(&'a Self, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(path) => f.write_str(path),
            Self::Member(Path::Root(""), name) => f.write_str(name),
            Self::Member(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

struct Look<'a> {
    odd: &'a mut Vec<Diagnostic>,
    left: usize,
}

impl Look<'_> {
    fn note(&mut self, code: Code, path: &Path<'_>, message: Sentence) {
        let mut path = path.to_string();
        if path.is_empty() {
            "result".clone_into(&mut path);
        }
        let known = self.odd.iter().any(|odd| odd.path == path);
        if self.left > 0 && !known {
            self.left -= 1;
            self.odd.push(Diagnostic::new(code, path, message));
        }
    }

    fn at(&mut self, shape: &Shape, value: &str, path: &Path<'_>) {
        let wrong = match shape {
            Shape::Text => string(value).is_none().then(|| say!("is not a string")),
            Shape::Flag => (!matches!(value, "true" | "false")).then(|| say!("is not a boolean")),
            Shape::Number => (!value.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
                .then(|| say!("is not a number")),
            Shape::Count => value.parse::<u64>().is_err().then(|| say!("is not a whole number")),
            Shape::Word(known) => match string(value) {
                None => Some(say!("is not a string")),
                Some(word) => {
                    if !known.contains(&word.as_str()) {
                        let word = cut(&word, 64);
                        self.note(Code::WrongType, path, say!("is none of those known: {word}", word));
                    }
                    None
                }
            },
            Shape::Object(members) => self.object(members, value, path),
            Shape::List(item) => self.list(item, value, path),
            Shape::Block => {
                self.block(value, path);
                None
            }
            Shape::Contents => {
                self.contents(value, path);
                None
            }
            Shape::Inside(shape) => {
                if value.starts_with(['{', '[']) {
                    self.at(shape, value, path);
                }
                None
            }
        };
        if let Some(wrong) = wrong {
            self.note(Code::WrongType, path, wrong);
        }
    }

    fn object(&mut self, members: &[Member], value: &str, path: &Path<'_>) -> Option<Sentence> {
        if !value.starts_with('{') {
            return Some(say!("is not an object"));
        }
        let found = Members::of(value);
        for Member { name, shape, needed } in members {
            let path = Path::Member(path, name);
            match found.get(name) {
                None if *needed => self.note(Code::Missing, &path, say!("is missing")),
                None => {}
                Some("null") if !needed => {}
                Some(value) => self.at(shape, value, &path),
            }
        }
        None
    }

    fn list(&mut self, item: &Shape, value: &str, path: &Path<'_>) -> Option<Sentence> {
        let Some(items) = elements(value) else {
            return Some(say!("is not an array"));
        };
        for (index, value) in items.into_iter().enumerate() {
            if self.left == 0 {
                break;
            }
            self.at(item, value.get(), &Path::Item(path, index));
        }
        None
    }

    fn block(&mut self, value: &str, path: &Path<'_>) {
        const KIND: Member = needed("type", Shape::Text);
        let members: &[Member] = match member_of(value, "type").and_then(string).as_deref() {
            Some("text") => const { &[needed("text", Shape::Text), META, ANNOTATIONS] },
            Some("image" | "audio") => {
                const { &[needed("data", Shape::Text), needed("mimeType", Shape::Text), META, ANNOTATIONS] }
            }
            Some("resource") => const { &[needed("resource", Shape::Contents), META, ANNOTATIONS] },
            Some("resource_link") => {
                const { &[needed("uri", Shape::Text), needed("name", Shape::Text), META, ANNOTATIONS] }
            }
            Some(other) => {
                let message = say!("is none of those known: {word}", word = cut(other, 64));
                self.note(Code::WrongType, &Path::Member(path, "type"), message);
                &[]
            }
            None => const { &[KIND] },
        };
        if let Some(wrong) = self.object(members, value, path) {
            self.note(Code::WrongType, path, wrong);
        }
    }

    fn contents(&mut self, value: &str, path: &Path<'_>) {
        const MEMBERS: [Member; 5] = [
            needed("uri", Shape::Text),
            member("mimeType", Shape::Text),
            member("text", Shape::Text),
            member("blob", Shape::Text),
            META,
        ];
        if let Some(wrong) = self.object(&MEMBERS, value, path) {
            return self.note(Code::WrongType, path, wrong);
        }
        let held = Members::of(value);
        if !held.has("text") && !held.has("blob") {
            self.note(Code::Missing, path, say!("holds neither text nor blob"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(shape: &Shape, value: &str, path: &str) -> Vec<String> {
        let mut odd = Vec::new();
        check(shape, value, path, &mut odd);
        odd.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_as_it_should_be_gets_no_remark() {
        let tool = r#"{"name":7,"icons":[{"src":"https://a/b.png","sizes":["48x48"]}],"annotations":{"readOnlyHint":true},"_meta":null}"#;
        assert!(odd(&TOOL, tool, "tools[0]").is_empty());
        let result =
            r#"{"content":[{"type":"text","text":"x"},{"type":"image","data":"","mimeType":"image/png"}]}"#;
        assert!(odd(&CALL, result, "").is_empty());
    }

    #[test]
    fn every_oddity_is_named_with_its_path() {
        let tool = r#"{"icons":[{"mimeType":1}],"annotations":{"readOnlyHint":"yes"},"_meta":[],"execution":{"taskSupport":1}}"#;
        assert_eq!(
            odd(&TOOL, tool, "tools[2]"),
            [
                "tools[2].icons[0].src: is missing",
                "tools[2].icons[0].mimeType: is not a string",
                "tools[2]._meta: is not an object",
                "tools[2].execution.taskSupport: is not a string",
                "tools[2].annotations.readOnlyHint: is not a boolean"
            ]
        );
        let result = r#"{"content":[{"type":"hologram"},7,{"type":"text","text":null},{"type":"image"},{"type":"resource","resource":{"uri":"a:b"}}]}"#;
        assert_eq!(
            odd(&CALL, result, ""),
            [
                "content[0].type: is none of those known: hologram",
                "content[1]: is not an object",
                "content[2].text: is not a string",
                "content[3].data: is missing",
                "content[3].mimeType: is missing",
                "content[4].resource: holds neither text nor blob"
            ]
        );
        assert_eq!(odd(&PAGE, r#"{"ttlMs":-1.5,"cacheScope":"world"}"#, "").len(), 2);
        assert_eq!(
            odd(&HANDSHAKE, r#"{"capabilities":{"tools":true},"serverInfo":7}"#, ""),
            ["capabilities.tools: is not an object", "serverInfo: is not an object"]
        );
    }

    #[test]
    fn remarks_are_made_up_to_the_limit_and_no_more() {
        let blocks = |count: usize| format!(r#"{{"content":[{}]}}"#, vec!["7"; count].join(","));
        assert_eq!(odd(&CALL, &blocks(MOST), "").len(), MOST);
        assert_eq!(odd(&CALL, &blocks(MOST + 1), "").len(), MOST);
    }
}

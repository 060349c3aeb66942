//! Checks the shape of values without a typed view, for diagnostics with paths. Refuses and changes nothing.

use std::fmt;

use mooring_jsonrpc::{Members, elements, member as member_of, string};
use mooring_words::{Sentence, say};

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::raw_json::RawJson;
use crate::text::cut_text;

/// The most diagnostics for one value.
const MOST: usize = 32;
/// The largest text that is checked, in bytes. Checking larger texts would delay the caller.
const LARGEST: usize = 256 * 1024;

/// The expected shape of a value.
#[derive(Debug)]
pub(crate) enum JsonShape {
    Text,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    Flag,
    Number,
    /// A non-negative integer.
    Count,
    Object(&'static [ShapeMember]),
    List(&'static Self),
    /// A content block (`ContentBlock` in the schema).
    Block,
    /// The contents of a resource (`ResourceContents`).
    Contents,
    /// Like the inner shape, except that values other than objects and lists are reported elsewhere.
    IfContainer(&'static Self),
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct ShapeMember {
    name: &'static str,
    shape: JsonShape,
    needed: bool,
}

const fn member(name: &'static str, shape: JsonShape) -> ShapeMember {
    ShapeMember { name, shape, needed: false }
}

const fn required(name: &'static str, shape: JsonShape) -> ShapeMember {
    ShapeMember { name, shape, needed: true }
}

const META: ShapeMember = member("_meta", JsonShape::Object(&[]));
const TTL: ShapeMember = member("ttlMs", JsonShape::Count);
const SCOPE: ShapeMember = member("cacheScope", JsonShape::OneOf(&["public", "private"]));
const ICONS: ShapeMember = member(
    "icons",
    JsonShape::List(&JsonShape::Object(&[
        required("src", JsonShape::Text),
        member("mimeType", JsonShape::Text),
        member("sizes", JsonShape::List(&JsonShape::Text)),
        member("theme", JsonShape::Text),
    ])),
);
const ANNOTATIONS: ShapeMember = member(
    "annotations",
    JsonShape::Object(&[
        member("audience", JsonShape::List(&JsonShape::OneOf(&["user", "assistant"]))),
        member("priority", JsonShape::Number),
        member("lastModified", JsonShape::Text),
    ]),
);
const CHANGES: JsonShape =
    JsonShape::Object(&[member("listChanged", JsonShape::Flag), member("subscribe", JsonShape::Flag)]);

/// An element of `tools`.
const TOOL: JsonShape = JsonShape::IfContainer(&JsonShape::Object(&[
    ICONS,
    META,
    member("execution", JsonShape::Object(&[member("taskSupport", JsonShape::Text)])),
    member(
        "annotations",
        JsonShape::IfContainer(&JsonShape::Object(&[
            member("title", JsonShape::Text),
            member("readOnlyHint", JsonShape::Flag),
            member("destructiveHint", JsonShape::Flag),
            member("idempotentHint", JsonShape::Flag),
            member("openWorldHint", JsonShape::Flag),
        ])),
    ),
]));
/// An element of `resources` or `resourceTemplates`.
const RESOURCE: JsonShape = JsonShape::IfContainer(&JsonShape::Object(&[ICONS, META, ANNOTATIONS]));
/// An element of `prompts`.
const PROMPT: JsonShape = JsonShape::IfContainer(&JsonShape::Object(&[ICONS, META]));
/// A page of a list, without its items and cursor.
pub(crate) const PAGE: JsonShape = JsonShape::Object(&[META, TTL, SCOPE]);
/// The response to `initialize` or `server/discover`.
pub(crate) const HANDSHAKE: JsonShape = JsonShape::Object(&[
    member(
        "capabilities",
        JsonShape::IfContainer(&JsonShape::Object(&[
            member("tools", CHANGES),
            member("prompts", CHANGES),
            member("resources", CHANGES),
            member("logging", JsonShape::Object(&[])),
            member("completions", JsonShape::Object(&[])),
            member("tasks", JsonShape::Object(&[])),
            member("extensions", JsonShape::Object(&[])),
            member("experimental", JsonShape::Object(&[])),
        ])),
    ),
    member(
        "serverInfo",
        JsonShape::Object(&[
            member("name", JsonShape::Text),
            member("title", JsonShape::Text),
            member("version", JsonShape::Text),
            member("description", JsonShape::Text),
            member("websiteUrl", JsonShape::Text),
            ICONS,
        ]),
    ),
    META,
    TTL,
    SCOPE,
]);
const CALL: JsonShape = JsonShape::Object(&[
    META,
    member("content", JsonShape::IfContainer(&JsonShape::List(&JsonShape::Block))),
]);
const READ: JsonShape =
    JsonShape::Object(&[META, TTL, SCOPE, required("contents", JsonShape::List(&JsonShape::Contents))]);
const GET: JsonShape = JsonShape::Object(&[
    META,
    member("description", JsonShape::Text),
    required(
        "messages",
        JsonShape::List(&JsonShape::Object(&[
            required("role", JsonShape::OneOf(&["user", "assistant"])),
            required("content", JsonShape::Block),
        ])),
    ),
]);
const COMPLETE: JsonShape = JsonShape::Object(&[
    META,
    required(
        "completion",
        JsonShape::Object(&[
            required("values", JsonShape::List(&JsonShape::Text)),
            member("total", JsonShape::Count),
            member("hasMore", JsonShape::Flag),
        ]),
    ),
]);

const MESSAGE: JsonShape = JsonShape::Object(&[
    required(
        "level",
        JsonShape::OneOf(&["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]),
    ),
    member("logger", JsonShape::Text),
    META,
]);
const UPDATED: JsonShape = JsonShape::Object(&[required("uri", JsonShape::Text), META]);

/// Checks the result of a method.
pub(crate) fn check_answer(method: &str, result: &RawJson, odd: &mut Vec<Diagnostic>) {
    let shape = match method {
        "tools/call" => &CALL,
        "resources/read" => &READ,
        "prompts/get" => &GET,
        "completion/complete" => &COMPLETE,
        _ => return,
    };
    check_shape(shape, result.get(), "", odd);
}

pub(crate) fn check_notification(method: &str, params: Option<&str>, odd: &mut Vec<Diagnostic>) {
    let shape = match method {
        "notifications/message" => &MESSAGE,
        "notifications/resources/updated" => &UPDATED,
        _ => return,
    };
    check_shape(shape, params.unwrap_or("{}"), "params", odd);
}

pub(crate) fn check_item(list: &str, item: &str, path: &str, odd: &mut Vec<Diagnostic>) {
    let shape = match list {
        "tools" => &TOOL,
        "resources" | "resourceTemplates" => &RESOURCE,
        "prompts" => &PROMPT,
        _ => return,
    };
    check_shape(shape, item, path, odd);
}

pub(crate) fn check_shape(shape: &JsonShape, value: &str, path: &str, odd: &mut Vec<Diagnostic>) {
    if value.len() <= LARGEST {
        ShapeChecker { odd, left: MOST }.check_at(shape, value, &ValuePath::Root(path));
    }
}

/// The path of a value, which is only formatted for a diagnostic.
enum ValuePath<'a> {
    Root(&'a str),
    Member(&'a Self, &'a str),
    Item(&'a Self, usize),
}

impl fmt::Display for ValuePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(path) => f.write_str(path),
            Self::Member(ValuePath::Root(""), name) => f.write_str(name),
            Self::Member(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

struct ShapeChecker<'a> {
    odd: &'a mut Vec<Diagnostic>,
    left: usize,
}

impl ShapeChecker<'_> {
    fn add_diagnostic(&mut self, code: DiagnosticCode, path: &ValuePath<'_>, message: Sentence) {
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

    fn check_at(&mut self, shape: &JsonShape, value: &str, path: &ValuePath<'_>) {
        let wrong = match shape {
            JsonShape::Text => string(value).is_none().then(|| say!("isn’t a string")),
            JsonShape::Flag => (!matches!(value, "true" | "false")).then(|| say!("isn’t a boolean")),
            JsonShape::Number => {
                (!value.starts_with(|c: char| c == '-' || c.is_ascii_digit())).then(|| say!("isn’t a number"))
            }
            JsonShape::Count => value.parse::<u64>().is_err().then(|| say!("isn’t a whole number")),
            JsonShape::OneOf(known) => match string(value) {
                None => Some(say!("isn’t a string")),
                Some(word) => {
                    if !known.contains(&word.as_str()) {
                        let word = cut_text(&word, 64);
                        self.add_diagnostic(
                            DiagnosticCode::WrongType,
                            path,
                            say!("is unknown: {word}", word),
                        );
                    }
                    None
                }
            },
            JsonShape::Object(members) => self.check_object(members, value, path),
            JsonShape::List(item) => self.check_list(item, value, path),
            JsonShape::Block => {
                self.check_block(value, path);
                None
            }
            JsonShape::Contents => {
                self.check_contents(value, path);
                None
            }
            JsonShape::IfContainer(shape) => {
                if value.starts_with(['{', '[']) {
                    self.check_at(shape, value, path);
                }
                None
            }
        };
        if let Some(wrong) = wrong {
            self.add_diagnostic(DiagnosticCode::WrongType, path, wrong);
        }
    }

    fn check_object(
        &mut self,
        members: &[ShapeMember],
        value: &str,
        path: &ValuePath<'_>,
    ) -> Option<Sentence> {
        if !value.starts_with('{') {
            return Some(say!("isn’t an object"));
        }
        let found = Members::of(value);
        for ShapeMember { name, shape, needed } in members {
            let path = ValuePath::Member(path, name);
            match found.get(name) {
                None if *needed => self.add_diagnostic(DiagnosticCode::Missing, &path, say!("is missing")),
                None => {}
                Some("null") if !needed => {}
                Some(value) => self.check_at(shape, value, &path),
            }
        }
        None
    }

    fn check_list(&mut self, item: &JsonShape, value: &str, path: &ValuePath<'_>) -> Option<Sentence> {
        let Some(items) = elements(value) else {
            return Some(say!("isn’t an array"));
        };
        for (index, value) in items.into_iter().enumerate() {
            if self.left == 0 {
                break;
            }
            self.check_at(item, value.get(), &ValuePath::Item(path, index));
        }
        None
    }

    fn check_block(&mut self, value: &str, path: &ValuePath<'_>) {
        const KIND: ShapeMember = required("type", JsonShape::Text);
        let members: &[ShapeMember] = match member_of(value, "type").and_then(string).as_deref() {
            Some("text") => const { &[required("text", JsonShape::Text), META, ANNOTATIONS] },
            Some("image" | "audio") => {
                const {
                    &[
                        required("data", JsonShape::Text),
                        required("mimeType", JsonShape::Text),
                        META,
                        ANNOTATIONS,
                    ]
                }
            }
            Some("resource") => const { &[required("resource", JsonShape::Contents), META, ANNOTATIONS] },
            Some("resource_link") => {
                const { &[required("uri", JsonShape::Text), required("name", JsonShape::Text), META, ANNOTATIONS] }
            }
            Some(other) => {
                let message = say!("is unknown: {word}", word = cut_text(other, 64));
                self.add_diagnostic(DiagnosticCode::WrongType, &ValuePath::Member(path, "type"), message);
                &[]
            }
            None => const { &[KIND] },
        };
        if let Some(wrong) = self.check_object(members, value, path) {
            self.add_diagnostic(DiagnosticCode::WrongType, path, wrong);
        }
    }

    fn check_contents(&mut self, value: &str, path: &ValuePath<'_>) {
        const MEMBERS: [ShapeMember; 5] = [
            required("uri", JsonShape::Text),
            member("mimeType", JsonShape::Text),
            member("text", JsonShape::Text),
            member("blob", JsonShape::Text),
            META,
        ];
        if let Some(wrong) = self.check_object(&MEMBERS, value, path) {
            return self.add_diagnostic(DiagnosticCode::WrongType, path, wrong);
        }
        let members = Members::of(value);
        if !members.has("text") && !members.has("blob") {
            self.add_diagnostic(DiagnosticCode::Missing, path, say!("contains neither text nor blob"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(shape: &JsonShape, value: &str, path: &str) -> Vec<String> {
        let mut odd = Vec::new();
        check_shape(shape, value, path, &mut odd);
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
                "tools[2].icons[0].mimeType: isn’t a string",
                "tools[2]._meta: isn’t an object",
                "tools[2].execution.taskSupport: isn’t a string",
                "tools[2].annotations.readOnlyHint: isn’t a boolean"
            ]
        );
        let result = r#"{"content":[{"type":"hologram"},7,{"type":"text","text":null},{"type":"image"},{"type":"resource","resource":{"uri":"a:b"}}]}"#;
        assert_eq!(
            odd(&CALL, result, ""),
            [
                "content[0].type: is unknown: hologram",
                "content[1]: isn’t an object",
                "content[2].text: isn’t a string",
                "content[3].data: is missing",
                "content[3].mimeType: is missing",
                "content[4].resource: contains neither text nor blob"
            ]
        );
        assert_eq!(odd(&PAGE, r#"{"ttlMs":-1.5,"cacheScope":"world"}"#, "").len(), 2);
        assert_eq!(
            odd(&HANDSHAKE, r#"{"capabilities":{"tools":true},"serverInfo":7}"#, ""),
            ["capabilities.tools: isn’t an object", "serverInfo: isn’t an object"]
        );
    }

    #[test]
    fn remarks_are_made_up_to_the_limit_and_no_more() {
        let blocks = |count: usize| format!(r#"{{"content":[{}]}}"#, vec!["7"; count].join(","));
        assert_eq!(odd(&CALL, &blocks(MOST), "").len(), MOST);
        assert_eq!(odd(&CALL, &blocks(MOST + 1), "").len(), MOST);
    }
}

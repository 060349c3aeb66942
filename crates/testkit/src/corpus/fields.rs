//! Every member of every result, with every odd value.

use super::odd_values::{MemberKind, VALUES};
use super::{Case, Expectation, ServerEra, ServerOutput, answer, diagnostic_path, replace_at, result};

/// A member: its pointer, the kind of its value, and whether it is required.
type Field = (&'static str, MemberKind, bool);

use MemberKind::{Any, Count, Cursor, Flag, Keyword, List, Name, Number, Object, Text};

/// All kinds of lists, by the member with their items.
const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "/tools", "lists: tools"),
    ("resources/list", "/resources", "lists: resources"),
    ("resources/templates/list", "/resourceTemplates", "lists: templates"),
    ("prompts/list", "/prompts", "lists: prompts"),
];

const TOOL: &[Field] = &[
    ("/name", Name, true),
    ("/title", Text, false),
    ("/description", Text, false),
    ("/inputSchema", Object, true),
    ("/outputSchema", Object, false),
    ("/annotations", Object, false),
    ("/annotations/title", Text, false),
    ("/annotations/readOnlyHint", Flag, false),
    ("/annotations/destructiveHint", Flag, false),
    ("/icons", List, false),
    ("/icons/0", Object, true),
    ("/icons/0/src", Text, true),
    ("/icons/0/mimeType", Text, false),
    ("/icons/0/sizes", List, false),
    ("/execution", Object, false),
    ("/execution/taskSupport", Text, false),
    ("/_meta", Object, false),
];
const RESOURCE: &[Field] = &[
    ("/uri", Name, true),
    ("/name", Text, true),
    ("/title", Text, false),
    ("/description", Text, false),
    ("/mimeType", Text, false),
    ("/size", Count, false),
    ("/annotations", Object, false),
    ("/annotations/audience", List, false),
    ("/annotations/audience/0", Keyword, true),
    ("/annotations/priority", Number, false),
    ("/annotations/lastModified", Text, false),
    ("/icons", List, false),
    ("/icons/0/src", Text, true),
    ("/_meta", Object, false),
];
const TEMPLATE: &[Field] = &[
    ("/uriTemplate", Name, true),
    ("/name", Text, true),
    ("/title", Text, false),
    ("/description", Text, false),
    ("/mimeType", Text, false),
    ("/annotations", Object, false),
    ("/annotations/priority", Number, false),
    ("/icons", List, false),
    ("/_meta", Object, false),
];
const PROMPT: &[Field] = &[
    ("/name", Name, true),
    ("/title", Text, false),
    ("/description", Text, false),
    ("/arguments", List, false),
    ("/arguments/0", Object, true),
    ("/arguments/0/name", Name, true),
    ("/arguments/0/title", Text, false),
    ("/arguments/0/description", Text, false),
    ("/arguments/0/required", Flag, false),
    ("/icons", List, false),
    ("/_meta", Object, false),
];
const CALL: &[Field] = &[
    ("/content", List, false),
    ("/content/0", Object, true),
    ("/content/0/type", Keyword, true),
    ("/content/0/text", Text, true),
    ("/content/0/annotations", Object, false),
    ("/content/0/annotations/audience", List, false),
    ("/content/0/_meta", Object, false),
    ("/content/1/data", Text, true),
    ("/content/1/mimeType", Text, true),
    ("/content/2/data", Text, true),
    ("/content/2/mimeType", Text, true),
    ("/content/3/uri", Text, true),
    ("/content/3/name", Text, true),
    ("/content/4/resource", Object, true),
    ("/content/4/resource/uri", Text, true),
    ("/content/4/resource/mimeType", Text, false),
    ("/content/4/resource/text", Text, false),
    ("/structuredContent", Any, false),
    ("/isError", Flag, false),
    ("/_meta", Object, false),
];
const READ: &[Field] = &[
    ("/contents", List, true),
    ("/contents/0", Object, true),
    ("/contents/0/uri", Text, true),
    ("/contents/0/mimeType", Text, false),
    ("/contents/0/text", Text, false),
    ("/contents/1/blob", Text, false),
    ("/_meta", Object, false),
];
const GET: &[Field] = &[
    ("/description", Text, false),
    ("/messages", List, true),
    ("/messages/0", Object, true),
    ("/messages/0/role", Keyword, true),
    ("/messages/0/content", Object, true),
    ("/messages/0/content/type", Keyword, true),
    ("/messages/0/content/text", Text, true),
    ("/_meta", Object, false),
];
const COMPLETE: &[Field] = &[
    ("/completion", Object, true),
    ("/completion/values", List, true),
    ("/completion/values/0", Text, true),
    ("/completion/total", Count, false),
    ("/completion/hasMore", Flag, false),
];
const INITIALIZE: &[Field] = &[
    ("/protocolVersion", Any, true),
    ("/capabilities", Object, true),
    ("/capabilities/tools", Object, false),
    ("/capabilities/tools/listChanged", Flag, false),
    ("/capabilities/logging", Object, false),
    ("/serverInfo", Object, true),
    ("/serverInfo/name", Text, true),
    ("/serverInfo/title", Text, false),
    ("/serverInfo/version", Text, true),
    ("/serverInfo/icons", List, false),
    ("/instructions", Text, false),
    ("/_meta", Object, false),
];
/// Without capabilities or versions an answer to `server/discover` is none, and the client asks in the older way.
const DISCOVER: &[Field] = &[
    ("/supportedVersions", Any, true),
    ("/capabilities", Any, true),
    ("/capabilities/tools", Object, false),
    ("/capabilities/tools/listChanged", Flag, false),
    ("/capabilities/logging", Object, false),
    ("/_meta", Any, false),
    ("/_meta/io.modelcontextprotocol~1serverInfo", Any, false),
    ("/instructions", Text, false),
    ("/ttlMs", Count, false),
    ("/cacheScope", Keyword, false),
];
/// Members of every list or every cacheable result of the stateless era.
const CACHEABLE: &[Field] = &[("/ttlMs", Count, false), ("/cacheScope", Keyword, false)];

pub(super) fn cases(wire: ServerEra) -> Vec<Case> {
    let mut maker = FieldCases { wire, cases: Vec::new() };
    let items: [(&str, &[Field]); 4] =
        [("tools", TOOL), ("resources", RESOURCE), ("templates", TEMPLATE), ("prompts", PROMPT)];
    for ((method, member, class), (_, fields)) in LISTS.iter().zip(items) {
        maker.odd_fields(
            class,
            method,
            "",
            &[(member, List, true), ("/nextCursor", Cursor, false), ("/_meta", Object, false)],
        );
        maker.odd_fields(class, method, &format!("{member}/1"), fields);
        maker.odd_fields(class, method, "", &[(member_item(member), Object, true)]);
    }
    maker.odd_fields("results: tools", "tools/call", "", CALL);
    maker.odd_fields("results: resources", "resources/read", "", READ);
    maker.odd_fields("results: prompts", "prompts/get", "", GET);
    maker.odd_fields("results: completion", "completion/complete", "", COMPLETE);
    match wire {
        ServerEra::Session => maker.odd_fields("handshake", "initialize", "", INITIALIZE),
        ServerEra::Modern => {
            maker.odd_fields("handshake", "server/discover", "", DISCOVER);
            for (method, ..) in LISTS {
                maker.odd_fields("caching", method, "", CACHEABLE);
                maker.result_types(method);
            }
            maker.odd_fields("caching", "resources/read", "", CACHEABLE);
            for method in ["tools/call", "resources/read", "prompts/get", "completion/complete"] {
                maker.result_types(method);
            }
        }
    }
    maker.cases
}

/// The pointer to the second of a list's items.
fn member_item(member: &str) -> &'static str {
    match member {
        "/tools" => "/tools/1",
        "/resources" => "/resources/1",
        "/resourceTemplates" => "/resourceTemplates/1",
        _ => "/prompts/1",
    }
}

struct FieldCases {
    wire: ServerEra,
    cases: Vec<Case>,
}

impl FieldCases {
    /// Adds a case for every value in each of the fields below `at`.
    fn odd_fields(&mut self, class: &'static str, method: &'static str, at: &str, fields: &[Field]) {
        for &(field, kind, needed) in fields {
            let pointer = format!("{at}{field}");
            for (name, value) in VALUES {
                let expect = match kind.accepts(needed, value) {
                    _ if matches!(method, "initialize" | "server/discover") && matches!(kind, Any) => {
                        Expectation::Ends
                    }
                    Some(false) => Expectation::Odd(diagnostic_path(&pointer)),
                    Some(true) | None => Expectation::Usable,
                };
                // An element that is not there is no odd element.
                if value.is_none() && pointer.ends_with(|last: char| last.is_ascii_digit()) {
                    continue;
                }
                self.push(class, method, &pointer, name, value, expect);
            }
        }
    }

    /// Every value as what a result says of itself.
    fn result_types(&mut self, method: &'static str) {
        for (name, value) in VALUES {
            let expect =
                if value.is_none() { Expectation::Odd("resultType".to_owned()) } else { Expectation::Fails };
            self.push("result types", method, "/resultType", name, value, expect);
        }
        let wanting = "wants input, for nothing";
        self.push(
            "result types",
            method,
            "/resultType",
            wanting,
            Some("\"input_required\""),
            Expectation::Fails,
        );
        self.push("result types", method, "/resultType", "a task", Some("\"task\""), Expectation::Ends);
    }

    fn push(
        &mut self,
        class: &'static str,
        method: &'static str,
        pointer: &str,
        name: &str,
        value: Option<&str>,
        expect: Expectation,
    ) {
        // A member that the usual answer does not have can neither be left out.
        let usual = result(method, self.wire).expect("the wire knows the methods of its fields");
        if value.is_none() && usual.pointer(pointer).is_none() {
            return;
        }
        self.cases.push(Case {
            class,
            name: format!("{method} {}: {name}", diagnostic_path(pointer)),
            method,
            output: ServerOutput::Messages(vec![answer(&replace_at(&usual, pointer, value))]),
            expect,
        });
    }
}

//! Members that callers add to their requests for the server.

use mooring_jsonrpc::{JsonObject, Members, raw};

use crate::extension::Extension;
use crate::inbound::CallerAdditions;

/// Members of `_meta` that belong to one connection. On this connection, this client sets them.
const OURS: [&str; 8] = [
    "progressToken",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/subscriptionId",
    "io.modelcontextprotocol/related-task",
    "io.modelcontextprotocol/serverInfo",
];

/// The caller's members for `_meta` (basic#_meta), such as trace or user ids agreed with the server.
pub(crate) fn read_caller_meta(additions: &CallerAdditions) -> JsonObject {
    let Some(meta) = &additions.meta else { return JsonObject::new() };
    let members = Members::of(meta.get());
    let theirs = members.iter().filter(|member| !OURS.contains(&member.name()));
    theirs.fold(JsonObject::new(), |params, member| params.json(member.name(), member.value))
}

/// The extensions for a request: the caller's, and the tasks extension, which this client handles itself.
pub(crate) fn merge_extensions(own: &[Extension], additions: &CallerAdditions) -> Vec<Extension> {
    let Some(extensions) = &additions.extensions else { return own.to_vec() };
    let members = Members::of(extensions.get());
    let theirs = members.iter().filter_map(|member| Extension::new(member.name(), raw(member.value)?));
    let theirs = theirs.filter(|extension| !extension.is_tasks());
    own.iter().filter(|extension| extension.is_tasks()).cloned().chain(theirs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_protocols_own_goes_on() {
        let meta = r#"{"progressToken":7,"traceparent":"00-a",
            "io.modelcontextprotocol/logLevel":"debug","x/y\u0022":{"deep":[1.0,null]},"progress\u0054oken":8}"#;
        let additions = CallerAdditions { meta: raw(meta), extensions: None };
        assert_eq!(
            read_caller_meta(&additions).members(),
            r#""traceparent":"00-a","x/y\"":{"deep":[1.0,null]}"#
        );
        assert!(read_caller_meta(&CallerAdditions::default()).is_empty());
    }

    #[test]
    fn extensions_of_a_caller_take_the_place_of_ours() {
        let own = [Extension::tasks(), Extension::pages()];
        let declared = r#"{"io.modelcontextprotocol/tasks":{"a":1},"io.modelcontextprotocol/ui":{"mimeTypes":["x"]},"bare":{},"a/b":7}"#;
        let additions = CallerAdditions { meta: None, extensions: raw(declared) };
        let all = merge_extensions(&own, &additions);
        let written =
            all.iter().fold(JsonObject::new(), |written, extension| extension.with_extensions(written));
        assert_eq!(
            written.members(),
            r#""io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{"mimeTypes":["x"]}"#
        );
        let nobody = merge_extensions(&own, &CallerAdditions::default());
        assert_eq!(nobody.len(), 2);
    }
}

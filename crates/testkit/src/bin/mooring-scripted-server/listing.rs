//! Answers to `tools/list`: pages, cursors that go wrong, and tools that are not quite tools.

use mooring_testkit::answers;
use serde_json::{Value, json};

use crate::calls;
use crate::modes::Mode;

/// One page of the list, according to the mode.
pub(crate) fn page(mode: &Mode, params: &Value) -> Result<Value, (i64, String)> {
    let cursor = params["cursor"].as_str();
    match mode {
        Mode::BadTools => Ok(json!({"tools": bad_tools()})),
        Mode::Pages { count } => {
            let page = match cursor {
                None => 0,
                Some(cursor) => cursor
                    .strip_prefix("page-")
                    .and_then(|number| number.parse::<usize>().ok())
                    .filter(|number| number < count)
                    .ok_or_else(|| (-32602, format!("no such cursor: {cursor}")))?,
            };
            let tools = (0..3).map(|index| answers::tool(&format!("tool_{}", page * 3 + index)));
            let mut result = json!({"tools": tools.collect::<Vec<_>>()});
            if page + 1 < *count {
                result["nextCursor"] = json!(format!("page-{}", page + 1));
            }
            Ok(result)
        }
        Mode::RepeatedCursor => {
            let tools = [answers::tool("again")];
            Ok(json!({"tools": tools, "nextCursor": "round-and-round"}))
        }
        Mode::EndlessPages => {
            let number = cursor.and_then(|cursor| cursor.parse::<u64>().ok()).unwrap_or_default();
            let tools = [answers::tool(&format!("tool_{number}"))];
            Ok(json!({"tools": tools, "nextCursor": (number + 1).to_string()}))
        }
        Mode::ManyTools { count } => {
            let tools = (0..*count).map(|index| answers::tool(&format!("tool_{index}")));
            Ok(json!({"tools": tools.collect::<Vec<_>>()}))
        }
        _ => {
            let mut tools = answers::tools();
            tools.extend(calls::TOOL_NAMES.map(answers::tool));
            Ok(json!({"tools": tools}))
        }
    }
}

/// The names of the tools in `bad-tools` that a lenient client can use.
const GOOD: [&str; 2] = ["good_first", "good_last"];

/// Good tools around every kind of bad one seen in the wild.
fn bad_tools() -> Vec<Value> {
    let schema = json!({"type": "object"});
    let [first, last] = GOOD.map(answers::tool);
    vec![
        first,
        json!({"name": "no_schema"}),
        json!({"name": "null_schema", "inputSchema": null}),
        json!({"name": "boolean_schema", "inputSchema": true}),
        json!({"name": "text_schema", "inputSchema": "object"}),
        json!({"name": "numeric_description", "description": 7, "inputSchema": schema}),
        json!({"name": "text_hints", "inputSchema": schema, "annotations": {"readOnlyHint": "yes"}}),
        json!({"name": "list_annotations", "inputSchema": schema, "annotations": []}),
        json!({"name": "null_title", "title": null, "inputSchema": schema}),
        json!({"name": "bad_icons", "inputSchema": schema, "icons": "harbour.png"}),
        json!({"name": "bad_output", "inputSchema": schema, "outputSchema": 3}),
        json!({"name": "unknown_field", "inputSchema": schema, "x-harbour": {"depth": 4}}),
        json!({"inputSchema": schema, "description": "a tool without a name"}),
        json!({"name": 12, "inputSchema": schema}),
        json!({"name": "", "inputSchema": schema}),
        json!({"name": "good_first", "inputSchema": schema, "description": "a second one"}),
        json!("not an object"),
        json!(null),
        json!([{"name": "inside_a_list"}]),
        last,
    ]
}

//! Sample arguments, like those that a person would type.

use mooring_mcp::{Prompt, Tool};
use serde_json::{Map, Value, json};

/// Sample arguments for a tool, from its schema. If a tool takes a schema, it gets that of another tool.
pub(crate) fn for_tool(tool: &Tool, listed: &[Tool]) -> Value {
    let mut arguments = Map::new();
    for (name, property) in schema(tool)["properties"].as_object().into_iter().flatten() {
        let value = match property["type"].as_str() {
            Some("number" | "integer") => json!(5),
            Some("boolean") => json!(true),
            Some("string") => json!("test"),
            Some("object") if name == "schema" => {
                listed.iter().find(|other| other.name != tool.name).map_or_else(|| json!({}), schema)
            }
            _ => continue,
        };
        arguments.insert(name.clone(), value);
    }
    Value::Object(arguments)
}

/// Sample arguments for a prompt. They are always text.
pub(crate) fn for_prompt(prompt: &Prompt) -> Value {
    prompt.arguments.iter().map(|argument| (argument.name.clone(), json!("test"))).collect()
}

fn schema(tool: &Tool) -> Value {
    tool.input_schema
        .as_ref()
        .and_then(|schema| serde_json::from_str(schema.get()).ok())
        .unwrap_or(Value::Null)
}

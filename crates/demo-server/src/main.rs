//! One MCP server to try everything on.

fn main() {}

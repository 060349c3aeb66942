//! Scripted MCP servers for tests.

//! The MCP client engine: one client, one server.

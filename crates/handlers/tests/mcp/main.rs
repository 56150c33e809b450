//! Tests MCP servers: correct, slow, crashing and lying ones.

mod http;
mod stdio;

//! The hosts, one directory each: their events, payloads, responses, and supported decisions.

pub mod fields;
pub mod hook_json;

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod gemini;
pub mod opencode;
pub mod qwen;

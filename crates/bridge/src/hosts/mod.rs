//! The hosts, one folder each: their rows, their payloads, their answers, and what they can do.

pub mod fields;
pub mod hook_json;

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod gemini;
pub mod qwen;

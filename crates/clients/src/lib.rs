//! The coding agents that Pintle knows, one directory each: their hooks, which Pintle runs, and their calls of Pintle as
//! their hook.
//!
//! A client is a [`ClientDef`]. Each of its events is one [`ClientEventDef`], whose keys are written when Pintle runs a
//! hook of the client, and read when the client runs Pintle. The list of clients is [`CLIENTS`]; everything that goes
//! through all clients goes through it. To add a client, add a directory with its [`ClientDef`] and a row in the list.

pub mod agent_marks;
pub mod client;
pub mod event_def;
pub mod file_locations;
pub mod guarded_paths;
pub mod host;
pub mod install;
pub mod key_values;
pub mod matcher;
pub mod payload_values;
pub mod program_output;
pub mod refusal;
pub mod shared_events;
pub mod shared_keys;
pub mod transcript;

pub mod claude_code;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod droid;
pub mod gemini;
pub mod opencode;
pub mod pi;
pub mod qwen;

mod codec;
mod decode;
mod plugin;
mod settings;
#[cfg(test)]
mod tests;

pub use agent_marks::AgentMarks;
pub use client::{ClientDef, EnvVariable, UnknownHost, UnmappedClientEvents, list_names};
pub use codec::ClientCodec;
pub use decode::{FieldChoice, FieldMeaning, OutputField};
pub use event_def::{
    BlockEffect, ClientEventDef, ClientKey, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader, StopEffect,
};
pub use file_locations::{
    ClientFile, ClientFileLocation, FileFormat, LocationKind, is_json, locations, recognise, unmarked_json,
};
pub use guarded_paths::{GuardedPaths, absolute_settings, relative_settings};
pub use payload_values::EncodeContext;
pub use settings::{ClientHandlerKind, HookLayout, SettingsFormat, TimeUnit};

/// Every client, in the order of help texts.
pub static CLIENTS: &[&ClientDef] = &[
    &claude_code::CLIENT,
    &codex::CLIENT,
    &gemini::CLIENT,
    &qwen::CLIENT,
    &copilot::CLIENT,
    &cursor::CLIENT,
    &cline::CLIENT,
    &opencode::CLIENT,
    &pi::CLIENT,
    &droid::CLIENT,
];

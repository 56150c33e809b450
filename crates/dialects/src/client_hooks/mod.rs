//! The parts that the dialects of the coding agents share: one reader for their files, one codec, and a table of
//! differences.
//!
//! A client is a [`ClientDef`]: its events, one [`ClientEventDef`] each, the format of its files, and the fields of its
//! hooks' output. The directories of the clients contain only such tables.

pub mod client;
pub mod event_def;
pub mod file_locations;
pub mod matcher;
pub mod payload_values;
pub mod shared_events;
pub mod shared_keys;

mod codec;
mod decode;
mod encode;
mod load;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use pintle_contract::Codec;

pub use client::{ClientDef, EnvVariable, UnmappedClientEvents, aliases, count_events, mappings, unchanged_output};
pub use decode::{FieldChoice, FieldMeaning, OutputField};
pub use event_def::{
    BlockEffect, ClientEventDef, ClientKey, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader, StopEffect,
};
pub use file_locations::{ClientFile, ClientFileLocation, LocationKind, PLACES, is_json, recognise};
pub use load::{ClientHandlerKind, HookLayout, SettingsFormat, TimeUnit};
pub use payload_values::EncodeContext;

use crate::{Artifact, ParsedProject, claude_code, cline, codex, copilot, cursor, gemini, qwen};

/// Every client.
pub static CLIENTS: &[&ClientDef] = &[
    &claude_code::CLIENT,
    &codex::CLIENT,
    &gemini::CLIENT,
    &qwen::CLIENT,
    &copilot::CLIENT,
    &cursor::CLIENT,
    &cline::CLIENT,
];

pub(crate) fn load_client(client: &'static ClientDef, artifacts: &[Artifact]) -> ParsedProject {
    load::load(client, artifacts)
}

/// The codec of a client's hook outside a project.
pub(crate) fn codec_of(client: &'static ClientDef) -> Arc<dyn Codec> {
    codec::ClientCodec::for_client(client)
}

/// The client of a file.
fn client_of(file: ClientFile) -> &'static ClientDef {
    let name = file.dialect().name;
    CLIENTS.iter().find(|client| client.name == name).copied().unwrap_or(&claude_code::CLIENT)
}

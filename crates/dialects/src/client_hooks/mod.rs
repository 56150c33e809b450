//! What the dialects of the coding agents share: one reader of their files, one codec, and a table of what is different.
//!
//! An agent is a [`Client`]: its events, one [`Row`] each, how its files are laid out, and the words of its programs'
//! output. The folders of the agents hold such tables and nothing else that runs. Source of the facts: "agents' hook
//! contracts", the section of each agent.

pub mod client;
pub mod given;
pub mod keys;
pub mod matcher;
pub mod pascal;
pub mod place;
pub mod row;

mod codec;
mod decode;
mod encode;
mod load;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use pintle_contract::Codec;

pub use client::{Client, Elsewhere, Variable, aliases, count, mappings, whole};
pub use decode::{Choice, Means, Word};
pub use given::Given;
pub use load::{Clock, Kind, Layout, Settings};
pub use place::{ClientFile, Holds, PLACES, Place, is_json, recognise};
pub use row::{Block, ExitTwo, Input, Key, Row, Stop, Text, Voice};

use crate::{Artifact, Project, claude_code, cline, codex, copilot, cursor, gemini, qwen};

/// Every agent whose hooks are read.
pub static CLIENTS: &[&Client] = &[
    &claude_code::CLIENT,
    &codex::CLIENT,
    &gemini::CLIENT,
    &qwen::CLIENT,
    &copilot::CLIENT,
    &cursor::CLIENT,
    &cline::CLIENT,
];

/// Reads the files of one agent.
pub(crate) fn load_client(client: &'static Client, artifacts: &[Artifact]) -> Project {
    load::load(client, artifacts)
}

/// The codec of an agent's hook that came with no project.
pub(crate) fn codec_of(client: &'static Client) -> Arc<dyn Codec> {
    codec::ClientCodec::of(client)
}

/// The agent of a file.
fn client_of(file: ClientFile) -> &'static Client {
    let name = file.dialect().name;
    CLIENTS.iter().find(|client| client.name == name).copied().unwrap_or(&claude_code::CLIENT)
}

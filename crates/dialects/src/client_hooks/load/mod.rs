//! Converts a client's files to declarations.
//!
//! Unsupported settings are warnings with their line, the reason, and what happens instead.

mod diagnostics;
mod document;
mod events;
mod executable;
mod handler;
mod settings;

use std::path::{Path, absolute};
use std::sync::Arc;

use pintle_contract::HookDeclaration;

pub use settings::{ClientHandlerKind, HookLayout, SettingsFormat, TimeUnit};

use super::client::ClientDef;
use super::codec::ClientCodec;
use super::file_locations::ClientFile;
use crate::document::{FileReport, parse_json, parse_toml};
use crate::{Artifact, ArtifactKind, ParsedProject};

/// Loads the files of one client. Every error of every file is in the diagnostics.
pub(super) fn load(client: &'static ClientDef, artifacts: &[Artifact]) -> ParsedProject {
    let mut project = ParsedProject::default();
    for artifact in artifacts {
        let ArtifactKind::Client(file) = artifact.role else { continue };
        let format = if file == ClientFile::CodexConfig { "toml" } else { "json" };
        let report = FileReport::new(Arc::clone(&artifact.file), "").with_format(format);
        let source = ClientSource { client, report: &report, codec: file_codec(client, &artifact.file.path) };
        project.hooks.extend(read(&source, artifact, file));
        let mut findings = report.into_diagnostics();
        crate::document::sanitize(&mut findings);
        project.diagnostics.extend(findings);
    }
    project
}

fn read(source: &ClientSource<'_>, artifact: &Artifact, file: ClientFile) -> Vec<HookDeclaration> {
    match file {
        ClientFile::ClineExecutable => executable::read(source, artifact).into_iter().collect(),
        ClientFile::CodexConfig => document::read(source, &parse_toml(source.report)),
        _ => parse_json(source.report).map(|node| document::read(source, &node)).unwrap_or_default(),
    }
}

/// The file being read.
#[derive(Debug)]
struct ClientSource<'a> {
    client: &'static ClientDef,
    report: &'a FileReport,
    /// The codec that its hooks share.
    codec: ClientCodec,
}

/// The codec of a file's hooks, which contains the project of the file.
fn file_codec(client: &'static ClientDef, path: &Path) -> ClientCodec {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let is_dotted = |dir: &Path| dir.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let named = |dir: &Path| Arc::from(dir.to_string_lossy().as_ref());
    let own = path.ancestors().skip(1).find(|dir| is_dotted(dir));
    let home = std::env::var_os("HOME");
    // A file in the user's home directory applies to the session's project.
    let project = own.and_then(Path::parent).filter(|dir| home.as_deref() != Some(dir.as_os_str()));
    let dir = path.parent().filter(|dir| dir.file_name().is_some_and(|name| name == "hooks"));
    let plugin = dir.and_then(Path::parent).filter(|_| own.is_none());
    ClientCodec {
        client,
        project: project.map(named),
        plugin: plugin.map(named),
        needs_answer: false,
        needs_json: false,
    }
}

//! Files to declarations.
//!
//! What a file holds that cannot be carried over is a warning with its line, the reason, and what happens instead.

mod document;
mod events;
mod executable;
mod handler;
mod settings;
mod tell;

use std::path::{Path, absolute};
use std::sync::Arc;

use pintle_contract::HookDeclaration;

pub use settings::{Clock, Kind, Layout, Settings};

use super::client::Client;
use super::codec::ClientCodec;
use super::place::ClientFile;
use crate::document::{Report, parse_json, parse_toml};
use crate::{Artifact, Project, Role};

/// Reads the files of one agent. Every fault of every file is in the diagnostics.
pub(super) fn load(client: &'static Client, artifacts: &[Artifact]) -> Project {
    let mut project = Project::default();
    for artifact in artifacts {
        let Role::Client(file) = artifact.role else { continue };
        let format = if file == ClientFile::CodexConfig { "toml" } else { "json" };
        let report = Report::new(Arc::clone(&artifact.file), "").of_format(format);
        let source = Source { client, report: &report, codec: codec(client, &artifact.file.path) };
        project.hooks.extend(read(&source, artifact, file));
        let mut findings = report.into_findings();
        crate::document::keep_to_one_line(&mut findings);
        project.diagnostics.extend(findings);
    }
    project
}

fn read(source: &Source<'_>, artifact: &Artifact, file: ClientFile) -> Vec<HookDeclaration> {
    match file {
        ClientFile::ClineExecutable => executable::read(source, artifact).into_iter().collect(),
        ClientFile::CodexConfig => document::read(source, &parse_toml(source.report)),
        _ => parse_json(source.report).map(|node| document::read(source, &node)).unwrap_or_default(),
    }
}

/// A file that is read.
#[derive(Debug)]
struct Source<'a> {
    client: &'static Client,
    report: &'a Report,
    /// What the codecs of its hooks have in common.
    codec: ClientCodec,
}

/// The codec of a file's hooks: it knows the project that the file is of.
fn codec(client: &'static Client, path: &Path) -> ClientCodec {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let is_dotted = |folder: &Path| folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let named = |folder: &Path| Arc::from(folder.to_string_lossy().as_ref());
    let own = path.ancestors().skip(1).find(|folder| is_dotted(folder));
    let home = std::env::var_os("HOME");
    // The person's own file is about whichever project the session is in.
    let project = own.and_then(Path::parent).filter(|folder| home.as_deref() != Some(folder.as_os_str()));
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "hooks"));
    let plugin = folder.and_then(Path::parent).filter(|_| own.is_none());
    ClientCodec {
        client,
        project: project.map(named),
        plugin: plugin.map(named),
        needs_answer: false,
        needs_json: false,
    }
}

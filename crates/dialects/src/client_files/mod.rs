//! Converts the hook files of the coding agents to declarations, and makes a dialect of each agent.
//!
//! Unsupported settings are warnings with their line, the reason, and what happens instead.

mod events;
mod handler;
#[cfg(test)]
mod tests;

use std::path::{Path, absolute};
use std::sync::Arc;

use pintle_clients::{ClientCodec, ClientDef, ClientEventDef, ClientFile, FileFormat};
use pintle_contract::{
    ByteSpan, CommandSpec, Diagnostic, FailurePolicy, HandlerSpec, HookDeclaration, Location, Profile, Severity,
    did_you_mean,
};
use serde_json::json;

pub(crate) use events::GROUP_KEYS;

use crate::document::{FileReport, parse_json, parse_toml};
use crate::{Artifact, ArtifactKind, EventAlias, EventMapping, EventNames, ParsedProject};

/// Lists the dialects: the modules of the four systems, and the clients, each of which becomes a module.
macro_rules! dialects {
    ([$($system:ident),*], [$($client:ident),*]) => {
        $(
            #[doc = concat!("The dialect `", stringify!($client), "`.")]
            pub mod $client {
                use std::sync::{Arc, LazyLock};

                use pintle_clients::{ClientCodec, $client::CLIENT};
                use pintle_contract::{Codec, Profile};

                use crate::Dialect;
                use crate::client_files::{event_names, load_client};

                /// The dialect.
                pub static DIALECT: Dialect = Dialect {
                    name: stringify!($client),
                    description: CLIENT.description,
                    profile: Profile::ParallelStrictest,
                    events: LazyLock::new(|| event_names(CLIENT.events)),
                    codec,
                    load: |artifacts, _| load_client(&CLIENT, artifacts),
                };

                /// The codec of a hook outside a project.
                #[must_use]
                pub fn codec() -> Arc<dyn Codec> {
                    ClientCodec::for_client(&CLIENT)
                }
            }
        )*

        /// The dialects of the clients.
        const CLIENT_DIALECTS: &[&Dialect] = &[$(&$client::DIALECT),*];

        /// Every dialect: those of the systems, then those of the clients.
        pub static DIALECTS: &[&Dialect] = &[$(&$system::DIALECT,)* $(&$client::DIALECT),*];
    };
}

pub(crate) use dialects;

/// The names of a client's events. Of several definitions of a catalogue event, one is the first, and the others are
/// aliases.
pub(crate) fn event_names(rows: &'static [ClientEventDef]) -> EventNames {
    let of = |is_alias| rows.iter().filter(move |def| def.is_alias == is_alias);
    let named = |def: &'static ClientEventDef| Some((def.canonical?, def.name));
    let mappings = of(false).filter_map(named).map(|(canonical, native)| EventMapping { canonical, native });
    let aliases = of(true).filter_map(named).map(|(kind, name)| EventAlias { name, canonical: kind.name() });
    EventNames::only(mappings, aliases)
}

/// Loads the files of one client. Every error of every file is in the diagnostics.
pub(crate) fn load_client(client: &'static ClientDef, artifacts: &[Artifact]) -> ParsedProject {
    let mut project = ParsedProject::default();
    for artifact in artifacts {
        let ArtifactKind::Client(file) = artifact.role else { continue };
        let format = if file.format == FileFormat::Toml { "toml" } else { "json" };
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
    match file.format {
        FileFormat::Program => read_program(source, artifact).into_iter().collect(),
        FileFormat::Toml => events::read(source, &parse_toml(source.report)),
        FileFormat::Json => parse_json(source.report).map(|node| events::read(source, &node)).unwrap_or_default(),
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
    let home = std::env::home_dir();
    // A file in the user's home directory applies to the session's project.
    let project = own.and_then(Path::parent).filter(|dir| home.as_deref() != Some(*dir));
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

/// Reports a known setting that is not supported.
fn not_carried_over(source: &ClientSource<'_>, severity: Severity, action: &str, reason: &str, span: ByteSpan) {
    let message = format!("{action} is not supported: {reason}");
    let diagnostic = Diagnostic::warning("not_carried_over", message, source.report.location(span));
    source.report.add(Diagnostic { severity, ..diagnostic });
}

/// Reports an event that no other agent has.
fn event_not_carried_over(source: &ClientSource<'_>, name: &str, reason: &str, span: ByteSpan) {
    let message = format!("the event `{name}` is not supported: {reason}");
    let help = format!("its hooks still run in {}", source.client.title);
    source.report.warning("not_carried_over", message, span, help);
}

/// Reads one program. Files with other names are scripts that the hooks use.
fn read_program(source: &ClientSource<'_>, artifact: &Artifact) -> Option<HookDeclaration> {
    let client = source.client;
    let path = &artifact.file.path;
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let here = Location::new(Arc::clone(&artifact.file), pintle_contract::ByteSpan::default());
    let Some(def) = client.event_def(name) else {
        if let Some(elsewhere) = client.unmapped_events.iter().find(|elsewhere| elsewhere.names.contains(&name)) {
            event_not_carried_over(source, name, elsewhere.reason, here.span);
        } else if let Some(help) = did_you_mean(name, client.hook_events().map(|def| def.name)) {
            let message = format!("{} has no event `{name}`, so the program never runs", client.title);
            let diagnostic = Diagnostic::warning("unknown_event", message, here);
            source.report.add(diagnostic.help(help));
        }
        return None;
    };
    let program = absolute(path).unwrap_or_else(|_| path.clone());
    let spec = CommandSpec {
        command: program.to_string_lossy().into_owned(),
        arguments: Some(Vec::new()),
        ..CommandSpec::default()
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let event = def.canonical?.into();
    let definition = json!([spec.command]).to_string();
    let codec = Arc::new(source.codec.clone());
    Some(HookDeclaration {
        event_alias: Arc::from(def.name),
        definition: Some(Arc::from(definition)),
        default_on_error: if def.fails_closed { FailurePolicy::Closed } else { FailurePolicy::Open },
        on_deny: def.on_deny,
        profile: Profile::ParallelStrictest,
        timeout_ms: Some(client.settings.command_ms),
        ..HookDeclaration::new(name, event, HandlerSpec::Command(spec), here, codec)
    })
}

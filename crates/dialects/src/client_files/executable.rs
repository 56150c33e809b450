//! Reads programs that are hooks because of their names, as in Cline.

use std::path::absolute;
use std::sync::Arc;

use pintle_contract::{
    CommandSpec, Diagnostic, FailurePolicy, HandlerSpec, HookDeclaration, Location, Profile, did_you_mean,
};
use serde_json::json;

use super::{ClientSource, diagnostics};
use crate::Artifact;

/// Reads one program. Files with other names are scripts that the hooks use.
pub(super) fn read(source: &ClientSource<'_>, artifact: &Artifact) -> Option<HookDeclaration> {
    let client = source.client;
    let path = &artifact.file.path;
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let here = Location::new(Arc::clone(&artifact.file), pintle_contract::ByteSpan::default());
    let Some(def) = client.event_def(name) else {
        if let Some(elsewhere) = client.unmapped_events.iter().find(|elsewhere| elsewhere.names.contains(&name)) {
            diagnostics::event_not_carried_over(source, name, elsewhere.reason, here.span);
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

//! Reads programs that are hooks because of their names, as in Cline.

use std::path::absolute;
use std::sync::Arc;

use pintle_contract::{
    CommandSpec, Diagnostic, EnforcementMode, EventName, FailurePolicy, HandlerSpec, HookDeclaration, Location,
    Profile, suggest_nearest,
};
use serde_json::json;

use super::{ClientSource, diagnostics};
use crate::Artifact;
use pintle_clients::ClientCodec;

/// Reads one program. Files with other names are scripts that the hooks use.
pub(super) fn read(source: &ClientSource<'_>, artifact: &Artifact) -> Option<HookDeclaration> {
    let client = source.client;
    let path = &artifact.file.path;
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let here = Location::new(Arc::clone(&artifact.file), pintle_contract::ByteSpan::default());
    let Some(def) = client.event_def(name) else {
        if let Some(elsewhere) = client.unmapped_events.iter().find(|elsewhere| elsewhere.names.contains(&name)) {
            diagnostics::event_not_carried_over(source, name, elsewhere.reason, here.span);
        } else if let Some(near) = suggest_nearest(name, client.hook_events().map(|def| def.name)) {
            let message = format!("{} has no event `{name}`, so the program never runs", client.title);
            let diagnostic = Diagnostic::warning("unknown_event", message, here);
            source.report.add(diagnostic.help(format!("did you mean `{near}`?")));
        }
        return None;
    };
    let program = absolute(path).unwrap_or_else(|_| path.clone());
    let spec = CommandSpec {
        command: program.to_string_lossy().into_owned(),
        arguments: Some(Vec::new()),
        ..CommandSpec::default()
    };
    Some(HookDeclaration {
        name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        event: EventName::parse(def.canonical).ok()?,
        event_alias: Arc::from(def.name),
        priority: 0,
        matcher: None,
        definition: Some(Arc::from(json!([spec.command]).to_string())),
        handler: HandlerSpec::Command(spec),
        on_error: None,
        default_on_error: if def.fails_closed { FailurePolicy::Closed } else { FailurePolicy::Open },
        on_deny: def.on_deny,
        profile: Profile::ParallelStrictest,
        mode: EnforcementMode::Enforce,
        timeout_ms: Some(client.settings.command_ms),
        background: false,
        files: Vec::new(),
        tools: Vec::new(),
        source_trust: pintle_contract::SourceTrust::default(),
        examples: Vec::new(),
        location: here,
        codec: Arc::new(ClientCodec { ..source.codec.clone() }),
    })
}

//! What a session is run with: settings of the kit, or a declaration.

use pintle_host::dialects::agent_hooks::{
    CompositionRule, DECLARATION_VERSION, DeclarationRefusal, EmitterSettings, HostRegistration, InterceptorBinding,
    JCS_SHA256, RefusalClass, resolve_declaration,
};
use serde_json::{Value, json};

use super::peer::{KitPeer, PeerError};

/// A session that is ready to run.
pub(super) struct LoadedRun {
    pub(super) settings: EmitterSettings,
    pub(super) scenario: Value,
    pub(super) peer: KitPeer,
    pub(super) max_records: Option<usize>,
}

/// Loads a session, and says whether it can run.
pub(super) fn load_run(load: &Value, peer: KitPeer) -> Result<(Option<LoadedRun>, Value), String> {
    let scenario = load.get("scenario").cloned().unwrap_or_default();
    let (settings, max_records) = match load.get("declaration") {
        None => (read_settings(load)?, None),
        Some(declaration) => match declare(declaration, &peer)? {
            Ok(declared) => declared,
            Err(refusal) => return Ok((None, refusal_to_json(&refusal))),
        },
    };
    Ok((Some(LoadedRun { settings, scenario, peer, max_records }), json!({"loaded": true})))
}

/// Whether a declaration can be honoured, before the kinds of its interceptors are asked.
pub(super) fn resolve_alone(declaration: &Value) -> Result<Value, String> {
    let (document, host) = read_declaration(declaration)?;
    Ok(match resolve_declaration(document, &host) {
        Ok(_) => json!({"value": "accepted"}),
        Err(refusal) => json!({"error": refusal.class}),
    })
}

fn read_declaration(declaration: &Value) -> Result<(&Value, HostRegistration), String> {
    let document = declaration.get("document").unwrap_or(&Value::Null);
    let host = serde_json::from_value(declaration.get("host").cloned().unwrap_or_default());
    Ok((document, host.map_err(|error| format!("`host` is not valid: {error}"))?))
}

type DeclaredRun = (EmitterSettings, Option<usize>);

/// Resolves a declaration, and lets the kit make its interceptors.
fn declare(declaration: &Value, peer: &KitPeer) -> Result<Result<DeclaredRun, DeclarationRefusal>, String> {
    let (document, host) = read_declaration(declaration)?;
    let declared = match resolve_declaration(document, &host) {
        Ok(declared) => declared,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let named = json!({"resolver": declared.resolver, "redactor": declared.redactor});
    peer.ask("use", named, None).map_err(PeerError::into_text)?;
    for (index, (binding, bound)) in declared.bindings.iter().zip(&declared.settings.bindings).enumerate() {
        let points = bound.points.iter().flatten().map(|point| point.name());
        let made = peer.ask(
            "bind",
            json!({
                "id": binding.id,
                "kind": binding.kind,
                "config": binding.config,
                "at": points.collect::<Vec<_>>(),
                "timeout_ms": bound.timeout_ms,
                "host": document.get("host"),
                "declaration_version": DECLARATION_VERSION,
            }),
            None,
        );
        if let Err(error) = made {
            let findings = vec![(format!("/bindings/{index}"), error.into_text())];
            return Ok(Err(DeclarationRefusal { class: RefusalClass::BindingRejected, findings }));
        }
    }
    Ok(Ok((declared.settings, declared.max_records)))
}

fn refusal_to_json(refusal: &DeclarationRefusal) -> Value {
    let finding = |(pointer, detail): &(String, String)| json!({"pointer": pointer, "detail": detail});
    let findings: Vec<Value> = refusal.findings.iter().map(finding).collect();
    json!({"refused": {"class": refusal.class, "findings": findings}})
}

/// The settings of a session without a declaration.
fn read_settings(load: &Value) -> Result<EmitterSettings, String> {
    let flag = |name: &str| load.get(name).and_then(Value::as_bool).unwrap_or_default();
    let count = load.get("interceptors").and_then(Value::as_u64).unwrap_or_default();
    let rule = load.get("composition").map_or(Ok(CompositionRule::default()), CompositionRule::parse);
    let provider = load.get("identity_provider").map_or(Some(JCS_SHA256), Value::as_str);
    Ok(EmitterSettings {
        evaluates_only: load.get("mode").and_then(Value::as_str) == Some("evaluate_only"),
        rule: rule?,
        identity_provider: provider.map(str::to_owned),
        has_resolver: flag("has_resolver"),
        has_redactor: flag("has_redactor"),
        bindings: (0..count).map(|_| InterceptorBinding::default()).collect(),
        ..EmitterSettings::default()
    })
}

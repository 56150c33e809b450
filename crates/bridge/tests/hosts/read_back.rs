//! What a host is answered means the same to a hook of the client that gives the answer. Every exception must be needed.

use std::fs;

use pintle_bridge::{ActionSupport, HookAction, HostEventDef};
use pintle_host::contract::{CommandOutput, HandlerOutput, VerdictKind};
use pintle_host::{Effect, EventKind};
use serde_json::Value;

use crate::fixture::{event_of_file, hook_saying, main_event, recorded_hosts, respond};
use crate::round_trip::{BothWays, WireDifferences, clients, read};

/// The verdict that a host's support for an action promises; `None` if it promises something similar.
fn promised(text: &str, def: &HostEventDef) -> Option<&'static str> {
    let (action, kind) = match text {
        "rewrite" if def.fires.contains(&EventKind::ToolPost) => (HookAction::Output, "rewrite"),
        "approve" => (HookAction::Approve, "approve"),
        "deny" => (HookAction::Deny, "deny"),
        "ask" => (HookAction::Ask, "ask"),
        "rewrite" => (HookAction::Rewrite, "rewrite"),
        "context" => (HookAction::Context, "context"),
        _ => return Some("pass"),
    };
    match def.support.support_for(action) {
        ActionSupport::Supported => Some(kind),
        ActionSupport::DeniedInstead(_) | ActionSupport::WithApprovalOnly(_) => Some("deny"),
        ActionSupport::Approximated(_) | ActionSupport::RunEndedInstead(_) => None,
        _ => Some("pass"),
    }
}

/// What else a response means to the client's own hooks.
const MEANT: &[&str] = &[
    // The reason replaces the result.
    "codex PostToolUse: deny is rewrite, not deny",
    // A rewrite is always an approval, and a patch cannot become any text.
    "codex PreToolUse: rewrite is approve, not rewrite",
    // `cancel` after a tool denies nothing any more.
    "cline PostToolUse: rewrite is context, not deny",
    // The model is told not to act, and its calls are denied.
    "copilot userPromptSubmitted: ask is context, not deny",
    "copilot userPromptSubmitted: rewrite is context, not deny",
];

#[test]
fn a_response_that_was_written_is_read_back() {
    let mut found = WireDifferences::default();
    for (host, files) in recorded_hosts() {
        let Some(BothWays { client, codec, .. }) = clients().find(|both| both.host.name == host.name) else { continue };
        for file in files {
            let read_def = event_of_file(host, &file);
            let Some(def) = client.event_def(read_def.name) else { continue };
            let bytes = fs::read(&file).unwrap();
            let sent: Value = serde_json::from_slice(&bytes).unwrap();
            let Some(event) = read(host, read_def, def.canonical.unwrap(), &sent) else { continue };
            let allowed = respond(host, read_def, &bytes, Vec::new());
            for said in ["allow", "approve", "deny", "ask", "rewrite", "context"] {
                let Some(promised) = promised(said, read_def) else { continue };
                let hooks = main_event(read_def).into_iter().map(|event| hook_saying(said, event)).collect();
                let answer = respond(host, read_def, &bytes, hooks);
                if said == "rewrite" && answer == allowed {
                    // The hook found nothing to rewrite.
                    continue;
                }
                let output = CommandOutput {
                    exit_code: Some(i32::from(answer.exit_code)),
                    stdout: answer.stdout.into_bytes(),
                    stderr: answer.stderr.into_bytes(),
                    ..CommandOutput::default()
                };
                let verdict = codec.decode(&event, def.name, HandlerOutput::Process(output));
                let has_context = verdict.effects.iter().any(|effect| matches!(effect, Effect::Context(_)));
                let meant = match &verdict.kind {
                    VerdictKind::Pass if has_context => "context",
                    VerdictKind::Pass => "pass",
                    VerdictKind::Allow { .. } => "approve",
                    VerdictKind::Deny { .. } => "deny",
                    VerdictKind::Ask { .. } => "ask",
                    VerdictKind::Rewrite(_) => "rewrite",
                    VerdictKind::Failed(_) => "failed",
                };
                assert!(verdict.warnings.is_empty(), "{} {}: {:?}", host.name, def.name, verdict.warnings);
                if meant != promised {
                    found.note(format!("{} {}: {said} is {meant}, not {promised}", host.name, def.name));
                }
            }
        }
    }
    found.assert_are(MEANT);
}

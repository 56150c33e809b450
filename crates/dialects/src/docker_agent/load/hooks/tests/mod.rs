//! Reads blocks of hooks.

mod compat;
mod events;
mod fields;
mod flags;
mod fuzz;
mod lints;
mod policies;

use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{ByteSpan, DenyEffect, FailurePolicy, MatcherSpec, Profile, SourceFile};

use super::*;
use crate::document::parse;
use crate::test_support::show_diagnostic;

/// The hooks of a block, and the diagnostics as shown, each with its help.
fn read_as(text: &str, version: DockerAgentVersion) -> (Vec<HookDeclaration>, Vec<String>) {
    let file = Arc::new(SourceFile { path: PathBuf::from("h.yaml"), text: text.to_owned() });
    let report = FileReport::new(file, "");
    let document = parse(&report, ByteSpan { start: 0, end: text.len() });
    let hooks = document.ok().flatten().map(|node| read(&report, &node, version)).unwrap_or_default();
    let shown = report.into_diagnostics().into_iter().map(|diagnostic| {
        assert!(diagnostic.location.line_column().is_some(), "{diagnostic}");
        show_diagnostic(&diagnostic)
    });
    (hooks, shown.collect())
}

fn read_text(text: &str) -> (Vec<HookDeclaration>, Vec<String>) {
    read_as(text, DockerAgentVersion::Newest)
}

/// The hooks of a block without diagnostics.
fn read_clean(text: &str) -> Vec<HookDeclaration> {
    let (hooks, findings) = read_text(text);
    assert_eq!(findings, Vec::<String>::new(), "{text}");
    hooks
}

/// The texts that diagnostics underline.
fn underlined_texts(text: &str, version: DockerAgentVersion) -> Vec<String> {
    let file = Arc::new(SourceFile { path: PathBuf::from("h.yaml"), text: text.to_owned() });
    let report = FileReport::new(file, "");
    if let Ok(Some(node)) = parse(&report, ByteSpan { start: 0, end: text.len() }) {
        let _ = read(&report, &node, version);
    }
    let spans = report.into_diagnostics().into_iter().map(|diagnostic| diagnostic.location.span);
    spans.map(|span| text[span.start..span.end].to_owned()).collect()
}

fn names(hooks: &[HookDeclaration]) -> Vec<&str> {
    hooks.iter().map(|hook| hook.name.as_str()).collect()
}

/// A block with one hook of an event, with fields in flow style.
fn single_hook_block(event: &str, fields: &str) -> String {
    match event_def::by_name(event).is_some_and(|def| def.matcher) {
        true => format!("{event}:\n  - hooks:\n      - {{{fields}}}\n"),
        false => format!("{event}:\n  - {{{fields}}}\n"),
    }
}

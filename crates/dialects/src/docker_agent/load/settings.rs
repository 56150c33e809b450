//! Reads the user's settings: `config.yaml`.

use std::path::PathBuf;

use pintle_contract::{PermissionMode, TapeRetention, TelemetrySettings, UntrustedGuardPolicy};

use super::{agent, hooks};
use crate::ParsedProject;
use crate::docker_agent::event_def::DockerAgentVersion;
use crate::document::{DocNode, FieldReader, FileReport, NodeKind};

/// Sections of the file, and settings, that only concern docker-agent's own user interface and services. They do not
/// change what an agent may do.
pub(crate) const OTHER_SECTIONS: &[&str] =
    &["version", "aliases", "providers", "board", "credential_helper", "sandbox_allowlist"];
pub(crate) const OTHER_SETTINGS: &[&str] = &[
    "hide_tool_results",
    "expand_thinking",
    "split_diff_view",
    "render_images",
    "show_banner",
    "theme",
    "theme_dark",
    "theme_light",
    "lean",
    "tab_title_max_length",
    "restore_tabs",
    "sound",
    "sound_threshold",
    "cache_stable_prompts",
    "warn_on_cache_miss",
    "busy_send_mode",
    "interrupt_confirmation",
    "keybindings",
    "layout",
];
/// The events on which `snapshot: true` takes snapshots.
const SNAPSHOT_EVENTS: [&str; 4] = ["session_start", "turn_start", "turn_end", "session_end"];

/// Reads the file into the project.
pub(super) fn read(
    report: &FileReport,
    document: Option<&DocNode>,
    version: DockerAgentVersion,
    project: &mut ParsedProject,
) {
    let mut fields =
        FieldReader::new(report, "the user's configuration", document, pintle_contract::ByteSpan::default());
    if let Some(mut own) = fields.fields("settings") {
        read_settings(&mut own, version, project);
        for key in OTHER_SETTINGS {
            let _ = own.node(key);
        }
        warn_misplaced_events(&own, "below `settings: hooks:`");
        own.finish_guarding(&["hooks", "permissions", "redact_secrets", "safety", "snapshot"]);
    }
    // Keys of Pintle's own.
    project.untrusted_guards = fields.choice("untrusted_guards", &UntrustedGuardPolicy::WORDS);
    if let Some(mut tapes) = fields.fields("tapes") {
        project.tape_witness = read_path(&mut tapes, "witness");
        project.tape_retention = read_retention(tapes);
    }
    project.telemetry = fields.fields("telemetry").and_then(read_telemetry);
    for key in OTHER_SECTIONS {
        let _ = fields.node(key);
    }
    let misplaced_hooks = fields.unread().find(|entry| entry.key == "hooks").map(|entry| entry.key_span);
    if let Some(span) = misplaced_hooks {
        let _ = fields.node("hooks");
        let help = "move it one level deeper, below `settings:`";
        report.value_error("misplaced_key", "`hooks` does not belong here and guards nothing", span, help);
    }
    warn_misplaced_events(&fields, "below `settings: hooks:`");
    fields.finish_guarding(&["settings", "untrusted_guards"]);
}

/// Reports events where hooks are not read.
fn warn_misplaced_events(fields: &FieldReader<'_>, place: &str) {
    for entry in fields.unread().filter(|entry| !matches!(entry.value.kind, NodeKind::Scalar(_))) {
        if let Some(event) = hooks::guess_event(&entry.key) {
            let message = format!("the event `{}` does not belong here, so its hooks guard nothing", entry.key);
            let help = format!("write `{event}:` {place}");
            fields.report().value_error("misplaced_key", message, entry.key_span, help);
        }
    }
}

/// Reads the path of a file, which does not depend on the working directory.
fn read_path(reader: &mut FieldReader<'_>, key: &'static str) -> Option<PathBuf> {
    let span = reader.span_of(key);
    let path = PathBuf::from(reader.text(key)?);
    if path.is_absolute() || path.starts_with("~") {
        return Some(path);
    }
    // Every process has another working directory.
    let message = format!("`{}` depends on the working directory", path.display());
    reader.report().value_error("bad_value", message, span, "write an absolute path, or one that starts with `~/`");
    None
}

/// Reads how long tapes are kept.
fn read_retention(mut reader: FieldReader<'_>) -> TapeRetention {
    let keep_days = reader.integer("keep_days", TapeRetention::KEEP_DAYS);
    let span = reader.span_of("max_size");
    let text = reader.text("max_size");
    let max_size_bytes = text.as_deref().and_then(TapeRetention::parse_size);
    if let (Some(text), None) = (text, max_size_bytes) {
        let help = "write a whole number with its unit, such as `500MB` or `2GiB`";
        reader.report().value_error("bad_value", format!("`{text}` is not a size"), span, help);
    }
    reader.finish();
    TapeRetention { keep_days, max_size_bytes }
}

/// Reads where telemetry is sent. Without a valid endpoint nothing is.
fn read_telemetry(mut reader: FieldReader<'_>) -> Option<TelemetrySettings> {
    let (whole, report) = (reader.span(), reader.report());
    let span = reader.span_of("otlp");
    let otlp = reader.text("otlp");
    let headers_file = read_path(&mut reader, "headers_file");
    let content = reader.boolean("content").unwrap_or_default();
    let help = "write `otlp: https://HOST:4318`, or `otlp: http://localhost:4318` for a collector on this machine";
    match otlp.as_deref().map(TelemetrySettings::check_endpoint) {
        None => report.value_error("missing_key", "`telemetry` has no `otlp`, so nothing is sent", whole, help),
        Some(Err(reason)) => {
            report.value_error("bad_value", format!("`otlp` is not an endpoint: {reason}"), span, help)
        }
        Some(Ok(())) => {}
    }
    reader.finish_strictly();
    Some(TelemetrySettings { otlp: otlp?, headers_file, content })
}

fn read_settings(reader: &mut FieldReader<'_>, version: DockerAgentVersion, project: &mut ParsedProject) {
    let report = reader.report();
    if let Some(block) = reader.node("hooks") {
        let (errors, declared) = (report.error_count(), hooks::read(report, block, version));
        if declared.is_empty() && report.error_count() == errors {
            let help = "add an event such as `pre_tool_use:` below it, or remove the line";
            report.value_error("no_hooks", "`hooks` declares no hooks", block.span, help);
        }
        project.hooks.extend(declared);
    }
    if reader.boolean("snapshot") == Some(true) {
        let place = reader.node("snapshot").map(|node| report.location(node.span)).unwrap_or_default();
        let wired =
            SNAPSHOT_EVENTS.iter().filter_map(|event| hooks::builtin_hook(event, "snapshot", &[], &place, version));
        project.hooks.extend(wired);
    }
    // A key of Pintle's own; unlike the key of an agent, it applies to every agent and every hook.
    project.redact_secrets = reader.boolean("redact_secrets") == Some(true);
    project.permissions = agent::read_permissions(reader);
    // `safety` takes precedence over its older form.
    let older = reader.boolean("YOLO").filter(|wanted| *wanted).map(|_| PermissionMode::Autonomous);
    project.permissions.mode = agent::read_mode(reader).or(older);
}

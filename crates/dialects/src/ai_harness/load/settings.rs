//! Reads the settings of an agent's own file.

use pintle_contract::{
    CompactionSpec, DelegationSpec, ExitMode, ExitSpec, HistorySpec, MetaSpec, NetworkSpec, OnMaxIterations,
    PermissionMode, PolicyMode, ToolsPolicy,
};

use crate::document::{DocNode, FieldReader, PlainValue};
use crate::words::PERMISSION_MODES;

/// The maximum delegation depth.
const MAX_DEPTH: u32 = 5;

/// Reads `context`; the second value is `context.system_prompt`.
pub(super) fn read_context(fields: &mut FieldReader<'_>) -> (HistorySpec, Option<String>) {
    let default = HistorySpec::default();
    let Some(mut own) = fields.fields("context") else {
        return (default, None);
    };
    let history = HistorySpec {
        max_messages: own.integer("max_history", 1..=1_000_000).unwrap_or(default.max_messages),
        max_tokens: own.integer("max_tokens", 1..=100_000_000).unwrap_or(default.max_tokens),
    };
    let prompt = own.text("system_prompt");
    own.warn_unsupported("sources", "put the text in the body, or read the files with a tool");
    own.finish();
    (history, prompt)
}

/// Reads `compaction`. If absent, the model's own context window applies, as far as it is known.
pub(super) fn read_compaction(fields: &mut FieldReader<'_>) -> CompactionSpec {
    let default = CompactionSpec::default();
    let Some(mut own) = fields.fields("compaction") else {
        return default;
    };
    let compaction = CompactionSpec {
        enabled: own.boolean("enabled").unwrap_or(default.enabled),
        threshold: own.number("threshold", 0.01..=1.0).unwrap_or(default.threshold),
        context_limit: own.integer("context_limit", 1..=1_000_000_000),
    };
    own.finish();
    compaction
}

pub(super) fn read_permission_mode(fields: &mut FieldReader<'_>) -> Option<PermissionMode> {
    fields.choice("permission_mode", &PERMISSION_MODES)
}

/// Reads `tools_policy`. A list of allowed tools without a mode is an allowlist.
pub(super) fn read_policy(fields: &mut FieldReader<'_>) -> ToolsPolicy {
    let Some(mut own) = fields.fields("tools_policy") else {
        return ToolsPolicy::default();
    };
    let report = own.report();
    let mut globs = |key: &'static str| {
        let items = own.list(key).unwrap_or_default();
        for (index, item) in items.iter().enumerate().filter(|(_, item)| item.as_text() == Some("") || item.is_null()) {
            report.error(
                "bad_value",
                &format!("tools_policy.{key}[{index}] is empty"),
                item.span,
                Some(String::from("remove it")),
            );
        }
        let texts = own.texts(key);
        texts.into_iter().filter(|glob| !glob.is_empty()).collect::<Vec<_>>()
    };
    let (allow, deny) = (globs("allow"), globs("deny"));
    let inferred = if allow.is_empty() { PolicyMode::Denylist } else { PolicyMode::Allowlist };
    let mode = match own.node("mode").map(|node| (node, node.as_text())) {
        None | Some((_, Some(""))) => inferred,
        Some((_, Some("allowlist"))) => PolicyMode::Allowlist,
        Some((_, Some("denylist"))) => PolicyMode::Denylist,
        Some((node, text)) => {
            let written = text.unwrap_or(node.describe());
            let message = format!("tools_policy.mode \"{written}\" must be allowlist|denylist");
            let help = text.and_then(|text| pintle_contract::did_you_mean(text, ["allowlist", "denylist"]));
            report.error("bad_value", &message, node.span, help);
            // The stricter mode, in case the caller continues despite the error.
            PolicyMode::Allowlist
        }
    };
    own.finish_guarding_all();
    ToolsPolicy { mode, allow, deny }
}

pub(super) fn read_delegation(fields: &mut FieldReader<'_>) -> DelegationSpec {
    let Some(mut own) = fields.fields("delegation") else {
        return DelegationSpec::default();
    };
    let mut max_depth = own.integer("max_depth", 0..=u32::MAX);
    if let Some(depth) = max_depth.filter(|depth| *depth > MAX_DEPTH) {
        let place = own.span_of("max_depth");
        let help = Some(format!("write at most {MAX_DEPTH}"));
        own.report().warning(
            "bad_value",
            format!("max_depth {depth} is above the limit, so {MAX_DEPTH} is used"),
            place,
            help,
        );
        max_depth = Some(MAX_DEPTH);
    }
    let max_concurrent = own.integer("max_concurrent", 0..=1000).filter(|count| *count > 0);
    let iterations_per_depth = read_iterations(&mut own);
    let verify = own.script("verify").filter(|script| !script.text.trim().is_empty());
    let mut max_verify_retries = own.integer("max_verify_retries", 0..=100);
    if let Some(mut policy) = own.fields("verify_policy") {
        // `max_verify_retries` takes precedence over the policy's value.
        max_verify_retries = max_verify_retries.or(policy.integer("max_retries", 0..=100));
        policy.note_reserved("on_exhausted");
        policy.note_reserved("timeout_per_attempt");
        policy.finish_guarding_all();
    }
    own.finish_guarding_all();
    DelegationSpec { max_depth, max_concurrent, iterations_per_depth, verify, max_verify_retries }
}

fn read_iterations(fields: &mut FieldReader<'_>) -> Vec<u32> {
    let report = fields.report();
    let items = fields.list("iterations_per_depth").unwrap_or_default();
    let whole = |item: &DocNode| match item.plain_value() {
        Some(PlainValue::Integer(value)) if value > 0 => u32::try_from(value).ok(),
        _ => None,
    };
    let read = |item| {
        let value = whole(item);
        if value.is_none() {
            report.value_error("bad_value", "iterations_per_depth must list whole numbers above 0", item.span, None);
        }
        value
    };
    items.iter().filter_map(read).collect()
}

/// Reads `meta`. If absent, it is disabled.
pub(super) fn read_meta(fields: &mut FieldReader<'_>) -> MetaSpec {
    let default = MetaSpec::default();
    let Some(mut own) = fields.fields("meta") else {
        return default;
    };
    let meta = MetaSpec {
        enabled: own.boolean("enabled").unwrap_or(false),
        max_tools: own.integer("max_tools", 0..=10_000).unwrap_or(default.max_tools),
        max_hooks: own.integer("max_hooks", 0..=10_000).unwrap_or(default.max_hooks),
        max_agents: own.integer("max_agents", 0..=10_000).unwrap_or(default.max_agents),
        max_call_depth: own.integer("max_call_depth", 0..=100).unwrap_or(default.max_call_depth),
    };
    own.finish_guarding_all();
    meta
}

pub(super) fn read_network(fields: &mut FieldReader<'_>) -> NetworkSpec {
    let Some(mut own) = fields.fields("network") else {
        return NetworkSpec::default();
    };
    let allowed_domains = own.texts("allowed_domains");
    own.finish();
    NetworkSpec { allowed_domains }
}

pub(super) fn read_exit(fields: &mut FieldReader<'_>) -> ExitSpec {
    let default = ExitSpec::default();
    let Some(mut own) = fields.fields("exit_policy") else {
        return default;
    };
    let modes = [
        ("natural", ExitMode::Natural),
        ("done_tool", ExitMode::DoneTool),
        ("hook", ExitMode::Hook),
        ("hybrid", ExitMode::Hybrid),
    ];
    let ends = [
        ("error", OnMaxIterations::Error),
        ("warn_and_exit", OnMaxIterations::WarnAndExit),
        ("continue_with_warning", OnMaxIterations::ContinueWithWarning),
    ];
    let exit = ExitSpec {
        mode: own.choice("mode", &modes).unwrap_or_default(),
        max_iterations: own
            .integer("max_iterations", 0..=100_000)
            .filter(|count| *count > 0)
            .unwrap_or(default.max_iterations),
        on_max_iterations: own.choice("on_max_iterations", &ends).unwrap_or_default(),
        block_fails_turn: own.boolean("block_fails_turn").unwrap_or(false),
        ..ExitSpec::default()
    };
    own.finish_guarding_all();
    exit
}

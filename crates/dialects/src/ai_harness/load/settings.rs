//! The settings of an agent's own file: a table of keys for each mapping.

use pintle_contract::{
    CompactionSpec, DelegationSpec, ExitMode, ExitSpec, HistorySpec, MetaSpec, NetworkSpec, OnMaxIterations,
    PolicyMode, ScriptSource, ToolsPolicy,
};

use crate::document::{DocNode, FieldReader, KeyTable, PlainValue, UnknownKeys, key};

/// The maximum delegation depth.
const MAX_DEPTH: u32 = 5;

const EXIT_MODES: &[(&str, ExitMode)] = &[
    ("natural", ExitMode::Natural),
    ("done_tool", ExitMode::DoneTool),
    ("hook", ExitMode::Hook),
    ("hybrid", ExitMode::Hybrid),
];

const ON_MAX_ITERATIONS: &[(&str, OnMaxIterations)] = &[
    ("error", OnMaxIterations::Error),
    ("warn_and_exit", OnMaxIterations::WarnAndExit),
    ("continue_with_warning", OnMaxIterations::ContinueWithWarning),
];

/// `context`.
#[derive(Debug)]
pub(super) struct ContextKeys {
    max_history: usize,
    max_tokens: usize,
    /// The instruction of an agent whose file has no body.
    pub(super) system_prompt: Option<String>,
}

impl ContextKeys {
    pub(super) fn history(&self) -> HistorySpec {
        HistorySpec { max_messages: self.max_history, max_tokens: self.max_tokens }
    }
}

pub(super) static CONTEXT: KeyTable<ContextKeys> = KeyTable {
    title: "context",
    about: "How much of the conversation is sent.",
    start: || {
        let HistorySpec { max_messages, max_tokens } = HistorySpec::default();
        ContextKeys { max_history: max_messages, max_tokens, system_prompt: None }
    },
    unknown: UnknownKeys::Warned,
    keys: &[
        key!(max_history: integer(1..=1_000_000), "The maximum number of messages."),
        key!(max_tokens: integer(1..=100_000_000), "The maximum number of tokens, estimated."),
        key!(system_prompt?: text, "none", "The instruction; ignored if the file has a body."),
        key!("sources": unsupported("put the text in the body, or read the files with a tool")),
    ],
};

pub(super) static COMPACTION: KeyTable<CompactionSpec> = KeyTable {
    title: "compaction",
    about: "When the conversation is compacted: as it nears the model's window, or when the model rejects it as too long.",
    start: CompactionSpec::default,
    unknown: UnknownKeys::Warned,
    keys: &[
        key!(enabled: boolean, "Whether it is compacted automatically."),
        key!(threshold: number(0.01..=1.0), "The share of the window at which the conversation is compacted."),
        key!(context_limit?: integer(1..=1_000_000_000), "the model's",
            "The window in tokens; without it an unknown model's window is never full."),
    ],
};

/// `tools_policy`.
#[derive(Debug, Default)]
pub(super) struct PolicyKeys {
    mode: Option<PolicyMode>,
    allow: Vec<String>,
    deny: Vec<String>,
}

impl PolicyKeys {
    /// A list of allowed tools without a mode is an allowlist.
    pub(super) fn policy(self) -> ToolsPolicy {
        let inferred = if self.allow.is_empty() { PolicyMode::Denylist } else { PolicyMode::Allowlist };
        ToolsPolicy { mode: self.mode.unwrap_or(inferred), allow: self.allow, deny: self.deny }
    }
}

pub(super) static TOOLS_POLICY: KeyTable<PolicyKeys> = KeyTable {
    title: "tools_policy",
    about: "Which tools may be used. Patterns with `*` and `?`; `deny` wins. A tool that is not allowed is hidden from the model.",
    start: PolicyKeys::default,
    unknown: UnknownKeys::GuardingAll,
    keys: &[
        key!("mode": with(read_policy_mode, "`allowlist`, `denylist`", "by `allow`"),
            "Only what `allow` names, or everything but what `deny` names. A list in `allow` implies `allowlist`."),
        key!("allow": with(|fields, policy: &mut PolicyKeys| policy.allow = read_globs(fields, "allow"),
            "list of texts", "none"), "Patterns of allowed tools."),
        key!("deny": with(|fields, policy: &mut PolicyKeys| policy.deny = read_globs(fields, "deny"),
            "list of texts", "none"), "Patterns of denied tools."),
    ],
};

fn read_policy_mode(fields: &mut FieldReader<'_>, policy: &mut PolicyKeys) {
    let Some(node) = fields.node("mode") else { return };
    policy.mode = match node.as_text() {
        Some("") => None,
        Some("allowlist") => Some(PolicyMode::Allowlist),
        Some("denylist") => Some(PolicyMode::Denylist),
        text => {
            let written = text.unwrap_or(node.describe());
            let message = format!("tools_policy.mode \"{written}\" must be allowlist|denylist");
            let help = text.and_then(|text| pintle_contract::did_you_mean(text, ["allowlist", "denylist"]));
            fields.report().error("bad_value", message, node.span, help);
            // The stricter mode, in case the caller continues despite the error.
            Some(PolicyMode::Allowlist)
        }
    };
}

fn read_globs(fields: &mut FieldReader<'_>, key: &'static str) -> Vec<String> {
    let items = fields.list(key).unwrap_or_default();
    for (index, item) in items.iter().enumerate().filter(|(_, item)| item.as_text() == Some("") || item.is_null()) {
        fields.report().error("bad_value", format!("tools_policy.{key}[{index}] is empty"), item.span, "remove it");
    }
    fields.texts(key).into_iter().filter(|glob| !glob.is_empty()).collect()
}

/// `delegation`.
#[derive(Debug, Default)]
pub(super) struct DelegationKeys {
    max_depth: Option<u32>,
    max_concurrent: Option<u32>,
    iterations_per_depth: Vec<u32>,
    verify: Option<ScriptSource>,
    max_verify_retries: Option<u32>,
    verify_policy: VerifyPolicyKeys,
}

impl DelegationKeys {
    pub(super) fn spec(self) -> DelegationSpec {
        DelegationSpec {
            max_depth: self.max_depth,
            max_concurrent: self.max_concurrent.filter(|count| *count > 0),
            iterations_per_depth: self.iterations_per_depth,
            verify: self.verify.filter(|script| !script.text.trim().is_empty()),
            max_verify_retries: self.max_verify_retries.or(self.verify_policy.max_retries),
        }
    }
}

pub(super) static DELEGATION: KeyTable<DelegationKeys> = KeyTable {
    title: "delegation",
    about: "Limits on delegation.",
    start: DelegationKeys::default,
    unknown: UnknownKeys::GuardingAll,
    keys: &[
        key!("max_depth": with(read_max_depth, "whole number", "3"),
            "How deep agents may delegate; 0 forbids it, 5 is the maximum."),
        key!(max_concurrent?: integer(0..=1000), "5", "How many child agents run at once."),
        key!("iterations_per_depth": with(read_iterations, "list of whole numbers", "`[20, 10, 5, 3]`"),
            "The maximum number of model calls of a child agent, by depth; the last applies to deeper ones."),
        key!(verify?: script, "none", "The source that defines `run(result)`, which every delegation must pass."),
        key!(max_verify_retries?: integer(0..=100), "2", "Attempts after a failed verification."),
        key!(verify_policy: mapping(VERIFY_POLICY), "The same in another notation."),
    ],
};

/// `delegation.verify_policy`.
#[derive(Debug, Default)]
pub(super) struct VerifyPolicyKeys {
    max_retries: Option<u32>,
}

pub(super) static VERIFY_POLICY: KeyTable<VerifyPolicyKeys> = KeyTable {
    title: "delegation.verify_policy",
    about: "Another notation for `max_verify_retries`, which takes precedence.",
    start: VerifyPolicyKeys::default,
    unknown: UnknownKeys::GuardingAll,
    keys: &[
        key!(max_retries?: integer(0..=100), "2", "Attempts after a failed verification."),
        key!("on_exhausted": reserved),
        key!("timeout_per_attempt": reserved),
    ],
};

fn read_max_depth(fields: &mut FieldReader<'_>, delegation: &mut DelegationKeys) {
    delegation.max_depth = fields.integer("max_depth", 0..=u32::MAX);
    if let Some(depth) = delegation.max_depth.filter(|depth| *depth > MAX_DEPTH) {
        let (place, help) = (fields.span_of("max_depth"), Some(format!("write at most {MAX_DEPTH}")));
        let message = format!("max_depth {depth} is above the limit, so {MAX_DEPTH} is used");
        fields.report().warning("bad_value", message, place, help);
        delegation.max_depth = Some(MAX_DEPTH);
    }
}

fn read_iterations(fields: &mut FieldReader<'_>, delegation: &mut DelegationKeys) {
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
    delegation.iterations_per_depth = items.iter().filter_map(read).collect();
}

pub(super) static META: KeyTable<MetaSpec> = KeyTable {
    title: "meta",
    about: "Limits on self-augmentation: what an agent may register while it runs, under the hooks of `meta.*`.",
    start: MetaSpec::default,
    unknown: UnknownKeys::GuardingAll,
    keys: &[
        key!(enabled: boolean, "Whether self-augmentation is allowed."),
        key!(max_tools: integer(0..=10_000), "Tools that may be registered."),
        key!(max_hooks: integer(0..=10_000), "Hooks that may be registered."),
        key!(max_agents: integer(0..=10_000), "Agents that may be registered."),
        key!(max_call_depth: integer(0..=100), "How deep `meta.call_tool` may nest."),
    ],
};

pub(super) static NETWORK: KeyTable<NetworkSpec> = KeyTable {
    title: "network",
    about: "Where scripts may connect to. Redirects and resolved addresses are checked too, and private ranges are denied unless listed.",
    start: NetworkSpec::default,
    unknown: UnknownKeys::Warned,
    keys: &[key!(allowed_domains: texts,
        "`example.com` with its sub-domains, `*.example.com` without the domain itself, `*` for all.")],
};

pub(super) static EXIT_POLICY: KeyTable<ExitSpec> = KeyTable {
    title: "exit_policy",
    about: "When a turn may end. `agent.stop` is fired in every mode.",
    start: ExitSpec::default,
    unknown: UnknownKeys::GuardingAll,
    keys: &[
        key!(mode: choice(EXIT_MODES),
            "What ends a turn: the model's final text, the `done` tool, the hooks of `agent.stop`, or both."),
        key!("max_iterations": with(read_max_iterations, "whole number, 0 to 100000", "50"),
            "The maximum number of model calls in one turn; 0 means the default."),
        key!(on_max_iterations: choice(ON_MAX_ITERATIONS),
            "What happens at that limit: the turn fails, it ends with the current text, or it continues once more with a warning to the model."),
        key!(block_fails_turn: boolean,
            "Whether a deny of `agent.stop` fails the turn instead of making the agent continue."),
    ],
};

fn read_max_iterations(fields: &mut FieldReader<'_>, exit: &mut ExitSpec) {
    if let Some(count) = fields.integer("max_iterations", 0..=100_000).filter(|count| *count > 0) {
        exit.max_iterations = count;
    }
}

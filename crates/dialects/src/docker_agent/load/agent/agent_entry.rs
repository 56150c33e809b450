//! Reads one agent of a file. A docker-agent key without a row in the table is not read.

use pintle_contract::{
    AgentSpec, ByteSpan, CompactionSpec, ExitSpec, HistorySpec, HookDeclaration, Location, MemberSpec, NetworkSpec,
    OnMaxIterations, PermissionMode,
};

use super::model::{RETRIES, ResolvedModel, THRESHOLDS, read_names};
use super::{AgentFile, report_unknown};
use crate::docker_agent::codec::LOOP_RULES;
use crate::docker_agent::event_def::DockerAgentVersion;
use crate::docker_agent::hooks;
use crate::document::{
    DocNode, FieldReader, FileReport, KeyDef, KeyTable, MapEntry, NodeKind, UnknownKeys, key, read_keys,
};
use crate::words::PERMISSION_MODES;

/// The number of identical batches of calls in a row after which an agent is stopped.
const MAX_CONSECUTIVE: u32 = 5;
/// No limit: docker-agent reads 0 as unlimited.
const UNBOUNDED: u32 = u32::MAX;

/// The keys of an agent. What needs the rest of the file is read by its own reader.
#[derive(Debug, Default)]
pub(in crate::docker_agent::load) struct AgentEntryKeys {
    description: String,
    instruction: String,
    welcome_message: Option<String>,
    safety: Option<PermissionMode>,
    add_prompt_files_depth: Option<u32>,
    session_compaction: Option<bool>,
    compaction_threshold: Option<f64>,
}

pub(in crate::docker_agent::load) static AGENT_ENTRY: KeyTable<AgentEntryKeys> = KeyTable {
    title: "agents.NAME",
    about: "One agent; without `root` the first of the file talks to the user.",
    start: AgentEntryKeys::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!("model": listed("text", "`--model`"),
            "A name of `models`, `provider/model`, or `script:FILE`; after commas, further ones for when it fails."),
        key!("fallback": listed("mapping", "none"), "`models` for when the model fails, and how many `retries` come before."),
        key!(description: text, "What the agent does; agents that may delegate to it see this."),
        key!(instruction: text, "Its system prompt."),
        key!(welcome_message?: text, "none", "What is shown when a session starts."),
        key!("commands": listed("mapping", "none"), "Named prompts."),
        key!("use_commands": listed("list of texts", "none"), "Groups of the file's `commands`."),
        key!("toolsets": listed("list", "none"), "Its tools."),
        key!("use_toolsets": listed("list of texts", "none"), "Names of the file's `toolsets`."),
        key!("sub_agents": listed("list of texts", "none"), "Agents of the file that it may delegate to."),
        key!("handoffs": listed("list of texts", "none"), "Agents of the file that it may hand the conversation to."),
        key!("force_handoff": listed("text", "none"), "The agent to which every finished turn goes."),
        key!("hooks": listed("mapping", "none"), "Its hooks, by event."),
        key!(safety?: choice(&PERMISSION_MODES), "none",
            "What happens to a call that no permission rule decides."),
        key!("redact_secrets": listed("true or false", "true"), "Whether secrets are redacted before the model sees them."),
        key!("add_date": listed("true or false", "false"), "Whether the model is told the date."),
        key!("add_environment_info": listed("true or false", "false"), "Whether the model sees facts about the machine."),
        key!("add_prompt_files": listed("list of texts", "none"), "Files whose text the model is given."),
        key!(add_prompt_files_depth?: integer(0..=100), 0, "How many directories below they are searched."),
        key!("max_iterations": listed("whole number, 0 or more", "unlimited"), "The maximum number of model calls in one turn."),
        key!("max_consecutive_tool_calls": listed("whole number, 0 or more", "5"),
            "How many identical batches of calls in a row end the turn."),
        key!("num_history_items": listed("whole number, 0 or more", "unlimited"), "How many messages are sent."),
        key!(session_compaction?: boolean, true, "Whether the conversation is compacted automatically."),
        key!(compaction_threshold?: number(THRESHOLDS), CompactionSpec::default().threshold,
            "The share of the model's window at which it is compacted."),
        key!("readonly": refused("list the read-only tools under `tools` of each toolset")),
        key!("harness": unsupported("give the agent a `model`")),
        key!("instruction_file": unsupported("write the text under `instruction: |`, or list the file under `add_prompt_files`")),
        key!("code_mode_tools": unsupported("tools are called individually")),
        key!("budgets": refused("remove it; `max_iterations` limits a run, and cost is not limited")),
        key!("routing": refused("remove it, and list the agents that may take over under `handoffs`")),
        key!("inject_memories": unsupported("the agent reads its notes with the tools of `memory`")),
        key!("max_inject_memories": unsupported("it only applies to `inject_memories`")),
        key!("inject_memories_strategy": unsupported("it only applies to `inject_memories`")),
        key!("max_old_tool_call_tokens": unsupported("large results are truncated on arrival, and old ones are compacted")),
        key!("max_tool_result_tokens": unsupported("the built-in `limit_large_tool_results` limits every result")),
        key!("compaction_model": unsupported("the agent's own model writes its summaries")),
        key!("structured_output": unsupported("describe the output format in `instruction`")),
        key!("add_description_parameter": unsupported("tools keep their own parameters")),
        key!("cache": unsupported("every request is sent to the model")),
        key!("skills": unsupported("put the knowledge into `instruction` or `add_prompt_files`")),
        key!("use_skills": unsupported("put the knowledge into `instruction` or `add_prompt_files`")),
    ],
};

/// Reads one agent. Invalid parts are reported and skipped.
pub(super) fn read(entry: &MapEntry, file: &AgentFile<'_>) -> AgentSpec {
    let report = file.report;
    let mut fields = FieldReader::of_entry(report, "agent", entry);
    let location = report.location(entry.key_span);
    let keys = AGENT_ENTRY.read(&mut fields);
    let chosen = read_model(&mut fields, file);
    let fallback = read_fallback(&mut fields);
    let mut others = chosen.as_ref().map(|chosen| chosen.alternatives.clone()).unwrap_or_default();
    others.extend(fallback.models);
    let toolsets = file.shared.read_toolsets(&mut fields);
    let safer = toolsets.safer.map(|span| report.location(span));
    let of_flags = read_flags(&mut fields, keys.add_prompt_files_depth, safer, &location, file.compat);
    let own_hooks = fields.node("hooks").filter(|node| !node.is_null());
    let mut declared = own_hooks.map(|node| hooks::read(report, node, file.compat)).unwrap_or_default();
    declared.extend(of_flags);
    let member = MemberSpec {
        toolsets: toolsets.sets,
        sub_agents: read_references(&mut fields, "sub_agents", file),
        handoffs: read_references(&mut fields, "handoffs", file),
        forced_handoff: read_forced(&mut fields, file),
        welcome_message: keys.welcome_message,
        commands: read_commands(&mut fields, file),
    };
    let default = CompactionSpec::default();
    let chosen_threshold = chosen.as_ref().and_then(|chosen| chosen.threshold);
    let compaction = CompactionSpec {
        enabled: keys.session_compaction.unwrap_or(default.enabled),
        // The model's threshold takes precedence over the agent's.
        threshold: chosen_threshold.or(keys.compaction_threshold).unwrap_or(default.threshold),
        context_limit: chosen.as_ref().and_then(|chosen| chosen.window),
    };
    let mut model = chosen.map(|chosen| chosen.spec);
    if let (Some(model), Some(retries)) = (&mut model, fallback.retries) {
        model.retry.max_retries = retries;
    }
    let spec = AgentSpec {
        name: entry.key.clone(),
        description: keys.description,
        model,
        instruction: keys.instruction,
        hooks: declared,
        fallback_models: file.models.resolve(&others),
        history: read_history(&mut fields),
        compaction,
        permission_mode: keys.safety,
        network: NetworkSpec { allowed_domains: vec![String::from("*")] },
        exit: ExitSpec {
            max_iterations: read_bounded(&mut fields, "max_iterations").unwrap_or(UNBOUNDED),
            on_max_iterations: OnMaxIterations::Ask,
            max_consecutive_tool_calls: read_bounded(&mut fields, "max_consecutive_tool_calls")
                .unwrap_or(MAX_CONSECUTIVE),
            ..ExitSpec::default()
        },
        rules: LOOP_RULES,
        member: Some(member),
        location,
        ..AgentSpec::default()
    };
    super::liveness::check_matchers(report, &spec);
    AGENT_ENTRY.finish(fields);
    spec
}

/// The history: only the number of messages is limited, because compaction limits the tokens.
fn read_history(fields: &mut FieldReader<'_>) -> HistorySpec {
    let items = read_bounded(fields, "num_history_items").and_then(|items| usize::try_from(items).ok());
    HistorySpec { max_messages: items.unwrap_or(usize::MAX), max_tokens: usize::MAX }
}

fn read_model(fields: &mut FieldReader<'_>, file: &AgentFile<'_>) -> Option<ResolvedModel> {
    let text = fields.text("model")?;
    let span = fields.span_of("model");
    file.models.choose(&text, span)
}

/// Reads a number whose value 0 means the default, as in docker-agent.
fn read_bounded(fields: &mut FieldReader<'_>, key: &'static str) -> Option<u32> {
    fields.integer(key, 0..=UNBOUNDED).filter(|count| *count > 0)
}

/// What to do if a model fails.
#[derive(Default)]
struct FallbackPolicy {
    models: Vec<(String, ByteSpan)>,
    retries: Option<u32>,
}

fn read_fallback(fields: &mut FieldReader<'_>) -> FallbackPolicy {
    let Some(mut own) = fields.fields("fallback") else { return FallbackPolicy::default() };
    let retries = own.integer("retries", -1_i64..=100).map(|count| match count {
        0 => RETRIES,
        count => u32::try_from(count).unwrap_or(0),
    });
    let fallback = FallbackPolicy { models: read_names(&mut own, "models"), retries };
    read_keys(&mut own, &[key!("cooldown": unsupported("every call tries the first model first"))]);
    own.finish_strictly();
    fallback
}

/// The hooks that an agent's flags stand for.
///
/// They run after the user's own hooks, so that a user's rewrite is also redacted, and the limiter runs last, so that
/// what it writes to its file is already redacted. `safer` is where a shell toolset sets it.
fn read_flags(
    fields: &mut FieldReader<'_>,
    depth: Option<u32>,
    safer: Option<Location>,
    agent: &Location,
    version: DockerAgentVersion,
) -> Vec<HookDeclaration> {
    let report = fields.report();
    let flags = ["add_date", "add_environment_info", "redact_secrets"].map(|key| {
        let is_on = fields.boolean(key)?;
        Some((is_on, fields.node(key).map(|node| report.location(node.span))?))
    });
    // Secrets are redacted unless that is switched off.
    let is_declared = matches!(flags, [.., Some(_)]);
    let [date, environment, redact] = flags.map(|flag| flag.filter(|(is_on, _)| *is_on).map(|(_, place)| place));
    let redact = if is_declared { redact } else { Some(agent.clone()) };
    let files = read_names(fields, "add_prompt_files");
    let files_place = files.first().map(|(_, span)| report.location(*span));
    let depth = depth.filter(|depth| *depth > 0).map(|depth| format!("--depth={depth}"));
    let files: Vec<&str> = depth.as_deref().into_iter().chain(files.iter().map(|(name, _)| name.as_str())).collect();
    let of_arguments = if version == DockerAgentVersion::G1 { "pre_tool_use" } else { "tool_input_transform" };
    let mut added = Vec::new();
    let mut add = |events: &[&str], name: &str, arguments: &[&str], place: Option<&Location>| {
        let Some(place) = place else { return };
        added.extend(events.iter().filter_map(|event| hooks::builtin_hook(event, name, arguments, place, version)));
    };
    add(&["turn_start"], "add_date", &[], date.as_ref());
    add(&["turn_start"], "add_prompt_files", &files, files_place.as_ref());
    add(&["session_start"], "add_environment_info", &[], environment.as_ref());
    add(&["tool_guard"], "safer_shell", &["safer"], safer.as_ref());
    add(&[of_arguments, "before_llm_call", "tool_response_transform"], "redact_secrets", &[], redact.as_ref());
    add(&["tool_response_transform", "session_end"], "limit_large_tool_results", &[], Some(agent));
    added
}

/// Reads a list of agent names, each of which the file must declare.
fn read_references(fields: &mut FieldReader<'_>, key: &'static str, file: &AgentFile<'_>) -> Vec<String> {
    let written = read_names(fields, key);
    written.into_iter().filter(|(name, span)| check_declared(name, *span, file)).map(|(name, _)| name).collect()
}

fn read_forced(fields: &mut FieldReader<'_>, file: &AgentFile<'_>) -> Option<String> {
    let name = fields.text("force_handoff")?;
    let span = fields.span_of("force_handoff");
    check_declared(&name, span, file).then_some(name)
}

fn check_declared(name: &str, span: ByteSpan, file: &AgentFile<'_>) -> bool {
    if file.agents.contains(&name) {
        return true;
    }
    if name.contains(['/', ':']) {
        let message = format!("agents from a registry are not supported yet, so no task can be delegated to `{name}`");
        file.report.warning("not_supported", message, span, "copy its declaration into `agents` in this file");
    } else {
        let known = file.agents.iter().copied();
        report_unknown(file.report, "the agent", name, span, known, "declare it under `agents`");
    }
    false
}

/// Reads named prompts: the agent's own first, then those of the groups it names.
fn read_commands(fields: &mut FieldReader<'_>, file: &AgentFile<'_>) -> Vec<(String, String)> {
    let mut commands = fields.node("commands").map(|node| read_prompts(file.report, node)).unwrap_or_default();
    for group in file.shared.command_groups(fields) {
        for (name, prompt) in read_prompts(file.report, group) {
            if commands.iter().all(|(known, _)| *known != name) {
                commands.push((name, prompt));
            }
        }
    }
    commands
}

/// Parts of a command that Pintle does not implement.
const NOT_YET: &[KeyDef<()>] = &[
    key!("agent": unsupported("`--agent NAME` starts with that agent")),
    key!("url": unsupported("Pintle does not open a browser")),
];

/// Reads a set of commands, a mapping or a list of mappings, as names and prompts.
pub(super) fn read_prompts(report: &FileReport, node: &DocNode) -> Vec<(String, String)> {
    match &node.kind {
        NodeKind::Map(entries) => entries.iter().filter_map(|entry| read_prompt(report, entry)).collect(),
        NodeKind::List(items) => items.iter().flat_map(|item| read_prompt_item(report, item)).collect(),
        NodeKind::Scalar(_) if node.is_null() => Vec::new(),
        NodeKind::Scalar(_) => {
            report.wrong_type("commands", "a mapping", node, "write lines such as `name: prompt`");
            Vec::new()
        }
    }
}

fn read_prompt_item(report: &FileReport, item: &DocNode) -> Vec<(String, String)> {
    match &item.kind {
        NodeKind::List(_) => {
            report.value_error("wrong_type", "a command must be `name: prompt`, not a list", item.span, None);
            Vec::new()
        }
        _ => read_prompts(report, item),
    }
}

fn read_prompt(report: &FileReport, entry: &MapEntry) -> Option<(String, String)> {
    if let Some(text) = entry.value.as_text() {
        return Some((entry.key.clone(), text.to_owned()));
    }
    let mut fields = FieldReader::of_entry(report, "command", entry);
    let instruction = fields.text("instruction");
    let _ = fields.text("description");
    read_keys(&mut fields, NOT_YET);
    fields.finish_strictly();
    Some((entry.key.clone(), instruction?))
}

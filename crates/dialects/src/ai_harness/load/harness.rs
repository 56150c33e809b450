//! Reads the agent's own file: `harness.md` or `harness.yaml`.

use pintle_contract::{
    AgentSpec, ByteSpan, CompactionSpec, ExitSpec, MetaSpec, ModelSpec, NetworkSpec, PermissionMode,
};

use super::agent::AgentDraft;
use super::hook::HookDraft;
use super::merge::{DeclarationSource, GatheredFiles, ToolDraft, new_report};
use super::model::ModelRef;
use super::settings::{ContextKeys, DelegationKeys, PolicyKeys};
use super::{agent, hook, model, settings, tool};
use crate::document::{FieldReader, KeyTable, UnknownKeys, key, parse, skip_byte_order_mark, split};
use crate::words::PERMISSION_MODES;
use crate::{Artifact, ArtifactKind};

/// The stem of a YAML file that can only be an agent's own file.
const OWN_NAME: &str = "harness";

/// Reads the file into the gathered declarations.
pub(super) fn read(artifact: &Artifact, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "");
    if artifact.role == ArtifactKind::HarnessYaml {
        let whole = ByteSpan { start: skip_byte_order_mark(&report), end: artifact.file.text.len() };
        if let Ok(matter) = parse(&report, whole) {
            if matter.is_none() {
                let help = "write an agent, its hooks or a list of hooks into it, or delete it";
                report.value_error("empty_file", "the file is empty and declares nothing", whole, help);
            }
            let mut fields = FieldReader::new(&report, "the agent", matter.as_ref(), report.first_line(whole));
            read_fields(&mut fields, "", gathered);
            match artifact.name.as_str() {
                OWN_NAME => ROOT.finish(fields),
                // A file of any other name may have been meant for something else, and would then guard nothing.
                _ => fields.finish_strictly(),
            }
        }
    } else if let Some(document) = split(&report) {
        let place = report.first_line(document.matter_span);
        let mut fields = FieldReader::new(&report, "the agent", document.matter.as_ref(), place);
        read_fields(&mut fields, document.body, gathered);
        ROOT.finish(fields);
    }
    gathered.findings.extend(report.into_diagnostics());
}

fn read_fields(fields: &mut FieldReader<'_>, body: &str, gathered: &mut GatheredFiles) {
    let keys = ROOT.read(fields);
    let model = keys.model.map(|model| model.resolve(None, &keys.models));
    // The body takes precedence over `context.system_prompt`.
    let history = keys.context.history();
    let instruction = if body.is_empty() { keys.context.system_prompt.unwrap_or_default() } else { body.to_owned() };
    gathered.redact_secrets = keys.redact_secrets;
    gathered.tools.extend(keys.tools);
    gathered.hooks.extend(keys.hooks);
    gathered.agents.extend(keys.agents);
    gathered.harness = Some(AgentSpec {
        name: keys.name,
        description: keys.description,
        model,
        models: keys.models,
        instruction,
        policy: keys.tools_policy.policy(),
        history,
        compaction: keys.compaction,
        permission_mode: keys.permission_mode,
        delegation: keys.delegation.spec(),
        meta: keys.meta,
        network: keys.network,
        exit: keys.exit_policy,
        location: fields.report().location(fields.report().first_line(fields.span())),
        ..AgentSpec::default()
    });
}

/// The keys of the agent's own file.
#[derive(Debug)]
pub(super) struct RootKeys {
    name: String,
    description: String,
    model: Option<ModelRef>,
    models: Vec<ModelSpec>,
    context: ContextKeys,
    tools: Vec<ToolDraft>,
    tools_policy: PolicyKeys,
    hooks: Vec<HookDraft>,
    agents: Vec<AgentDraft>,
    delegation: DelegationKeys,
    meta: MetaSpec,
    network: NetworkSpec,
    exit_policy: ExitSpec,
    compaction: CompactionSpec,
    permission_mode: Option<PermissionMode>,
    redact_secrets: bool,
}

pub(super) static ROOT: KeyTable<RootKeys> = KeyTable {
    title: "harness.md",
    about: "The agent's own file. The body is its instruction.",
    start: || RootKeys {
        name: String::from("root"),
        description: String::new(),
        model: None,
        models: Vec::new(),
        context: (settings::CONTEXT.start)(),
        tools: Vec::new(),
        tools_policy: PolicyKeys::default(),
        hooks: Vec::new(),
        agents: Vec::new(),
        delegation: DelegationKeys::default(),
        meta: MetaSpec::default(),
        network: NetworkSpec::default(),
        exit_policy: ExitSpec::default(),
        compaction: CompactionSpec::default(),
        permission_mode: None,
        redact_secrets: false,
    },
    unknown: UnknownKeys::Guarding(&[
        "hooks",
        "tools",
        "agents",
        "tools_policy",
        "network",
        "meta",
        "delegation",
        "exit_policy",
        "redact_secrets",
    ]),
    keys: &[
        key!(name: text, "The agent's name."),
        key!(description: text, "What the agent does."),
        key!("model": with(|fields, root: &mut RootKeys| root.model = model::read(fields), "text or mapping", "none"),
            "Its model: a name, or a mapping as below."),
        key!("models": with(|fields, root: &mut RootKeys| root.models = model::read_list(fields), "list", "none"),
            "Further models that its child agents may name."),
        key!(context: mapping(settings::CONTEXT), "How much of the conversation is sent."),
        key!("tools": with(|fields, root: &mut RootKeys| root.tools = tool::read_list(fields, DeclarationSource::Inline),
            "list", "none"), "Tools as above, each with its `name`."),
        key!(tools_policy: mapping(settings::TOOLS_POLICY), "Which tools may be used; without it all of them."),
        key!("hooks": with(|fields, root: &mut RootKeys| root.hooks = hook::read_list(fields, DeclarationSource::Inline),
            "list", "none"), "Hooks as above, each with its `handler`. A hook file of the same name replaces one."),
        key!("agents": with(|fields, root: &mut RootKeys| root.agents = agent::read_list(fields), "list", "none"),
            "Child agents, as in the files of `.harness/agents/`."),
        key!(delegation: mapping(settings::DELEGATION), "Limits on delegation."),
        key!(meta: mapping(settings::META), "Limits on self-augmentation."),
        key!(network: mapping(settings::NETWORK), "Where scripts may connect to; without it nowhere."),
        key!(exit_policy: mapping(settings::EXIT_POLICY), "When a turn may end."),
        key!(compaction: mapping(settings::COMPACTION), "When the conversation is compacted."),
        key!(permission_mode?: choice(&PERMISSION_MODES), "none",
            "What happens to a call that no hook decided, as with `--permission-mode`; without a mode it runs. If a mode asks, the hooks of `permission.ask` run first."),
        // A key of Pintle's own.
        key!(redact_secrets: boolean,
            "Whether secrets are redacted on the tape, as with `--redact-secrets`. `false` does not turn off redaction that the user or the organisation requires."),
        key!("version": reserved),
        key!("serve": unsupported("start the agent with `pintle run`")),
        key!("artifact_sources": unsupported("copy the artifacts into `.harness/`")),
        key!("trusted_sources": unsupported("copy the artifacts into `.harness/`")),
    ],
};

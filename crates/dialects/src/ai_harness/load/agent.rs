//! Loads sub-agents.

use std::sync::Arc;

use pintle_contract::{
    AgentSpec, Diagnostic, HookDeclaration, Location, PolicyMode, ToolSpec, ToolsPolicy, did_you_mean,
};

use super::hook::HookDraft;
use super::merge::{DeclarationSource, GatheredFiles, MergedDeclarations, ToolDraft, merge, new_report};
use super::model::ModelRef;
use super::{event, hook, model, tool};
use crate::Artifact;
use crate::document::{DocNode, FieldReader, KeyTable, UnknownKeys, key, split};

/// Restricting keys that only the root agent may have.
const OF_ROOT: [&str; 2] = ["tools_policy", "network"];

/// A sub-agent as written, before its references are resolved.
#[derive(Debug)]
pub(super) struct AgentDraft {
    name: String,
    description: String,
    instruction: String,
    model: Option<ModelRef>,
    tools: Vec<ToolDraft>,
    tool_references: Vec<NameReference>,
    lists_tools: bool,
    hooks: Vec<HookDraft>,
    hook_references: Vec<NameReference>,
    location: Location,
}

/// The name of an item declared elsewhere.
#[derive(Debug)]
struct NameReference {
    name: String,
    location: Location,
}

/// The items that sub-agents can refer to.
pub(super) struct ReferenceScope<'a> {
    /// The root agent with the project's tools.
    pub(super) root: &'a AgentSpec,
    pub(super) hooks: &'a [&'a str],
    pub(super) host_tools: &'a [&'a str],
}

/// Reads an agent file. The file's stem is the name, the body the instruction.
pub(super) fn read(artifact: &Artifact, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "agent ");
    if let Some(document) = split(&report) {
        let place = report.first_line(document.matter_span);
        let mut fields =
            FieldReader::new(&report, format!("agent `{}`", artifact.name), document.matter.as_ref(), place);
        let help =
            format!("the agent is named after its file, `{}`; rename the file to rename the agent", artifact.name);
        fields.misplaced("name", &help);
        let keys = AGENT.read(&mut fields);
        let mut draft = read_fields(&mut fields, keys, artifact.name.clone(), document.body.to_owned());
        draft.location = report.location(place);
        if document.body.is_empty() {
            let help = "write the agent's instruction below the frontmatter";
            report.warning(
                "no_instruction",
                format!("agent `{}` has no body, so it has no instruction", artifact.name),
                place,
                help,
            );
        }
        AGENT.finish(fields);
        // A file replaces the agent of its name in `harness.md`.
        gathered.agents.retain(|known| known.name != draft.name);
        gathered.agents.push(draft);
    }
    gathered.findings.extend(report.into_diagnostics());
}

/// Reads the agents in `harness.md`, each with its name and its instruction.
pub(super) fn read_list(fields: &mut FieldReader<'_>) -> Vec<AgentDraft> {
    let items = fields.list("agents").unwrap_or_default();
    let read_one = |(index, item): (usize, &DocNode)| {
        let report = fields.report();
        let named = item.get("name").and_then(DocNode::as_text).unwrap_or_default();
        let owner = if named.is_empty() { format!("agents[{index}]") } else { format!("agent `{named}`") };
        let mut own = FieldReader::new(report, owner.clone(), Some(item), item.span);
        item.entries()?;
        let InlineAgentKeys { name, system_prompt, keys } = INLINE_AGENT.read(&mut own);
        if name.trim().is_empty() {
            let help = "add a line such as `name: reviewer`";
            report.value_error("missing_field", format!("{owner} has no `name`"), report.first_line(item.span), help);
            return None;
        }
        let draft = read_fields(&mut own, keys, name, system_prompt);
        INLINE_AGENT.finish(own);
        Some(draft)
    };
    items.iter().enumerate().filter_map(read_one).collect()
}

/// Reads what an agent has wherever it is declared.
fn read_fields(fields: &mut FieldReader<'_>, keys: AgentKeys, name: String, instruction: String) -> AgentDraft {
    let (tools, tool_references) = split_list(fields, "tools", |fields, index, item| {
        tool::read_inline(fields, index, item, DeclarationSource::Inline)
    });
    let (hooks, hook_references) = split_list(fields, "hooks", |fields, index, item| {
        hook::read_inline(fields, index, item, DeclarationSource::Inline)
    });
    let lists_tools = fields.node("tools").is_some_and(|node| !node.is_null());
    let report = fields.report();
    for key in OF_ROOT {
        if let Some(node) = fields.node(key).filter(|node| !node.is_null()) {
            let message = format!("an agent cannot have its own `{key}`, so this would restrict nothing");
            let help =
                Some(String::from("write it in `harness.md`, or list the agent's `tools`; it then has no others"));
            report.value_error("misplaced_key", message, report.first_line(node.span), help);
        }
    }
    AgentDraft {
        name,
        description: keys.description,
        instruction,
        model: keys.model,
        tools,
        tool_references,
        lists_tools,
        hooks,
        hook_references,
        location: report.location(report.first_line(fields.span())),
    }
}

/// The keys of an agent in `harness.md`.
#[derive(Debug, Default)]
pub(super) struct InlineAgentKeys {
    name: String,
    system_prompt: String,
    keys: AgentKeys,
}

fn read_description(fields: &mut FieldReader<'_>, agent: &mut InlineAgentKeys) {
    agent.keys.description = fields.text("description").unwrap_or_default();
}

pub(super) static INLINE_AGENT: KeyTable<InlineAgentKeys> = KeyTable {
    title: "`agents`",
    about: "An agent that is declared in `harness.md`. An agent file of the same name replaces it.",
    start: InlineAgentKeys::default,
    unknown: UnknownKeys::Guarding(&["tools", "hooks", "tools_policy", "network"]),
    keys: &[
        key!(name: text, "Its name."),
        key!(system_prompt: text, "Its instruction, which is the body of an agent file."),
        key!("description": with(read_description, "text", "none"),
            "What the agent does; agents that may delegate to it see this."),
        key!("model": with(|fields, agent: &mut InlineAgentKeys| agent.keys.model = model::read(fields),
            "text or mapping", "the root's"), "As in an agent file."),
        key!("tools": listed("list", "the root's"), "As in an agent file."),
        key!("hooks": listed("list", "none"), "As in an agent file."),
        key!("tools_policy": listed("any", "none"), "An error: only `harness.md` itself can have it."),
        key!("network": listed("any", "none"), "An error: only `harness.md` itself can have it."),
    ],
};

/// The keys of an agent file that need no others.
#[derive(Debug, Default)]
pub(super) struct AgentKeys {
    description: String,
    model: Option<ModelRef>,
}

pub(super) static AGENT: KeyTable<AgentKeys> = KeyTable {
    title: "Agent",
    about: "A file of `.harness/agents/`. The body is the agent's instruction. Every hook of the project also applies to it.",
    start: AgentKeys::default,
    unknown: UnknownKeys::Guarding(&["tools", "hooks", "tools_policy", "network"]),
    keys: &[
        key!(description: text, "What the agent does; agents that may delegate to it see this."),
        key!("model": with(|fields, agent: &mut AgentKeys| agent.model = model::read(fields),
            "text or mapping", "the root's"), "Its model: one of `models` by name, or a mapping as in `harness.md`."),
        key!("tools": listed("list", "the root's"),
            "Its tools: names of the project's tools, or tools as above. With a list it has only these."),
        key!("hooks": listed("list", "none"),
            "Additional hooks: names of the project's hooks, which apply anyway, or hooks as above."),
        key!("tools_policy": listed("any", "none"), "An error: only `harness.md` can have it."),
        key!("network": listed("any", "none"), "An error: only `harness.md` can have it."),
    ],
};

/// Splits a list into names and declarations.
fn split_list<T>(
    fields: &mut FieldReader<'_>,
    key: &'static str,
    read: impl Fn(&FieldReader<'_>, usize, &DocNode) -> Option<T>,
) -> (Vec<T>, Vec<NameReference>) {
    let (mut declared, mut references) = (Vec::new(), Vec::new());
    for (index, item) in fields.list(key).unwrap_or_default().iter().enumerate() {
        match item.as_text() {
            Some(name) => {
                references.push(NameReference { name: name.to_owned(), location: fields.report().location(item.span) });
            }
            None => declared.extend(read(fields, index, item)),
        }
    }
    (declared, references)
}

/// Resolves the references of a sub-agent and builds its specification.
///
/// A referenced tool is one of the project's or of the host's. A referenced hook must exist; the reference has no other
/// effect, because every hook of the project also runs in its sub-agents.
pub(super) fn assemble(
    draft: AgentDraft,
    context: &ReferenceScope<'_>,
    unplaced: &mut Vec<HookDeclaration>,
    findings: &mut Vec<Diagnostic>,
) -> AgentSpec {
    let own_names: Vec<String> = draft.tools.iter().map(|tool| tool.spec.name.clone()).collect();
    let MergedDeclarations { hooks, tools } = merge(draft.hooks, draft.tools, findings);
    let mut tools: Vec<ToolSpec> = tools;
    if !draft.lists_tools {
        tools.extend(context.root.tools.iter().cloned());
    }
    let mut allowed = own_names;
    for reference in &draft.tool_references {
        let known = context.root.tools.iter().find(|tool| tool.name == reference.name);
        if known.is_some() || context.host_tools.contains(&reference.name.as_str()) {
            tools.extend(known.filter(|tool| tools.iter().all(|own| own.name != tool.name)).cloned());
            allowed.push(reference.name.clone());
        } else {
            let names =
                context.root.tools.iter().map(|tool| tool.name.as_str()).chain(context.host_tools.iter().copied());
            findings.push(unknown_reference("tool", &draft.name, reference, names));
        }
    }
    for reference in &draft.hook_references {
        if !context.hooks.contains(&reference.name.as_str()) {
            findings.push(unknown_reference("hook", &draft.name, reference, context.hooks.iter().copied()));
        }
    }
    let owner = format!("agent {}: ", draft.name);
    let hooks = event::declare(&owner, hooks, unplaced, findings);
    let policy = if draft.lists_tools {
        ToolsPolicy { mode: PolicyMode::Allowlist, allow: allowed, deny: context.root.policy.deny.clone() }
    } else {
        context.root.policy.clone()
    };
    AgentSpec {
        name: draft.name,
        description: draft.description,
        model: draft.model.map(|model| model.resolve(context.root.model.as_ref(), &context.root.models)),
        models: context.root.models.clone(),
        instruction: draft.instruction,
        tools,
        policy,
        agents: Vec::<Arc<AgentSpec>>::new(),
        hooks,
        compaction: context.root.compaction,
        delegation: context.root.delegation.clone(),
        network: context.root.network.clone(),
        location: draft.location,
        ..AgentSpec::default()
    }
}

fn unknown_reference<'a>(
    kind: &str,
    agent: &str,
    reference: &NameReference,
    names: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("agent `{agent}` refers to {kind} `{}`, which does not exist", reference.name);
    let help = did_you_mean(&reference.name, names)
        .unwrap_or_else(|| format!("add a {kind} of that name, or remove the reference"));
    Diagnostic::error("dangling_reference", message, reference.location.clone()).help(help)
}

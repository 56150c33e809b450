//! Converts files to declarations.
//!
//! The rules, in the order they apply:
//!
//! 1. A hook, tool or agent file consists of frontmatter and body; its name is the file's stem.
//! 2. Fields are read by their documented types; unknown keys are warnings.
//! 3. The registration order is: inline hooks of the agent's own file, then `hooks/`, then bundles of the root, of
//!    `plugins/`, of `builtins/` and of `overrides/`, each by file name and then by position in the file.
//! 4. A file's hook or tool replaces the inline one of the same name, at its position. `overrides/` replaces everything
//!    of the same name. Two other hooks of one name both run, with a warning; two other tools of one name are an error.
//! 5. Events are checked in the merged list; its indices are the numbers in the messages.
//! 6. Hooks are returned in the order of their files' paths, and within a file in the order they are written. The chain
//!    sorts by priority and keeps the order of equal priorities.

mod agent;
mod bundle;
mod case_file;
mod event;
mod example;
mod harness;
mod hook;
mod merge;
mod model;
mod policy;
mod policy_base;
pub(crate) mod policy_rules;
mod scenario;
mod settings;
mod tool;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    AgentSpec, ByteSpan, DELEGATION_TOOLS, DONE_TOOL, Diagnostic, ExitMode, HookDeclaration, Location, ScriptSource,
    Severity, SourceFile, ToolSpec,
};

use self::hook::HookDraft;
use self::merge::{DeclarationSource, GatheredFiles, MergedDeclarations};
use crate::document::{KeySection, sanitize};
use crate::{Artifact, ArtifactKind, BundleFolder, ParseContext, ParsedProject};

pub use self::case_file::{PolicyCase, PolicyCases, read_case_file};
pub use self::policy::{declare_pack, pack_arguments, read_policy};
pub use self::policy_base::{FETCHED_DIR, PolicyBase, policy_bases};
pub use self::scenario::{
    FaultKind, PersonAnswer, ScenarioAction, ScenarioCall, ScenarioExpectation, ScenarioFault, ScenarioReply,
    ScenarioStep, ScriptedResult, TestScenario, TestScenarios, TurnEnding, read_scenario_file,
};

/// The keys of every file and mapping, in the order of the reference.
pub static KEY_SECTIONS: &[&dyn KeySection] = &[
    &hook::HOOK,
    &example::EXAMPLE,
    &case_file::CASE,
    &scenario::SCENARIO,
    &scenario::STEP,
    &scenario::CALL,
    &scenario::FAULT,
    &tool::TOOL,
    &tool::PARAMETER,
    &agent::AGENT,
    &agent::INLINE_AGENT,
    &bundle::BUNDLE,
    &policy::POLICY,
    &policy_base::BASE,
    &harness::ROOT,
    &model::MODEL,
    &model::RETRY,
    &settings::CONTEXT,
    &settings::COMPACTION,
    &settings::TOOLS_POLICY,
    &settings::DELEGATION,
    &settings::VERIFY_POLICY,
    &settings::META,
    &settings::NETWORK,
    &settings::EXIT_POLICY,
];

/// Loads the files of one project. Every error of every file is in the diagnostics.
#[must_use]
pub fn load(artifacts: &[Artifact], context: &ParseContext<'_>) -> ParsedProject {
    let mut ordered: Vec<&Artifact> = artifacts.iter().collect();
    ordered.sort_by_key(|artifact| load_order(artifact.role));
    let bases: Vec<&Artifact> = artifacts.iter().filter(|artifact| artifact.role == ArtifactKind::PolicyBase).collect();
    let mut gathered = GatheredFiles::default();
    for artifact in ordered {
        match artifact.role {
            ArtifactKind::Harness | ArtifactKind::HarnessYaml => harness::read(artifact, &mut gathered),
            ArtifactKind::Hook => hook::read_file(artifact, &mut gathered),
            ArtifactKind::Tool => tool::read_file(artifact, &mut gathered),
            ArtifactKind::Bundle(dir) => bundle::read(artifact, dir, &mut gathered),
            ArtifactKind::Agent => agent::read(artifact, &mut gathered),
            ArtifactKind::Policy => policy::read(artifact, &bases, &mut gathered),
            // A policy file reads those that it extends. The loader passes the others to the dialect they belong to.
            _ => {}
        }
    }
    assemble(gathered, context.host_tools)
}

fn load_order(artifact_kind: ArtifactKind) -> u8 {
    match artifact_kind {
        ArtifactKind::Harness | ArtifactKind::HarnessYaml => 0,
        ArtifactKind::Tool => 1,
        ArtifactKind::Hook => 2,
        ArtifactKind::Bundle(BundleFolder::Root) => 3,
        ArtifactKind::Bundle(BundleFolder::Plugins) => 4,
        ArtifactKind::Bundle(BundleFolder::Builtins) => 5,
        ArtifactKind::Bundle(BundleFolder::Overrides) => 6,
        _ => 7,
    }
}

fn assemble(gathered: GatheredFiles, host_tools: &[&str]) -> ParsedProject {
    let GatheredFiles { hooks, mut packs, exceptions, tools, agents, harness, redact_secrets, contexts, mut findings } =
        gathered;
    let MergedDeclarations { hooks, tools } = merge::merge(hooks, tools, &mut findings);
    let mut unplaced = Vec::new();
    let mut declared = event::declare("", hooks, &mut unplaced, &mut findings);
    declared.sort_by(|one, other| path_of(one).cmp(path_of(other)));
    policy::add_exceptions(&mut packs, &exceptions, &mut findings);
    declared.extend(packs);
    let has_agent = harness.is_some() || !tools.is_empty() || !agents.is_empty() || !contexts.is_empty();
    let mut root = harness.unwrap_or_else(|| AgentSpec { name: String::from("root"), ..AgentSpec::default() });
    root.tools = tools;
    for context in contexts {
        let gap = if root.instruction.is_empty() { "" } else { "\n\n" };
        root.instruction = format!("{}{gap}{context}", root.instruction);
    }
    findings.extend(check_shadowed_tools(&root));
    let hook_names: Vec<&str> = declared.iter().chain(&unplaced).map(|hook| hook.name.as_str()).collect();
    let surroundings = agent::ReferenceScope { root: &root, hooks: &hook_names, host_tools };
    let mut unplaced_of_agents = Vec::new();
    let children: Vec<Arc<AgentSpec>> = agents
        .into_iter()
        .map(|draft| Arc::new(agent::assemble(draft, &surroundings, &mut unplaced_of_agents, &mut findings)))
        .collect();
    root.agents = children;
    unplaced.append(&mut unplaced_of_agents);
    sanitize(&mut findings);
    let agent = has_agent.then_some(root);
    ParsedProject {
        hooks: declared,
        unplaced,
        agent,
        redact_secrets,
        diagnostics: findings,
        ..ParsedProject::default()
    }
}

fn path_of(hook: &HookDeclaration) -> &[u8] {
    hook.location.path().map(|path| path.as_os_str().as_encoded_bytes()).unwrap_or_default()
}

/// Reports the project's tools that a host tool would shadow, and a `done` tool that never sets the done flag.
fn check_shadowed_tools(root: &AgentSpec) -> impl Iterator<Item = Diagnostic> + use<> {
    let ends_by_tool = matches!(root.exit.mode, ExitMode::DoneTool | ExitMode::Hybrid);
    let delegates = root.delegation.max_depth != Some(0);
    let refuse = |tool: &ToolSpec| {
        let (message, help) = if ends_by_tool && tool.name == DONE_TOOL && !sets_done_flag(tool) {
            (
                format!("the agent would never finish: tool `{}` does not set the done flag", tool.name),
                "call `ctx.agent.set_done_flag(summary = ..)` in it, rename it, or write `exit_policy: {mode: hook}`",
            )
        } else if delegates && DELEGATION_TOOLS.contains(&tool.name.as_str()) {
            (
                format!("tool `{}` would never be called: the host has a tool of that name", tool.name),
                "rename it, or write `delegation: {max_depth: 0}` to switch the host's tool off",
            )
        } else {
            return None;
        };
        Some(Diagnostic::error("reserved_tool", message, tool.location.clone()).help(help))
    };
    let refused: Vec<Diagnostic> = root.tools.iter().filter_map(refuse).collect();
    refused.into_iter()
}

fn sets_done_flag(tool: &ToolSpec) -> bool {
    tool.script.as_ref().is_some_and(|script| script.text.contains("set_done_flag"))
}

/// A hook loaded outside a project.
#[derive(Debug)]
pub struct InlineHook {
    /// The hook; absent if the diagnostics contain an error.
    pub hook: Option<HookDeclaration>,
    /// The diagnostics of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads the text of one hook file, for example one that an agent is about to write. `path` is used in the diagnostics.
#[must_use]
pub fn read_hook(path: &Path, name: &str, text: &str) -> InlineHook {
    let file = SourceFile { path: path.to_owned(), text: text.to_owned() };
    let artifact = Artifact { role: ArtifactKind::Hook, name: name.to_owned(), file: Arc::new(file) };
    let mut project = load(&[artifact], &ParseContext::default());
    let is_whole = project.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    InlineHook { hook: project.hooks.pop().filter(|_| is_whole), diagnostics: project.diagnostics }
}

/// Declares a hook from its parts, as `meta.register_hook` does.
///
/// `priority` is 0 if absent, which runs first.
///
/// # Errors
/// If the event is unknown.
pub fn declare_hook(
    name: &str,
    event: &str,
    script: &str,
    when: Option<&str>,
    priority: Option<i64>,
) -> Result<HookDeclaration, Vec<Diagnostic>> {
    let file = Arc::new(SourceFile { path: PathBuf::from(name), text: event.to_owned() });
    let location = Location::new(Arc::clone(&file), ByteSpan { start: 0, end: event.len() });
    let some = |text: &str| (!text.trim().is_empty()).then(|| inline_script(name, text));
    let draft = HookDraft {
        event: Some((event.to_owned(), location.clone())),
        script: some(script),
        when: when.and_then(some),
        priority: priority.unwrap_or(0),
        ..HookDraft::empty(name.to_owned(), DeclarationSource::Inline, location)
    };
    let (mut unplaced, mut findings) = (Vec::new(), Vec::new());
    let declared = event::declare("", vec![draft], &mut unplaced, &mut findings).pop();
    sanitize(&mut findings);
    declared.ok_or(findings)
}

/// Script source that is not in a file, wrapped in a virtual file so that errors in it can be shown.
fn inline_script(name: &str, text: &str) -> ScriptSource {
    let file = SourceFile { path: PathBuf::from(name), text: text.to_owned() };
    let location = Location::new(Arc::new(file), ByteSpan { start: 0, end: text.len() });
    ScriptSource { location, ..ScriptSource::without_file(text) }
}

#[cfg(test)]
mod tests;

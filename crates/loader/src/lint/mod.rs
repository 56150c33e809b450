//! Warns about hooks that load but probably do not do what their author wants.

mod asks;
mod effects;
mod guards;
mod programs;
mod steps;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    AgentSpec, ByteSpan, Chain, Diagnostic, EnforcementMode, HandlerSpec, Hook, HookDeclaration, Location, MatcherSpec,
    ScriptSource, ScriptTexts, SubjectFilter, suggest_nearest,
};
use pintle_dialects::ParsedProject;
use pintle_tools::HookVocabulary;

use asks::lint_never_asked;
pub(crate) use effects::lint_without_effect;
pub(crate) use guards::lint_guards;
use programs::lint_program;
use steps::unknown_step_hooks;

/// Checks a project that was loaded from a path, and its compiled chains.
pub(crate) fn lint_project(
    project: &ParsedProject,
    chains: &[Chain],
    host_tools: &[&str],
    path: &Path,
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for chain in chains {
        findings.extend(lint(chain, &project.hooks, project.agent.as_ref(), host_tools));
        findings.extend(unknown_step_hooks(chain, &project.personas));
    }
    findings.extend(unreachable(&project.hooks));
    if let Some(agent) = project.agent.as_ref().filter(|_| project.team.is_none()) {
        findings.extend(lint_never_asked(&project.hooks, agent, &project.permissions, !project.personas.is_empty()));
    }
    let of_members = project.team.iter().flat_map(|team| &team.agents).flat_map(|agent| &agent.hooks);
    findings.extend(project.hooks.iter().chain(of_members).filter_map(|hook| lint_program(hook, path)));
    findings
}

/// Checks a compiled chain against its declarations.
fn lint(
    chain: &Chain,
    declarations: &[HookDeclaration],
    agent: Option<&AgentSpec>,
    host_tools: &[&str],
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let mut conditions: HashMap<LocationKey, Option<&ScriptSource>> = HashMap::with_capacity(declarations.len());
    for declaration in declarations {
        conditions.entry(location_key(&declaration.location)).or_insert_with(|| condition_of(declaration));
    }
    let own = agent.into_iter().flat_map(|agent| agent.tools.iter().map(|tool| tool.name.as_str()));
    let own = own.chain(host_tools.iter().copied());
    let mut known = NearestTools {
        names: own.chain(pintle_tools::tool_names().map(|name| -> &str { name })).collect(),
        nearest: HashMap::new(),
    };
    for hook in &chain.hooks {
        let condition = conditions.get(&location_key(&hook.location)).copied().flatten();
        let place = condition.map_or(&hook.location, |when| &when.location);
        findings.extend(lint_never_matches(hook, condition, place));
        findings.extend(lint_unknown_tool(hook, place, &mut known));
    }
    findings
}

/// The address of a file, and the range in it.
type LocationKey = (Option<usize>, usize, usize);

/// What the location of a declaration and that of its hook have in common.
fn location_key(location: &Location) -> LocationKey {
    let file = location.file.as_ref().map(|file| Arc::as_ptr(file).addr());
    (file, location.span.start, location.span.end)
}

/// The `when` expression of a hook, as written.
fn condition_of(declaration: &HookDeclaration) -> Option<&ScriptSource> {
    match declaration.matcher.as_ref()? {
        MatcherSpec::Expression(when) => Some(when),
        MatcherSpec::Pattern { .. } | MatcherSpec::Compiled(_) => None,
    }
}

/// The tools that exist, and the nearest of them to each name that was looked up.
struct NearestTools<'a> {
    names: Vec<&'a str>,
    nearest: HashMap<String, Option<&'a str>>,
}

impl<'a> NearestTools<'a> {
    /// The tool that is meant by the name of an unknown one.
    fn suggest(&mut self, name: &str) -> Option<&'a str> {
        if self.names.contains(&name) {
            return None;
        }
        if let Some(known) = self.nearest.get(name) {
            return *known;
        }
        let near = suggest_nearest(name, self.names.iter().copied());
        self.nearest.insert(name.to_owned(), near);
        near
    }
}

/// Warns about a `when` that no subject can satisfy or that is always false.
fn lint_never_matches(hook: &Hook, condition: Option<&ScriptSource>, location: &Location) -> Option<Diagnostic> {
    let help = if condition.is_some_and(|when| ["False", "None", "not True"].contains(&when.text.trim())) {
        "to keep a hook without running it, move it out of the directory; to only watch it, set `mode: shadow`"
    } else if hook
        .matcher
        .as_ref()
        .is_some_and(|matcher| matcher.subjects().names().is_some_and(|mut names| names.next().is_none()))
    {
        "no name satisfies it: it requires two different names at once, or one from an empty list"
    } else {
        return None;
    };
    let message = format!("hook `{}` never runs: its `when` cannot be true", hook.id);
    Some(Diagnostic::warning("unreachable_hook", message, location.clone()).help(help))
}

/// Warns about a condition with the name of an unknown tool that is close to a known one.
fn lint_unknown_tool(hook: &Hook, location: &Location, known: &mut NearestTools<'_>) -> Option<Diagnostic> {
    if !hook.event.as_str().starts_with("tool.") {
        return None;
    }
    let subjects = hook.matcher.as_ref().map(|matcher| matcher.written_subjects());
    let matched = subjects.as_ref().and_then(SubjectFilter::names).into_iter().flatten();
    let mut names = matched.chain(hook.handler.written_tool_names().iter().map(String::as_str));
    let (name, near) = names.find_map(|name| known.suggest(name).map(|near| (name, near)))?;
    let message = format!("hook `{}` matches tool `{name}`, which does not exist", hook.id);
    let location = find_written(name, location);
    Some(Diagnostic::warning("unknown_tool", message, location).help(format!("did you mean `{near}`?")))
}

/// Where a name is written in quotes at or after a place of a file, otherwise the place.
fn find_written(name: &str, location: &Location) -> Location {
    let rest = location.file.as_ref().and_then(|file| file.text.get(location.span.start..)).unwrap_or_default();
    let quoted = [format!("\"{name}\""), format!("'{name}'")];
    let Some(found) = quoted.iter().filter_map(|quoted| rest.find(quoted.as_str())).min() else {
        return location.clone();
    };
    let start = location.span.start + found;
    Location { span: ByteSpan { start, end: start + name.len() + 2 }, ..location.clone() }
}

/// Warns about a script that compares the tool's name only with what it reads elsewhere, so that its text does not show
/// in which words it is written.
pub(crate) fn lint_unclear_tool_names(
    hook: &HookDeclaration,
    vocabulary: &HookVocabulary,
    texts: &ScriptTexts,
) -> Option<Diagnostic> {
    if !texts.has_unknown_tests || vocabulary.knows_tools() {
        return None;
    }
    let message = format!("hook `{}` compares the tool's name with what it reads elsewhere", hook.name);
    let help =
        "it hears Pintle's names, such as `shell`; to hear those of an agent, name one of its tools in the script";
    Some(Diagnostic::warning("unclear_tool_names", message, hook.location.clone()).help(help))
}

/// Warns about hooks that run after one that always blocks the same event.
fn unreachable(declarations: &[HookDeclaration]) -> Vec<Diagnostic> {
    let mut ordered: Vec<&HookDeclaration> = declarations.iter().collect();
    ordered.sort_by_key(|hook| hook.priority);
    let mut walls: HashMap<&str, &HookDeclaration> = HashMap::new();
    let mut findings = Vec::new();
    for hook in ordered {
        if let Some(wall) = walls.get(hook.event.as_str()) {
            let message =
                format!("hook `{}` never runs: hook `{}` runs before it and always blocks", hook.name, wall.name);
            let help = "give the blocking hook a `when`, or this one a lower priority";
            findings.push(Diagnostic::warning("unreachable_hook", message, hook.location.clone()).help(help));
        } else if hook.matcher.is_none() && hook.mode == EnforcementMode::Enforce && is_always_blocking(hook) {
            walls.insert(hook.event.as_str(), hook);
        }
    }
    findings
}

/// Whether the script consists only of `def handle(..): return block("..")`.
fn is_always_blocking(declaration: &HookDeclaration) -> bool {
    let HandlerSpec::Script(script) = &declaration.handler else {
        return false;
    };
    let mut lines = script.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let opens = lines.next().is_some_and(|line| line.starts_with("def handle(") && line.ends_with(':'));
    let blocks = |line: &str| {
        let reason = line.strip_prefix("return block(\"").and_then(|line| line.strip_suffix("\")"));
        reason.is_some_and(|reason| !reason.contains('"'))
    };
    opens && lines.next().is_some_and(blocks) && lines.next().is_none()
}

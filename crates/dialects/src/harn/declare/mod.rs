//! The four registration functions, for plugins, manifests and programs.

use std::sync::Arc;

use pintle_contract::{
    Diagnostic, EnforcementMode, FailurePolicy, HandlerSpec, HookDeclaration, Location, MatcherSpec,
};

use super::codec::HarnCodec;
use super::event_def::{HarnEventDef, HarnSurface};
use super::name::{self, NamedEvent};
use super::native::{DenyHandler, MaxOutputHandler};
use super::pattern::{EventPattern, NameGlob, PersonaScope};

/// Options that every hook can have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HarnHookOptions {
    /// The hook's name on the tape. Default: where it was registered, and its event or pattern.
    pub name: Option<String>,
    /// The timeout of one call. Default: that of every hook.
    pub timeout_ms: Option<u64>,
    /// What a failure does. Default: it denies if hooks can veto the event, otherwise it is reported.
    pub on_error: Option<FailurePolicy>,
    /// Whether the verdict is enforced. Default: it is.
    pub mode: EnforcementMode,
    /// The tools that the hook may call. Default: none.
    pub tools: Vec<String>,
}

/// The argument of `register_tool_hook`.
#[derive(Debug, Clone)]
pub struct ToolHookSpec {
    /// A pattern for tools; empty or `*` matches every tool.
    pub pattern: String,
    /// Denies the calls, with this reason.
    pub deny: Option<String>,
    /// The maximum size of a result in bytes; a longer one is cut in the middle.
    pub max_output: Option<u64>,
    /// The handler that runs before a call.
    pub pre: Option<HandlerSpec>,
    /// The handler that runs after a call.
    pub post: Option<HandlerSpec>,
    /// The common options.
    pub options: HarnHookOptions,
    /// Where the hook was registered.
    pub location: Location,
}

/// The function that registers hooks of one persona step.
const STEP: &str = "register_step_hook";

/// One part of a tool hook: its name, event and handler.
type ToolHookPart = (&'static str, &'static str, HandlerSpec);

/// Declares the hooks of one `register_tool_hook` call: those without a function first, `pre` before `post`.
///
/// # Errors
/// Everything that is wrong with the argument; it is never registered partially.
pub fn declare_tool_hooks(spec: ToolHookSpec) -> Result<Vec<HookDeclaration>, Vec<Diagnostic>> {
    let ToolHookSpec { pattern, deny, max_output, pre, post, options, location } = spec;
    let parts: Vec<ToolHookPart> = [
        deny.map(|reason| ("deny", "PreToolUse", HandlerSpec::Native(Arc::new(DenyHandler::new(reason))))),
        max_output
            .map(|limit| ("max_output", "PostToolUse", HandlerSpec::Native(Arc::new(MaxOutputHandler::new(limit))))),
        pre.map(|handler| ("pre", "PreToolUse", handler)),
        post.map(|handler| ("post", "PostToolUse", handler)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        let error = Diagnostic::error("no_hook", "the tool hook does nothing", location)
            .help("give it `deny`, `max_output`, `pre` or `post`");
        return Err(vec![error]);
    }
    let shown = if pattern.trim().is_empty() { "*" } else { pattern.trim() };
    let single = parts.len() == 1;
    let mut declared = Vec::new();
    let mut faults: Vec<Diagnostic> = Vec::new();
    for (part, event, handler) in parts {
        let name = match &options.name {
            Some(name) if single => name.clone(),
            Some(name) => format!("{name} {part}"),
            None => default_name(&location, HarnSurface::Tool.function(), &format!("{shown} {part}")),
        };
        let matcher = name::find_event_for(event, HarnSurface::Tool, HarnSurface::Tool.function())
            .and_then(|named| Ok((named, EventPattern::compile(shown, named.def)?)));
        match matcher {
            Ok((named, pattern)) => {
                let matcher = (!pattern.matches_all()).then(|| MatcherSpec::Compiled(Arc::new(pattern)));
                declared.extend(build_declaration(name, named, matcher, handler, &options, location.clone()));
            }
            // The same pattern has the same error in each part.
            Err(error) if faults.is_empty() => faults.push(error.into_diagnostic(location.clone())),
            Err(_) => {}
        }
    }
    if faults.is_empty() { Ok(declared) } else { Err(faults) }
}

/// Declares a hook of `register_session_hook`.
///
/// # Errors
/// If the event is not a session event, or the pattern is invalid.
pub fn declare_session_hook(
    event: &str,
    pattern: Option<&str>,
    handler: HandlerSpec,
    options: HarnHookOptions,
    location: Location,
) -> Result<HookDeclaration, Vec<Diagnostic>> {
    let named = name::find_event_for(event.trim(), HarnSurface::Session, HarnSurface::Session.function())
        .map_err(|error| vec![error.into_diagnostic(location.clone())])?;
    declare_with_pattern(named, pattern.unwrap_or("*"), handler, options, location)
}

/// Declares a hook on any event by a pattern, as `[[hooks]]` of a manifest does.
///
/// # Errors
/// If the event does not exist, or the pattern is invalid.
pub fn declare_manifest_hook(
    event: &str,
    pattern: Option<&str>,
    handler: HandlerSpec,
    options: HarnHookOptions,
    location: Location,
) -> Result<HookDeclaration, Vec<Diagnostic>> {
    let found = name::find_event(event)
        .and_then(|NamedEvent { def: row, .. }| name::find_event_for(event, row.surface, row.surface.function()));
    let named = found.map_err(|error| vec![error.into_diagnostic(location.clone())])?;
    declare_with_pattern(named, pattern.unwrap_or("*"), handler, options, location)
}

fn declare_with_pattern(
    named: NamedEvent,
    pattern: &str,
    handler: HandlerSpec,
    options: HarnHookOptions,
    location: Location,
) -> Result<HookDeclaration, Vec<Diagnostic>> {
    let row = named.def;
    let pattern = EventPattern::compile(pattern, row).map_err(|error| vec![error.into_diagnostic(location.clone())])?;
    let name = options.name.clone().unwrap_or_else(|| default_name(&location, row.surface.function(), row.name));
    let matcher = match named.percent {
        None => (!pattern.matches_all()).then(|| MatcherSpec::Compiled(Arc::new(pattern))),
        Some(_) => {
            let scope = PersonaScope {
                def: row,
                text: String::from("*"),
                persona: NameGlob::All,
                step: None,
                percent: named.percent,
                pattern: Some(pattern),
            };
            Some(MatcherSpec::Compiled(Arc::new(scope)))
        }
    };
    build_declaration(name, named, matcher, handler, &options, location.clone())
        .ok_or_else(|| vec![Diagnostic::error("unknown_event", format!("unknown event `{}`", row.name), location)])
}

/// Declares a hook of `register_persona_hook`.
///
/// # Errors
/// Everything that is wrong with the pattern and the event.
pub fn declare_persona_hook(
    persona_pattern: &str,
    event: &str,
    handler: HandlerSpec,
    options: HarnHookOptions,
    location: Location,
) -> Result<HookDeclaration, Vec<Diagnostic>> {
    declare_scoped(persona_pattern, None, event, handler, options, location)
}

/// Declares a hook of `register_step_hook`.
///
/// # Errors
/// Everything that is wrong with the pattern, the step and the event.
pub fn declare_step_hook(
    persona_pattern: &str,
    step_name: &str,
    event: &str,
    handler: HandlerSpec,
    options: HarnHookOptions,
    location: Location,
) -> Result<HookDeclaration, Vec<Diagnostic>> {
    declare_scoped(persona_pattern, Some(step_name), event, handler, options, location)
}

fn declare_scoped(
    persona: &str,
    step: Option<&str>,
    event: &str,
    handler: HandlerSpec,
    options: HarnHookOptions,
    location: Location,
) -> Result<HookDeclaration, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let glob =
        NameGlob::compile(persona.trim()).map_err(|error| faults.push(error.into_diagnostic(location.clone()))).ok();
    if step.is_some_and(|step| step.trim().is_empty()) {
        let error = Diagnostic::error("bad_step", "the step has no name", location.clone());
        faults.push(error.help("name the step, or use `register_persona_hook` to hook all steps"));
    }
    let function = if step.is_some() { STEP } else { HarnSurface::Persona.function() };
    let named = name::find_event_for(event.trim(), HarnSurface::Persona, function)
        .map_err(|error| faults.push(error.into_diagnostic(location.clone())))
        .ok();
    let (Some(glob), Some(named), true) = (glob, named, faults.is_empty()) else { return Err(faults) };
    let shown = match (step, if persona.trim().is_empty() { "*" } else { persona.trim() }) {
        (Some(step), persona) => format!("{persona}.{step} {event}"),
        (None, persona) => format!("{persona} {event}"),
    };
    let name = options.name.clone().unwrap_or_else(|| default_name(&location, function, &shown));
    let everything = matches!(glob, NameGlob::All) && step.is_none() && named.percent.is_none();
    let scope = PersonaScope {
        def: named.def,
        text: persona.trim().to_owned(),
        persona: glob,
        step: step.map(|step| step.trim().to_owned()),
        percent: named.percent,
        pattern: None,
    };
    let matcher = (!everything).then(|| MatcherSpec::Compiled(Arc::new(scope)));
    build_declaration(name, named, matcher, handler, &options, location.clone())
        .ok_or_else(|| vec![Diagnostic::error("unknown_event", format!("unknown event `{event}`"), location)])
}

/// `policy.star:12 exec_* deny`, or the function for a hook that is not in a file.
fn default_name(location: &Location, function: &str, role: &str) -> String {
    let file = location.path().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
    match (file, location.line_column()) {
        (Some(file), Some((line, _))) => format!("{file}:{line} {role}"),
        _ => format!("{function} {role}"),
    }
}

/// Renames a hook, also in the messages of its codec.
pub(super) fn rename(declaration: &mut HookDeclaration, name: String) {
    declaration.codec = Arc::new(HarnCodec::for_hook(&name));
    declaration.name = name;
}

fn build_declaration(
    name: String,
    named: NamedEvent,
    matcher: Option<MatcherSpec>,
    handler: HandlerSpec,
    options: &HarnHookOptions,
    location: Location,
) -> Option<HookDeclaration> {
    let def: &'static HarnEventDef = named.def;
    let codec = Arc::new(HarnCodec::for_hook(&name));
    Some(HookDeclaration {
        event_alias: Arc::from(def.name),
        matcher,
        on_error: options.on_error,
        default_on_error: def.on_failure(),
        mode: options.mode,
        timeout_ms: options.timeout_ms,
        tools: options.tools.clone(),
        ..HookDeclaration::new(name, def.canonical.into(), handler, location, codec)
    })
}

#[cfg(test)]
mod tests;

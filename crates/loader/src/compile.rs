//! Compiles declarations into chains.

use std::path::Path;
use std::sync::Arc;

use pintle_contract::event::EventClass;
use pintle_contract::{
    BuiltHandler, BuiltMatcher, CallLimits, Chain, Diagnostic, FailurePolicy, Handler, HandlerFactory, Hook,
    HookDeclaration, HookId, HookInfluence, Layer, Matcher, Profile, ScriptTexts, Severity,
};
use pintle_tools::{HookVocabulary, translate_hook, vocabulary_by_name};

use crate::known_scripts::SCRIPT;
use crate::narrowed_matcher::narrow_matcher;
use crate::trust::hold_to_binding;

/// Compiles declarations, in registration order, into one chain for each dialect and profile.
///
/// Each chain is sorted by priority, lowest first; equal priorities keep their registration order. A hook that does not
/// compile is left out and reported as an error. Callers that load hooks to run them must stop at errors: otherwise a
/// guard would be missing.
#[must_use]
pub fn compile_chains(
    source: impl Into<Arc<str>>,
    layer: Layer,
    declarations: &[HookDeclaration],
    factory: &dyn HandlerFactory,
) -> (Vec<Chain>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let hooks = compile_all(declarations, factory, &mut findings);
    (group_into_chains(source.into(), layer, declared_hooks(declarations, hooks)), findings)
}

/// The dialect and the profile of a hook, and the hook itself if it compiled.
pub(crate) type DeclaredHook = (&'static str, Profile, Option<Arc<Hook>>);

/// The hooks of declarations, as [`group_into_chains`] takes them.
pub(crate) fn declared_hooks(
    declarations: &[HookDeclaration],
    hooks: Vec<Option<Hook>>,
) -> impl Iterator<Item = DeclaredHook> {
    let hooks = hooks.into_iter().map(|hook| hook.map(Arc::new));
    declarations.iter().zip(hooks).map(|(declaration, hook)| (declaration.codec.dialect(), declaration.profile, hook))
}

/// Compiles declarations; a declaration that does not compile yields `None`.
pub(crate) fn compile_all(
    declarations: &[HookDeclaration],
    factory: &dyn HandlerFactory,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Option<Hook>> {
    let built = factory.build_all(declarations);
    let parts = declarations.iter().zip(built);
    parts.map(|(declaration, (handler, matcher))| assemble(declaration, handler, matcher, findings)).collect()
}

/// Groups compiled hooks into chains, as [`compile_chains`] does.
pub(crate) fn group_into_chains(
    source: Arc<str>,
    layer: Layer,
    hooks: impl IntoIterator<Item = DeclaredHook>,
) -> Vec<Chain> {
    let mut chains: Vec<Chain> = Vec::new();
    for (dialect, profile, hook) in hooks {
        let Some(hook) = hook else { continue };
        match chains.iter_mut().find(|chain| chain.dialect == dialect && chain.profile == profile) {
            Some(chain) => chain.hooks.push(hook),
            None => chains.push(Chain { source: Arc::clone(&source), dialect, layer, profile, hooks: vec![hook] }),
        }
    }
    for chain in &mut chains {
        chain.hooks.sort_by_key(|hook| hook.priority);
    }
    chains
}

/// Compiles hooks only to check them.
#[must_use]
pub fn check_hooks(declarations: &[HookDeclaration], factory: &dyn HandlerFactory) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let _ = compile_all(declarations, factory, &mut findings);
    findings
}

/// The hook of a declaration whose parts were built; `None` if one of them does not compile.
fn assemble(
    declaration: &HookDeclaration,
    handler: BuiltHandler,
    matcher: BuiltMatcher,
    findings: &mut Vec<Diagnostic>,
) -> Option<Hook> {
    // A hook whose matcher did not compile must not become one that always matches.
    let matcher_failed = matcher.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let mut texts = matcher.texts;
    texts.extend(handler.texts);
    findings.extend(handler.diagnostics);
    findings.extend(matcher.diagnostics);
    let running = hold_to_binding(handler.handler.filter(|_| !matcher_failed)?, declaration);
    let limits = CallLimits::default();
    let default = match declaration.default_on_error {
        _ if can_change_data(&*running, declaration) => FailurePolicy::Closed,
        default => default,
    };
    // Only calls of tools are translated.
    let vocabulary = declaration.event.def().is_about_tool_call().then(|| {
        let vocabulary = hook_vocabulary(declaration, matcher.matcher.as_ref(), &texts);
        findings.extend(crate::lint::lint_unclear_tool_names(declaration, &vocabulary, &texts));
        vocabulary
    });
    let hook = Hook {
        id: HookId::new(declaration.name.as_str()),
        event: declaration.event.clone(),
        event_alias: Arc::clone(&declaration.event_alias),
        priority: declaration.priority,
        matcher: narrow_matcher(matcher.matcher, &*declaration.codec, &declaration.event_alias),
        handler: running,
        on_deny: declaration.on_deny,
        definition: declaration.definition.clone(),
        guard: handler.guard && declaration.codec.can_deny(&declaration.event_alias),
        on_failure: declaration.on_error.unwrap_or(default),
        strict_matcher: declaration.on_error == Some(FailurePolicy::Closed),
        mode: declaration.mode,
        source_trust: declaration.source_trust,
        tools: declaration.tools.clone(),
        limits: CallLimits { timeout_ms: declaration.timeout_ms.unwrap_or(limits.timeout_ms), ..limits },
        location: declaration.location.clone(),
    };
    Some(match vocabulary {
        Some(vocabulary) => {
            // Other handlers hand the payload on.
            let reads_call_text = texts.reads_call_text || hook.handler.kind() != SCRIPT;
            translate_hook(hook, vocabulary, texts.call_reads, reads_call_text)
        }
        None => hook,
    })
}

/// The words in which a hook hears tool calls: those of its dialect, otherwise those that its conditions use.
fn hook_vocabulary(
    declaration: &HookDeclaration,
    matcher: Option<&Arc<dyn Matcher>>,
    texts: &ScriptTexts,
) -> HookVocabulary {
    let fixed = declaration.codec.tool_vocabulary(&declaration.event_alias).and_then(vocabulary_by_name);
    fixed.map_or_else(|| HookVocabulary::of_hook(matcher, texts), HookVocabulary::Fixed)
}

/// Whether a hook can change or withhold data of an event that exists for this purpose. Such a hook fails closed: the
/// data it would have removed must not pass because it failed.
fn can_change_data(handler: &dyn Handler, declaration: &HookDeclaration) -> bool {
    handler.influence(&declaration.event_alias) == HookInfluence::Shapes
        && declaration.event.def().class == EventClass::Rewrite
        && !declaration.background
}

/// Declares a hook from its parts, as `meta.register_hook` does; compile it with [`compile_chains`].
///
/// `priority` defaults to 0; lower priorities run first.
///
/// # Errors
/// When the event is unknown; the diagnostics say so.
pub fn declare_hook(
    name: &str,
    event: &str,
    script: &str,
    when: Option<&str>,
    priority: Option<i64>,
) -> Result<HookDeclaration, Vec<Diagnostic>> {
    pintle_dialects::declare_hook(name, event, script, when, priority)
}

/// Reads the text of a hook file that is not on disk, such as one that an agent is about to write.
///
/// The hook is absent if there is an error among the diagnostics.
#[must_use]
pub fn parse_hook_text(name: &str, text: &str) -> (Option<HookDeclaration>, Vec<Diagnostic>) {
    let path = Path::new(name).with_extension("md");
    let declared = pintle_dialects::read_hook(&path, name, text);
    (declared.hook, declared.diagnostics)
}

//! Checks which of the user's hooks apply in a host, and proves that they refuse something.

use std::path::{Path, PathBuf};

use pintle_host::Layer;
use pintle_host::contract::EnforcementMode;

use super::finding::{CheckStatus, DoctorFinding};
use super::location::InstallLocation;
use super::probe::{EntryProbe, describe_run};
use super::test_calls::{self, TestCall};
use crate::canary::{Canary, CanaryDiagnostic, CanaryHook, CanaryHooks, CanaryVerdict, read_report};
use crate::install::{InstallEnvironment, named_dirs};
use crate::{HostDef, HostEventDef};

/// How long a test call may take, in milliseconds.
const TEST_CALL_MS: u64 = 8000;
/// The most names in one line.
const SHOWN: usize = 8;

/// The hooks that an installed location loads in the project.
#[derive(Debug, Default)]
pub struct GuardCheck {
    /// The hooks that are called, in their order.
    pub hooks: Vec<AppliedHook>,
    /// The test calls that hooks refused.
    pub refusals: Vec<ProvenRefusal>,
    /// What was found.
    pub findings: Vec<DoctorFinding>,
    /// Whether the hooks could be listed, and all of them load.
    is_loaded: bool,
}

impl GuardCheck {
    /// The check of a location to which no test call can be sent.
    pub(super) fn unproven(finding: DoctorFinding) -> Self {
        Self { findings: vec![finding], ..Self::default() }
    }
}

/// A hook of the user that a host's calls reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedHook {
    /// The name of the hook.
    pub name: String,
    /// Its canonical event.
    pub event: String,
    /// The configuration layer.
    pub layer: Layer,
    /// The file, otherwise the source that registers it.
    pub source: PathBuf,
    /// Whether it can deny, and is enforced.
    pub can_refuse: bool,
    /// Whether it is enforced.
    pub mode: EnforcementMode,
}

/// A test call that a hook refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenRefusal {
    /// The hooks that refused it.
    pub hooks: Vec<String>,
    /// The call, in a few words.
    pub call: String,
}

/// What was loaded, for the checks below.
struct LoadedContext<'a> {
    probe: EntryProbe<'a>,
    loaded: &'a CanaryHooks,
    /// The hooks on events that the installed entries report.
    applied: Vec<&'a CanaryHook>,
    /// The others.
    unreported: Vec<&'a CanaryHook>,
}

/// The checks of the loaded hooks, in the order of the report.
const CHECKS: [fn(&LoadedContext<'_>) -> Vec<DoctorFinding>; 8] = [
    check_errors,
    check_dead_hooks,
    check_looking_back,
    check_untrusted,
    list_applied,
    list_unreported,
    list_shadow,
    count_warnings,
];

/// Asks the installed program which hooks it loads, and sends test calls through them.
pub(super) fn check(probe: EntryProbe<'_>) -> GuardCheck {
    let Some((entry, def)) = probe.guarded_entries().next() else {
        let what = "no event is installed at which a hook could refuse anything";
        let finding = DoctorFinding::problem(format!("{}: {what}", probe.place.scope.as_str()));
        let help = format!("run `pintle install {}` without `--events`", probe.host.name);
        return GuardCheck::unproven(finding.help(help));
    };
    let ran = probe.send(entry, &Canary::ListHooks.with_marker(probe.empty_payload(def)));
    let loaded: Option<CanaryHooks> = ran.as_ref().ok().and_then(|ran| read_report(&ran.stdout, &ran.stderr));
    let Some(loaded) = loaded else {
        let answer = ran.map_or_else(|reason| reason, |ran| describe_run(&ran));
        let what = format!("{}: the hooks cannot be loaded: {answer}", probe.place.scope.as_str());
        let help = format!("if the installed program is another version, run `pintle install {}`", probe.host.name);
        return GuardCheck::unproven(DoctorFinding::problem(what).help(help));
    };
    let events = reported_events(probe);
    // The hooks of this machine say nothing about an image.
    let is_of_machine = |hook: &&CanaryHook| !probe.site.is_image() || hook.source.starts_with(&probe.site.root);
    let hooks = loaded.hooks.iter().filter(is_of_machine);
    let (applied, unreported) = hooks.partition(|hook| events.contains(&hook.event));
    let context = LoadedContext { probe, loaded: &loaded, applied, unreported };
    let mut found = GuardCheck {
        is_loaded: !loaded.has_errors(),
        hooks: context.applied.iter().map(|hook| context.to_applied(hook)).collect(),
        refusals: Vec::new(),
        findings: CHECKS.iter().flat_map(|check| check(&context)).collect(),
    };
    // Hooks that do not load refuse everything.
    if found.is_loaded && found.hooks.iter().any(|hook| hook.can_refuse) {
        context.prove_refusals(&mut found);
    }
    found
}

/// The problem that nothing is guarded, unless a hook of some location can refuse something.
pub(super) fn check_any(
    host: &HostDef,
    environment: &InstallEnvironment,
    places: &[InstallLocation],
) -> Option<DoctorFinding> {
    let checks: Vec<&GuardCheck> = places.iter().filter_map(|place| place.guards.as_ref()).collect();
    let hooks: Vec<&AppliedHook> = checks.iter().flat_map(|check| &check.hooks).collect();
    if checks.is_empty() || checks.iter().any(|check| !check.is_loaded) || hooks.iter().any(|hook| hook.can_refuse) {
        return None;
    }
    let title = host.title;
    let why = match hooks.len() {
        0 => format!("no hook applies in {title}"),
        1 => format!("the only hook that applies in {title} refuses nothing"),
        count => format!("none of the {count} hooks that apply in {title} refuses anything"),
    };
    if environment.is_image() {
        let help = format!("`pintle init --root {}` writes a first policy", environment.root.display());
        return Some(DoctorFinding::problem(format!("nothing is guarded there: {why}")).help(help));
    }
    let named = places.iter().flat_map(|place| &place.entries).find_map(|entry| named_dirs(host, entry).config);
    let dir = named.unwrap_or_else(|| environment.home.join(".config/pintle"));
    let help = format!(
        "`pintle init` writes a first policy; a hook of your own is a file such as `{}`",
        environment.display_path(&dir.join("hooks/NAME.md"))
    );
    Some(DoctorFinding::problem(format!("nothing is guarded here: {why}")).help(help))
}

/// The canonical events that the installed entries report.
fn reported_events(probe: EntryProbe<'_>) -> Vec<String> {
    let defs = probe.place.entries.iter().filter_map(|entry| probe.host.find_event(&entry.event));
    defs.flat_map(HostEventDef::fired_events).map(|event| event.to_string()).collect()
}

/// Each error in a hook file: it may be about a guard, so guarded events are denied.
fn check_errors(context: &LoadedContext<'_>) -> Vec<DoctorFinding> {
    let errors = context.loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error);
    let finding = |error: &CanaryDiagnostic| {
        let place = error.path.as_deref().map(|path| format!(" (`{}`)", context.place_text(path, error.line)));
        let what = format!("{}, so everything guarded is denied{}", error.message, place.unwrap_or_default());
        let help = error.help.clone().unwrap_or_else(|| String::from("`pintle validate` shows the line"));
        DoctorFinding::problem(format!("{}: a hook does not load: {what}", context.scope())).help(help)
    };
    errors.map(finding).collect()
}

/// Each hook that can never run, such as one whose matcher is not the name of a tool.
fn check_dead_hooks(context: &LoadedContext<'_>) -> Vec<DoctorFinding> {
    let dead = context.loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_about_dead_hook);
    let finding = |warning: &CanaryDiagnostic| {
        let place = warning.path.as_deref().map(|path| format!("`{}`: ", context.place_text(path, warning.line)));
        let what = format!("{}: {}{}", context.scope(), place.unwrap_or_default(), warning.message);
        let help = warning.help.clone().unwrap_or_else(|| String::from("`pintle validate` shows the line"));
        DoctorFinding::problem(what).help(help)
    };
    dead.map(finding).collect()
}

/// The hooks that look back at a conversation that the host does not show: they fail whenever they do.
fn check_looking_back(context: &LoadedContext<'_>) -> Vec<DoctorFinding> {
    if context.probe.host.transcript.is_some() {
        return Vec::new();
    }
    let finding = |hook: &&CanaryHook| {
        let title = context.probe.host.title;
        let what = format!("`{}` looks back at the conversation, which {title} does not show, so it fails", hook.name);
        let help = String::from("decide by the payload alone, or by what the hook kept in `cache` or `metrics`");
        DoctorFinding::problem(format!("{}: {what}", context.scope())).help(help)
    };
    context.applied.iter().copied().filter(|hook| hook.looks_back).map(|hook| finding(&hook)).collect()
}

/// The hooks of each project that do not run because they are not trusted. A guard among them is a problem.
fn check_untrusted(context: &LoadedContext<'_>) -> Vec<DoctorFinding> {
    const EFFECTS: [(bool, bool, CheckStatus, &str); 4] = [
        (true, true, CheckStatus::Problem, "guards are not trusted, so their events are denied"),
        (true, false, CheckStatus::Problem, "guards are not trusted, so they refuse nothing"),
        (false, true, CheckStatus::Note, "hooks are not trusted, so their events are denied"),
        (false, false, CheckStatus::Note, "hooks are not trusted, so they do not run"),
    ];
    let mut projects: Vec<&Path> = context.loaded.untrusted.iter().map(|hook| hook.project.as_path()).collect();
    projects.dedup();
    let mut findings = Vec::new();
    for project in projects {
        let hooks = || context.loaded.untrusted.iter().filter(|hook| hook.project == project);
        for (is_guard, is_denied, status, effect) in EFFECTS {
            let names = hooks().filter(|hook| hook.is_guard == is_guard && hook.is_denied == is_denied);
            let names: Vec<String> = names.map(|hook| format!("`{}`", hook.hook)).collect();
            if !names.is_empty() {
                let text = format!("{}: the project's {effect}: {}", context.scope(), join(&names));
                let help = Some(format!("review them with `pintle trust '{}'`", project.display()));
                findings.push(DoctorFinding { status, text, help });
            }
        }
    }
    findings
}

/// The number of hooks that apply, and their names.
fn list_applied(context: &LoadedContext<'_>) -> Vec<DoctorFinding> {
    let names: Vec<String> =
        context.applied.iter().map(|hook| format!("{} ({})", hook.name, context.source(hook))).collect();
    let count = match names.len() {
        0 => return Vec::new(),
        1 => String::from("1 hook applies"),
        count => format!("{count} hooks apply"),
    };
    let what = format!("{}: {count} in {} here: {}", context.scope(), context.probe.host.title, join(&names));
    vec![if context.applied.iter().any(|hook| hook.can_refuse()) {
        DoctorFinding::ok(what)
    } else {
        DoctorFinding::note(what)
    }]
}

/// The hooks on events that the installed entries do not report.
fn list_unreported(context: &LoadedContext<'_>) -> Vec<DoctorFinding> {
    let host = context.probe.host;
    let known: Vec<String> =
        host.host_events().flat_map(HostEventDef::fired_events).map(|event| event.to_string()).collect();
    let reasons = [
        (true, String::from("not called, because its event is not installed")),
        (false, format!("not called, because {} does not report its event", host.title)),
    ];
    let finding = |(is_known, reason): (bool, String)| {
        let hooks = context.unreported.iter().filter(|hook| known.contains(&hook.event) == is_known);
        let names: Vec<String> = hooks.map(|hook| format!("`{}` ({})", hook.name, hook.event)).collect();
        let what = format!("{}: {reason}: {}", context.scope(), join(&names));
        (!names.is_empty()).then(|| DoctorFinding::note(what))
    };
    reasons.into_iter().filter_map(finding).collect()
}

/// The guards in shadow mode.
fn list_shadow(context: &LoadedContext<'_>) -> Vec<DoctorFinding> {
    let guards = context.applied.iter().filter(|hook| hook.is_guard && !hook.can_refuse());
    let names: Vec<String> = guards.map(|hook| format!("`{}`", hook.name)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let what = format!("{}: in shadow mode, which refuses nothing: {}", context.scope(), join(&names));
    vec![
        DoctorFinding::note(what).help(
            "remove `mode: shadow` to enforce them; a policy bundle is enforced by `pintle-fleet policy enforce`",
        ),
    ]
}

/// The number of warnings about hook files.
fn count_warnings(context: &LoadedContext<'_>) -> Vec<DoctorFinding> {
    let is_warning = |diagnostic: &&CanaryDiagnostic| !diagnostic.is_error && !diagnostic.is_about_dead_hook;
    let mut warnings = context.loaded.diagnostics.iter().filter(is_warning);
    let Some(first) = warnings.next() else { return Vec::new() };
    let more = match warnings.count() {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    let place = first.path.as_deref().map(|path| format!("`{}`: ", context.place_text(path, first.line)));
    let what = format!("{}: {}{}{more}", context.scope(), place.unwrap_or_default(), first.message);
    vec![DoctorFinding::note(what).help("`pintle validate` shows each warning")]
}

impl LoadedContext<'_> {
    fn scope(&self) -> &'static str {
        self.probe.place.scope.as_str()
    }

    fn source(&self, hook: &CanaryHook) -> String {
        self.probe.site.display_path(&hook.source)
    }

    fn place_text(&self, path: &Path, line: Option<usize>) -> String {
        let path = self.probe.site.display_path(path);
        line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"))
    }

    fn to_applied(&self, hook: &CanaryHook) -> AppliedHook {
        AppliedHook {
            name: hook.name.clone(),
            event: hook.event.clone(),
            layer: hook.layer,
            source: hook.source.clone(),
            can_refuse: hook.can_refuse(),
            mode: hook.mode,
        }
    }

    /// Sends the calls of the hooks' own examples, otherwise calls that most policies refuse.
    fn prove_refusals(&self, check: &mut GuardCheck) {
        let scope = self.scope();
        for (hook, calls) in test_calls::examples(self.probe, &self.applied) {
            let proven = self.try_examples(&hook, calls, check);
            check.refusals.extend(proven);
        }
        let mut called = Vec::new();
        let mut common = test_calls::common(self.probe).into_iter();
        while check.refusals.is_empty()
            && let Some(call) = common.next()
        {
            // A hook that hangs once hangs again.
            let Some(verdict) = self.try_call(&call, check) else { break };
            if verdict.refused_by.is_empty() {
                called.extend(verdict.called);
            } else {
                check.refusals.push(ProvenRefusal { hooks: verdict.refused_by, call: call.text });
            }
        }
        let proven = check.refusals.iter().map(|refusal| {
            let hooks: Vec<String> = refusal.hooks.iter().map(|hook| format!("`{hook}`")).collect();
            DoctorFinding::ok(format!("{scope}: {} refused a test call: `{}`", join(&hooks), refusal.call))
        });
        check.findings.extend(proven);
        if check.refusals.is_empty() {
            called.sort();
            called.dedup();
            let called = match called.is_empty() {
                true => String::from("no hook"),
                false => join(&called.iter().map(|hook| format!("`{hook}`")).collect::<Vec<_>>()),
            };
            let what = format!("{scope}: no hook could be proved to refuse anything; test calls reached {called}");
            let help = "give a hook `examples` with `expect: block`, and `doctor` sends them";
            check.findings.push(DoctorFinding::note(what).help(help));
        }
    }

    /// Sends the calls of a hook's examples until it refuses one itself; another hook may refuse a call first. A call that
    /// nothing refuses is a problem.
    fn try_examples(&self, hook: &str, calls: Vec<TestCall<'_>>, check: &mut GuardCheck) -> Option<ProvenRefusal> {
        let mut proven = None;
        for call in calls {
            let Some(CanaryVerdict { refusal, refused_by, .. }) = self.try_call(&call, check) else { break };
            let is_own = refused_by.iter().any(|name| name == hook);
            if refusal.is_none() {
                let what = format!("an example that `{hook}` must refuse was let through (`{}`)", call.text);
                let help = "correct the hook or its example: in this agent nothing refuses the call";
                check.findings.push(DoctorFinding::problem(format!("{}: {what}", self.scope())).help(help));
            } else if is_own || (proven.is_none() && !refused_by.is_empty()) {
                proven = Some(ProvenRefusal { hooks: refused_by, call: call.text });
            }
            if is_own {
                break;
            }
        }
        proven
    }

    /// Sends a call through the user's hooks. What prevents a verdict is a problem.
    fn try_call(&self, call: &TestCall<'_>, check: &mut GuardCheck) -> Option<CanaryVerdict> {
        let scope = self.scope();
        let ran = self.probe.send_within(call.entry, &Canary::TryHooks.with_marker(call.payload.clone()), TEST_CALL_MS);
        let verdict: Option<CanaryVerdict> = ran.as_ref().ok().and_then(|ran| read_report(&ran.stdout, &ran.stderr));
        if verdict.is_none() {
            let answer = ran.map_or_else(|reason| reason, |ran| describe_run(&ran));
            let what = format!("{scope}: the hooks did not judge a test call (`{}`): {answer}", call.text);
            check.findings.push(DoctorFinding::problem(what));
        }
        for (hook, error) in verdict.iter().flat_map(|verdict| &verdict.failed) {
            let finding = DoctorFinding::problem(format!("{scope}: `{hook}` failed on a test call: {error}"))
                .help(format!("the call was `{}`; correct the hook", call.text));
            if !check.findings.contains(&finding) {
                check.findings.push(finding);
            }
        }
        verdict
    }
}

/// Names in one line, at most a few of them.
fn join(names: &[String]) -> String {
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

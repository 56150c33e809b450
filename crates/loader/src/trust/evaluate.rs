//! Which hooks of a project run, which are passed over, and which deny in the place of what nobody agreed to.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    CallLimits, Capability, Chain, DenyEffect, EnforcementMode, Event, EventName, Failure, FailureKind, FailurePolicy,
    Handler, Hook, HookCall, HookId, Layer, Location, MatchResult, Matcher, Profile, SourceTrust, SubjectFilter,
    UntrustedGuardPolicy, Verdict,
};
use serde::Serialize;

use super::TrustGrants;
use super::grant::{TrustDifference, TrustGrant, TrustState};
use super::item::{TrustItem, TrustItemKind};
use super::manifest::TrustManifest;
use super::store::{TrustStore, TrustStoreError};

/// The kind of a handler that stands in for one that nobody agreed to.
const KIND: &str = "not trusted";

/// What became of a project that needed consent.
#[derive(Debug)]
pub struct ProjectTrust {
    /// What it may do, and the bytes behind that.
    pub manifest: TrustManifest,
    /// How it stands to what was agreed to.
    pub state: TrustState,
    /// How it differs from what was agreed to.
    pub difference: TrustDifference,
    /// The hooks that do not run, in the order of their declaration; guards that are gone come last.
    pub untrusted_hooks: Vec<UntrustedHook>,
    /// What agents of the project may do besides its hooks, and nobody agreed to. Whoever runs one of them has to see to
    /// it: only hooks are withheld.
    pub agent_items: Vec<TrustItem>,
    /// Whether it is the session that knew guards which are not what they were, and no agreement.
    pub is_from_session: bool,
    /// Why agreements could not be looked at. Then nothing counts as agreed to.
    pub error: Option<TrustStoreError>,
}

/// A hook that does not run, because nobody agreed to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UntrustedHook {
    /// Its name.
    pub hook: String,
    /// Its canonical event.
    pub event: String,
    /// Whether nobody knows it, or it changed since somebody agreed to it.
    pub state: TrustState,
    /// What it may do.
    #[serde(rename = "reach")]
    pub capabilities: Vec<Capability>,
    /// Whether it is a guard.
    #[serde(rename = "guard")]
    pub is_guard: bool,
    /// Whether what it guards is denied.
    #[serde(rename = "denies")]
    pub is_denied: bool,
}

impl ProjectTrust {
    /// The project's folder, without links in its path.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.manifest.folder
    }

    /// What a person is to be told, in one line; nothing when everything runs.
    #[must_use]
    pub fn user_notice(&self) -> Option<String> {
        if self.untrusted_hooks.is_empty() {
            return None;
        }
        let folder = self.manifest.folder.display();
        let why = match (self.state, &self.error) {
            (_, Some(fault)) => format!("{fault}"),
            _ if self.is_from_session => {
                format!("guards of `{folder}` changed or were removed during this session")
            }
            (TrustState::Changed, None) => format!("the hooks of `{folder}` changed after you trusted them"),
            _ => format!("you have not trusted the hooks of `{folder}` yet"),
        };
        let (denying, mut passed): (Vec<&UntrustedHook>, Vec<&UntrustedHook>) =
            self.untrusted_hooks.iter().partition(|hook| hook.is_denied);
        // One that is there and no guard any more is told of once.
        passed.retain(|hook| denying.iter().all(|denying| denying.hook != hook.hook));
        let mut effects = Vec::new();
        if !passed.is_empty() {
            effects.push(format!("not run: {}", join_hook_names(&passed)));
        }
        if !denying.is_empty() {
            effects.push(format!("denying the events guarded by: {}", join_hook_names(&denying)));
        }
        Some(format!("{why}; {}; review them with `pintle trust '{folder}'`", effects.join("; ")))
    }
}

/// The names of hooks, at most a few of them.
fn join_hook_names(hooks: &[&UntrustedHook]) -> String {
    const SHOWN: usize = 4;
    let mut names: Vec<String> =
        hooks.iter().take(SHOWN).map(|hook| format!("`{}`", shorten_name(&hook.hook))).collect();
    if hooks.len() > SHOWN {
        names.push(format!("{} more", hooks.len() - SHOWN));
    }
    names.join(", ")
}

/// A name in one line that is no longer than a person reads: that of a command is its whole text.
fn shorten_name(name: &str) -> String {
    const MOST: usize = 48;
    let line: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}..", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

/// Compares a project with what was agreed to, and decides of each hook whether it runs, and whether it is trusted: that is
/// so only where the project as a whole is what was agreed to. A guard that was agreed to and is not what it was denies,
/// whatever it has become. `hooks` are those of the
/// footprint's first claims, in their order; `without` is a dialect that the host runs itself.
///
/// Gives the hooks that are left, and a chain of stand-ins for guards that are gone.
pub(crate) fn evaluate_trust(
    footprint: TrustManifest,
    mut hooks: Vec<Option<Hook>>,
    agreements: &TrustGrants,
    without: Option<&str>,
) -> (Vec<Option<Hook>>, Option<Chain>, ProjectTrust) {
    let trust = &agreements.options;
    let doubt =
        |store: &TrustStore| store.grant_for(&footprint.folder).and_then(|_| store.distrust_reason(&footprint.folder));
    let (agreement, fault) = match agreements.load_store() {
        Ok(store) => match doubt(store) {
            None => (store.grant_for(&footprint.folder), None),
            Some(fault) => (None, Some(fault)),
        },
        Err(fault) => (None, Some(fault.clone())),
    };
    let state = TrustGrant::evaluate_state(agreement, &footprint);
    let is_covered = |claim: &TrustItem| agreement.is_some_and(|known| known.covers_item(claim, &footprint));
    let is_known = |claim: &TrustItem| agreement.is_some_and(|known| known.counterparts_of(claim).next().is_some());
    // Guards that were there have to be there: those that somebody agreed to, else those that the session began with.
    let seen = trust.session_guards.get(&footprint.folder).filter(|_| agreement.is_none());
    let since = if seen.is_some() { GuardChangeBasis::SinceSessionStart } else { GuardChangeBasis::SinceTrusted };
    let guarded = agreement.or(seen);
    let was_guard = |claim: &TrustItem| {
        guarded.is_some_and(|known| {
            known.counterparts_of(claim).any(|known| known.is_guard) && !known.covers_item(claim, &footprint)
        })
    };
    if state != TrustState::Trusted {
        hooks.iter_mut().flatten().for_each(|hook| hook.source_trust = SourceTrust::Untrusted);
    }
    let (mut withheld, mut of_agents) = (Vec::new(), Vec::new());
    if state != TrustState::Trusted {
        let is_open = |claim: &&TrustItem| {
            claim.kind != TrustItemKind::Hook
                && !is_covered(claim)
                && (!claim.capabilities.is_empty() || is_known(claim))
        };
        of_agents = footprint.items.iter().filter(is_open).cloned().collect();
        of_agents.extend(agreement.iter().flat_map(|known| known.removed_members(&footprint)).cloned());
        for (claim, slot) in footprint.items.iter().zip(&mut hooks) {
            let is_changed_guard =
                claim.is_guard && was_guard(claim) && should_deny(TrustState::Changed, trust.untrusted_guards);
            let runs = is_covered(claim) || (claim.capabilities.is_empty() && !is_changed_guard);
            let Some(hook) = slot.take_if(|_| !runs && without != Some(claim.dialect.as_str())) else {
                continue;
            };
            let state = if is_known(claim) || is_changed_guard { TrustState::Changed } else { TrustState::New };
            let denies = claim.is_guard && should_deny(state, trust.untrusted_guards);
            withheld.push(UntrustedHook::new(claim, state, denies));
            if denies || trust.lists_untrusted {
                *slot = Some(deny_untrusted(hook, state, since));
            }
        }
    }
    let gone = guarded
        .filter(|_| state != TrustState::Trusted && should_deny(TrustState::Changed, trust.untrusted_guards))
        .into_iter();
    let gone = gone.flat_map(|known| known.removed_guards(&footprint));
    let mut stand_ins = Vec::new();
    for claim in gone.filter(|claim| without != Some(claim.dialect.as_str())) {
        let Some(hook) = deny_for_removed_guard(claim, since) else { continue };
        withheld.push(UntrustedHook::new(claim, TrustState::Changed, true));
        stand_ins.push(Arc::new(hook));
    }
    let difference = agreement.map(|known| known.compare_with(&footprint)).unwrap_or_default();
    let chain = (!stand_ins.is_empty()).then(|| Chain {
        source: Arc::from(footprint.folder.display().to_string()),
        dialect: "trust",
        layer: Layer::Project,
        profile: Profile::SequentialFirstDeny,
        hooks: stand_ins,
    });
    let in_session = seen.is_some() && withheld.iter().any(|hook| hook.state == TrustState::Changed);
    (
        hooks,
        chain,
        ProjectTrust {
            manifest: footprint,
            state,
            difference,
            untrusted_hooks: withheld,
            agent_items: of_agents,
            is_from_session: in_session,
            error: fault,
        },
    )
}

/// Since when a guard is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GuardChangeBasis {
    SinceTrusted,
    SinceSessionStart,
}

impl fmt::Display for GuardChangeBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SinceTrusted => "after you trusted this project",
            Self::SinceSessionStart => "during this session",
        })
    }
}

/// Whether a guard that nobody agreed to denies.
fn should_deny(state: TrustState, guards: Option<UntrustedGuardPolicy>) -> bool {
    match guards {
        Some(UntrustedGuardPolicy::Deny) => true,
        Some(UntrustedGuardPolicy::Skip) => false,
        None => state == TrustState::Changed,
    }
}

impl UntrustedHook {
    fn new(claim: &TrustItem, state: TrustState, denies: bool) -> Self {
        Self {
            hook: claim.name.clone(),
            event: claim.event.clone().unwrap_or_default(),
            state,
            capabilities: claim.capabilities.clone(),
            is_guard: claim.is_guard,
            is_denied: denies,
        }
    }
}

/// The hook with a handler that only fails, and failing denies.
fn deny_untrusted(hook: Hook, state: TrustState, since: GuardChangeBasis) -> Hook {
    let message = match state {
        TrustState::Changed => {
            format!("hook `{}` changed {since}; run `pintle trust` to review it", shorten_name(hook.id.as_str()))
        }
        _ => format!(
            "hook `{}` of this project is not trusted; run `pintle trust` to review it",
            shorten_name(hook.id.as_str())
        ),
    };
    Hook {
        handler: Arc::new(UntrustedHandler { message }),
        on_failure: FailurePolicy::Closed,
        strict_matcher: true,
        definition: None,
        // What it says is ours.
        source_trust: SourceTrust::Trusted,
        tools: Vec::new(),
        ..hook
    }
}

/// A hook in the place of a guard that is gone. `None` for an event that this program does not know.
fn deny_for_removed_guard(claim: &TrustItem, since: GuardChangeBasis) -> Option<Hook> {
    let event = EventName::parse(claim.event.as_deref()?).ok()?;
    let message = format!(
        "guard `{}` was removed or weakened {since}; run `pintle trust` to review it",
        shorten_name(&claim.name)
    );
    Some(Hook {
        id: HookId::new(claim.name.as_str()),
        event_alias: Arc::from(event.as_str()),
        event,
        priority: 0,
        matcher: (!claim.subjects.is_empty())
            .then(|| Arc::new(RemovedGuardMatcher { names: claim.subjects.clone() }) as Arc<dyn Matcher>),
        handler: Arc::new(UntrustedHandler { message }),
        on_deny: DenyEffect::default(),
        definition: None,
        guard: true,
        on_failure: FailurePolicy::Closed,
        strict_matcher: true,
        mode: EnforcementMode::Enforce,
        // What it says is ours.
        source_trust: SourceTrust::Trusted,
        tools: Vec::new(),
        limits: CallLimits::default(),
        location: Location::default(),
    })
}

/// Wants to see what a guard that is gone wanted to see.
#[derive(Debug)]
struct RemovedGuardMatcher {
    names: Vec<String>,
}

impl Matcher for RemovedGuardMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        match event.subject() {
            Some(subject) if !self.names.iter().any(|name| name == subject) => MatchResult::No,
            _ => MatchResult::Yes,
        }
    }

    fn subjects(&self) -> SubjectFilter {
        SubjectFilter::Only { names: self.names.clone(), sufficient: false }
    }

    fn describe(&self) -> String {
        self.names.join(", ")
    }
}

/// Fails whenever it is asked: a hook that nobody agreed to is not refusing, it cannot be heard.
#[derive(Debug)]
struct UntrustedHandler {
    message: String,
}

impl Handler for UntrustedHandler {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::failed(Failure::new(FailureKind::Error, self.message.clone()))
    }
}

//! Decides which hooks of a project run, which are skipped, and which deny because they are not trusted.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    CallLimits, Capability, Chain, DenyEffect, EnforcementMode, Event, EventName, Failure, FailureKind, FailurePolicy,
    Handler, Hook, HookCall, HookId, Layer, Location, MatchResult, Matcher, Profile, SourceTrust, SubjectFilter,
    UntrustedGuardPolicy, Verdict,
};
use serde::Serialize;

use super::grant::{IndexedGrant, TrustDifference, TrustGrant, TrustState};
use super::item::{TrustItem, TrustItemKind};
use super::manifest::TrustManifest;
use super::store::{TrustStore, TrustStoreError};
use super::{TrustGrants, worktrees};

/// The kind of the handler that replaces an untrusted one.
pub const UNTRUSTED_HANDLER: &str = "not trusted";

/// The result of the trust check of a project.
#[derive(Debug, Clone)]
pub struct ProjectTrust {
    /// The capabilities of the project and the digests of its files.
    pub manifest: TrustManifest,
    /// The trust state of the project.
    pub state: TrustState,
    /// The difference from what the user trusted.
    pub difference: TrustDifference,
    /// The hooks that do not run, in declaration order; removed guards come last.
    pub untrusted_hooks: Vec<UntrustedHook>,
    /// The untrusted items of the project's agents other than its hooks. Only hooks are withheld here: the program that
    /// runs an agent has to check its items.
    pub agent_items: Vec<TrustItem>,
    /// Whether the changed guards are known from the start of the session, and not from a trust grant.
    pub is_from_session: bool,
    /// The reason why the trust file could not be read. No project is trusted then.
    pub error: Option<TrustStoreError>,
}

/// A hook that does not run because it is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UntrustedHook {
    /// The name of the hook.
    pub hook: String,
    /// The canonical event of the hook.
    pub event: String,
    /// Whether the hook is new or changed after it was trusted.
    pub state: TrustState,
    /// The capabilities of the hook.
    pub capabilities: Vec<Capability>,
    /// Whether the hook is a guard.
    #[serde(rename = "guard")]
    pub is_guard: bool,
    /// Whether its events are denied.
    #[serde(rename = "denied")]
    pub is_denied: bool,
}

impl ProjectTrust {
    /// The project's directory, without links in its path.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.manifest.folder
    }

    /// A one-line notice for the user; `None` if every hook runs.
    #[must_use]
    pub fn user_notice(&self) -> Option<String> {
        if self.untrusted_hooks.is_empty() {
            return None;
        }
        let dir = self.manifest.folder.display();
        let reason = match (self.state, &self.error) {
            (_, Some(error)) => format!("{error}"),
            _ if self.is_from_session => {
                format!("guards of `{dir}` changed or were removed during this session")
            }
            (TrustState::Changed, None) => format!("the hooks of `{dir}` changed after you trusted them"),
            _ => format!("you have not trusted the hooks of `{dir}` yet"),
        };
        let (denying, mut passed): (Vec<&UntrustedHook>, Vec<&UntrustedHook>) =
            self.untrusted_hooks.iter().partition(|hook| hook.is_denied);
        // A hook that still exists but is not a guard any more is listed once.
        passed.retain(|hook| denying.iter().all(|denying| denying.hook != hook.hook));
        let mut effects = Vec::new();
        if !passed.is_empty() {
            effects.push(format!("not run: {}", join_hook_names(&passed)));
        }
        if !denying.is_empty() {
            effects.push(format!("denying the events guarded by: {}", join_hook_names(&denying)));
        }
        Some(format!("{reason}; {}; review them with `pintle trust '{dir}'`", effects.join("; ")))
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

/// A name in one line of limited length: the name of a command is its whole text.
fn shorten_name(name: &str) -> String {
    const MOST: usize = 48;
    let line: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    match line.char_indices().nth(MOST) {
        Some((index, _)) => format!("{}..", line.get(..index).unwrap_or_default()),
        None => line,
    }
}

/// The grant for a project: its own, or that of another worktree of its repository in which every byte is the same.
fn find_grant<'a>(store: &'a TrustStore, manifest: &TrustManifest) -> Result<Option<&'a TrustGrant>, TrustStoreError> {
    let own = |dir: &Path| store.grant_for(dir).map(|grant| store.distrust_reason(dir).map_or(Ok(grant), Err));
    if let Some(grant) = own(&manifest.folder) {
        return grant.map(Some);
    }
    if store.grants().next().is_none() {
        return Ok(None);
    }
    let others = worktrees::counterparts(&manifest.folder);
    let mut same = others.iter().filter_map(|dir| own(dir)?.ok());
    Ok(same.find(|grant| TrustGrant::evaluate_state(Some(*grant), manifest) == TrustState::Trusted))
}

/// Compares a project with its trust grant, and decides for each hook whether it runs and whether it is trusted. A hook
/// is trusted only if the project as a whole is as the user trusted it. A guard that was trusted and has changed
/// denies, whatever it has become.
///
/// `hooks` belong to the first items of the manifest, in the same order; `without` is a dialect that the host runs
/// itself.
///
/// Returns the remaining hooks, and a chain of hooks that deny for removed guards.
pub(crate) fn evaluate_trust(
    manifest: TrustManifest,
    mut hooks: Vec<Option<Hook>>,
    grants: &TrustGrants,
    without: Option<&str>,
) -> (Vec<Option<Hook>>, Option<Chain>, ProjectTrust) {
    let trust = &grants.options;
    let (grant, fault) = match grants.load_store() {
        Ok(store) => match find_grant(store, &manifest) {
            Ok(grant) => (grant, None),
            Err(fault) => (None, Some(fault)),
        },
        Err(fault) => (None, Some(fault.clone())),
    };
    let state = TrustGrant::evaluate_state(grant, &manifest);
    let indexed = grant.map(IndexedGrant::new);
    let is_covered = |claim: &TrustItem| indexed.as_ref().is_some_and(|known| known.covers_item(claim, &manifest));
    let is_known =
        |claim: &TrustItem| indexed.as_ref().is_some_and(|known| known.items.counterparts_of(claim).next().is_some());
    // Known guards must still exist: those in the trust grant, otherwise those at the start of the session.
    let seen = trust.session_guards.get(&manifest.folder).filter(|_| grant.is_none());
    let since = if seen.is_some() { GuardChangeBasis::SinceSessionStart } else { GuardChangeBasis::SinceTrusted };
    let guarded = grant.or(seen);
    let indexed_guards = guarded.map(IndexedGrant::new);
    let was_guard = |claim: &TrustItem| {
        indexed_guards.as_ref().is_some_and(|known| {
            known.items.counterparts_of(claim).any(|known| known.is_guard) && !known.covers_item(claim, &manifest)
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
        of_agents = manifest.items.iter().filter(is_open).cloned().collect();
        of_agents.extend(grant.iter().flat_map(|known| known.removed_members(&manifest)).cloned());
        for (claim, slot) in manifest.items.iter().zip(&mut hooks) {
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
    let gone = gone.flat_map(|known| known.removed_guards(&manifest));
    let mut stand_ins = Vec::new();
    for claim in gone.filter(|claim| without != Some(claim.dialect.as_str())) {
        let Some(hook) = deny_for_removed_guard(claim, since) else { continue };
        withheld.push(UntrustedHook::new(claim, TrustState::Changed, true));
        stand_ins.push(Arc::new(hook));
    }
    let difference = grant.map(|known| known.compare_with(&manifest)).unwrap_or_default();
    let chain = (!stand_ins.is_empty()).then(|| Chain {
        source: Arc::from(manifest.folder.display().to_string()),
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
            manifest,
            state,
            difference,
            untrusted_hooks: withheld,
            agent_items: of_agents,
            is_from_session: in_session,
            error: fault,
        },
    )
}

/// The point in time that a changed guard is compared with.
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

/// Whether an untrusted guard denies.
fn should_deny(state: TrustState, guards: Option<UntrustedGuardPolicy>) -> bool {
    match guards {
        Some(UntrustedGuardPolicy::Deny) => true,
        Some(UntrustedGuardPolicy::Skip) => false,
        None => state == TrustState::Changed,
    }
}

impl UntrustedHook {
    fn new(item: &TrustItem, state: TrustState, denies: bool) -> Self {
        Self {
            hook: item.name.clone(),
            event: item.event.clone().unwrap_or_default(),
            state,
            capabilities: item.capabilities.clone(),
            is_guard: item.is_guard,
            is_denied: denies,
        }
    }
}

/// The hook with a handler that always fails, so that it denies.
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
        // The message is Pintle's own.
        source_trust: SourceTrust::Trusted,
        tools: Vec::new(),
        ..hook
    }
}

/// A hook that denies for a removed guard. `None` for an unknown event.
fn deny_for_removed_guard(item: &TrustItem, since: GuardChangeBasis) -> Option<Hook> {
    let event = EventName::parse(item.event.as_deref()?).ok()?;
    let message = format!(
        "guard `{}` was removed or weakened {since}; run `pintle trust` to review it",
        shorten_name(&item.name)
    );
    Some(Hook {
        id: HookId::new(item.name.as_str()),
        event_alias: Arc::from(event.as_str()),
        event,
        priority: 0,
        matcher: (!item.subjects.is_empty())
            .then(|| Arc::new(RemovedGuardMatcher { names: item.subjects.clone() }) as Arc<dyn Matcher>),
        handler: Arc::new(UntrustedHandler { message }),
        on_deny: DenyEffect::default(),
        definition: None,
        guard: true,
        on_failure: FailurePolicy::Closed,
        strict_matcher: true,
        mode: EnforcementMode::Enforce,
        // The message is Pintle's own.
        source_trust: SourceTrust::Trusted,
        tools: Vec::new(),
        limits: CallLimits::default(),
        location: Location::default(),
    })
}

/// Matches what a removed guard matched.
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
        SubjectFilter::possible(self.names.clone())
    }

    fn describe(&self) -> String {
        self.names.join(", ")
    }
}

/// Fails on every call: an untrusted hook gives no verdict.
#[derive(Debug)]
struct UntrustedHandler {
    message: String,
}

impl Handler for UntrustedHandler {
    fn kind(&self) -> &'static str {
        UNTRUSTED_HANDLER
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::failed(Failure::new(FailureKind::Error, self.message.clone()))
    }
}

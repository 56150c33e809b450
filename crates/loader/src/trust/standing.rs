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

use super::Agreements;
use super::agreement::{Agreement, Difference, State};
use super::claim::{Claim, ClaimKind};
use super::footprint::Footprint;
use super::store::{Store, StoreFault};

/// The kind of a handler that stands in for one that nobody agreed to.
const KIND: &str = "not trusted";

/// What became of a project that needed consent.
#[derive(Debug)]
pub struct Consent {
    /// What it may do, and the bytes behind that.
    pub footprint: Footprint,
    /// How it stands to what was agreed to.
    pub state: State,
    /// How it differs from what was agreed to.
    pub difference: Difference,
    /// The hooks that do not run, in the order of their declaration; guards that are gone come last.
    pub withheld: Vec<Withheld>,
    /// What agents of the project may do besides its hooks, and nobody agreed to. Whoever runs one of them has to see to
    /// it: only hooks are withheld.
    pub of_agents: Vec<Claim>,
    /// Whether it is the session that knew guards which are not what they were, and no agreement.
    pub in_session: bool,
    /// Why agreements could not be looked at. Then nothing counts as agreed to.
    pub fault: Option<StoreFault>,
}

/// A hook that does not run, because nobody agreed to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Withheld {
    /// Its name.
    pub hook: String,
    /// Its canonical event.
    pub event: String,
    /// Whether nobody knows it, or it changed since somebody agreed to it.
    pub state: State,
    /// What it may do.
    pub reach: Vec<Capability>,
    /// Whether it is a guard.
    pub guard: bool,
    /// Whether what it guards is denied.
    pub denies: bool,
}

impl Consent {
    /// The project's folder, without links in its path.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.footprint.folder
    }

    /// What a person is to be told, in one line; nothing when everything runs.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        if self.withheld.is_empty() {
            return None;
        }
        let folder = self.footprint.folder.display();
        let why = match (self.state, &self.fault) {
            (_, Some(fault)) => format!("{fault}"),
            _ if self.in_session => format!("guards of `{folder}` changed or went while this session was going on"),
            (State::Changed, None) => format!("the hooks of `{folder}` changed since you agreed to them"),
            _ => format!("nobody agreed to the hooks of `{folder}`"),
        };
        let (denying, mut passed): (Vec<&Withheld>, Vec<&Withheld>) =
            self.withheld.iter().partition(|hook| hook.denies);
        // One that is there and no guard any more is told of once.
        passed.retain(|hook| denying.iter().all(|denying| denying.hook != hook.hook));
        let mut effects = Vec::new();
        if !passed.is_empty() {
            effects.push(format!("not run: {}", names(&passed)));
        }
        if !denying.is_empty() {
            effects.push(format!("denied is what these guard: {}", names(&denying)));
        }
        Some(format!("{why}; {}; `pintle trust '{folder}'` shows what they may do and asks", effects.join("; ")))
    }
}

/// The names of hooks, at most a few of them.
fn names(hooks: &[&Withheld]) -> String {
    const SHOWN: usize = 4;
    let mut names: Vec<String> = hooks.iter().take(SHOWN).map(|hook| format!("`{}`", brief(&hook.hook))).collect();
    if hooks.len() > SHOWN {
        names.push(format!("{} more", hooks.len() - SHOWN));
    }
    names.join(", ")
}

/// A name in one line that is no longer than a person reads: that of a command is its whole text.
fn brief(name: &str) -> String {
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
pub(crate) fn stand(
    footprint: Footprint,
    mut hooks: Vec<Option<Hook>>,
    agreements: &Agreements,
    without: Option<&str>,
) -> (Vec<Option<Hook>>, Option<Chain>, Consent) {
    let trust = &agreements.trust;
    let doubt = |store: &Store| store.get(&footprint.folder).and_then(|_| store.doubt(&footprint.folder));
    let (agreement, fault) = match agreements.store() {
        Ok(store) => match doubt(store) {
            None => (store.get(&footprint.folder), None),
            Some(fault) => (None, Some(fault)),
        },
        Err(fault) => (None, Some(fault.clone())),
    };
    let state = Agreement::state(agreement, &footprint);
    let is_covered = |claim: &Claim| agreement.is_some_and(|known| known.covers(claim, &footprint));
    let is_known = |claim: &Claim| agreement.is_some_and(|known| known.counterparts(claim).next().is_some());
    // Guards that were there have to be there: those that somebody agreed to, else those that the session began with.
    let seen = trust.session.get(&footprint.folder).filter(|_| agreement.is_none());
    let since = if seen.is_some() { Since::Session } else { Since::Agreement };
    let guarded = agreement.or(seen);
    let was_guard = |claim: &Claim| {
        guarded
            .is_some_and(|known| known.counterparts(claim).any(|known| known.guard) && !known.covers(claim, &footprint))
    };
    if state != State::Agreed {
        hooks.iter_mut().flatten().for_each(|hook| hook.source_trust = SourceTrust::Untrusted);
    }
    let (mut withheld, mut of_agents) = (Vec::new(), Vec::new());
    if state != State::Agreed {
        let is_open = |claim: &&Claim| {
            claim.kind != ClaimKind::Hook && !is_covered(claim) && (!claim.reach.is_empty() || is_known(claim))
        };
        of_agents = footprint.claims.iter().filter(is_open).cloned().collect();
        of_agents.extend(agreement.iter().flat_map(|known| known.lost_members(&footprint)).cloned());
        for (claim, slot) in footprint.claims.iter().zip(&mut hooks) {
            let is_changed_guard = claim.guard && was_guard(claim) && denies(State::Changed, trust.guards);
            let runs = is_covered(claim) || (claim.reach.is_empty() && !is_changed_guard);
            let Some(hook) = slot.take_if(|_| !runs && without != Some(claim.dialect.as_str())) else {
                continue;
            };
            let state = if is_known(claim) || is_changed_guard { State::Changed } else { State::New };
            let denies = claim.guard && denies(state, trust.guards);
            withheld.push(Withheld::of(claim, state, denies));
            if denies || trust.lists {
                *slot = Some(in_place_of(hook, state, since));
            }
        }
    }
    let gone = guarded.filter(|_| state != State::Agreed && denies(State::Changed, trust.guards)).into_iter();
    let gone = gone.flat_map(|known| known.lost_guards(&footprint));
    let mut stand_ins = Vec::new();
    for claim in gone.filter(|claim| without != Some(claim.dialect.as_str())) {
        let Some(hook) = stand_in(claim, since) else { continue };
        withheld.push(Withheld::of(claim, State::Changed, true));
        stand_ins.push(Arc::new(hook));
    }
    let difference = agreement.map(|known| known.difference(&footprint)).unwrap_or_default();
    let chain = (!stand_ins.is_empty()).then(|| Chain {
        source: Arc::from(footprint.folder.display().to_string()),
        dialect: "trust",
        layer: Layer::Project,
        profile: Profile::SequentialFirstDeny,
        hooks: stand_ins,
    });
    let in_session = seen.is_some() && withheld.iter().any(|hook| hook.state == State::Changed);
    (hooks, chain, Consent { footprint, state, difference, withheld, of_agents, in_session, fault })
}

/// Since when a guard is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    Agreement,
    Session,
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agreement => "since you agreed to it",
            Self::Session => "since this session began",
        })
    }
}

/// Whether a guard that nobody agreed to denies.
fn denies(state: State, guards: Option<UntrustedGuardPolicy>) -> bool {
    match guards {
        Some(UntrustedGuardPolicy::Deny) => true,
        Some(UntrustedGuardPolicy::Skip) => false,
        None => state == State::Changed,
    }
}

impl Withheld {
    fn of(claim: &Claim, state: State, denies: bool) -> Self {
        Self {
            hook: claim.name.clone(),
            event: claim.event.clone().unwrap_or_default(),
            state,
            reach: claim.reach.clone(),
            guard: claim.guard,
            denies,
        }
    }
}

/// The hook with a handler that only fails, and failing denies.
fn in_place_of(hook: Hook, state: State, since: Since) -> Hook {
    let message = match state {
        State::Changed => format!(
            "hook `{}` of this project was changed {since}; run `pintle trust` to look at it",
            brief(hook.id.as_str())
        ),
        _ => format!("nobody agreed to hook `{}` of this project; run `pintle trust`", brief(hook.id.as_str())),
    };
    Hook {
        handler: Arc::new(Refusing { message }),
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
fn stand_in(claim: &Claim, since: Since) -> Option<Hook> {
    let event = EventName::parse(claim.event.as_deref()?).ok()?;
    let message = format!(
        "guard `{}` of this project is gone or guards less {since}; run `pintle trust` to look at that",
        brief(&claim.name)
    );
    Some(Hook {
        id: HookId::new(claim.name.as_str()),
        event_alias: Arc::from(event.as_str()),
        event,
        priority: 0,
        matcher: (!claim.subjects.is_empty())
            .then(|| Arc::new(OfSubjects { names: claim.subjects.clone() }) as Arc<dyn Matcher>),
        handler: Arc::new(Refusing { message }),
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
struct OfSubjects {
    names: Vec<String>,
}

impl Matcher for OfSubjects {
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
struct Refusing {
    message: String,
}

impl Handler for Refusing {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::failed(Failure::new(FailureKind::Error, self.message.clone()))
    }
}

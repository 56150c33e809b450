//! What was agreed to, and how a project differs from it.

use std::collections::{BTreeMap, BTreeSet};

use pintle_contract::Capability;
use serde::{Deserialize, Serialize};

use super::claim::{Claim, ClaimKind};
use super::footprint::Footprint;

/// What somebody agreed to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// When, in milliseconds since the Unix epoch.
    pub agreed_at_ms: u64,
    /// The digests of the files.
    pub files: BTreeMap<String, String>,
    /// What the hooks and tools could do.
    pub claims: Vec<Claim>,
}

/// How a project stands to what was agreed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nobody agreed to it, and nothing in it needs consent to run: its hooks can only judge.
    Free,
    /// Somebody agreed to it as it is, byte for byte.
    Agreed,
    /// Nobody ever agreed to it.
    New,
    /// It is not what somebody agreed to.
    Changed,
}

/// How a project differs from what was agreed to. Everything is empty for one that nobody knows: all of it is new.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Files that were not there.
    pub files_added: Vec<String>,
    /// Files that are gone.
    pub files_removed: Vec<String>,
    /// Files with other bytes.
    pub files_changed: Vec<String>,
    /// What the project may do and could not.
    pub reach_added: Vec<Capability>,
    /// What it could do and no longer does.
    pub reach_removed: Vec<Capability>,
    /// Events that its hooks did not listen to.
    pub events_added: Vec<String>,
    /// Events that its hooks no longer listen to.
    pub events_removed: Vec<String>,
    /// Guards that are gone, or no longer listen to the same.
    pub guards_removed: Vec<String>,
}

impl Agreement {
    /// Agrees to a project as it is.
    #[must_use]
    pub fn to(footprint: &Footprint, agreed_at_ms: u64) -> Self {
        Self { agreed_at_ms, files: footprint.files.clone(), claims: footprint.claims.clone() }
    }

    /// The guards of a project that run without anybody's agreement, and the bytes behind them, with those that were known
    /// before. Nothing where there are none, or the project is agreed to.
    #[must_use]
    pub fn of_session(state: State, footprint: &Footprint, before: Option<&Self>) -> Option<Self> {
        if matches!(state, State::Agreed | State::Changed) {
            return None;
        }
        let mut known = before.cloned().unwrap_or_default();
        let runs = |claim: &&Claim| claim.guard && claim.kind == ClaimKind::Hook && claim.reach.is_empty();
        for claim in footprint.claims.iter().filter(runs) {
            if known.counterparts(claim).next().is_some() {
                continue;
            }
            for file in &claim.files {
                if let Some(digest) = footprint.files.get(file) {
                    known.files.entry(file.clone()).or_insert_with(|| digest.clone());
                }
            }
            known.claims.push(claim.clone());
        }
        (!known.claims.is_empty()).then_some(known)
    }

    /// How a project stands to an agreement.
    #[must_use]
    pub fn state(agreement: Option<&Self>, footprint: &Footprint) -> State {
        match agreement {
            None if footprint.needs_consent() => State::New,
            None => State::Free,
            Some(agreement) if agreement.files == footprint.files => State::Agreed,
            Some(_) => State::Changed,
        }
    }

    /// Whether a claim of a project was agreed to: the same claim, and every file behind it as it was.
    pub(super) fn covers(&self, claim: &Claim, footprint: &Footprint) -> bool {
        let is_same =
            |file: &String| self.files.contains_key(file) && self.files.get(file) == footprint.files.get(file);
        self.claims.iter().any(|known| known.is_same(claim)) && claim.files.iter().all(is_same)
    }

    /// The agreed claims about what has the same name.
    pub(super) fn counterparts<'a>(&'a self, claim: &'a Claim) -> impl Iterator<Item = &'a Claim> {
        self.claims.iter().filter(|known| known.is_named_as(claim, claim.kind))
    }

    /// The guards that the project has no more, or only in a form that does not deny, or does not want to see the same. Of
    /// several that look alike each has to be there. Those of agents stand when they are there at all: whoever runs an
    /// agent asks for consent to all that it may do.
    pub(super) fn lost_guards<'a>(&'a self, footprint: &'a Footprint) -> impl Iterator<Item = &'a Claim> {
        let is_guard = |claim: &&Claim| claim.guard && claim.kind == ClaimKind::Hook;
        let alike = |guard: &Claim, claims: &[Claim]| {
            claims.iter().filter(|claim| claim.guard && claim.is_about(guard, ClaimKind::Hook)).count()
        };
        let is_member = |guard: &Claim| {
            !footprint.of_host && footprint.claims.iter().any(|claim| claim.is_named_as(guard, ClaimKind::Member))
        };
        let guards = self.claims.iter().filter(is_guard);
        guards.filter(move |guard| alike(guard, &footprint.claims) < alike(guard, &self.claims) && !is_member(guard))
    }

    /// What the agents of the project could do and no longer have, which may have been a guard of theirs.
    pub(super) fn lost_members<'a>(&'a self, footprint: &'a Footprint) -> impl Iterator<Item = &'a Claim> {
        let is_there =
            |member: &Claim| footprint.claims.iter().any(|claim| claim.is_named_as(member, ClaimKind::Member));
        self.claims.iter().filter(move |claim| claim.kind == ClaimKind::Member && !is_there(claim))
    }

    /// How a project differs from what was agreed to.
    #[must_use]
    pub fn difference(&self, footprint: &Footprint) -> Difference {
        let only = |these: &BTreeMap<String, String>, others: &BTreeMap<String, String>| {
            these.keys().filter(|file| !others.contains_key(*file)).cloned().collect::<Vec<String>>()
        };
        let is_changed =
            |(file, digest): &(&String, &String)| self.files.get(*file).is_some_and(|known| known != *digest);
        let (before, now) = (reaches(&self.claims), reaches(&footprint.claims));
        let (heard, hears) = (events(&self.claims), events(&footprint.claims));
        Difference {
            files_added: only(&footprint.files, &self.files),
            files_removed: only(&self.files, &footprint.files),
            files_changed: footprint.files.iter().filter(is_changed).map(|(file, _)| file.clone()).collect(),
            reach_added: now.difference(&before).cloned().collect(),
            reach_removed: before.difference(&now).cloned().collect(),
            events_added: hears.difference(&heard).cloned().collect(),
            events_removed: heard.difference(&hears).cloned().collect(),
            guards_removed: self.lost_guards(footprint).map(|guard| guard.name.clone()).collect(),
        }
    }
}

fn reaches(claims: &[Claim]) -> BTreeSet<Capability> {
    claims.iter().flat_map(|claim| claim.reach.iter().cloned()).collect()
}

fn events(claims: &[Claim]) -> BTreeSet<String> {
    claims.iter().filter_map(|claim| claim.event.clone()).collect()
}

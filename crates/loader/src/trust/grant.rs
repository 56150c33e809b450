//! Records what the user trusted, and compares a project with it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pintle_contract::Capability;
use serde::{Deserialize, Serialize};

use super::item::{TrustItem, TrustItemKind};
use super::manifest::TrustManifest;

/// The content of a project that the user trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustGrant {
    /// The time of the grant, in milliseconds since the Unix epoch.
    pub granted_at_ms: u64,
    /// The digests of the files.
    pub files: BTreeMap<String, String>,
    /// The hooks and tools with their capabilities.
    pub items: Vec<TrustItem>,
}

/// The trust state of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustState {
    /// Not trusted, but nothing in it needs trust: its hooks can only return decisions.
    NotRequired,
    /// The user trusted the project exactly as it is.
    Trusted,
    /// The user never trusted the project.
    New,
    /// The project differs from what the user trusted.
    Changed,
}

/// The difference between a project and its trust grant. Empty for a project without a grant, where everything is new.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TrustDifference {
    /// Files that were added.
    pub files_added: Vec<String>,
    /// Files that were removed.
    pub files_removed: Vec<String>,
    /// Files whose content changed.
    pub files_changed: Vec<String>,
    /// Capabilities that were added.
    pub capabilities_added: Vec<Capability>,
    /// Capabilities that were removed.
    pub capabilities_removed: Vec<Capability>,
    /// Events that hooks newly subscribe to.
    pub events_added: Vec<String>,
    /// Events that hooks no longer subscribe to.
    pub events_removed: Vec<String>,
    /// Guards that were removed, or no longer match the same.
    pub guards_removed: Vec<String>,
}

/// The items of a list by their names: a project may have thousands of them.
pub(super) struct ItemsByName<'a>(HashMap<&'a str, Vec<&'a TrustItem>>);

impl<'a> ItemsByName<'a> {
    fn new(items: &'a [TrustItem]) -> Self {
        let mut named: HashMap<&str, Vec<&TrustItem>> = HashMap::with_capacity(items.len());
        items.iter().for_each(|item| named.entry(&item.name).or_default().push(item));
        Self(named)
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &'a TrustItem> {
        self.0.get(name).into_iter().flatten().copied()
    }

    /// The items with the same name as another one.
    pub(super) fn counterparts_of(&self, item: &TrustItem) -> impl Iterator<Item = &'a TrustItem> {
        self.named(&item.name).filter(|known| known.has_same_name(item, item.kind))
    }
}

/// A grant whose items are asked for one by one.
pub(super) struct IndexedGrant<'a> {
    pub(super) grant: &'a TrustGrant,
    pub(super) items: ItemsByName<'a>,
}

impl<'a> IndexedGrant<'a> {
    pub(super) fn new(grant: &'a TrustGrant) -> Self {
        Self { grant, items: ItemsByName::new(&grant.items) }
    }

    /// Whether an item of a project is trusted: the same item, and all its files unchanged.
    pub(super) fn covers_item(&self, item: &TrustItem, manifest: &TrustManifest) -> bool {
        let files = &self.grant.files;
        let is_same = |file: &String| files.contains_key(file) && files.get(file) == manifest.files.get(file);
        self.items.named(&item.name).any(|known| known.is_same_item(item)) && item.files.iter().all(is_same)
    }
}

impl TrustGrant {
    /// Grants trust to a project as it is.
    #[must_use]
    pub fn new(manifest: &TrustManifest, agreed_at_ms: u64) -> Self {
        Self { granted_at_ms: agreed_at_ms, files: manifest.files.clone(), items: manifest.items.clone() }
    }

    /// The guards of a project that run without trust, with the digests of their files, combined with those known
    /// before. `None` without guards, or if the project is trusted.
    #[must_use]
    pub fn for_session(state: TrustState, manifest: &TrustManifest, before: Option<&Self>) -> Option<Self> {
        if matches!(state, TrustState::Trusted | TrustState::Changed) {
            return None;
        }
        let mut known = before.cloned().unwrap_or_default();
        let runs =
            |claim: &&TrustItem| claim.is_guard && claim.kind == TrustItemKind::Hook && claim.capabilities.is_empty();
        let before = before.map(|before| ItemsByName::new(&before.items));
        let mut new = ItemsByName::new(&[]);
        for claim in manifest.items.iter().filter(runs) {
            let is_known = |known: &ItemsByName<'_>| known.counterparts_of(claim).next().is_some();
            if before.as_ref().is_some_and(is_known) || is_known(&new) {
                continue;
            }
            new.0.entry(&claim.name).or_default().push(claim);
            for file in &claim.files {
                if let Some(digest) = manifest.files.get(file) {
                    known.files.entry(file.clone()).or_insert_with(|| digest.clone());
                }
            }
            known.items.push(claim.clone());
        }
        (!known.items.is_empty()).then_some(known)
    }

    /// The trust state of a project for a grant.
    #[must_use]
    pub fn evaluate_state(grant: Option<&Self>, manifest: &TrustManifest) -> TrustState {
        match grant {
            None if manifest.needs_trust() => TrustState::New,
            None => TrustState::NotRequired,
            Some(grant) if grant.files == manifest.files => TrustState::Trusted,
            Some(_) => TrustState::Changed,
        }
    }

    /// The guards that the project no longer has, that no longer deny, or that no longer match the same. Of several
    /// identical guards each must exist. Guards of agents only have to exist: the program that runs an agent checks
    /// all its items.
    pub(super) fn removed_guards<'a>(&'a self, manifest: &'a TrustManifest) -> impl Iterator<Item = &'a TrustItem> {
        let is_guard = |claim: &&TrustItem| claim.is_guard && claim.kind == TrustItemKind::Hook;
        let (own, current) = (ItemsByName::new(&self.items), ItemsByName::new(&manifest.items));
        let alike = |guard: &TrustItem, claims: &ItemsByName<'_>| {
            let named = claims.named(&guard.name);
            named.filter(|claim| claim.is_guard && claim.has_same_matcher(guard, TrustItemKind::Hook)).count()
        };
        let is_removed = move |guard: &&TrustItem| {
            let is_member = |claim: &TrustItem| claim.has_same_name(guard, TrustItemKind::Member);
            alike(guard, &current) < alike(guard, &own)
                && (manifest.is_for_host || !current.named(&guard.name).any(is_member))
        };
        self.items.iter().filter(is_guard).filter(is_removed)
    }

    /// The items of the project's agents that were removed; one of them may have been a guard.
    pub(super) fn removed_members<'a>(&'a self, manifest: &'a TrustManifest) -> impl Iterator<Item = &'a TrustItem> {
        let is_there =
            |member: &TrustItem| manifest.items.iter().any(|claim| claim.has_same_name(member, TrustItemKind::Member));
        self.items.iter().filter(move |claim| claim.kind == TrustItemKind::Member && !is_there(claim))
    }

    /// The difference between a project and this grant.
    #[must_use]
    pub fn compare_with(&self, manifest: &TrustManifest) -> TrustDifference {
        let only = |these: &BTreeMap<String, String>, others: &BTreeMap<String, String>| {
            these.keys().filter(|file| !others.contains_key(*file)).cloned().collect::<Vec<String>>()
        };
        let is_changed =
            |(file, digest): &(&String, &String)| self.files.get(*file).is_some_and(|known| known != *digest);
        let (before, now) = (capabilities_of(&self.items), capabilities_of(&manifest.items));
        let (heard, hears) = (events_of(&self.items), events_of(&manifest.items));
        TrustDifference {
            files_added: only(&manifest.files, &self.files),
            files_removed: only(&self.files, &manifest.files),
            files_changed: manifest.files.iter().filter(is_changed).map(|(file, _)| file.clone()).collect(),
            capabilities_added: now.difference(&before).cloned().collect(),
            capabilities_removed: before.difference(&now).cloned().collect(),
            events_added: hears.difference(&heard).cloned().collect(),
            events_removed: heard.difference(&hears).cloned().collect(),
            guards_removed: self.removed_guards(manifest).map(|guard| guard.name.clone()).collect(),
        }
    }
}

fn capabilities_of(claims: &[TrustItem]) -> BTreeSet<Capability> {
    claims.iter().flat_map(|claim| claim.capabilities.iter().cloned()).collect()
}

fn events_of(claims: &[TrustItem]) -> BTreeSet<String> {
    claims.iter().filter_map(|claim| claim.event.clone()).collect()
}

//! What a project may do, as it is now: its claims, and the bytes behind them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{AgentSpec, Capability, HookDeclaration, PersonaSpec, SourceFile, TeamSpec};
use pintle_dialects::ArtifactKind;

use super::claim::{Claim, ClaimKind, Draft, of_agent, of_persona, of_rules};
use super::{bound, named};

/// What a project may do, and the digest of every file that says so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Footprint {
    /// The project's folder, without links in its path.
    pub folder: PathBuf,
    /// The files that were loaded and those that commands name, each with the SHA-256 of what counts of it. Those below the
    /// folder are seen from there.
    pub files: BTreeMap<String, String>,
    /// Its hooks in the order of their declaration, then the hooks, tools and models of its agents.
    pub claims: Vec<Claim>,
    /// Whether it is that of a host, which has the hooks of a team's first agent among the project's.
    pub(super) of_host: bool,
}

/// The files that were loaded of a project.
#[derive(Debug)]
pub(crate) struct Source {
    folder: PathBuf,
    /// The folder as it was named, by which the files are called.
    spelled: PathBuf,
    files: Vec<(ArtifactKind, PathBuf, Option<Arc<SourceFile>>)>,
    of_host: bool,
}

/// A hook of the project, and what came of compiling it.
pub(crate) type Compiled<'a> = (&'a HookDeclaration, Option<&'a pintle_contract::Hook>);

impl Source {
    /// What was found in a folder. A file that could not be read counts as it is on disk.
    pub(crate) fn new(
        folder: &Path,
        files: Vec<(ArtifactKind, PathBuf, Option<Arc<SourceFile>>)>,
        of_host: bool,
    ) -> Self {
        let spelled = if folder.is_dir() { folder } else { folder.parent().unwrap_or(folder) };
        let spelled = if spelled.as_os_str().is_empty() { Path::new(".") } else { spelled };
        let canonical = spelled.canonicalize().unwrap_or_else(|_| spelled.to_owned());
        Self { folder: canonical, spelled: spelled.to_owned(), files, of_host }
    }

    /// The footprint: what hooks and agents may do, with the bytes behind it.
    pub(crate) fn footprint(
        &self,
        hooks: &[Compiled<'_>],
        agent: Option<&AgentSpec>,
        team: Option<&TeamSpec>,
        personas: &[Arc<PersonaSpec>],
        reach: &dyn Fn(&HookDeclaration) -> Vec<Capability>,
    ) -> Footprint {
        let mut files = BTreeMap::new();
        let mut modules = Vec::new();
        for (role, path, file) in &self.files {
            let digest = match file {
                Some(file) => bound::counted(path, &file.text).map(|bytes| bound::of_bytes(&bytes)),
                None => bound::of_file(path).ok(),
            };
            let Some(digest) = digest else { continue };
            let key = self.key(path);
            if matches!(role, ArtifactKind::Module | ArtifactKind::Package) {
                modules.push(key.clone());
            }
            files.insert(key, digest);
        }
        let of_hook = |(hook, compiled): &Compiled<'_>| Draft::of_hook(ClaimKind::Hook, hook, *compiled, reach(hook));
        let mut drafts: Vec<Draft> = hooks.iter().map(of_hook).collect();
        for agent in agent.into_iter().chain(team.iter().flat_map(|team| team.agents.iter().map(AsRef::as_ref))) {
            of_agent(agent, reach, &mut drafts);
        }
        if let Some(team) = team {
            of_rules(team, &mut drafts);
        }
        for persona in personas {
            of_persona(persona, &mut drafts);
        }
        let claims = drafts.into_iter().map(|draft| self.finish(draft, &modules, &mut files)).collect();
        Footprint { folder: self.folder.clone(), files, claims, of_host: self.of_host }
    }

    /// A claim with its files, whose digests join the others.
    fn finish(&self, draft: Draft, modules: &[String], files: &mut BTreeMap<String, String>) -> Claim {
        let Draft { mut claim, own, uses_modules, commands, listed } = draft;
        let own = own.map(|own| self.absolute(&own));
        claim.files.extend(own.as_deref().map(|own| self.key(own)));
        if uses_modules {
            claim.files.extend(modules.iter().cloned());
        }
        let mut all = named::listed(&listed, own.as_deref(), &self.folder);
        for command in &commands {
            let found = named::named(command, own.as_deref(), &self.folder);
            all.files.extend(found.files);
            // What can neither write nor send anything does no harm by what it runs.
            let is_kept = command.sandbox.is_some_and(|sandbox| sandbox.read_only && sandbox.no_network);
            all.not_covered.extend(found.not_covered.into_iter().filter(|_| !is_kept));
        }
        claim.not_covered.extend(all.not_covered);
        for path in all.files {
            let key = self.key(&path);
            if !files.contains_key(&key) {
                // One that cannot be read cannot be run either, and is another file as soon as it can.
                let Ok(digest) = bound::of_file(&path) else { continue };
                files.insert(key.clone(), digest);
            }
            claim.files.push(key);
        }
        claim.files.sort_unstable();
        claim.files.dedup();
        claim
    }

    /// A path of a file that was loaded, seen from nowhere.
    fn absolute(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.spelled) {
            Ok(below) => self.folder.join(below),
            Err(_) if path.is_absolute() => path.to_owned(),
            Err(_) => path.canonicalize().unwrap_or_else(|_| self.folder.join(path)),
        }
    }

    /// What a file is called in the footprint.
    fn key(&self, path: &Path) -> String {
        let path = self.absolute(path);
        path.strip_prefix(&self.folder).unwrap_or(&path).display().to_string()
    }
}

impl Footprint {
    /// Whether anything in it needs consent.
    #[must_use]
    pub fn needs_consent(&self) -> bool {
        self.claims.iter().any(|claim| !claim.reach.is_empty())
    }

    /// What hooks run that an agreement does not cover, each once.
    #[must_use]
    pub fn not_covered(&self) -> BTreeSet<&str> {
        self.claims.iter().flat_map(|claim| &claim.not_covered).map(String::as_str).collect()
    }

    /// One digest of everything: two footprints with the same one may do the same.
    #[must_use]
    pub fn digest(&self) -> String {
        let lines = self.files.iter().map(|(file, digest)| format!("{digest}  {file}\n"));
        bound::of_bytes(lines.collect::<String>().as_bytes())
    }
}

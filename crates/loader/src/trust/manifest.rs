//! What a project may do, as it is now: its claims, and the bytes behind them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{AgentSpec, Capability, HookDeclaration, PersonaSpec, SourceFile, TeamSpec};
use pintle_dialects::ArtifactKind;

use super::item::{TrustItem, TrustItemDraft, TrustItemKind, draft_agent, draft_permission_rules, draft_persona};
use super::{digest, referenced_files};

/// What a project may do, and the digest of every file that says so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustManifest {
    /// The project's folder, without links in its path.
    pub folder: PathBuf,
    /// The files that were loaded and those that commands name, each with the SHA-256 of what counts of it. Those below the
    /// folder are seen from there.
    pub files: BTreeMap<String, String>,
    /// Its hooks in the order of their declaration, then the hooks, tools and models of its agents.
    pub items: Vec<TrustItem>,
    /// Whether it is that of a host, which has the hooks of a team's first agent among the project's.
    pub(super) is_for_host: bool,
}

/// The files that were loaded of a project.
#[derive(Debug)]
pub(crate) struct LoadedFiles {
    folder: PathBuf,
    /// The folder as it was named, by which the files are called.
    named_folder: PathBuf,
    files: Vec<(ArtifactKind, PathBuf, Option<Arc<SourceFile>>)>,
    is_for_host: bool,
}

/// A hook of the project, and what came of compiling it.
pub(crate) type CompiledHook<'a> = (&'a HookDeclaration, Option<&'a pintle_contract::Hook>);

impl LoadedFiles {
    /// What was found in a folder. A file that could not be read counts as it is on disk.
    pub(crate) fn new(
        folder: &Path,
        files: Vec<(ArtifactKind, PathBuf, Option<Arc<SourceFile>>)>,
        of_host: bool,
    ) -> Self {
        let spelled = if folder.is_dir() { folder } else { folder.parent().unwrap_or(folder) };
        let spelled = if spelled.as_os_str().is_empty() { Path::new(".") } else { spelled };
        let canonical = spelled.canonicalize().unwrap_or_else(|_| spelled.to_owned());
        Self { folder: canonical, named_folder: spelled.to_owned(), files, is_for_host: of_host }
    }

    /// The footprint: what hooks and agents may do, with the bytes behind it.
    pub(crate) fn build_manifest(
        &self,
        hooks: &[CompiledHook<'_>],
        agent: Option<&AgentSpec>,
        team: Option<&TeamSpec>,
        personas: &[Arc<PersonaSpec>],
        reach: &dyn Fn(&HookDeclaration) -> Vec<Capability>,
    ) -> TrustManifest {
        let mut files = BTreeMap::new();
        let mut modules = Vec::new();
        for (role, path, file) in &self.files {
            let digest = match file {
                Some(file) => digest::hashed_bytes(path, &file.text).map(|bytes| digest::digest_bytes(&bytes)),
                None => digest::digest_file(path).ok(),
            };
            let Some(digest) = digest else { continue };
            let key = self.file_key(path);
            if matches!(role, ArtifactKind::Module | ArtifactKind::Package) {
                modules.push(key.clone());
            }
            files.insert(key, digest);
        }
        let of_hook = |(hook, compiled): &CompiledHook<'_>| {
            TrustItemDraft::for_hook(TrustItemKind::Hook, hook, *compiled, reach(hook))
        };
        let mut drafts: Vec<TrustItemDraft> = hooks.iter().map(of_hook).collect();
        for agent in agent.into_iter().chain(team.iter().flat_map(|team| team.agents.iter().map(AsRef::as_ref))) {
            draft_agent(agent, reach, &mut drafts);
        }
        if let Some(team) = team {
            draft_permission_rules(team, &mut drafts);
        }
        for persona in personas {
            draft_persona(persona, &mut drafts);
        }
        let claims = drafts.into_iter().map(|draft| self.finish_item(draft, &modules, &mut files)).collect();
        TrustManifest { folder: self.folder.clone(), files, items: claims, is_for_host: self.is_for_host }
    }

    /// A claim with its files, whose digests join the others.
    fn finish_item(
        &self,
        draft: TrustItemDraft,
        modules: &[String],
        files: &mut BTreeMap<String, String>,
    ) -> TrustItem {
        let TrustItemDraft { item: mut claim, declared_in: own, uses_modules, commands, listed_files: listed } = draft;
        let own = own.map(|own| self.to_absolute(&own));
        claim.files.extend(own.as_deref().map(|own| self.file_key(own)));
        if uses_modules {
            claim.files.extend(modules.iter().cloned());
        }
        let mut all = referenced_files::listed_files(&listed, own.as_deref(), &self.folder);
        for command in &commands {
            let found = referenced_files::referenced_files(command, own.as_deref(), &self.folder);
            all.files.extend(found.files);
            // What can neither write nor send anything does no harm by what it runs.
            let is_kept = command.sandbox.is_some_and(|sandbox| sandbox.read_only && sandbox.no_network);
            all.not_covered.extend(found.not_covered.into_iter().filter(|_| !is_kept));
        }
        claim.not_covered.extend(all.not_covered);
        for path in all.files {
            let key = self.file_key(&path);
            if !files.contains_key(&key) {
                // One that cannot be read cannot be run either, and is another file as soon as it can.
                let Ok(digest) = digest::digest_file(&path) else { continue };
                files.insert(key.clone(), digest);
            }
            claim.files.push(key);
        }
        claim.files.sort_unstable();
        claim.files.dedup();
        claim
    }

    /// A path of a file that was loaded, seen from nowhere.
    fn to_absolute(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.named_folder) {
            Ok(below) => self.folder.join(below),
            Err(_) if path.is_absolute() => path.to_owned(),
            Err(_) => path.canonicalize().unwrap_or_else(|_| self.folder.join(path)),
        }
    }

    /// What a file is called in the footprint.
    fn file_key(&self, path: &Path) -> String {
        let path = self.to_absolute(path);
        path.strip_prefix(&self.folder).unwrap_or(&path).display().to_string()
    }
}

impl TrustManifest {
    /// Whether anything in it needs consent.
    #[must_use]
    pub fn needs_trust(&self) -> bool {
        self.items.iter().any(|claim| !claim.capabilities.is_empty())
    }

    /// What hooks run that an agreement does not cover, each once.
    #[must_use]
    pub fn list_not_covered(&self) -> BTreeSet<&str> {
        self.items.iter().flat_map(|claim| &claim.not_covered).map(String::as_str).collect()
    }

    /// One digest of everything: two footprints with the same one may do the same.
    #[must_use]
    pub fn digest(&self) -> String {
        let lines = self.files.iter().map(|(file, digest)| format!("{digest}  {file}\n"));
        digest::digest_bytes(lines.collect::<String>().as_bytes())
    }
}

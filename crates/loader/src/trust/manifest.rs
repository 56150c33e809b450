//! Describes the current content of a project: its trust items and the digests of their files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{AgentSpec, Capability, HookDeclaration, PersonaSpec, SourceFile, TeamSpec};
use pintle_dialects::ArtifactKind;

use super::item::{TrustItem, TrustItemDraft, TrustItemKind, draft_agent, draft_permission_rules, draft_persona};
use super::{digest, referenced_files};

/// The capabilities of a project, with the digest of every relevant file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustManifest {
    /// The project's directory, without links in its path.
    pub folder: PathBuf,
    /// The loaded files and those that commands name, each with the SHA-256 of its relevant part. Paths in the project
    /// are relative to its directory.
    pub files: BTreeMap<String, String>,
    /// Its hooks in declaration order, then the hooks, tools and models of its agents.
    pub items: Vec<TrustItem>,
    /// Whether a host loads it, for which the hooks of a team's first agent belong to the project.
    pub(super) is_for_host: bool,
}

/// The loaded files of a project.
#[derive(Debug)]
pub(crate) struct LoadedFiles {
    folder: PathBuf,
    /// The directory as the user named it, to which the file names are relative.
    named_folder: PathBuf,
    files: Vec<(ArtifactKind, PathBuf, Option<Arc<SourceFile>>)>,
    is_for_host: bool,
}

/// A hook of the project, with the result of compiling it.
pub(crate) type CompiledHook<'a> = (&'a HookDeclaration, Option<&'a pintle_contract::Hook>);

impl LoadedFiles {
    /// The files that were found in a directory. A file that could not be read counts as it is on disk.
    pub(crate) fn new(dir: &Path, files: Vec<(ArtifactKind, PathBuf, Option<Arc<SourceFile>>)>, of_host: bool) -> Self {
        let spelled = if pintle_files::is_dir(dir) { dir } else { dir.parent().unwrap_or(dir) };
        let spelled = if spelled.as_os_str().is_empty() { Path::new(".") } else { spelled };
        let canonical = pintle_files::real_path(spelled);
        Self { folder: canonical, named_folder: spelled.to_owned(), files, is_for_host: of_host }
    }

    /// The manifest: the capabilities of hooks and agents, with the digests of their files.
    pub(crate) fn build_manifest(
        &self,
        hooks: &[CompiledHook<'_>],
        agent: Option<&AgentSpec>,
        team: Option<&TeamSpec>,
        personas: &[Arc<PersonaSpec>],
        capabilities: &dyn Fn(&HookDeclaration) -> Vec<Capability>,
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
            TrustItemDraft::for_hook(TrustItemKind::Hook, hook, *compiled, capabilities(hook))
        };
        let mut drafts: Vec<TrustItemDraft> = hooks.iter().map(of_hook).collect();
        for agent in agent.into_iter().chain(team.iter().flat_map(|team| team.agents.iter().map(AsRef::as_ref))) {
            draft_agent(agent, capabilities, &mut drafts);
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

    /// An item with its files, whose digests are added to the others.
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
            // A command that can neither write nor send data is harmless, whatever it runs.
            let is_kept = command.sandbox.is_some_and(|sandbox| sandbox.read_only && sandbox.no_network);
            all.not_covered.extend(found.not_covered.into_iter().filter(|_| !is_kept));
        }
        claim.not_covered.extend(all.not_covered);
        for path in all.files {
            let key = self.file_key(&path);
            if !files.contains_key(&key) {
                // An unreadable file cannot run either; once it is readable, the digest differs.
                let Ok(digest) = digest::digest_file(&path) else { continue };
                files.insert(key.clone(), digest);
            }
            claim.files.push(key);
        }
        claim.files.sort_unstable();
        claim.files.dedup();
        claim
    }

    /// The absolute path of a loaded file.
    fn to_absolute(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.named_folder) {
            Ok(below) => self.folder.join(below),
            Err(_) if path.is_absolute() => path.to_owned(),
            Err(_) => pintle_files::canonicalize(path).unwrap_or_else(|_| self.folder.join(path)),
        }
    }

    /// The name of a file in the manifest.
    fn file_key(&self, path: &Path) -> String {
        let path = self.to_absolute(path);
        path.strip_prefix(&self.folder).unwrap_or(&path).display().to_string()
    }
}

impl TrustManifest {
    /// Whether any item needs trust.
    #[must_use]
    pub fn needs_trust(&self) -> bool {
        self.items.iter().any(|claim| !claim.capabilities.is_empty())
    }

    /// The parts of commands that trust does not cover, without duplicates.
    #[must_use]
    pub fn list_not_covered(&self) -> BTreeSet<&str> {
        self.items.iter().flat_map(|claim| &claim.not_covered).map(String::as_str).collect()
    }

    /// The digest of all files: manifests with the same digest have the same capabilities.
    #[must_use]
    pub fn digest(&self) -> String {
        let lines = self.files.iter().map(|(file, digest)| format!("{digest}  {file}\n"));
        digest::digest_bytes(lines.collect::<String>().as_bytes())
    }
}

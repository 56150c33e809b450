//! The sources of hooks, in the order of their configuration layers.

use std::path::{Path, PathBuf};

use pintle_contract::{HandlerFactory, Hook, HookDeclaration, Layer};
use pintle_loader::{KnownFiles, LayerDirs, LoadOptions, LoadedPath, ProjectTrust, TrustOptions, TrustState};

/// Hooks that are not declared in a file, such as those of command-line flags.
#[derive(Debug)]
pub(super) struct InlineHooks {
    pub(super) layer: Layer,
    pub(super) source: String,
    pub(super) hooks: Vec<HookDeclaration>,
}

/// A path to load.
#[derive(Debug)]
pub(super) struct HookSource {
    pub(super) path: PathBuf,
    pub(super) layer: Layer,
    /// Whether the user did not name the path, so that its capabilities need trust.
    pub(super) is_discovered: bool,
    /// What the path is loaded for.
    pub(super) purpose: PathPurpose,
}

/// What a path is loaded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathPurpose {
    /// Anything it contains.
    Any,
    /// Its agents and hooks; it must have at least one hook.
    Guarded,
    /// Only its hooks; it must have at least one.
    Hooks,
}

/// Loads the hooks of the organisation, the user, the project around the host, and the given paths.
pub(super) fn load(
    paths: &[HookSource],
    layers: &LayerDirs,
    user: Option<&Path>,
    trust: TrustOptions,
    factory: &dyn HandlerFactory,
    options: &LoadOptions<'_>,
) -> Vec<LoadedPath> {
    let known = KnownFiles::default();
    let options = &LoadOptions { known_files: Some(&known), ..*options };
    let dir = |dir: &Path, layer| pintle_loader::load_layer(dir, layer, factory, options);
    let mut loaded: Vec<LoadedPath> = layers.managed.iter().map(|managed| dir(managed, Layer::Managed)).collect();
    loaded.extend(layers.shadowed.iter().map(|dir| pintle_loader::load_shadowed_layer(dir, factory, options)));
    loaded.extend(user.or(layers.config.as_deref()).map(|user| dir(user, Layer::User)));
    let guards = loaded.iter().find_map(|loaded| loaded.untrusted_guards);
    let agreements = trust.tighten_guards(guards).into_grants();
    let found = LoadOptions {
        trust_grants: Some(&agreements),
        excluded_dialect: layers.excluded_dialect.as_deref(),
        ..*options
    };
    if !layers.cwd.as_os_str().is_empty() {
        let projects = pintle_loader::find_projects(layers, &agreements);
        let (nearest, outer) = match projects.split_last() {
            Some((nearest, outer)) if layers.runs_project_agent => (Some(nearest), outer),
            _ => (None, &projects[..]),
        };
        let load = |project: &PathBuf| pintle_loader::load_discovered(project, Layer::Project, factory, &found);
        // Of projects further out only the guards apply.
        let guards_of = |project| LoadedPath { agent: None, ..load(project) };
        match nearest {
            None => loaded.extend(outer.iter().map(load)),
            Some(nearest) => {
                loaded.extend(outer.iter().map(guards_of));
                loaded.push(pintle_loader::load_project_agent(nearest, Layer::Project, factory, &found));
            }
        }
    }
    loaded.extend(paths.iter().map(|place| {
        let options = if place.is_discovered { &found } else { options };
        if place.purpose == PathPurpose::Hooks {
            return pintle_loader::load_for_hooks(&place.path, place.layer, factory, options);
        }
        let mut loaded = pintle_loader::load_with(&place.path, place.layer, factory, options);
        if place.purpose == PathPurpose::Guarded {
            loaded.require_hooks(&place.path);
        }
        loaded
    }));
    // A path that the user names is trusted, wherever it was found before.
    let is_named = |hook: &Hook| hook.location.path().is_some_and(|path| known.contains(path));
    for project in loaded.iter_mut().filter(|loaded| is_untrusted(loaded)) {
        for chain in &mut project.chains {
            chain.hooks.retain(|hook| !is_named(hook));
        }
    }
    loaded
}

fn is_untrusted(path: &LoadedPath) -> bool {
    path.trust.as_ref().is_some_and(|trust| trust.state != TrustState::Trusted)
}

/// The directory whose files hooks may read. Of several projects it is the outermost, so that a new directory with
/// hooks below it cannot redirect its guards to other files.
pub(super) fn choose_workspace(
    named: Option<PathBuf>,
    projects: &[ProjectTrust],
    layers: &LayerDirs,
) -> Option<PathBuf> {
    // The user's own hooks judge the work of a project.
    let home = layers.home.as_ref().and_then(|home| pintle_files::canonicalize(home).ok());
    let is_project = |project: &&ProjectTrust| home.as_ref() != Some(&project.manifest.folder);
    let found = || projects.iter().find(is_project).map(|project| project.manifest.folder.clone());
    let context = || Some(layers.cwd.clone()).filter(|dir| !dir.as_os_str().is_empty());
    named.or_else(found).or_else(context)
}

/// Runs the work with the stack that compiling scripts needs.
#[cfg(feature = "script")]
pub(super) use pintle_script::with_compiler_stack as run_with_stack;

/// Runs the work; without scripts it needs no stack of its own.
#[cfg(not(feature = "script"))]
pub(super) fn run_with_stack<T>(work: impl FnOnce() -> T) -> T {
    work()
}

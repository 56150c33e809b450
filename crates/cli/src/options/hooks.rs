//! `--hooks`, and loading the hooks of a command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pintle_agent::model::ModelError;
use pintle_agent::{ModelJudge, ModelOpener, model};
use pintle_bridge::HookLookup;
use pintle_host::files;
use pintle_host::loader::{LEFT_OUT, LayerDirs, MissingDir, TrustOptions};
use pintle_host::{Diagnostic, Layer, LoadedRuntime, Runtime, RuntimeBuilder, Severity, WorkerProgram};

use super::{AgentOption, HookPaths, UserOptions, trust};
use crate::error::CliError;
use crate::render::diagnostic;
use crate::terminal::Terminal;

#[derive(Debug, Clone, Args)]
pub(crate) struct HookOptions {
    /// Load hooks from this path: a project, a `.harness` directory, a docker-agent YAML file, a directory of hooks or
    /// a hook file. May be repeated [default: the project that contains the current directory].
    #[arg(long, value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) user: UserOptions,
    #[command(flatten)]
    pub(crate) agent: AgentOption,
}

impl HookOptions {
    /// Returns the paths of `--hooks` and `more`, or the project around the current directory if there are none.
    pub(crate) fn hook_paths(&self, more: &[PathBuf]) -> HookPaths {
        HookPaths::from_paths_or_current_dir([more, &self.hooks].concat()).with_required_hooks()
    }
}

/// Starts a runtime builder with the user's own hooks and those of `paths`. Paths that the user did not name need
/// trust.
pub(crate) fn start_builder(paths: &HookPaths, user: &UserOptions) -> Result<RuntimeBuilder, CliError> {
    let judge = Arc::new(ModelJudge::new(model_opener_for_paths(&paths.paths)));
    let layers = user.layers(paths.search_dir.clone().unwrap_or_default())?.running_project_agent();
    let start = Runtime::builder().worker(WorkerProgram::current_exe()).judge(judge).trust(paths.trust_options());
    let with = |builder: RuntimeBuilder, path| match (paths.is_named, paths.requires_hooks) {
        (false, _) => builder.discovered_path(path, Layer::Project),
        (true, true) => builder.guarded_path(path, Layer::Project),
        (true, false) => builder.path(path, Layer::Project),
    };
    let builder = paths.paths.iter().fold(user.add_flags(start.layers(layers))?, with);
    let named = paths.paths.first().filter(|_| paths.is_named);
    Ok(named.and_then(|path| find_project(path)).into_iter().fold(builder, RuntimeBuilder::workspace))
}

/// Starts a runtime builder with the hooks that apply to another agent: `named`, which are trusted and replace the
/// project's, otherwise the project's, in addition to the organisation's and the user's own. `pintle hook` and the
/// commands that show what it would do load hooks here.
pub(crate) fn start_host_builder(
    lookup: &HookLookup,
    named: &[PathBuf],
    find_layers: impl FnOnce(PathBuf) -> Result<LayerDirs, MissingDir>,
    trust: TrustOptions,
) -> Result<RuntimeBuilder, String> {
    if let Some(missing) = named.iter().find(|path| !path.exists()) {
        return Err(format!("`{}`, which --hooks names, does not exist", missing.display()));
    }
    let project = if named.is_empty() { lookup.project.clone() } else { PathBuf::new() };
    let layers = find_layers(project).map_err(|missing| format!("{missing}; {}", missing.help()))?;
    let judge = ModelJudge::new(model_opener(lookup.project.clone()));
    let builder = Runtime::builder()
        .worker(WorkerProgram::current_exe())
        .judge(Arc::new(judge))
        .agent_hooks_apply_globally()
        .skip_worker_probe()
        .layers(layers.excluding_dialect(lookup.excluded_dialect))
        .trust(trust);
    // Named hooks replace the project's, but still read files of the host's project.
    let builder = if named.is_empty() { builder } else { builder.workspace(lookup.project.clone()) };
    Ok(named.iter().fold(builder, |builder, path| builder.hooks(path, Layer::Project)))
}

/// Returns the project of a named path: the parent of the `.harness` that it is or is in, otherwise its directory.
fn find_project(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let own = path.ancestors().find(|dir| dir.file_name().is_some_and(|name| name == ".harness"));
    let dir = match own {
        Some(own) => own.parent()?,
        None if path.is_dir() => &path,
        None => path.parent()?,
    };
    Some(dir.to_owned())
}

/// Returns an opener for the models that hooks call. Model scripts are relative to the directory of the first path.
fn model_opener_for_paths(paths: &[PathBuf]) -> Box<ModelOpener> {
    let first = paths.first().map(PathBuf::as_path).unwrap_or(Path::new("."));
    let dir = if first.is_dir() { first } else { first.parent().unwrap_or(Path::new("")) }.to_owned();
    model_opener(dir)
}

/// Returns an opener for models whose scripts are relative to a directory.
pub(crate) fn model_opener(dir: PathBuf) -> Box<ModelOpener> {
    Box::new(move |spec| model::open(spec, &|file| read_model_script(&dir, file)))
}

/// Reads the script of a model; its path is relative to a directory.
pub(crate) fn read_model_script(dir: &Path, file: &str) -> Result<String, ModelError> {
    let path = dir.join(file);
    files::read_text(&path)
        .map_err(|error| ModelError::fatal(format!("cannot read the script `{}`: {error}", path.display())))
}

/// Loads hooks that are about to run, and prints their diagnostics. Errors end the command, because a hook that cannot
/// be loaded may be a guard.
pub(crate) fn load_hooks(
    builder: RuntimeBuilder,
    paths: &[PathBuf],
    terminal: &Terminal,
) -> Result<LoadedRuntime, CliError> {
    require_paths(paths)?;
    let built = builder.load();
    print_diagnostics(&built, paths, terminal);
    trust::print_untrusted(&built, terminal);
    if built.has_errors() {
        return Err(CliError::invalid_input("cannot load the hooks; nothing was done")
            .help("a hook that cannot be loaded guards nothing: fix or remove it, then run `pintle validate`"));
    }
    Ok(built)
}

pub(super) fn require_paths(paths: &[PathBuf]) -> Result<(), CliError> {
    let Some(missing) = paths.iter().find(|path| !path.exists()) else { return Ok(()) };
    let help = "name a project, a `.harness` directory, a docker-agent YAML file, a directory of hooks or a hook file";
    Err(CliError::invalid_input(format!("`{}` does not exist", missing.display())).help(help))
}

/// Prints what was found while hooks were loaded.
pub(crate) fn print_diagnostics(built: &LoadedRuntime, paths: &[PathBuf], terminal: &Terminal) {
    let of_members = || built.team.iter().flat_map(|team| &team.agents).any(|agent| !agent.hooks.is_empty());
    let has_hooks = built.runtime.hooks().hooks().next().is_some() || of_members();
    // Notes are left to `pintle validate`, and a directory may be empty if the hooks come from another one.
    let is_shown = |diagnostic: &&Diagnostic| {
        diagnostic.severity >= Severity::Warning && !(has_hooks && diagnostic.code == "no_files")
    };
    let mut shown = built.diagnostics.iter().filter(is_shown).peekable();
    let is_silent = shown.peek().is_none();
    shown.for_each(|diagnostic| terminal.print_error_line(diagnostic::render_diagnostic(diagnostic)));
    let is_whole = built.projects.iter().all(|project| project.untrusted_hooks.is_empty());
    let mut left_out = built.diagnostics.iter().filter(|diagnostic| diagnostic.code == LEFT_OUT).peekable();
    if is_silent && !has_hooks && is_whole && left_out.peek().is_some() {
        left_out.for_each(|note| terminal.print_error_line(diagnostic::render_diagnostic(note)));
    } else if is_silent && !has_hooks && is_whole {
        let places = match paths {
            [] => String::from("the project around the current directory or in your own configuration"),
            paths => paths.iter().map(|path| quote_path(path)).collect::<Vec<_>>().join(", "),
        };
        let is_plugin = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "star");
        terminal.print_note(if !paths.is_empty() && paths.iter().all(is_plugin) {
            format!("{places} registers no hooks; name the directory of a `harn.toml` that refers to its functions")
        } else {
            format!("no hooks found in {places}; a hook is a file such as `.harness/hooks/NAME.md`")
        });
    }
}

/// Prints the errors of files that do not load. Returns whether there are any.
pub(crate) fn print_load_errors(built: &LoadedRuntime, terminal: &Terminal) -> bool {
    let errors = built.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.for_each(|error| terminal.print_error_line(diagnostic::render_diagnostic(error)));
    built.has_errors()
}

fn quote_path(path: &Path) -> String {
    format!("`{}`", path.display())
}

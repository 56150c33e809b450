//! Which hooks a command works with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pintle::{BuiltRuntime, Diagnostic, Layer, Runtime, RuntimeBuilder, Severity, WorkerProgram, files};
use pintle_agent::{ModelJudge, ModelOpener, model};

use super::{AgentOption, HookPaths, UserOptions, trust};
use crate::error::CliError;
use crate::render::diagnostic;
use crate::terminal::Terminal;

#[derive(Debug, Clone, Args)]
pub(crate) struct HookOptions {
    /// A project, a `.harness` folder, a docker-agent YAML, a folder of hooks or one hook file; may be repeated.
    /// Default: the current directory.
    #[arg(long, value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) user: UserOptions,
    #[command(flatten)]
    pub(crate) agent: AgentOption,
}

impl HookOptions {
    /// The paths, or the current directory when none was named. `more` are paths that were named in another way.
    pub(crate) fn hook_paths(&self, more: &[PathBuf]) -> HookPaths {
        HookPaths::from_paths_or_current_dir([more, &self.hooks].concat()).with_required_hooks()
    }
}

/// Begins a runtime over the person's own hooks and those of these places. What nobody named needs consent.
pub(crate) fn start_builder(places: &HookPaths, user: &UserOptions) -> Result<RuntimeBuilder, CliError> {
    let judge = Arc::new(ModelJudge::new(model_opener_for_paths(&places.paths)));
    let start = user
        .apply_to(Runtime::builder().worker(WorkerProgram::current_exe()).judge(judge).trust(places.trust_options()))?;
    let with = |builder: RuntimeBuilder, path| match (places.is_discovered, places.requires_hooks) {
        (true, _) => builder.discovered_path(path, Layer::Project),
        (false, true) => builder.guarded_path(path, Layer::Project),
        (false, false) => builder.path(path, Layer::Project),
    };
    let builder = places.paths.iter().fold(start, with);
    let named = places.paths.first().filter(|_| !places.is_discovered);
    Ok(named.and_then(|path| find_project(path)).into_iter().fold(builder, RuntimeBuilder::workspace))
}

/// The project of a path that somebody named: what the `.harness` is in where the path is or lies in one, else its folder.
fn find_project(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let own = path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == ".harness"));
    let folder = match own {
        Some(own) => own.parent()?,
        None if path.is_dir() => &path,
        None => path.parent()?,
    };
    Some(folder.to_owned())
}

/// Opens the models that hooks ask. A script is seen from the folder of the first path.
fn model_opener_for_paths(paths: &[PathBuf]) -> Box<ModelOpener> {
    let first = paths.first().map(PathBuf::as_path).unwrap_or(Path::new("."));
    let folder = if first.is_dir() { first } else { first.parent().unwrap_or(Path::new("")) }.to_owned();
    model_opener(folder)
}

/// Opens the models that are declared beside a folder's files.
pub(crate) fn model_opener(folder: PathBuf) -> Box<ModelOpener> {
    Box::new(move |spec| model::open(spec, &|file| read_model_script(&folder, file)))
}

/// Reads the script of a model, which is seen from a folder.
pub(crate) fn read_model_script(folder: &Path, file: &str) -> Result<String, String> {
    let path = folder.join(file);
    files::read_text(&path).map_err(|fault| format!("cannot read the script `{}`: {fault}", path.display()))
}

/// Loads hooks that are going to be used. What is wrong with them is shown; errors end the command, because a guard
/// may be among what does not run.
pub(crate) fn load_hooks(
    builder: RuntimeBuilder,
    paths: &[PathBuf],
    terminal: &Terminal,
) -> Result<BuiltRuntime, CliError> {
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Err(CliError::invalid_input(format!("there is no `{}`", missing.display()))
            .help("name a project, a `.harness` folder, a docker-agent YAML, a folder of hooks or one hook file"));
    }
    let built = builder.build();
    let of_members = || built.team.iter().flat_map(|team| &team.agents).any(|agent| !agent.hooks.is_empty());
    let has_hooks = built.runtime.hooks().hooks().next().is_some() || of_members();
    // Mere notes are for `pintle validate`, and a folder may well be empty when the hooks come from another one.
    let is_shown =
        |finding: &&Diagnostic| finding.severity >= Severity::Warning && !(has_hooks && finding.code == "no_files");
    for finding in built.diagnostics.iter().filter(is_shown) {
        terminal.print_error_line(diagnostic::render_diagnostic(finding));
    }
    trust::print_untrusted(&built, terminal);
    if built.has_errors() {
        return Err(CliError::invalid_input("the hooks do not load; nothing was done").help(
            "a hook that does not load guards nothing: repair it or take it away; `pintle validate` checks again",
        ));
    }
    let is_whole = built.projects.iter().all(|project| project.untrusted_hooks.is_empty());
    if built.diagnostics.is_empty() && !has_hooks && is_whole {
        let places = paths.iter().map(|path| quote_path(path)).collect::<Vec<_>>().join(", ");
        let is_plugin = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "star");
        terminal.print_note(if !paths.is_empty() && paths.iter().all(is_plugin) {
            format!("{places} registers no hooks; name the folder of a `harn.toml` that points to its functions")
        } else {
            format!("no hooks found in {places}; a hook is a file such as `.harness/hooks/NAME.md`")
        });
    }
    Ok(built)
}

fn quote_path(path: &Path) -> String {
    format!("`{}`", path.display())
}

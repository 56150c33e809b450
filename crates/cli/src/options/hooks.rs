//! Which hooks a command works with.

use std::path::{Path, PathBuf};

use clap::Args;
use pintle::{Builder, Built, Diagnostic, Layer, Runtime, Severity, WorkerProgram};

use crate::fault::Fault;
use crate::render::diagnostic;
use crate::terminal::Terminal;

#[derive(Debug, Clone, Args)]
pub(crate) struct HookOptions {
    /// A project, a `.harness` folder, a folder of hooks or one hook file; may be repeated.
    /// Default: the current directory.
    #[arg(long, value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,
}

impl HookOptions {
    /// The paths, or the current directory when none was named.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        here(&self.hooks)
    }
}

/// The paths, or the current directory when there is none.
pub(crate) fn here(paths: &[PathBuf]) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths.to_vec() }
}

/// Begins a runtime over the hooks of these paths.
pub(crate) fn builder(paths: &[PathBuf]) -> Builder {
    let start = Runtime::builder().worker(WorkerProgram::current_exe());
    paths.iter().fold(start, |builder, path| builder.path(path, Layer::Project))
}

/// Loads hooks that are going to be used. What is wrong with them is shown; errors end the command, because a guard
/// may be among what does not run.
pub(crate) fn load(builder: Builder, paths: &[PathBuf], terminal: &Terminal) -> Result<Built, Fault> {
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Err(Fault::invalid(format!("there is no `{}`", missing.display()))
            .help("name a project, a `.harness` folder, a folder of hooks or one hook file"));
    }
    let built = builder.build();
    let has_hooks = built.runtime.hooks().hooks().next().is_some();
    // Mere notes are for `pintle validate`, and a folder may well be empty when the hooks come from another one.
    let is_shown =
        |finding: &&Diagnostic| finding.severity >= Severity::Warning && !(has_hooks && finding.code == "no_files");
    for finding in built.diagnostics.iter().filter(is_shown) {
        terminal.err(diagnostic::text(finding));
    }
    if built.has_errors() {
        return Err(Fault::invalid("the hooks do not load; nothing was done").help(
            "a hook that does not load guards nothing: repair it or take it away; `pintle validate` checks again",
        ));
    }
    if built.diagnostics.is_empty() && !has_hooks {
        terminal.note(format!(
            "no hooks found in {}; a hook is a file such as `.harness/hooks/NAME.md`",
            paths.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(built)
}

fn quoted(path: &Path) -> String {
    format!("`{}`", path.display())
}

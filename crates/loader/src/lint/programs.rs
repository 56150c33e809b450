//! Warns about commands whose program does not exist.

use std::path::{Path, PathBuf};

use pintle_contract::{CommandSpec, Diagnostic, HandlerSpec, HookDeclaration};

/// Warns about a hook whose command is a missing file of the project: a guard that cannot start denies every call, and
/// any other hook does nothing.
pub(crate) fn lint_missing_program(hook: &HookDeclaration, project: &Path) -> Option<Diagnostic> {
    let HandlerSpec::Command(command) = &hook.handler else { return None };
    let program = relative_program_of(command)?;
    let dir = if project.is_dir() { Some(project) } else { project.parent() };
    let own = hook.location.path().and_then(Path::parent);
    let here = std::env::current_dir().ok();
    let mut folders: Vec<PathBuf> = [dir, own, here.as_deref()].into_iter().flatten().map(Path::to_owned).collect();
    if let Some(directory) = &command.directory {
        folders = folders.iter().map(|dir| dir.join(directory)).collect();
    }
    if folders.iter().any(|dir| dir.join(program).exists()) {
        return None;
    }
    let message = format!("hook `{}` runs `{program}`, which does not exist", hook.name);
    let help = "the path is relative to the directory in which the agent runs; create the file, or fix the path";
    Some(Diagnostic::warning("missing_program", message, hook.location.clone()).help(help))
}

/// The relative path of the program of a command, if the command's text alone determines it.
fn relative_program_of(command: &CommandSpec) -> Option<&str> {
    let is_plain = |text: &str| text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-/".contains(letter));
    if !command.directory.as_deref().is_none_or(is_plain) {
        return None;
    }
    let first = match &command.arguments {
        Some(_) => command.command.as_str(),
        None => command.command.split_whitespace().next()?,
    };
    (first.contains('/') && !first.starts_with('/') && is_plain(first)).then_some(first)
}

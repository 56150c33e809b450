//! Warns about commands that cannot start.

use std::path::{Path, PathBuf};

use pintle_clients::CLIENTS;
use pintle_contract::{CommandSpec, Diagnostic, FailurePolicy, HandlerSpec, HookDeclaration};
use pintle_dialects::{PathStatus, ProgramLookup};
use pintle_shell::{is_own_word, required_programs};

use crate::programs::InstalledPrograms;

/// Warns about a hook whose program cannot start: a guard that cannot start denies every call or lets it pass, and any
/// other hook does nothing.
pub(crate) fn lint_program(hook: &HookDeclaration, project: &Path) -> Option<Diagnostic> {
    let HandlerSpec::Command(command) = &hook.handler else { return None };
    let project = if pintle_files::is_dir(project) { project } else { project.parent()? };
    let (what, help) = find_fault(hook, command, project).or_else(|| find_missing(hook, command))?;
    let message = format!("hook `{}` {what}", hook.name);
    Some(Diagnostic::warning("missing_program", message, hook.location.clone()).help(help))
}

/// Why a program cannot start, and what helps.
fn find_fault(hook: &HookDeclaration, command: &CommandSpec, project: &Path) -> Option<(String, &'static str)> {
    const RELATIVE: &str =
        "the path is relative to the directory in which the agent runs; create the file, or fix the path";
    if let Some(directory) = command.directory.as_deref().filter(|directory| is_plain(directory))
        && Path::new(directory).is_absolute()
        && !pintle_files::is_dir(Path::new(directory))
    {
        return Some((format!("works in `{directory}`, which does not exist"), "create it, or name another directory"));
    }
    let program = program_of(command, project)?;
    // A dialect that finds the programs of its hooks itself has looked at them.
    let resolved = command.arguments.iter().flatten().take(1).chain([&command.command]);
    if command.arguments.is_some() && resolved.into_iter().any(|path| Path::new(path).is_absolute()) {
        return None;
    }
    if !program.contains('/') {
        let is_shells = command.arguments.is_none() && is_own_word(&program);
        if !is_shells && is_plain(&program) && !InstalledPrograms.can_find(&program) {
            return Some((format!("runs `{program}`, which is not on the PATH"), "install it, or write its full path"));
        }
        let script = script_of(command, project, &program)?;
        let is_there = places(hook, command, project).any(|place| pintle_files::exists(place.join(&script)));
        let shown = Path::new(&script).strip_prefix(project).unwrap_or(Path::new(&script)).display().to_string();
        return (!is_there).then(|| (format!("runs `{shown}`, which does not exist"), RELATIVE));
    }
    let path = Path::new(&program);
    let shown = path.strip_prefix(project).unwrap_or(path).display();
    match places(hook, command, project).map(|place| place.join(path)).find(|path| pintle_files::exists(path)) {
        None => Some((format!("runs `{shown}`, which does not exist"), RELATIVE)),
        Some(file) => match InstalledPrograms.inspect(&file) {
            PathStatus::NotAFile => {
                Some((format!("runs `{shown}`, which is not a file"), "write the path of a program"))
            }
            PathStatus::File { is_executable: false, .. } => {
                Some((format!("runs `{shown}`, which may not be executed"), "run `chmod +x` on it"))
            }
            PathStatus::File { head, .. } if has_windows_line_end(&head) => Some((
                format!(
                    "runs `{shown}`, whose first line ends with a carriage return, so its interpreter is not found"
                ),
                "save it with the line ends of Unix",
            )),
            PathStatus::File { .. } | PathStatus::Missing => None,
        },
    }
}

/// The programs that a script needs and that are not installed. A guard that denies when it fails denies without them.
fn find_missing(hook: &HookDeclaration, command: &CommandSpec) -> Option<(String, &'static str)> {
    let has_own_path = command.environment.iter().any(|(name, _)| name == "PATH");
    if command.arguments.is_some() || command.shell.is_some() || has_own_path {
        return None;
    }
    let missing: Vec<String> = required_programs(&command.command)
        .into_iter()
        .filter(|name| !InstalledPrograms.can_find(name))
        .map(|name| format!("`{name}`"))
        .collect();
    let is_closed = hook.on_error.unwrap_or(hook.default_on_error) == FailurePolicy::Closed;
    let denies = if is_closed && !hook.background { ", so it denies every call" } else { "" };
    let what = format!("runs {}, which is not on the PATH{denies}", missing.join(", "));
    (!missing.is_empty()).then_some((what, "install it, or write its full path"))
}

/// Whether the line that names the interpreter of a script ends as on Windows.
fn has_windows_line_end(head: &str) -> bool {
    head.starts_with("#!") && head.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r'))
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-/+".contains(letter))
}

/// Where the program of a command is looked for. The hooks of the clients run in the project, other formats also have
/// programs beside the file.
fn places<'a>(
    hook: &'a HookDeclaration,
    command: &'a CommandSpec,
    project: &'a Path,
) -> impl Iterator<Item = PathBuf> + use<'a> {
    let is_clients = CLIENTS.iter().any(|client| client.dialect == Some(hook.codec.dialect()));
    let own = hook.location.path().and_then(Path::parent).filter(|_| !is_clients).map(Path::to_owned);
    let here = std::env::current_dir().ok();
    let folders = [Some(project.to_owned()), own, here].into_iter().flatten();
    folders.map(|folder| command.directory.as_ref().map_or(folder.clone(), |directory| folder.join(directory)))
}

/// Programs whose first operand is the file that they run.
const INTERPRETERS: &str = "bash bun dash deno fish ksh lua node perl php pwsh python python3 ruby sh tsx zsh";

/// The file that an interpreter runs, if the command's text alone determines it.
fn script_of(command: &CommandSpec, project: &Path, program: &str) -> Option<String> {
    let is_interpreter = INTERPRETERS.split_whitespace().any(|known| known == program);
    let first = match &command.arguments {
        Some(arguments) => arguments.first().cloned(),
        None => command.command.split_whitespace().nth(1).map(str::to_owned),
    };
    let script = expand_project(&first.filter(|_| is_interpreter)?, project)?;
    (!script.starts_with('-') && script.contains('.')).then_some(script)
}

/// The program of a command, if the command's text alone determines it.
fn program_of(command: &CommandSpec, project: &Path) -> Option<String> {
    if !command.directory.as_deref().is_none_or(is_plain) {
        return None;
    }
    let text = command.command.trim_start();
    let first = if command.arguments.is_some() { text } else { text.split_whitespace().next().unwrap_or_default() };
    expand_project(first, project).filter(|program| !program.is_empty())
}

/// A word with the project for a variable that names it, such as `"$CLAUDE_PROJECT_DIR"/x.sh`; `None` if it is not a plain
/// path.
fn expand_project(word: &str, project: &Path) -> Option<String> {
    let word = word.replace(['"', '\''], "");
    let Some(rest) = word.strip_prefix("${").or_else(|| word.strip_prefix('$')) else {
        return is_plain(&word).then_some(word);
    };
    let end = rest.find(|letter: char| !letter.is_ascii_uppercase() && letter != '_')?;
    let (name, path) = rest.split_at_checked(end)?;
    let path = path.trim_start_matches(['}', '/']);
    (name.ends_with("_PROJECT_DIR") && is_plain(path)).then(|| project.join(path).to_string_lossy().into_owned())
}

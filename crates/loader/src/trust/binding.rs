//! Binds a project's commands to the files that they were loaded with: only the files that the user trusted or named
//! may run.
//!
//! A command runs in the agent's working directory, where its words may refer to other files, and during a long session
//! the agent may change the files. Both are checked before every call. The command's answer is used only if the files
//! were not touched until it ended: they may be replaced between the check and the start, and put back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    Codec, CommandBinding, CommandSpec, Failure, FailureKind, Handler, HandlerSpec, HookCall, HookDeclaration, Verdict,
};
use pintle_dialects::ParsedProject;
use pintle_files::FileState;

use super::{digest, referenced_files};
use crate::load::for_each_hook;

/// Binds the commands of a project's hooks to their current files. In a project that needs trust, all files that a
/// command names are bound, wherever it runs. In a path that the user named for this run, and whose files were not
/// listed, only the programs are bound.
pub(crate) fn bind_commands(project: &mut ParsedProject, path: &Path, is_whole: bool) {
    let dir = if pintle_files::is_dir(path) { path } else { path.parent().unwrap_or(path) };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let dir = pintle_files::real_path(dir);
    for_each_hook(project, &mut |hook| {
        let HandlerSpec::Command(command) = &mut hook.handler else { return };
        let files = digest_command_files(command, &dir, is_whole);
        command.binding = Some(Arc::new(CommandBinding { project_dir: dir.clone(), files, is_complete: is_whole }));
    });
}

/// The files of a command with their digests.
fn digest_command_files(command: &CommandSpec, dir: &Path, is_whole: bool) -> BTreeMap<PathBuf, String> {
    let seen_from = |cwd: &Path| {
        let found = referenced_files::referenced_files_in(command, dir, cwd, &[]);
        if is_whole { found.files } else { found.programs }
    };
    let mut files = seen_from(dir);
    if !is_whole {
        // The working directory of the command is not known yet; most often it is the current one.
        files
            .extend(std::env::current_dir().and_then(pintle_files::canonicalize).iter().flat_map(|cwd| seen_from(cwd)));
    }
    files.into_iter().filter_map(|file| digest::digest_file(&file).ok().map(|digest| (file, digest))).collect()
}

/// The handler of a hook, restricted to the files that its command is bound to.
pub(crate) fn hold_to_binding(handler: Arc<dyn Handler>, declaration: &HookDeclaration) -> Arc<dyn Handler> {
    match &declaration.handler {
        HandlerSpec::Command(command) if command.binding.is_some() => {
            Arc::new(HeldCommand { handler, command: command.clone(), codec: Arc::clone(&declaration.codec) })
        }
        _ => handler,
    }
}

/// A command that runs only while its files match its binding.
#[derive(Debug)]
struct HeldCommand {
    handler: Arc<dyn Handler>,
    command: CommandSpec,
    codec: Arc<dyn Codec>,
}

impl HeldCommand {
    /// The reason why a call must not run.
    fn binding_violation(&self, call: &HookCall<'_>) -> Option<String> {
        let binding = self.command.binding.as_deref()?;
        let name = |file: &Path| file.strip_prefix(&binding.project_dir).unwrap_or(file).display().to_string();
        if binding.is_complete
            && let Some(file) = self.find_strange_file(binding, call)
        {
            return Some(format!(
                "in the agent's working directory its command refers to other files than in the project: `{}`; use \
                 absolute paths or paths from the project's directory, as in \
                 `\"$(git rev-parse --show-toplevel)\"/..`",
                name(&file)
            ));
        }
        let is_changed =
            |(file, digest): &(&PathBuf, &String)| digest::digest_file(file).ok().as_ref() != Some(*digest);
        let (file, _) = binding.files.iter().find(is_changed)?;
        Some(format!("`{}` changed or was removed after the hook was loaded; review it and start again", name(file)))
    }

    /// A file that the command names here but not in the project's directory, or the other way round.
    fn find_strange_file(&self, binding: &CommandBinding, call: &HookCall<'_>) -> Option<PathBuf> {
        let cwd = &call.event.origin.cwd;
        let cwd = if cwd.is_empty() { std::env::current_dir().ok()? } else { PathBuf::from(cwd) };
        let cwd = pintle_files::real_path(&cwd);
        let variables = self.codec.environment(call.event, &call.hook.event_alias);
        let here = referenced_files::referenced_files_in(&self.command, &binding.project_dir, &cwd, &variables).files;
        let is_strange = |file: &&PathBuf| !binding.files.contains_key(*file);
        let missing = || binding.files.keys().find(|file| !here.contains(*file));
        here.iter().find(is_strange).or_else(missing).cloned()
    }
}

impl HeldCommand {
    fn file_states(&self) -> Vec<FileState> {
        let files = self.command.binding.iter().flat_map(|binding| binding.files.keys());
        files.map(pintle_files::file_state).collect()
    }

    /// The verdict instead of the command's, which could not run or whose files changed.
    fn refuse(call: &HookCall<'_>, refusal: &str) -> Verdict {
        let reason = format!("a guard of this event could not run: {refusal}");
        // A guard that cannot run denies, whatever its dialect does about a failed one.
        if call.hook.guard {
            return Verdict::deny(reason);
        }
        Verdict::failed(Failure::new(FailureKind::Error, reason))
    }
}

impl Handler for HeldCommand {
    fn kind(&self) -> &'static str {
        self.handler.kind()
    }

    fn inner(&self) -> Option<&dyn Handler> {
        Some(&*self.handler)
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        let before = self.file_states();
        if let Some(why) = self.binding_violation(call) {
            return Self::refuse(call, &why);
        }
        let verdict = self.handler.call(call);
        if self.file_states() == before {
            return verdict;
        }
        Self::refuse(call, "its files were changed while it ran, so that what it said does not count; call it again")
    }
}

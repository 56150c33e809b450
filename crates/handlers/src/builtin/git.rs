//! Reads a git repository: one process each, without a shell, and without changes to the repository.

use crate::process::{self, ProcessEnvironment, ProcessSpec};

use super::BuiltinCall;
use super::excerpt::first_bytes;

/// The most bytes of git's output that are used.
const MOST_BYTES: usize = 4_096;

/// Options before every subcommand: no colours, no locks, and no monitor or pager from the repository's configuration.
/// Only its content filters still run, as they do for the user.
const PLAIN: [&str; 7] =
    ["--no-pager", "--no-optional-locks", "-c", "color.ui=false", "-c", "core.fsmonitor=false", "--literal-pathspecs"];

/// git's output in the working directory, trimmed and cut to 4,096 bytes. `None` without a directory, repository, git
/// program or output, or if the time is too short.
pub(super) fn git_output(call: &BuiltinCall<'_>, arguments: &[&str]) -> Option<String> {
    let arguments = PLAIN.iter().chain(arguments).map(|argument| (*argument).to_owned()).collect();
    let mut variables = call.extra_variables();
    variables.push((String::from("GIT_OPTIONAL_LOCKS"), String::from("0")));
    // Otherwise a partial clone would fetch missing objects from its server.
    variables.push((String::from("GIT_NO_LAZY_FETCH"), String::from("1")));
    let spec = ProcessSpec {
        directory: Some(call.working_dir()?),
        environment: ProcessEnvironment::InheritedAnd(variables),
        timeout_ms: call.time_left_ms(),
        output_bytes: 2 * MOST_BYTES,
        ..ProcessSpec::new("git", arguments)
    };
    let output = process::run(&spec, call.call.cancel).ok().filter(process::ProcessOutput::is_success)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text.trim_end().trim_start_matches('\n');
    if text.is_empty() {
        return None;
    }
    Some(match text.len() > MOST_BYTES {
        true => format!("{}\n... (truncated)", first_bytes(text, MOST_BYTES)),
        false => text.to_owned(),
    })
}

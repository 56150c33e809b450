//! Shows what `pintle hook` would decide about a payload, without storing anything.

use pintle_bridge::{Deadline, HandledCall, HostCall, HostResponse, preview_call};
use pintle_host::RuntimeBuilder;
use pintle_host::loader::state_dir;

use super::hooks::require_paths;
use super::{CapturedPayload, HookOptions, HookPaths, current_dir, start_host_builder};
use crate::error::CliError;

/// Decides on a payload of another agent as `pintle hook` would in the current directory. `finish` adds to the builder
/// of the runtime.
pub(crate) fn preview_host_call(
    payload: &CapturedPayload,
    paths: &HookPaths,
    hooks: &HookOptions,
    shadow: bool,
    finish: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
) -> Result<HandledCall, CliError> {
    if hooks.agent.agent.is_some() {
        let error = CliError::invalid_input("`--agent` cannot be used with a payload of another agent");
        return Err(error.help("for other agents, the hooks of a team's first agent apply"));
    }
    require_paths(&paths.paths)?;
    let state_directory = state_dir();
    let deadline = Deadline::from_ms(payload.host.deadline_ms);
    deadline
        .watch(|_| ())
        .map_err(|error| CliError::failure(format!("cannot start the timer of the time limit: {error}")))?;
    let call = HostCall {
        host: payload.host,
        event: Some(payload.event_def),
        payload: &payload.bytes,
        state_directory: state_directory.as_deref(),
        project: Some(current_dir()),
        shadow,
        deadline: &deadline,
        entry: None,
        kept_sessions: None,
        signer: None,
    };
    let handled = preview_call(&call, |place| {
        let find_layers = |project| hooks.user.layers(project);
        let builder = start_host_builder(place, &paths.paths, find_layers, paths.trust_options())?;
        Ok(hooks.user.add_flags(builder).map(finish).map_err(|error| error.message)?)
    });
    handled.map_err(|HostResponse { stderr, .. }| CliError::invalid_input(stderr.trim()))
}

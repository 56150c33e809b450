//! `strict_output: true`: output that the event would ignore is a failure.

use pintle_contract::format_key;

use super::DockerDecodeContext;
use super::output::DockerHookOutput;

/// Rejects fields that the event does not support.
pub(super) fn check(context: &DockerDecodeContext<'_>, output: &DockerHookOutput) -> Result<(), String> {
    let event = context.name();
    if output.value("suppress_output").is_some() {
        return Err(String::from("`suppress_output` has no effect and is not allowed under strict_output"));
    }
    let named = output.text("hook_event_name");
    if !named.is_empty() && named != event {
        return Err(format!("hook_event_name is `{}`, but the event is `{event}`", format_key(named)));
    }
    if !context.def.can_block && output.blocking_texts().is_some() {
        return Err(format!("{event} does not support blocking output"));
    }
    match output.values.iter().find(|(key, _)| !(key.has_effect)(context.def)) {
        Some((key, _)) => Err(format!("{event} does not support {}", key.name)),
        None => Ok(()),
    }
}

//! The calls of docker-agent's tools in Pintle's words, part by part.

use pintle_host::contract::MAX_PAYLOAD_BYTES;
use pintle_host::tools::DOCKER_AGENT;
use serde_json::Value;

use crate::turn_context::ToolContext;

/// The parts of a docker-agent tool's call in Pintle's words; never empty.
pub(super) fn docker_agent_parts(arguments: &Value, context: &ToolContext<'_>) -> Vec<Value> {
    DOCKER_AGENT.to_canonical(context.tool, arguments).into_iter().map(|part| part.args).collect()
}

/// The only part of such a call.
pub(super) fn docker_agent_call(arguments: &Value, context: &ToolContext<'_>) -> Value {
    docker_agent_parts(arguments, context).into_iter().next().unwrap_or_default()
}

/// The results of all parts of a docker-agent tool's call. `act` returns the size of each, because they must fit into one
/// result together.
pub(super) fn call_each_part<T>(
    arguments: &Value,
    context: &ToolContext<'_>,
    mut act: impl FnMut(&Value) -> (usize, T),
) -> Result<Vec<T>, String> {
    let mut bytes = 0;
    let mut results = Vec::new();
    for part in docker_agent_parts(arguments, context) {
        check_cancelled(context)?;
        let (size, result) = act(&part);
        bytes += size;
        if bytes > MAX_PAYLOAD_BYTES {
            let most = MAX_PAYLOAD_BYTES >> 20;
            return Err(format!("the results are larger than {most} MiB together; ask for fewer at once"));
        }
        results.push(result);
    }
    Ok(results)
}

pub(super) fn check_cancelled(context: &ToolContext<'_>) -> Result<(), String> {
    if context.cancel().is_cancelled() { Err(String::from("cancelled")) } else { Ok(()) }
}

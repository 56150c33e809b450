//! Effect requests with non-deterministic replies: network, time, random numbers and reading files.

use std::time::Duration;

use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest};
#[cfg(feature = "script")]
use pintle_handlers::jail::{self, JailedDir, MAX_HOOK_FILE_BYTES};
use serde_json::Value;

use super::ScopedEffects;
use crate::random;

#[cfg(feature = "script")]
/// Performs a read-only function of `fs` in the runtime's workspace.
pub(super) fn answer_fs(
    effects: &ScopedEffects<'_>,
    caller: EffectCaller<'_>,
    function: &str,
    arguments: &Value,
) -> Result<EffectReply, EffectError> {
    let error = |reason: String| EffectError(format!("fs.{function}: {reason}"));
    let dir = effects.runtime.workspace().ok_or_else(|| error(String::from("no project directory is available")))?;
    let dir = JailedDir::open(dir)
        .map_err(|reason| error(format!("cannot open the project directory `{}`: {reason}", dir.display())))?;
    let cancel = caller.cancel.unwrap_or(&effects.scope.cancel);
    jail::answer_fs(&dir, function, arguments, MAX_HOOK_FILE_BYTES, cancel)
}

/// Performs network, time and random number requests.
pub(super) fn answer_external(
    effects: &ScopedEffects<'_>,
    caller: EffectCaller<'_>,
    request: EffectRequest,
) -> Result<EffectReply, EffectError> {
    let runtime = effects.runtime;
    let cancel = caller.cancel.unwrap_or(&effects.scope.cancel);
    match request {
        EffectRequest::Http { method, url, headers, body, timeout_ms } => {
            let gate = runtime.http_gateway();
            let answer = gate.request_until(&method, &url, &headers, body.as_deref(), timeout_ms, cancel);
            answer.map(EffectReply::Value).map_err(|error| EffectError(error.to_string()))
        }
        EffectRequest::Now => Ok(EffectReply::Int(i64::try_from(runtime.clock().unix_ms()).unwrap_or(i64::MAX))),
        EffectRequest::Random { min, max } if min > max => {
            Err(EffectError(format!("random: {min} is greater than {max}")))
        }
        EffectRequest::Random { min, max } => Ok(EffectReply::Int(random::next_in_range(runtime.random(), min, max))),
        EffectRequest::Uuid => Ok(EffectReply::Value(Value::String(random::uuid_v4(runtime.random())))),
        EffectRequest::Sleep { duration_ms } => {
            cancel.wait(Duration::from_millis(duration_ms));
            Ok(EffectReply::Done)
        }
        _ => Ok(EffectReply::Absent),
    }
}

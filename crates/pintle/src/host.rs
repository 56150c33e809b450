//! What only a host can do for a script.

use std::fmt::Debug;

use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest, EventName, Outcome};
use serde_json::Value;

use crate::EventScope;

/// Performs the requests that need an agent behind them: `CallTool`, `MetaPayload`, `Exec`, `Fs`, `Host`.
///
/// Without a host those requests are refused. A host that runs tools fires their events in `scope.deeper()`, so that
/// the depth limit holds.
pub trait Host: Send + Sync + Debug {
    /// Performs one request for `caller`.
    ///
    /// # Errors
    /// When the request is refused or fails; the script sees it as an error at that line.
    fn perform(
        &self,
        caller: EffectCaller<'_>,
        request: EffectRequest,
        scope: &EventScope,
    ) -> Result<EffectReply, EffectError>;

    /// A value of the turn's context that the host itself keeps, such as what the agent declared when it said that its work
    /// is done. What a script sets under the same key comes first. By default there is none.
    fn context_value(&self, key: &str) -> Option<Value> {
        let _ = key;
        None
    }

    /// Takes over what the hooks of an event that `caller` emitted have for the model and the person, whatever they
    /// decided. By default nothing is.
    fn apply_outcome(&self, caller: EffectCaller<'_>, event: &EventName, outcome: &Outcome, scope: &EventScope) {
        let _ = (caller, event, outcome, scope);
    }
}

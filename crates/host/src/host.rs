//! Effect requests that only a host can perform.

use std::fmt::Debug;

use pintle_contract::event::ChatMessage;
use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest, EventName, Outcome};
use serde_json::Value;

use crate::EventScope;

/// Performs the requests that need an agent: `CallTool`, `Meta`, `Exec`, `Fs`, `Host`.
///
/// Without a host these requests are refused. A host that runs tools fires their events in `scope.nested()`, so that
/// the depth limit applies.
pub trait Host: Send + Sync + Debug {
    /// Performs one request for `caller`.
    ///
    /// # Errors
    /// When the request is refused or fails; the script gets the error at the calling line.
    fn perform(
        &self,
        caller: EffectCaller<'_>,
        request: EffectRequest,
        scope: &EventScope,
    ) -> Result<EffectReply, EffectError>;

    /// A value of the turn's context that the host itself keeps, such as what the agent declared when it called `done`.
    /// A value that a script set under the same key takes precedence. Default: none.
    fn context_value(&self, key: &str) -> Option<Value> {
        let _ = key;
        None
    }

    /// Applies the context and notices of hooks on an event that `caller` emitted, whatever they decided. Default: they
    /// are discarded.
    fn apply_outcome(&self, caller: EffectCaller<'_>, event: &EventName, outcome: &Outcome, scope: &EventScope) {
        let _ = (caller, event, outcome, scope);
    }
}

/// The conversation of an agent that is another program, as far as that program shows it.
pub trait AgentConversation: Send + Sync + Debug {
    /// The newest messages, oldest first: `last` of them, or all if there are fewer.
    ///
    /// # Errors
    /// When the conversation cannot be read; a script that looks back gets the error, for it must not take what it
    /// cannot see for nothing.
    fn newest_messages(&self, last: usize) -> Result<Vec<ChatMessage>, String>;
}

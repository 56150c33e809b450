//! Restoring the state that scripts kept in an earlier process.

use pintle_contract::{CallId, EffectCaller, EffectRequest, Layer};

use crate::effects::local;
use crate::{EventScope, Runtime};

impl Runtime {
    /// Repeats an effect request that a script made in another process, as its tape records it: a change of metrics,
    /// cache, log or scratch values. Nothing is recorded. Other requests are ignored.
    pub fn restore_effect(&self, scope: &EventScope, layer: Layer, caller_name: &str, request: EffectRequest) {
        let caller = EffectCaller::new(CallId(0), caller_name).with_layer(layer);
        // The script received the reply in the earlier process.
        let _ = local::answer_local(self.run_state(), scope, caller, request);
    }
}

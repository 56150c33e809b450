//! Restoring the state that scripts kept in an earlier process.

use std::collections::BTreeMap;
use std::sync::Arc;

use pintle_contract::{CallId, EffectCaller, EffectRequest, Layer, Origin};

use crate::effects::local;
use crate::state::OWNERS;
use crate::{EventScope, LayerState, Runtime};

impl Runtime {
    /// Repeats an effect request that a script made in another process, as its tape records it: a change of metrics,
    /// cache, log or scratch values. Nothing is recorded. Other requests are ignored.
    pub fn restore_effect(&self, scope: &EventScope, layer: Layer, by: &str, request: EffectRequest) {
        let origin = Arc::new(Origin::default());
        let caller = EffectCaller::new(CallId(0), by).with_layer(layer);
        // The script received the reply in the earlier process.
        let _ = local::answer_local(&self.effects(&origin, scope), caller, request);
    }

    /// The state that scripts keep for the run and for the turn of a scope, by configuration layer. Layers without
    /// state are absent.
    #[must_use]
    pub fn layer_states(&self, scope: &EventScope) -> BTreeMap<Layer, LayerState> {
        let kept = OWNERS.map(|layer| {
            let state = self.run_state().for_layer(layer);
            let (metrics, cache) = (state.metrics.snapshot(), state.cache.all());
            (layer, LayerState { metrics, cache, scratch: scope.scratch.layer_values(layer) })
        });
        kept.into_iter().filter(|(_, state)| !state.is_empty()).collect()
    }

    /// Restores the state that [`Runtime::layer_states`] returned.
    pub fn restore_layer_states(&self, scope: &EventScope, states: &BTreeMap<Layer, LayerState>) {
        for (layer, kept) in states {
            let state = self.run_state().for_layer(*layer);
            let pairs = |values: &serde_json::Map<_, _>| values.clone().into_iter();
            pairs(&kept.metrics).for_each(|(name, value)| state.metrics.set(name, value));
            pairs(&kept.cache).for_each(|(key, value)| state.cache.set(key, value));
            pairs(&kept.scratch).for_each(|(key, value)| scope.scratch.set(*layer, key, value));
        }
    }
}

//! Taking up what an earlier process left behind.

use std::collections::BTreeMap;
use std::sync::Arc;

use pintle_contract::{CallId, EffectCaller, EffectRequest, Layer, Origin};

use crate::effects::local;
use crate::state::OWNERS;
use crate::{EventScope, LayerState, Runtime};

impl Runtime {
    /// Does again what a script of a layer did to the metrics, the cache, the log or the scratch values in another process,
    /// as a tape tells it. Nothing is recorded. Requests for anything else are passed over.
    pub fn restore_effect(&self, scope: &EventScope, layer: Layer, by: &str, request: EffectRequest) {
        let origin = Arc::new(Origin::default());
        let caller = EffectCaller::new(CallId(0), by).with_layer(layer);
        // What they reply was said to the script then.
        let _ = local::answer_local(&self.effects(&origin, scope), caller, request);
    }

    /// What scripts keep for the run and for the turn of a scope, by layer; layers that keep nothing are absent.
    #[must_use]
    pub fn layer_states(&self, scope: &EventScope) -> BTreeMap<Layer, LayerState> {
        let kept = OWNERS.map(|layer| {
            let state = self.run_state().for_layer(layer);
            let (metrics, cache) = (state.metrics.snapshot(), state.cache.all());
            (layer, LayerState { metrics, cache, scratch: scope.scratch.layer_values(layer) })
        });
        kept.into_iter().filter(|(_, state)| !state.is_empty()).collect()
    }

    /// Gives scripts back what [`Runtime::layer_states`] gave.
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

//! The state that scripts keep: metrics and cache of a run, log lines and scratch values of a turn.
//!
//! State belongs to its configuration layer: a hook can neither read, write nor shadow the state of another layer.
//! Otherwise a project could reset the counter with which a user's guard denies.

mod key_value;
mod log;
mod metrics;
mod scratch;
mod sharing;

use std::collections::BTreeMap;

use pintle_contract::Layer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use log::{LogBuffer, ScriptLogLine};
pub use scratch::ScratchValues;
pub use sharing::ScriptStateStore;

pub(crate) use key_value::KeyValueStore;
pub(crate) use metrics::MetricStore;
pub(crate) use sharing::StateSharing;

/// The state of one run by configuration layer, shared by all its agents.
#[derive(Debug, Default)]
pub(crate) struct RunState(ByLayer<LayerRunState>);

/// The state that the hooks and tools of one layer keep for the run.
#[derive(Debug, Default)]
pub(crate) struct LayerRunState {
    pub(crate) metrics: MetricStore,
    pub(crate) cache: KeyValueStore,
}

impl RunState {
    /// The state of a layer.
    pub(crate) fn for_layer(&self, layer: Layer) -> &LayerRunState {
        self.0.for_layer(layer)
    }

    /// Discards the state of all layers.
    pub(crate) fn clear(&self) {
        for layer in OWNERS {
            let state = self.for_layer(layer);
            state.metrics.reset(None);
            state.cache.clear();
        }
    }

    /// The metrics of all layers, for display. If several layers use one name, the highest keeps the plain name and the
    /// others have their layer added, as in `calls (project)`.
    pub(crate) fn metrics(&self) -> Map<String, Value> {
        let mut all = BTreeMap::new();
        for layer in OWNERS {
            for (name, value) in self.for_layer(layer).metrics.snapshot() {
                let name = if all.contains_key(&name) { format!("{name} ({layer})") } else { name };
                all.insert(name, value);
            }
        }
        all.into_iter().collect()
    }
}

/// The layers with a state of their own, highest first. Agents share the state of their project.
const OWNERS: [Layer; 4] = [Layer::Managed, Layer::User, Layer::Project, Layer::Runtime];

/// One value for each layer.
#[derive(Debug, Default)]
pub(crate) struct ByLayer<T> {
    managed: T,
    user: T,
    project: T,
    runtime: T,
}

impl<T> ByLayer<T> {
    pub(crate) fn for_layer(&self, layer: Layer) -> &T {
        match layer {
            Layer::Managed => &self.managed,
            Layer::User => &self.user,
            Layer::Project | Layer::Agent => &self.project,
            Layer::Runtime => &self.runtime,
        }
    }
}

/// The state that the scripts of one layer keep, for a host to save for its next process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerState {
    /// The counters and gauges of the run.
    pub metrics: Map<String, Value>,
    /// The cache of the run.
    pub cache: Map<String, Value>,
    /// The scratch values of the turn (`ctx`).
    pub scratch: Map<String, Value>,
}

impl LayerState {
    /// Whether the layer has no state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.metrics.is_empty() && self.cache.is_empty() && self.scratch.is_empty()
    }
}

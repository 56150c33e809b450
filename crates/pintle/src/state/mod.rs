//! What scripts leave behind: metrics and the cache of a run, log lines and scratch values of a turn.
//!
//! State belongs to its configuration layer: what a hook of one layer keeps is neither read, written nor shadowed by
//! another one, or a project could reset the counter by which a user's guard denies.

mod key_value;
mod log;
mod metrics;
mod scratch;

use std::collections::BTreeMap;

use pintle_contract::Layer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use log::{LogBuffer, ScriptLogLine};
pub use scratch::ScratchValues;

pub(crate) use key_value::KeyValueStore;
pub(crate) use metrics::MetricStore;

/// The state of one run, shared by all its agents, by layer.
#[derive(Debug, Default)]
pub(crate) struct RunState(ByLayer<LayerRunState>);

/// What the hooks and tools of one layer keep for the run.
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

    /// The metrics of all layers for people. Of a name that several layers use, the highest has it alone and the others
    /// carry their layer, as in `calls (project)`.
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

/// The layers that have a state of their own, highest first. An agent of a project shares that of the project.
pub(crate) const OWNERS: [Layer; 4] = [Layer::Managed, Layer::User, Layer::Project, Layer::Runtime];

/// One of a thing for each layer.
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

/// What the scripts of one layer keep, as a host may write it down for its next process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerState {
    /// Counters and gauges of the run.
    pub metrics: Map<String, Value>,
    /// The cache of the run.
    pub cache: Map<String, Value>,
    /// Values of the turn (`ctx`).
    pub scratch: Map<String, Value>,
}

impl LayerState {
    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.metrics.is_empty() && self.cache.is_empty() && self.scratch.is_empty()
    }
}

//! The values of a turn (`ctx`), by layer.

use pintle_contract::Layer;
use serde_json::{Map, Value};

use super::{ByLayer, Values};

/// The values of a turn: those that the host tells everybody, and for each layer those that its scripts set.
#[derive(Debug, Default)]
pub struct Scratch {
    host: Values,
    layers: ByLayer<Values>,
}

impl Scratch {
    /// The value that the scripts of a layer set for a key, or else the host's.
    #[must_use]
    pub fn get(&self, layer: Layer, key: &str) -> Option<Value> {
        self.layers.of(layer).get(key).or_else(|| self.host.get(key))
    }

    /// All values that the scripts of a layer see, sorted by key.
    #[must_use]
    pub fn all(&self, layer: Layer) -> Map<String, Value> {
        let mut all = self.host.all();
        all.extend(self.layers.of(layer).all());
        all.sort_keys();
        all
    }

    /// The values that the scripts of a layer set, sorted by key.
    #[must_use]
    pub fn own(&self, layer: Layer) -> Map<String, Value> {
        self.layers.of(layer).all()
    }

    /// Sets a value for the scripts of a layer.
    pub fn set(&self, layer: Layer, key: String, value: Value) {
        self.layers.of(layer).set(key, value);
    }

    /// Sets a value for the scripts of every layer.
    pub fn tell(&self, key: String, value: Value) {
        self.host.set(key, value);
    }

    /// Removes what the scripts of a layer set for a key; says whether there was something.
    pub fn remove(&self, layer: Layer, key: &str) -> bool {
        self.layers.of(layer).remove(Some(key))
    }

    /// Removes everything.
    pub fn clear(&self) {
        self.host.clear();
        for layer in super::OWNERS {
            self.layers.of(layer).clear();
        }
    }
}

//! The scratch values of a turn (`ctx`), by configuration layer.

use pintle_contract::Layer;
use serde_json::{Map, Value};

use super::{ByLayer, KeyValueStore};

/// The scratch values of a turn: those that the host sets for all layers, and those that the scripts of each layer set.
#[derive(Debug, Default)]
pub struct ScratchValues {
    shared_values: KeyValueStore,
    layer_values: ByLayer<KeyValueStore>,
}

impl ScratchValues {
    /// The value that the scripts of a layer set for a key, otherwise the host's.
    #[must_use]
    pub fn get(&self, layer: Layer, key: &str) -> Option<Value> {
        self.layer_values.for_layer(layer).get(key).or_else(|| self.shared_values.get(key))
    }

    /// All values that the scripts of a layer see, sorted by key.
    #[must_use]
    pub fn visible_values(&self, layer: Layer) -> Map<String, Value> {
        let mut all = self.shared_values.all();
        all.extend(self.layer_values.for_layer(layer).all());
        all.sort_keys();
        all
    }

    /// The values that the scripts of a layer set, sorted by key.
    #[must_use]
    pub fn layer_values(&self, layer: Layer) -> Map<String, Value> {
        self.layer_values.for_layer(layer).all()
    }

    /// Sets a value for the scripts of a layer.
    pub fn set(&self, layer: Layer, key: String, value: Value) {
        self.layer_values.for_layer(layer).set(key, value);
    }

    /// Sets a value for the scripts of every layer.
    pub fn set_for_all_layers(&self, key: String, value: Value) {
        self.shared_values.set(key, value);
    }

    /// Removes the value that the scripts of a layer set for a key; returns whether there was one.
    pub fn remove(&self, layer: Layer, key: &str) -> bool {
        self.layer_values.for_layer(layer).remove(Some(key))
    }

    /// Removes all values.
    pub fn clear(&self) {
        self.shared_values.clear();
        self.clear_layers();
    }

    /// Removes the values that scripts set.
    pub(super) fn clear_layers(&self) {
        for layer in super::OWNERS {
            self.layer_values.for_layer(layer).clear();
        }
    }
}

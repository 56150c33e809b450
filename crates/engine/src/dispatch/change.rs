//! The changes of the payload during one dispatch, and the guards that made them.

use pintle_contract::Layer;

use crate::compose::CallPosition;

/// The changes of the payload.
#[derive(Debug, Default)]
pub(super) struct TargetChange {
    /// The first position that saw the latest payload; `None` while there was no change.
    pub(super) last_position: Option<CallPosition>,
    /// The hooks that produced the current payload; they need not be rechecked.
    pub(super) producers: Vec<u32>,
    /// The latest change by hooks of each layer.
    by_layer: Vec<(Layer, CallPosition)>,
}

impl TargetChange {
    /// Whether the payload changed after a call, and not by the hook that was called.
    #[inline]
    pub(super) fn is_stale(&self, turn: CallPosition) -> bool {
        self.last_position.is_some_and(|change| turn < change) && !self.producers.contains(&turn.ordinal)
    }

    /// Records a change by hooks of a layer.
    pub(super) fn record(&mut self, position: CallPosition, producers: Vec<u32>, layer: Layer) {
        self.last_position = Some(position);
        self.producers = producers;
        match self.by_layer.iter_mut().find(|(known, _)| *known == layer) {
            Some((_, last)) => *last = position,
            None => self.by_layer.push((layer, position)),
        }
    }

    /// Whether hooks of a lower layer changed the payload after a call of a hook of this layer.
    fn is_from_lower_layer(&self, layer: Layer, turn: CallPosition) -> bool {
        self.by_layer.iter().any(|(other, at)| *other > layer && turn < *at)
    }
}

/// The hooks that rewrote the payload, each with its latest call.
///
/// A guard that is rechecked decides but does not rewrite again: within a layer the order of the hooks applies, and its
/// rewrite was already applied. If a *lower* layer has changed the payload since, the rewrite is applied again, because
/// a lower layer must not widen what a higher one restricted.
#[derive(Debug, Default)]
pub(super) struct RewritingCalls(Vec<(u32, CallPosition)>);

impl RewritingCalls {
    /// Records that a hook rewrote the payload in a call.
    pub(super) fn add(&mut self, call: CallPosition) {
        if self.0.iter().all(|(known, _)| *known != call.ordinal) {
            self.0.push((call.ordinal, call));
        }
    }

    /// Records another call of a hook, and returns whether its rewrite is applied.
    pub(super) fn may_rewrite(&mut self, call: CallPosition, layer: Layer, change: &TargetChange) -> bool {
        let Some((_, last)) = self.0.iter_mut().find(|(known, _)| *known == call.ordinal) else { return true };
        let before = std::mem::replace(last, call);
        change.is_from_lower_layer(layer, before)
    }
}

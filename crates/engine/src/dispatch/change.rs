//! What changed the target during one dispatch, and which guards changed it.

use pintle_contract::Layer;

use crate::compose::CallPosition;

/// The changes of the target.
#[derive(Debug, Default)]
pub(super) struct TargetChange {
    /// When the last one was, as the first turn that saw the target so; `None` while there was none.
    pub(super) last_position: Option<CallPosition>,
    /// The hooks that made the target what it is; they need not judge it.
    pub(super) producers: Vec<u32>,
    /// When hooks of a layer changed the target last.
    by_layer: Vec<(Layer, CallPosition)>,
}

impl TargetChange {
    /// Whether the target changed after a turn, and not by the hook whose turn it was.
    #[inline]
    pub(super) fn is_stale(&self, turn: CallPosition) -> bool {
        self.last_position.is_some_and(|change| turn < change) && !self.producers.contains(&turn.ordinal)
    }

    /// Notes a change by hooks of a layer.
    pub(super) fn record(&mut self, at: CallPosition, producers: Vec<u32>, layer: Layer) {
        self.last_position = Some(at);
        self.producers = producers;
        match self.by_layer.iter_mut().find(|(known, _)| *known == layer) {
            Some((_, last)) => *last = at,
            None => self.by_layer.push((layer, at)),
        }
    }

    /// Whether hooks of a lower layer changed the target after a turn of a hook of this one.
    fn is_from_lower_layer(&self, layer: Layer, turn: CallPosition) -> bool {
        self.by_layer.iter().any(|(other, at)| *other > layer && turn < *at)
    }
}

/// The hooks that changed the target, each with its last call.
///
/// A guard that is asked again judges, and does not rewrite a second time: within a layer the order of the hooks is the
/// rule, and what it did to the target is done. What a *lower* layer made of the target since is another matter, because
/// that layer may not widen: then the rewrite is taken again.
#[derive(Debug, Default)]
pub(super) struct RewritingCalls(Vec<(u32, CallPosition)>);

impl RewritingCalls {
    /// Notes that a hook changed the target in a call.
    pub(super) fn add(&mut self, call: CallPosition) {
        if self.0.iter().all(|(known, _)| *known != call.ordinal) {
            self.0.push((call.ordinal, call));
        }
    }

    /// Notes another call of a hook, and says whether a rewrite in it is taken.
    pub(super) fn may_rewrite(&mut self, call: CallPosition, layer: Layer, change: &TargetChange) -> bool {
        let Some((_, last)) = self.0.iter_mut().find(|(known, _)| *known == call.ordinal) else { return true };
        let before = std::mem::replace(last, call);
        change.is_from_lower_layer(layer, before)
    }
}

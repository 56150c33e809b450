//! Limits on the depth and breadth of delegation.

use pintle_host::contract::DelegationSpec;

/// The maximum depth of delegation, whatever a project declares.
const DEEPEST: u32 = 5;

/// The delegation limits of one agent: its own, within those of the agents above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DelegationBounds {
    /// The maximum depth; 0 forbids delegation.
    pub(crate) max_depth: u32,
    /// The maximum number of concurrent children of one agent.
    pub(crate) max_concurrent: u32,
    iterations_per_depth: Vec<u32>,
}

impl DelegationBounds {
    pub(crate) fn from_spec(spec: &DelegationSpec) -> Self {
        let mut iterations_per_depth = spec.iterations_per_depth.clone();
        if iterations_per_depth.is_empty() {
            iterations_per_depth = vec![20, 10, 5, 3];
        }
        Self {
            max_depth: spec.max_depth.unwrap_or(3).min(DEEPEST),
            max_concurrent: spec.max_concurrent.unwrap_or(5).max(1),
            iterations_per_depth,
        }
    }

    /// The limits of a child agent, which can only narrow those of its parent.
    pub(crate) fn for_child(&self, spec: &DelegationSpec) -> Self {
        Self {
            max_depth: spec.max_depth.map_or(self.max_depth, |own| own.min(self.max_depth)),
            max_concurrent: spec.max_concurrent.map_or(self.max_concurrent, |own| own.clamp(1, self.max_concurrent)),
            iterations_per_depth: self.iterations_per_depth.clone(),
        }
    }

    /// The maximum number of model calls per turn at a depth, from 1. The last entry applies to all deeper agents.
    pub(crate) fn iterations(&self, depth: u32) -> u32 {
        let index = usize::try_from(depth.saturating_sub(1)).unwrap_or(usize::MAX);
        let entry = self.iterations_per_depth.get(index).or(self.iterations_per_depth.last());
        entry.copied().unwrap_or(1).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_bound_by_its_parent_and_never_the_other_way() {
        let parent = DelegationBounds::from_spec(&DelegationSpec {
            max_depth: Some(9),
            max_concurrent: Some(2),
            ..DelegationSpec::default()
        });
        assert_eq!((parent.max_depth, parent.max_concurrent), (5, 2));
        let greedy = DelegationSpec { max_depth: Some(8), max_concurrent: Some(50), ..DelegationSpec::default() };
        assert_eq!(parent.for_child(&greedy), parent);
        let humble = DelegationSpec { max_depth: Some(1), max_concurrent: Some(1), ..DelegationSpec::default() };
        let child = parent.for_child(&humble);
        assert_eq!((child.max_depth, child.max_concurrent), (1, 1));
        let calls = |bounds: &DelegationBounds| (1..=6).map(|depth| bounds.iterations(depth)).collect::<Vec<_>>();
        assert_eq!(calls(&parent), [20, 10, 5, 3, 3, 3]);
        let two = DelegationSpec { iterations_per_depth: vec![12, 6], ..DelegationSpec::default() };
        assert_eq!(calls(&DelegationBounds::from_spec(&two)), [12, 6, 6, 6, 6, 6]);
    }
}

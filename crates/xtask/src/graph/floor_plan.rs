//! Where each crate is drawn: on which floor, and how far to the right.

use std::collections::BTreeMap;

use super::{CrateGraph, all_dependencies};

/// How often the order and the positions are improved.
const SWEEPS: usize = 60;

/// The width of a box, of a bend in an arrow, and of what is free between two of them.
pub(super) const BOX_WIDTH: f64 = 104.0;
const BEND_WIDTH: f64 = 12.0;
const GAP: f64 = 28.0;

/// How hard the bends of one arrow pull each other, compared with a crate.
const BEND_WEIGHT: f64 = 8.0;

/// The crates by floor. A crate is one floor above the highest crate that it depends on.
#[derive(Debug)]
pub(super) struct FloorPlan {
    /// The nodes of each floor from left to right, the lowest floor first.
    pub(super) floors: Vec<Vec<PlanNode>>,
    /// The arrows: the names of the upper crate, of the bends on the floors between, and of the lower crate.
    pub(super) arrows: Vec<Vec<String>>,
    /// The middle of each node.
    pub(super) middles: BTreeMap<String, f64>,
}

/// A crate, or the bend of an arrow that passes a floor.
#[derive(Debug, Clone)]
pub(super) struct PlanNode {
    pub(super) name: String,
    pub(super) is_bend: bool,
}

impl FloorPlan {
    pub(super) fn new(graph: &CrateGraph) -> Self {
        let floor_of = find_floors(graph);
        let mut floors = vec![Vec::new(); floor_of.values().max().map_or(0, |highest| highest + 1)];
        let mut add = |floor: usize, name: &str, is_bend| {
            let nodes = floors.get_mut(floor).into_iter();
            nodes.for_each(|nodes: &mut Vec<_>| nodes.push(PlanNode { name: name.to_owned(), is_bend }));
        };
        for (name, floor) in &floor_of {
            add(*floor, name, false);
        }
        let mut arrows = Vec::new();
        for (upper, lower) in reduce_arrows(graph) {
            let floor = |name| floor_of.get(name).copied().unwrap_or_default();
            let bends = (floor(lower) + 1..floor(upper)).rev().map(|between| {
                let name = format!("{upper} to {lower}, floor {between}");
                add(between, &name, true);
                name
            });
            arrows.push([upper.to_owned()].into_iter().chain(bends).chain([lower.to_owned()]).collect());
        }
        let mut plan = Self { floors, arrows, middles: BTreeMap::new() };
        plan.order_floors();
        plan.place_nodes();
        plan
    }

    /// The connected pairs of nodes on neighbouring floors: the upper one and the lower one.
    pub(super) fn steps(&self) -> impl Iterator<Item = (&String, &String)> {
        self.arrows.iter().flat_map(|arrow| arrow.iter().zip(arrow.iter().skip(1)))
    }

    /// The middle of a node.
    pub(super) fn middle(&self, name: &str) -> f64 {
        self.middles.get(name).copied().unwrap_or_default()
    }

    /// Orders each floor by the mean position of what its nodes are connected to. The order with the fewest crossings
    /// remains.
    fn order_floors(&mut self) {
        let mut best = (usize::MAX, Vec::new());
        for sweep in 0..SWEEPS {
            self.middles = self.indexes();
            let crossings = self.count_crossings();
            if crossings < best.0 {
                best = (crossings, self.floors.clone());
            }
            for floor in self.sweep_order(sweep) {
                let means = self.neighbour_means(floor, Some(sweep.is_multiple_of(2)));
                let nodes = self.floors.get_mut(floor).into_iter();
                let mean = |node: &PlanNode| means.get(&node.name).copied().unwrap_or_default();
                nodes.for_each(|nodes| nodes.sort_by(|one, other| mean(one).total_cmp(&mean(other))));
                self.middles = self.indexes();
            }
        }
        self.floors = best.1;
    }

    /// Moves each node towards the middle of what it is connected to, as far as its neighbours allow.
    fn place_nodes(&mut self) {
        self.middles = self.indexes();
        for sweep in 0..SWEEPS {
            for floor in self.sweep_order(sweep) {
                let means = self.neighbour_means(floor, None);
                let nodes: Vec<(&PlanNode, f64)> = self
                    .floors
                    .get(floor)
                    .into_iter()
                    .flatten()
                    .map(|node| (node, means.get(&node.name).copied().unwrap_or_default()))
                    .collect();
                let from_left = push_apart(nodes.iter().copied());
                let from_right = push_apart(nodes.iter().rev().map(|(node, wish)| (*node, -wish)));
                // The mean of two placements that keep the distances keeps them, too.
                let both = from_left.iter().zip(from_right.iter().rev()).map(|(left, right)| (left - right) / 2.0);
                let placed: Vec<_> = nodes.iter().map(|(node, _)| node.name.clone()).zip(both).collect();
                self.middles.extend(placed);
            }
        }
    }

    /// The floors from the lowest up, or from the highest down.
    fn sweep_order(&self, sweep: usize) -> Vec<usize> {
        let floors = 0..self.floors.len();
        if sweep.is_multiple_of(2) { floors.collect() } else { floors.rev().collect() }
    }

    /// The position of each node on its floor, counted from the floor's middle.
    fn indexes(&self) -> BTreeMap<String, f64> {
        let of_floor = |nodes: &'_ Vec<PlanNode>| {
            let half = nodes.len() as f64 / 2.0;
            nodes.iter().enumerate().map(|(index, node)| (node.name.clone(), index as f64 - half)).collect::<Vec<_>>()
        };
        self.floors.iter().flat_map(of_floor).collect()
    }

    /// For each node of a floor, the mean position of the nodes below it, above it or both. A node without any keeps its
    /// own position. Bends of one arrow pull each other harder, so that it is straight.
    fn neighbour_means(&self, floor: usize, is_below: Option<bool>) -> BTreeMap<String, f64> {
        let is_bend = |name: &str| self.floors.iter().flatten().any(|node| node.is_bend && node.name == name);
        let mean_of = |node: &PlanNode| {
            let neighbours = self.steps().filter_map(|(upper, lower)| match is_below {
                Some(true) | None if *upper == node.name => Some(lower),
                Some(false) | None if *lower == node.name => Some(upper),
                _ => None,
            });
            let (weights, sum) = neighbours.fold((0.0, 0.0), |(weights, sum), neighbour| {
                let weight = if node.is_bend && is_bend(neighbour) { BEND_WEIGHT } else { 1.0 };
                (weights + weight, sum + weight * self.middle(neighbour))
            });
            if weights > 0.0 { sum / weights } else { self.middle(&node.name) }
        };
        self.floors.get(floor).into_iter().flatten().map(|node| (node.name.clone(), mean_of(node))).collect()
    }

    /// How many pairs of arrows cross, by the order on the floors.
    fn count_crossings(&self) -> usize {
        let floor_of = |name: &str| self.floors.iter().position(|nodes| nodes.iter().any(|node| node.name == name));
        let ends: Vec<_> =
            self.steps().map(|(upper, lower)| (floor_of(upper), self.middle(upper), self.middle(lower))).collect();
        let crosses = |one: &(Option<usize>, f64, f64), other: &(Option<usize>, f64, f64)| {
            one.0 == other.0 && one.1 < other.1 && one.2 > other.2
        };
        ends.iter().map(|one| ends.iter().filter(|other| crosses(one, other)).count()).sum()
    }
}

/// Places nodes from left to right, each at its wish unless the one before it is too near.
fn push_apart<'n>(nodes: impl Iterator<Item = (&'n PlanNode, f64)>) -> Vec<f64> {
    let mut end = f64::NEG_INFINITY;
    let placed = nodes.map(|(node, wish)| {
        let half = if node.is_bend { BEND_WIDTH } else { BOX_WIDTH } / 2.0;
        let middle = wish.max(end + GAP + half);
        end = middle + half;
        middle
    });
    placed.collect()
}

/// The floor of each crate: the length of the longest path down from it.
fn find_floors(graph: &CrateGraph) -> BTreeMap<&str, usize> {
    let mut floors: BTreeMap<&str, usize> = graph.keys().map(|name| (name.as_str(), 0)).collect();
    // A path has fewer steps than there are crates.
    for _ in graph {
        for (name, dependencies) in graph {
            let above = |dependency: &String| floors.get(dependency.as_str()).map_or(0, |floor| floor + 1);
            let floor = dependencies.iter().map(above).max().unwrap_or_default();
            floors.insert(name, floor);
        }
    }
    floors
}

/// The dependencies that do not follow from others.
fn reduce_arrows(graph: &CrateGraph) -> Vec<(&str, &str)> {
    let mut arrows = Vec::new();
    for (name, dependencies) in graph {
        let through_others = |lower: &String| {
            dependencies.iter().any(|other| other != lower && all_dependencies(graph, other).contains(lower))
        };
        let direct = dependencies.iter().filter(|lower| !through_others(lower));
        arrows.extend(direct.map(|lower| (name.as_str(), lower.as_str())));
    }
    arrows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(arrows: &[(&str, &[&str])]) -> FloorPlan {
        let owned = |(name, list): &(&str, &[&str])| {
            ((*name).to_owned(), list.iter().map(|lower| (*lower).to_owned()).collect())
        };
        FloorPlan::new(&arrows.iter().map(owned).collect())
    }

    #[test]
    fn a_crate_is_above_all_that_it_depends_on() {
        let plan = plan(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"]), ("d", &["a"]), ("e", &["c", "d"])]);
        let names = |nodes: &Vec<PlanNode>| {
            let mut names: Vec<_> = nodes.iter().map(|node| node.name.clone()).collect();
            names.sort();
            names.join("; ")
        };
        let floors: Vec<String> = plan.floors.iter().map(names).collect();
        assert_eq!(floors, ["a", "b; d", "c; e to d, floor 2", "e"]);
        assert_eq!(plan.arrows.len(), 5, "`c` needs `a` through `b`: {:?}", plan.arrows);
    }

    #[test]
    fn arrows_that_need_not_cross_do_not_cross() {
        let plan = plan(&[("a", &[]), ("b", &[]), ("c", &[]), ("x", &["c"]), ("y", &["a"]), ("z", &["b"])]);
        assert_eq!(plan.count_crossings(), 0);
        let floor = |index: usize| plan.floors[index].iter().map(|node| plan.middle(&node.name)).collect::<Vec<_>>();
        for pair in [floor(0), floor(1)].concat().windows(2).filter(|pair| pair[0] < pair[1]) {
            assert!(pair[1] - pair[0] >= BOX_WIDTH + GAP, "{pair:?}");
        }
    }
}

//! The Merkle tree over the lines of a tape, as RFC 6962 defines it. Its leaves are the SHA-256 digests of the lines.

use pintle_contract::to_hex;
use sha2::{Digest, Sha256};

use crate::line::{DigestBytes, digest_bytes, parse_hex};

/// What is before the data of a leaf, and before the two hashes of a node, so that neither can be taken for the other.
const LEAF: [u8; 1] = [0];
const NODE: [u8; 1] = [1];

/// The roots of the complete subtrees of a tree that grows: all that is needed to add leaves and to know the root. There
/// are at most 64.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeFrontier {
    size: u64,
    /// The largest subtree first.
    roots: Vec<DigestBytes>,
}

impl TreeFrontier {
    /// The frontier of a tree of this size; `None` if it cannot have these roots.
    #[must_use]
    pub fn from_hex(size: u64, roots: &[String]) -> Option<Self> {
        let roots = roots.iter().map(|root| parse_hex(root)).collect::<Option<Vec<DigestBytes>>>()?;
        (roots.len() == size.count_ones() as usize).then_some(Self { size, roots })
    }

    /// Its roots, in hex.
    #[must_use]
    pub fn to_hex(&self) -> Vec<String> {
        self.roots.iter().map(|root| to_hex(root)).collect()
    }

    /// The number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds the digest of the next line.
    pub fn push(&mut self, digest: &DigestBytes) {
        self.push_leaf(leaf_hash(digest));
    }

    fn push_leaf(&mut self, leaf: DigestBytes) {
        let complete = self.size.trailing_ones() as usize;
        let subtrees = self.roots.split_off(self.roots.len().saturating_sub(complete));
        self.roots.push(subtrees.iter().rev().fold(leaf, |right, left| node_hash(left, &right)));
        self.size += 1;
    }

    /// The root of the tree.
    #[must_use]
    pub fn root(&self) -> DigestBytes {
        let mut roots = self.roots.iter().rev();
        let last = roots.next().copied().unwrap_or_else(|| digest_bytes(b""));
        roots.fold(last, |right, left| node_hash(left, &right))
    }
}

/// The hash of a leaf, which is the digest of a line.
pub(crate) fn leaf_hash(digest: &DigestBytes) -> DigestBytes {
    Sha256::new().chain_update(LEAF).chain_update(digest).finalize().into()
}

fn node_hash(left: &DigestBytes, right: &DigestBytes) -> DigestBytes {
    Sha256::new().chain_update(NODE).chain_update(left).chain_update(right).finalize().into()
}

#[cfg(feature = "proof")]
fn root_of(leaves: &[DigestBytes]) -> DigestBytes {
    let mut tree = TreeFrontier::default();
    leaves.iter().for_each(|leaf| tree.push_leaf(*leaf));
    tree.root()
}

/// The hashes that lead from a leaf to the root of a tree with these leaves, the nearest first. `None` if the tree has no
/// such leaf.
#[cfg(feature = "proof")]
pub(crate) fn inclusion_path(leaves: &[DigestBytes], index: usize) -> Option<Vec<DigestBytes>> {
    if index >= leaves.len() {
        return None;
    }
    let (mut path, mut leaves, mut index) = (Vec::new(), leaves, index);
    while leaves.len() > 1 {
        // The left subtree has the largest power of two that is less than the number of leaves.
        let (left, right) = leaves.split_at_checked(leaves.len().next_power_of_two() / 2)?;
        let sibling;
        (leaves, sibling, index) = match index.checked_sub(left.len()) {
            None => (left, right, index),
            Some(index) => (right, left, index),
        };
        path.push(root_of(sibling));
    }
    path.reverse();
    Some(path)
}

/// The root to which a path leads from a leaf. `None` if a tree of this size has no such path.
#[cfg(feature = "proof")]
pub(crate) fn root_of_path(leaf: DigestBytes, index: u64, size: u64, path: &[DigestBytes]) -> Option<DigestBytes> {
    let (mut hash, mut index, mut last) = (leaf, index, size.checked_sub(1)?);
    if index > last {
        return None;
    }
    for sibling in path {
        if last == 0 {
            return None;
        }
        if index % 2 == 1 || index == last {
            hash = node_hash(sibling, &hash);
            // A last node without a sibling is the same node one level higher.
            while index.is_multiple_of(2) && index != 0 {
                (index, last) = (index / 2, last / 2);
            }
        } else {
            hash = node_hash(&hash, sibling);
        }
        (index, last) = (index / 2, last / 2);
    }
    (last == 0).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(index: u8) -> DigestBytes {
        digest_bytes(&[index])
    }

    #[test]
    fn frontier_has_the_root_that_the_definition_gives() {
        /// The definition in RFC 6962, section 2.1.
        fn defined_root(digests: &[DigestBytes]) -> DigestBytes {
            match digests {
                [] => digest_bytes(b""),
                [one] => leaf_hash(one),
                many => {
                    let (left, right) = many.split_at(many.len().next_power_of_two() / 2);
                    node_hash(&defined_root(left), &defined_root(right))
                }
            }
        }
        let digests: Vec<DigestBytes> = (0..130).map(digest).collect();
        let mut tree = TreeFrontier::default();
        for (size, next) in digests.iter().enumerate() {
            assert_eq!(tree.root(), defined_root(&digests[..size]), "{size}");
            assert_eq!(TreeFrontier::from_hex(size as u64, &tree.to_hex()), Some(tree.clone()));
            assert_eq!(TreeFrontier::from_hex(2 * size as u64 + 1, &tree.to_hex()), None);
            tree.push(next);
        }
    }

    #[cfg(feature = "proof")]
    #[test]
    fn every_leaf_of_every_tree_has_one_path() {
        let leaves: Vec<DigestBytes> = (0..70).map(|index| leaf_hash(&digest(index))).collect();
        for size in 1..leaves.len() {
            let leaves = &leaves[..size];
            for index in 0..size {
                let path = inclusion_path(leaves, index).unwrap();
                let found =
                    |leaf, index: usize, path: &[DigestBytes]| root_of_path(leaf, index as u64, size as u64, path);
                assert_eq!(found(leaves[index], index, &path), Some(root_of(leaves)), "{index} of {size}");
                // Another place, another leaf and another length lead elsewhere.
                for other in (0..size).filter(|other| *other != index) {
                    assert_ne!(
                        found(leaves[index], other, &path),
                        Some(root_of(leaves)),
                        "{index} as {other} of {size}"
                    );
                    assert_ne!(found(leaves[other], index, &path), Some(root_of(leaves)));
                }
                let longer = [path.clone(), vec![leaves[0]]].concat();
                assert_eq!(found(leaves[index], index, &longer), None);
                if let Some((_, shorter)) = path.split_last() {
                    assert_eq!(found(leaves[index], index, shorter), None);
                }
            }
            assert_eq!(inclusion_path(leaves, size), None);
        }
        assert_eq!(root_of_path(leaves[0], 0, 0, &[]), None);
    }
}

//! Random numbers, with the source passed as an argument.

use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Provides random numbers to scripts (`random`, `uuid.v4`). Not suitable for secrets.
pub trait RandomSource: Send + Sync + Debug {
    /// Returns the next 64 random bits.
    fn next_bits(&self) -> u64;
}

/// A SplitMix64 sequence: the same seed gives the same numbers.
#[derive(Debug)]
pub struct SeededRandom(AtomicU64);

impl SeededRandom {
    /// Creates the sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Creates a sequence that differs in every process.
    #[must_use]
    pub fn from_entropy() -> Self {
        Self::new(RandomState::new().hash_one("pintle"))
    }
}

impl RandomSource for SeededRandom {
    fn next_bits(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut mixed = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// Generates a random version 4 UUID as text.
pub(crate) fn uuid_v4(random: &dyn RandomSource) -> String {
    let high = (random.next_bits() & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000;
    let low = (random.next_bits() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xFFFF,
        high & 0xFFFF,
        low >> 48,
        low & 0xFFFF_FFFF_FFFF
    )
}

/// Generates an integer in the range `min..=max`.
pub(crate) fn next_in_range(random: &dyn RandomSource, min: i64, max: i64) -> i64 {
    // The width of any i64 range fits in an i128, and so does the sum.
    let width = i128::from(max) - i128::from(min) + 1;
    let offset = i128::from(random.next_bits()) % width.max(1);
    i64::try_from(i128::from(min) + offset).unwrap_or(min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_every_number() {
        let (one, same, other) = (SeededRandom::new(7), SeededRandom::new(7), SeededRandom::new(8));
        assert_eq!(uuid_v4(&one), uuid_v4(&same));
        assert_ne!(uuid_v4(&one), uuid_v4(&other));
    }

    #[test]
    fn a_uuid_says_its_version_and_variant() {
        let random = SeededRandom::new(1);
        for _ in 0..100 {
            let text = uuid_v4(&random);
            let bytes = text.as_bytes();
            assert_eq!((text.len(), bytes[14]), (36, b'4'), "{text}");
            assert!(b"89ab".contains(&bytes[19]), "{text}");
        }
    }

    #[test]
    fn a_range_is_closed_and_any_range_fits() {
        let random = SeededRandom::new(3);
        let mut seen = [false; 3];
        for _ in 0..200 {
            let number = next_in_range(&random, -1, 1);
            seen[usize::try_from(number + 1).unwrap()] = true;
        }
        assert_eq!(seen, [true; 3]);
        next_in_range(&random, i64::MIN, i64::MAX);
        assert_eq!(next_in_range(&random, 5, 5), 5);
    }
}

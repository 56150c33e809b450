//! Random numbers that are the same for every run of a seed.

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct SplitMixDice(u64);

impl SplitMixDice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Dice that depend only on a seed and a text.
    pub(crate) fn from_seed(seed: u64, text: &str) -> Self {
        Self(
            text.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            }),
        )
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }
}

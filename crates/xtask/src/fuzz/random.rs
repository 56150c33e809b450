//! Numbers that follow from a seed.

/// Numbers that follow from a seed (xorshift).
pub(super) struct RandomNumbers(u64);

impl RandomNumbers {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn draw_index(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap_or(1)).unwrap_or_default()
    }

    pub(super) fn pick<'t>(&mut self, all: &'t [impl AsRef<str>]) -> &'t str {
        all.get(self.draw_index(all.len())).map(AsRef::as_ref).unwrap_or_default()
    }
}

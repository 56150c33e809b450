//! Moments at which a session is killed.

use std::time::Duration;

/// The most records that a session of this test has, and how long it is at work at most.
const MOST_RECORDS: u64 = 140;
const LONGEST_US: u64 = 220_000;

/// When a session is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// As soon as its tape has so many records.
    Records(usize),
    /// So long after it was started.
    After(Duration),
}

/// Numbers from a seed (xorshift64*).
pub(crate) struct Draw(u64);

impl Draw {
    /// The numbers of one moment.
    pub(crate) fn new(seed: u64, moment: u64) -> Self {
        let mut draw = Self((seed ^ moment.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1));
        // The first numbers of neighbouring seeds are alike.
        for _ in 0..8 {
            draw.next();
        }
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 16) % bound
    }

    /// Whether a chance of one in so many comes up.
    fn is_one_of(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// A moment of a session that begins.
    pub(crate) fn moment(&mut self) -> Moment {
        self.moment_after(0)
    }

    /// A moment of a session that goes on behind so many records.
    pub(crate) fn moment_after(&mut self, records: usize) -> Moment {
        if self.is_one_of(4) {
            return Moment::After(Duration::from_micros(self.below(LONGEST_US)));
        }
        Moment::Records(records + usize::try_from(self.below(MOST_RECORDS)).unwrap_or(0))
    }
}

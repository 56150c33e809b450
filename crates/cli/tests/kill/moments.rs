//! Moments at which a session is killed.

use std::time::Duration;

/// The most records that a session of this test has, and how long it is at work at most.
const MOST_RECORDS: u64 = 140;
const LONGEST_US: u64 = 220_000;

/// When a session is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KillMoment {
    /// As soon as its tape has so many records.
    Records(usize),
    /// So long after it was started.
    Delay(Duration),
}

/// Numbers from a seed (xorshift64*).
pub(crate) struct MomentDraw(u64);

impl MomentDraw {
    /// The numbers of one moment.
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        let mut draw = Self((seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1));
        // The first numbers of neighbouring seeds are alike.
        for _ in 0..8 {
            draw.next_number();
        }
        draw
    }

    fn next_number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn number_below(&mut self, bound: u64) -> u64 {
        (self.next_number() >> 16) % bound
    }

    /// Whether a chance of one in so many comes up.
    fn is_drawn(&mut self, count: u64) -> bool {
        self.number_below(count) == 0
    }

    /// A moment of a session that begins.
    pub(crate) fn draw_moment(&mut self) -> KillMoment {
        self.draw_moment_after(0)
    }

    /// A moment of a session that goes on behind so many records.
    pub(crate) fn draw_moment_after(&mut self, records: usize) -> KillMoment {
        if self.is_drawn(4) {
            return KillMoment::Delay(Duration::from_micros(self.number_below(LONGEST_US)));
        }
        KillMoment::Records(records + usize::try_from(self.number_below(MOST_RECORDS)).unwrap_or(0))
    }
}

//! Sizes of values, as multiples of the input.

use super::{MAX_ALLOCATED, MAX_CONSTANT_DOUBLINGS, SizeMachine};

/// A literal up to this length is negligible compared to an input.
const SHORT_TEXT_BYTES: usize = 256;

/// The size of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ValueSize {
    /// The multiple of the input's size. Zero is a constant.
    pub(super) units: u64,
    /// Whether `units` covers all iterations of the enclosing loops together, not each of them.
    pub(super) is_shared_out: bool,
    /// Whether it is a number, a boolean or None, and not a large number.
    pub(super) is_number: bool,
    /// Its value, if it is a literal integer.
    pub(super) integer: Option<i64>,
    /// The number of iterations of a loop over it.
    pub(super) loop_count: LoopCount,
    /// Whether a loop over it yields numbers.
    pub(super) items_are_numbers: bool,
    /// Whether it is or contains a function: it may be passed on, but not called.
    pub(super) is_function: bool,
    /// Whether it is put together from other values, so that it may be longer than a literal.
    pub(super) is_composed: bool,
}

/// The number of iterations of a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LoopCount {
    /// A literal number.
    Literal(u32),
    /// A number that depends on the input.
    Input,
}

impl ValueSize {
    pub(super) const NOTHING: Self = Self {
        units: 0,
        is_shared_out: true,
        is_number: false,
        integer: None,
        loop_count: LoopCount::Input,
        items_are_numbers: false,
        is_function: false,
        is_composed: false,
    };
    pub(super) const NUMBER: Self = Self { is_number: true, ..Self::NOTHING };
    pub(super) const FUNCTION: Self = Self { is_function: true, ..Self::NOTHING };
    /// The whole input.
    pub(super) const INPUT: Self = Self { units: 1, ..Self::NOTHING };

    /// A literal string.
    pub(super) fn from_literal_text(length: usize) -> Self {
        if length <= SHORT_TEXT_BYTES { Self::NOTHING } else { Self { is_shared_out: false, ..Self::INPUT } }
    }

    /// A value that it may contain.
    pub(super) fn part(self) -> Self {
        Self { loop_count: LoopCount::Input, is_number: false, integer: None, ..self }
    }

    /// The larger of two sizes.
    pub(super) fn larger(self, other: Self) -> Self {
        Self {
            units: self.units.max(other.units),
            is_shared_out: self.is_shared_out && other.is_shared_out,
            is_number: self.is_number && other.is_number,
            integer: self.integer.filter(|integer| other.integer == Some(*integer)),
            loop_count: if self.loop_count == other.loop_count { self.loop_count } else { LoopCount::Input },
            items_are_numbers: self.items_are_numbers && other.items_are_numbers,
            is_function: self.is_function || other.is_function,
            is_composed: self.is_composed || other.is_composed,
        }
    }

    /// Whether it is a constant that may be longer than a literal.
    pub(super) fn is_composed_constant(self) -> bool {
        self.units == 0 && !self.is_number && self.is_composed
    }
}

impl SizeMachine<'_> {
    /// Reads two values once, as a search or a comparison does. `None` if one of them may contain the input so often that
    /// reading it takes the product of the two lengths.
    pub(super) fn read_both(one: ValueSize, other: ValueSize) -> Option<ValueSize> {
        let is_constant = one.units == 0 || other.units == 0;
        (is_constant || one.units.saturating_add(other.units) <= MAX_ALLOCATED).then_some(ValueSize::NUMBER)
    }

    /// Allocates a new value; `None` if it would cost an input for each iteration, or the script allocates too much.
    pub(super) fn allocate(&mut self, units: u64, shared_out: bool) -> Option<ValueSize> {
        if units > 0 && !shared_out && self.enclosing_loops.input_loop_count > 0 {
            return None;
        }
        self.allocated = self.allocated.saturating_add(units.saturating_mul(self.enclosing_loops.turn_count));
        (self.allocated <= MAX_ALLOCATED).then_some(ValueSize { units, is_composed: true, ..ValueSize::NOTHING })
    }

    /// Counts an operation that makes a constant this many times as long, in doublings: constants are not measured, but
    /// thirty doublings of one letter fill the memory. `None` if there are too many.
    pub(super) fn count_growth(&mut self, times: u64) -> Option<()> {
        let doublings = times.saturating_sub(1).checked_ilog2().map_or(0, |bits| bits + 1);
        self.constant_doublings = self.constant_doublings.saturating_add(doublings);
        (self.constant_doublings <= MAX_CONSTANT_DOUBLINGS).then_some(())
    }

    /// Counts memory that does not belong to a value.
    pub(super) fn add_extra_units(&mut self, units: u64) {
        self.extra_units = self.extra_units.saturating_add(units.saturating_mul(self.enclosing_loops.turn_count));
    }

    /// `left + right`.
    pub(super) fn size_of_sum(&mut self, left: ValueSize, right: ValueSize) -> Option<ValueSize> {
        if left.is_number || right.is_number {
            // A number plus any other value is a number or an error.
            return Some(ValueSize::NUMBER);
        }
        self.size_of_text_sum(left, right)
    }

    /// The concatenation of both.
    pub(super) fn size_of_text_sum(&mut self, left: ValueSize, right: ValueSize) -> Option<ValueSize> {
        if left.is_composed_constant() && right.is_composed_constant() {
            self.count_growth(2)?;
        }
        let whole = |size: ValueSize| size.is_shared_out || size.units == 0;
        let made = self.allocate(left.units.saturating_add(right.units), whole(left) && whole(right))?;
        Some(ValueSize { is_function: left.is_function || right.is_function, ..made })
    }

    /// A container into which a value was inserted in each iteration. Nothing is copied.
    pub(super) fn size_after_insert(&mut self, container: ValueSize, item: ValueSize) -> Option<ValueSize> {
        if item.is_composed_constant() {
            self.count_growth(self.enclosing_loops.turn_count.saturating_add(1))?;
        }
        let in_loop = self.enclosing_loops.input_loop_count > 0;
        let added = match (in_loop, item.units) {
            (false, units) => units.saturating_mul(self.enclosing_loops.turn_count),
            (true, 0) => 1,
            (true, units) if item.is_shared_out => units.saturating_mul(self.enclosing_loops.turn_count),
            // As large as the input in every iteration: must never be copied.
            (true, _) => MAX_ALLOCATED + 1,
        };
        Some(ValueSize {
            units: container.units.saturating_add(added),
            is_shared_out: container.is_shared_out && !in_loop,
            is_number: false,
            integer: None,
            loop_count: super::LoopCount::Input,
            items_are_numbers: container.items_are_numbers && item.is_number,
            is_function: container.is_function || item.is_function,
            is_composed: true,
        })
    }
}

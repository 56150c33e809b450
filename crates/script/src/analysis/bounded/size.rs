//! Sizes of values, in inputs.

use super::{MAX_ALLOCATED, SizeMachine};

/// A literal up to this length is nothing beside an input.
const SHORT_TEXT_BYTES: usize = 256;

/// How large a value is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ValueSize {
    /// How many times the input. Zero is a constant.
    pub(super) units: u64,
    /// Whether `units` holds for all turns of the loops around together, or for each.
    pub(super) is_shared_out: bool,
    /// It is a number, a truth value or None, and no large number.
    pub(super) is_number: bool,
    /// Its value, when it is a literal integer.
    pub(super) integer: Option<i64>,
    /// How often a loop over it turns.
    pub(super) loop_count: LoopCount,
    /// A loop over it gives numbers.
    pub(super) items_are_numbers: bool,
    /// It is a function, or holds one: it may be handed on, and nothing may call it.
    pub(super) is_function: bool,
}

/// How often a loop turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LoopCount {
    /// As often as the script says.
    Literal(u32),
    /// As often as the input says.
    Input,
}

impl ValueSize {
    /// A constant.
    pub(super) const NOTHING: Self = Self {
        units: 0,
        is_shared_out: true,
        is_number: false,
        integer: None,
        loop_count: LoopCount::Input,
        items_are_numbers: false,
        is_function: false,
    };
    /// A number.
    pub(super) const NUMBER: Self = Self { is_number: true, ..Self::NOTHING };
    /// A function.
    pub(super) const FUNCTION: Self = Self { is_function: true, ..Self::NOTHING };
    /// All of the input.
    pub(super) const INPUT: Self = Self { units: 1, ..Self::NOTHING };

    /// A literal text.
    pub(super) fn from_literal_text(length: usize) -> Self {
        if length <= SHORT_TEXT_BYTES { Self::NOTHING } else { Self { is_shared_out: false, ..Self::INPUT } }
    }

    /// The larger of two.
    pub(super) fn larger(self, other: Self) -> Self {
        Self {
            units: self.units.max(other.units),
            is_shared_out: self.is_shared_out && other.is_shared_out,
            is_number: self.is_number && other.is_number,
            integer: self.integer.filter(|integer| other.integer == Some(*integer)),
            loop_count: if self.loop_count == other.loop_count { self.loop_count } else { LoopCount::Input },
            items_are_numbers: self.items_are_numbers && other.items_are_numbers,
            is_function: self.is_function || other.is_function,
        }
    }
}

impl SizeMachine<'_> {
    /// Makes a new value; `None` when it would cost an input a turn, or the script makes too much.
    pub(super) fn allocate(&mut self, units: u64, shared_out: bool) -> Option<ValueSize> {
        if units > 0 && !shared_out && self.enclosing_loops.input_loop_count > 0 {
            return None;
        }
        self.allocated = self.allocated.saturating_add(units.saturating_mul(self.enclosing_loops.turn_count));
        (self.allocated <= MAX_ALLOCATED).then_some(ValueSize { units, ..ValueSize::NOTHING })
    }

    /// Counts memory that no value is made of.
    pub(super) fn add_extra_units(&mut self, units: u64) {
        self.extra_units = self.extra_units.saturating_add(units.saturating_mul(self.enclosing_loops.turn_count));
    }

    /// `left + right`.
    pub(super) fn size_of_sum(&mut self, left: ValueSize, right: ValueSize) -> Option<ValueSize> {
        if left.is_number || right.is_number {
            // A number and anything else is a number or an error.
            return Some(ValueSize::NUMBER);
        }
        self.size_of_text_sum(left, right)
    }

    /// Text of both.
    pub(super) fn size_of_text_sum(&mut self, left: ValueSize, right: ValueSize) -> Option<ValueSize> {
        let whole = |size: ValueSize| size.is_shared_out || size.units == 0;
        let made = self.allocate(left.units.saturating_add(right.units), whole(left) && whole(right))?;
        Some(ValueSize { is_function: left.is_function || right.is_function, ..made })
    }

    /// A container that another value was put into, once each turn. Nothing is copied.
    pub(super) fn size_after_insert(&self, container: ValueSize, item: ValueSize) -> ValueSize {
        let in_loop = self.enclosing_loops.input_loop_count > 0;
        let added = match (in_loop, item.units) {
            (false, units) => units.saturating_mul(self.enclosing_loops.turn_count),
            (true, 0) => 1,
            (true, units) if item.is_shared_out => units.saturating_mul(self.enclosing_loops.turn_count),
            // As large as the input in every turn: never to be copied.
            (true, _) => MAX_ALLOCATED + 1,
        };
        ValueSize {
            units: container.units.saturating_add(added),
            is_shared_out: container.is_shared_out && !in_loop,
            is_number: false,
            integer: None,
            loop_count: super::LoopCount::Input,
            items_are_numbers: container.items_are_numbers && item.is_number,
            is_function: container.is_function || item.is_function,
        }
    }
}

//! Sizes of values, in inputs.

use super::{MAX_ALLOCATED, Machine};

/// A literal up to this length is nothing beside an input.
const SHORT_TEXT_BYTES: usize = 256;

/// How large a value is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    /// How many times the input. Zero is a constant.
    pub(super) units: u64,
    /// Whether `units` holds for all turns of the loops around together, or for each.
    pub(super) shared_out: bool,
    /// It is a number, a truth value or None, and no large number.
    pub(super) number: bool,
    /// Its value, when it is a literal integer.
    pub(super) integer: Option<i64>,
    /// How often a loop over it turns.
    pub(super) turns: Turns,
    /// A loop over it gives numbers.
    pub(super) items_are_numbers: bool,
    /// It is a function, or holds one: it may be handed on, and nothing may call it.
    pub(super) function: bool,
}

/// How often a loop turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Turns {
    /// As often as the script says.
    Literal(u32),
    /// As often as the input says.
    Input,
}

impl Size {
    /// A constant.
    pub(super) const NOTHING: Self = Self {
        units: 0,
        shared_out: true,
        number: false,
        integer: None,
        turns: Turns::Input,
        items_are_numbers: false,
        function: false,
    };
    /// A number.
    pub(super) const NUMBER: Self = Self { number: true, ..Self::NOTHING };
    /// A function.
    pub(super) const FUNCTION: Self = Self { function: true, ..Self::NOTHING };
    /// All of the input.
    pub(super) const INPUT: Self = Self { units: 1, ..Self::NOTHING };

    /// A literal text.
    pub(super) fn text(length: usize) -> Self {
        if length <= SHORT_TEXT_BYTES { Self::NOTHING } else { Self { shared_out: false, ..Self::INPUT } }
    }

    /// The larger of two.
    pub(super) fn either(self, other: Self) -> Self {
        Self {
            units: self.units.max(other.units),
            shared_out: self.shared_out && other.shared_out,
            number: self.number && other.number,
            integer: self.integer.filter(|integer| other.integer == Some(*integer)),
            turns: if self.turns == other.turns { self.turns } else { Turns::Input },
            items_are_numbers: self.items_are_numbers && other.items_are_numbers,
            function: self.function || other.function,
        }
    }
}

impl Machine<'_> {
    /// Makes a new value; `None` when it would cost an input a turn, or the script makes too much.
    pub(super) fn allocate(&mut self, units: u64, shared_out: bool) -> Option<Size> {
        if units > 0 && !shared_out && self.around.input_loops > 0 {
            return None;
        }
        self.allocated = self.allocated.saturating_add(units.saturating_mul(self.around.turns));
        (self.allocated <= MAX_ALLOCATED).then_some(Size { units, ..Size::NOTHING })
    }

    /// Counts memory that no value is made of.
    pub(super) fn weigh(&mut self, units: u64) {
        self.beside = self.beside.saturating_add(units.saturating_mul(self.around.turns));
    }

    /// `left + right`.
    pub(super) fn sum(&mut self, left: Size, right: Size) -> Option<Size> {
        if left.number || right.number {
            // A number and anything else is a number or an error.
            return Some(Size::NUMBER);
        }
        self.sum_text(left, right)
    }

    /// Text of both.
    pub(super) fn sum_text(&mut self, left: Size, right: Size) -> Option<Size> {
        let whole = |size: Size| size.shared_out || size.units == 0;
        let made = self.allocate(left.units.saturating_add(right.units), whole(left) && whole(right))?;
        Some(Size { function: left.function || right.function, ..made })
    }

    /// A container that another value was put into, once each turn. Nothing is copied.
    pub(super) fn grown(&self, container: Size, item: Size) -> Size {
        let in_loop = self.around.input_loops > 0;
        let added = match (in_loop, item.units) {
            (false, units) => units.saturating_mul(self.around.turns),
            (true, 0) => 1,
            (true, units) if item.shared_out => units.saturating_mul(self.around.turns),
            // As large as the input in every turn: never to be copied.
            (true, _) => MAX_ALLOCATED + 1,
        };
        Size {
            units: container.units.saturating_add(added),
            shared_out: container.shared_out && !in_loop,
            number: false,
            integer: None,
            turns: super::Turns::Input,
            items_are_numbers: container.items_are_numbers && item.number,
            function: container.function || item.function,
        }
    }
}

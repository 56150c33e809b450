//! Evaluates operators on sizes.

use starlark::syntax::ast::{AstExpr, BinOp};

use super::super::ast::{is_comparison, string_literal};
use super::SizeMachine;
use super::size::ValueSize;

/// The largest literal by which a number or a string of the input may be multiplied.
const MAX_FACTOR: i64 = 64;
/// The largest literal by which a short literal string may be repeated.
const MAX_REPEAT: i64 = 10_000;

impl<'a> SizeMachine<'a> {
    pub(super) fn size_of_operator(&mut self, left: &'a AstExpr, op: BinOp, right: &'a AstExpr) -> Option<ValueSize> {
        let (one, other) = (self.size_of_expression(left)?, self.size_of_expression(right)?);
        match op {
            BinOp::And | BinOp::Or => Some(one.larger(other)),
            _ if is_comparison(op) => Self::read_both(one, other),
            BinOp::Add => self.size_of_sum(one, other),
            BinOp::BitOr => self.size_of_sum(one, other),
            BinOp::Multiply | BinOp::Percent if one.is_function || other.is_function => None,
            BinOp::Percent => self.size_of_percent(left, one, other),
            BinOp::Multiply => self.size_of_product(one, other).or_else(|| self.size_of_product(other, one)),
            BinOp::LeftShift => {
                let small = other.integer.is_some_and(|by| (0..=MAX_FACTOR).contains(&by));
                (one.is_number && small).then_some(ValueSize::NUMBER)
            }
            // Operators of numbers whose result is not larger.
            BinOp::Subtract
            | BinOp::Divide
            | BinOp::FloorDivide
            | BinOp::BitAnd
            | BinOp::BitXor
            | BinOp::RightShift => Some(ValueSize::NUMBER),
            _ => None,
        }
    }

    /// `left % right`: a remainder, or string formatting.
    fn size_of_percent(&mut self, format: &AstExpr, left: ValueSize, right: ValueSize) -> Option<ValueSize> {
        if left.is_number {
            return Some(ValueSize::NUMBER);
        }
        match string_literal(format) {
            Some(format) => {
                let places = format.matches('%').count() as u64;
                if right.is_composed_constant() {
                    self.count_growth(places)?;
                }
                self.allocate(right.units.saturating_mul(places), right.is_shared_out)
            }
            None if right.units == 0 => self.size_of_text_sum(left, right),
            None => None,
        }
    }

    fn size_of_product(&mut self, value: ValueSize, factor: ValueSize) -> Option<ValueSize> {
        if value.is_number && factor.is_number {
            // Products grow numbers, so one factor must be small.
            let small = |size: ValueSize| size.integer.is_some_and(|factor| factor.abs() <= MAX_REPEAT);
            return (small(value) || small(factor)).then_some(ValueSize::NUMBER);
        }
        let factor = factor.integer?;
        if value.is_number {
            return None;
        }
        if value.units == 0 && factor <= MAX_REPEAT {
            return self.allocate(1, true);
        }
        if factor > MAX_FACTOR {
            return None;
        }
        self.allocate(value.units.saturating_mul(factor.unsigned_abs()), value.is_shared_out)
    }
}

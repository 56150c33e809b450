//! Operators on sizes.

use starlark::syntax::ast::{AstExpr, BinOp};

use super::super::walk::string;
use super::size::{Size, Turns};
use super::{Machine, Names};

/// The largest literal that a number or a text of the input may be multiplied with.
const MAX_FACTOR: i64 = 64;
/// The largest literal that a short literal text may be repeated.
const MAX_REPEAT: i64 = 10_000;

impl<'a> Machine<'a> {
    pub(super) fn operator(
        &mut self,
        left: &'a AstExpr,
        op: BinOp,
        right: &'a AstExpr,
        names: &mut Names<'a>,
    ) -> Option<Size> {
        let (one, other) = (self.expression(left, names)?, self.expression(right, names)?);
        match op {
            BinOp::And | BinOp::Or => Some(one.either(other)),
            BinOp::Equal
            | BinOp::NotEqual
            | BinOp::Less
            | BinOp::Greater
            | BinOp::LessOrEqual
            | BinOp::GreaterOrEqual
            | BinOp::Subtract
            | BinOp::Divide
            | BinOp::FloorDivide
            | BinOp::BitAnd
            | BinOp::BitXor
            | BinOp::RightShift => Some(Size::NUMBER),
            BinOp::In | BinOp::NotIn => {
                // A search takes needle times haystack, unless the haystack is a list that the script writes out.
                let listed = matches!(other.turns, Turns::Literal(_)) && string(right).is_none();
                (one.units == 0 || listed).then_some(Size::NUMBER)
            }
            BinOp::Add => self.sum(one, other),
            BinOp::BitOr => self.sum(one, other),
            BinOp::Multiply | BinOp::Percent if one.function || other.function => None,
            BinOp::Percent => self.percent(left, one, other),
            BinOp::Multiply => self.product(one, other).or_else(|| self.product(other, one)),
            BinOp::LeftShift => {
                let small = other.integer.is_some_and(|by| (0..=MAX_FACTOR).contains(&by));
                (one.number && small).then_some(Size::NUMBER)
            }
        }
    }

    /// `left % right`: a remainder, or a format.
    fn percent(&mut self, format: &AstExpr, left: Size, right: Size) -> Option<Size> {
        if left.number {
            return Some(Size::NUMBER);
        }
        match string(format) {
            Some(format) => {
                let places = format.matches('%').count() as u64;
                self.allocate(right.units.saturating_mul(places), right.shared_out)
            }
            None if right.units == 0 => self.sum_text(left, right),
            None => None,
        }
    }

    fn product(&mut self, value: Size, by: Size) -> Option<Size> {
        if value.number && by.number {
            // Numbers grow with every product, so one of them must be small.
            let small = |size: Size| size.integer.is_some_and(|by| by.abs() <= MAX_REPEAT);
            return (small(value) || small(by)).then_some(Size::NUMBER);
        }
        let by = by.integer?;
        if value.number {
            return None;
        }
        if value.units == 0 && by <= MAX_REPEAT {
            return self.allocate(1, true);
        }
        if by > MAX_FACTOR {
            return None;
        }
        self.allocate(value.units.saturating_mul(by.unsigned_abs()), value.shared_out)
    }
}

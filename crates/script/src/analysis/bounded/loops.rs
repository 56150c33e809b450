//! Evaluates loops on sizes: one evaluation of the body covers all iterations.

use starlark::syntax::ast::{AstAssignTarget, AstExpr, ForClause};

use super::super::ast::ClauseNode;
use super::super::ast::target_names;
use super::size::{LoopCount, ValueSize};
use super::{MAX_INPUT_LOOPS, MAX_LITERAL_TURNS, SizeMachine};

impl<'a> SizeMachine<'a> {
    /// Evaluates the body of a loop once, for all iterations.
    pub(super) fn visit_loop(
        &mut self,
        over: ValueSize,
        target: &'a AstAssignTarget,
        changed: &[&'a str],
        body: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        let before = self.enclosing_loops;
        let shared: Vec<&str> =
            self.names.iter().filter(|(_, size)| size.is_shared_out).map(|(name, _)| *name).collect();
        let mut item = ValueSize { is_number: over.items_are_numbers, ..over.part() };
        match over.loop_count {
            LoopCount::Literal(turns) => {
                self.enclosing_loops.turn_count = before.turn_count.saturating_mul(u64::from(turns).max(1));
            }
            LoopCount::Input => {
                self.enclosing_loops.input_loop_count += 1;
                for size in self.names.values_mut().filter(|size| size.units > 0) {
                    size.is_shared_out = false;
                }
                item.units = if over.items_are_numbers { 0 } else { over.units.max(1) };
            }
        }
        if self.enclosing_loops.turn_count > MAX_LITERAL_TURNS
            || self.enclosing_loops.input_loop_count > MAX_INPUT_LOOPS
        {
            return None;
        }
        // The values that one iteration leaves to the next may be as large as the input.
        for name in changed {
            if let Some(size) = self.names.get_mut(name).filter(|size| !size.is_number) {
                *size = ValueSize { units: size.units.max(1), is_shared_out: false, ..*size };
            }
        }
        self.bind_target(target, item)?;
        body(self)?;
        self.enclosing_loops = before;
        for name in shared {
            if let Some(size) = self.names.get_mut(name).filter(|_| !changed.contains(&name)) {
                size.is_shared_out = true;
            }
        }
        Some(())
    }

    /// A comprehension is a loop that appends to a list.
    pub(super) fn visit_comprehension(
        &mut self,
        values: &[&'a AstExpr],
        first: &'a ForClause,
        rest: &'a [ClauseNode],
    ) -> Option<ValueSize> {
        let outer = self.names.clone();
        let mut total = ValueSize::NOTHING;
        self.visit_clauses(values, first, rest, &mut total)?;
        self.names = outer;
        let shared_out = self.enclosing_loops.input_loop_count == 0;
        Some(ValueSize { loop_count: LoopCount::Input, is_shared_out: shared_out || total.units == 0, ..total })
    }

    fn visit_clauses(
        &mut self,
        values: &[&'a AstExpr],
        each: &'a ForClause,
        rest: &'a [ClauseNode],
        total: &mut ValueSize,
    ) -> Option<()> {
        let over = self.size_of_expression(&each.over)?;
        let bound = target_names(&each.var);
        self.visit_loop(over, &each.var, &bound, |machine| {
            let mut rest = rest;
            while let Some((clause, others)) = rest.split_first() {
                rest = others;
                match clause {
                    ClauseNode::If(condition) => {
                        machine.size_of_expression(condition)?;
                    }
                    ClauseNode::For(inner) => return machine.visit_clauses(values, inner, rest, total),
                }
            }
            for expr in values {
                let size = machine.size_of_expression(expr)?;
                *total = machine.size_after_insert(*total, size)?;
            }
            Some(())
        })
    }
}

//! Loops on sizes: one run of the body stands for all its turns.

use starlark::syntax::ast::{AstAssignTarget, AstExpr, ForClause};

use super::super::names::target_names;
use super::super::walk::Clause;
use super::size::{Size, Turns};
use super::{MAX_INPUT_LOOPS, MAX_LITERAL_TURNS, Machine, Names};

impl<'a> Machine<'a> {
    /// Runs the body of a loop once, for all its turns.
    pub(super) fn repeat(
        &mut self,
        over: Size,
        target: &'a AstAssignTarget,
        changed: &[&'a str],
        names: &mut Names<'a>,
        body: impl FnOnce(&mut Self, &mut Names<'a>) -> Option<()>,
    ) -> Option<()> {
        let before = self.around;
        let shared: Vec<&str> = names.iter().filter(|(_, size)| size.shared_out).map(|(name, _)| *name).collect();
        let item = match over.turns {
            Turns::Literal(turns) => {
                self.around.turns = before.turns.saturating_mul(u64::from(turns).max(1));
                Size { turns: Turns::Input, number: over.items_are_numbers, integer: None, ..over }
            }
            Turns::Input => {
                self.around.input_loops += 1;
                for size in names.values_mut().filter(|size| size.units > 0) {
                    size.shared_out = false;
                }
                let units = if over.items_are_numbers { 0 } else { over.units.max(1) };
                Size { units, turns: Turns::Input, number: over.items_are_numbers, integer: None, ..over }
            }
        };
        if self.around.turns > MAX_LITERAL_TURNS || self.around.input_loops > MAX_INPUT_LOOPS {
            return None;
        }
        // What a turn leaves to the next one may be as large as the input.
        for name in changed {
            if let Some(size) = names.get_mut(name).filter(|size| !size.number) {
                *size = Size { units: size.units.max(1), shared_out: false, ..*size };
            }
        }
        self.bind(target, item, names)?;
        body(self, names)?;
        self.around = before;
        for name in shared {
            if let Some(size) = names.get_mut(name).filter(|_| !changed.contains(&name)) {
                size.shared_out = true;
            }
        }
        Some(())
    }

    /// A comprehension is a loop that appends to a list.
    pub(super) fn comprehension(
        &mut self,
        made: &[&'a AstExpr],
        first: &'a ForClause,
        rest: &'a [Clause],
        names: &mut Names<'a>,
    ) -> Option<Size> {
        let mut inner = names.clone();
        let mut total = Size::NOTHING;
        self.clauses(made, first, rest, &mut inner, &mut total)?;
        let shared_out = self.around.input_loops == 0;
        Some(Size { turns: Turns::Input, shared_out: shared_out || total.units == 0, ..total })
    }

    fn clauses(
        &mut self,
        made: &[&'a AstExpr],
        each: &'a ForClause,
        rest: &'a [Clause],
        names: &mut Names<'a>,
        total: &mut Size,
    ) -> Option<()> {
        let over = self.expression(&each.over, names)?;
        let bound = target_names(&each.var);
        self.repeat(over, &each.var, &bound, names, |machine, names| {
            let mut rest = rest;
            while let Some((clause, others)) = rest.split_first() {
                rest = others;
                match clause {
                    Clause::If(condition) => {
                        machine.expression(condition, names)?;
                    }
                    Clause::For(inner) => return machine.clauses(made, inner, rest, names, total),
                }
            }
            for expr in made {
                let size = machine.expression(expr, names)?;
                *total = machine.grown(*total, size);
            }
            Some(())
        })
    }
}

//! Function values: each is analysed where it is defined, as if it were called with the input there.
//!
//! The script may not call them: a call of a name that may contain one is rejected, and so is passing one to a built-in
//! that might call it. The host calls them, one event at a time.

use super::size::ValueSize;
use super::{SizeMachine, SizeNames};
use crate::analysis::ast::{DefNode, FunctionNode};

impl<'a> SizeMachine<'a> {
    /// A `def`: at the top level, where its body is analysed later, or inside a function.
    pub(super) fn visit_definition(&mut self, def: &'a DefNode) -> Option<()> {
        let function = FunctionNode::from_def(def);
        if self.active_functions.is_empty() {
            return self.visit_defaults(function);
        }
        let size = self.visit_function(function)?;
        self.names.insert(&def.name.ident, size);
        Some(())
    }

    /// A function that is created here; its cost is separate from that of the place.
    pub(super) fn visit_function(&mut self, function: FunctionNode<'a>) -> Option<ValueSize> {
        self.visit_defaults(function)?;
        let context = std::mem::take(&mut self.enclosing_loops);
        let outside = std::mem::take(&mut self.loops_around_function);
        let allocated = std::mem::replace(&mut self.allocated, 0);
        self.calls += 1;
        (self.calls <= super::MAX_CALLS).then_some(())?;
        // Values created in a body are not top-level values, wherever the body is.
        self.visit_body("lambda", function, self.captured_names(function))?;
        self.allocated = allocated;
        self.loops_around_function = outside;
        self.enclosing_loops = context;
        Some(ValueSize::FUNCTION)
    }

    /// The defaults of parameters, which are created where the function is defined.
    fn visit_defaults(&mut self, function: FunctionNode<'a>) -> Option<()> {
        function.defaults().try_for_each(|(_, default)| self.size_of_expression(default).map(|_| ()))
    }

    /// The names that a body can access: its parameters and the enclosing names, which may have grown by the time it is
    /// called.
    fn captured_names(&self, function: FunctionNode<'a>) -> SizeNames<'a> {
        let units = |size: &ValueSize| if size.is_number { size.units } else { size.units.max(1) };
        let outer = self.names.iter().map(|(name, size)| (*name, ValueSize { units: units(size), ..*size }));
        outer.chain(function.parameter_names().map(|name| (name, ValueSize::INPUT))).collect()
    }
}

//! Function values: each is analysed where it is defined, as if it were called with the input there.
//!
//! The script may not call them: a call of a name that may contain one is rejected, and so is passing one to a built-in
//! that might call it. The host calls them, one event at a time.

use starlark::syntax::ast::{AstNoPayload, AstParameter, DefP, LambdaP};

use super::size::ValueSize;
use super::{SizeMachine, SizeNames};
use crate::analysis::ast::ParameterNode;

impl<'a> SizeMachine<'a> {
    /// A `def`: at the top level, where its body is analysed later, or inside a function.
    pub(super) fn visit_definition(&mut self, def: &'a DefP<AstNoPayload>, names: &mut SizeNames<'a>) -> Option<()> {
        self.visit_defaults(&def.params, names)?;
        if !self.active_functions.is_empty() {
            let mut inner = captured_names(names, &def.params);
            self.with_separate_cost(|machine| machine.visit_statement(&def.body, &mut inner))?;
            names.insert(&def.name.ident, ValueSize::FUNCTION);
        }
        Some(())
    }

    pub(super) fn visit_lambda(
        &mut self,
        lambda: &'a LambdaP<AstNoPayload>,
        names: &mut SizeNames<'a>,
    ) -> Option<ValueSize> {
        self.visit_defaults(&lambda.params, names)?;
        let mut inner = captured_names(names, &lambda.params);
        self.with_separate_cost(|machine| machine.size_of_expression(&lambda.body, &mut inner).map(|_| ()))?;
        Some(ValueSize::FUNCTION)
    }

    /// The defaults of parameters, which are created where the function is defined.
    fn visit_defaults(&mut self, parameters: &'a [AstParameter], names: &mut SizeNames<'a>) -> Option<()> {
        for parameter in parameters {
            if let ParameterNode::Normal(_, _, Some(default)) = &parameter.node {
                self.size_of_expression(default, names)?;
            }
        }
        Some(())
    }

    /// Analyses a body whose cost is separate from that of the place where it is defined.
    fn with_separate_cost(&mut self, look: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let context = std::mem::take(&mut self.enclosing_loops);
        let outside = std::mem::take(&mut self.loops_around_function);
        let allocated = std::mem::replace(&mut self.allocated, 0);
        let returned = self.return_size.take();
        // Values created in a body are not top-level values, wherever the body is.
        self.active_functions.push("lambda");
        self.calls += 1;
        (self.calls <= super::MAX_CALLS).then_some(())?;
        look(self)?;
        self.active_functions.pop();
        self.return_size = returned;
        self.allocated = allocated;
        self.loops_around_function = outside;
        self.enclosing_loops = context;
        Some(())
    }
}

/// The names that a body can access: its parameters and the enclosing names, which may have grown by the time it is
/// called.
fn captured_names<'a>(names: &SizeNames<'a>, parameters: &'a [AstParameter]) -> SizeNames<'a> {
    let grown = |size: &ValueSize| if size.is_number { *size } else { ValueSize { units: size.units.max(1), ..*size } };
    let mut inner: SizeNames<'a> = names.iter().map(|(name, size)| (*name, grown(size))).collect();
    for parameter in parameters {
        if let Some(name) = parameter.ident() {
            inner.insert(&name.ident, ValueSize::INPUT);
        }
    }
    inner
}

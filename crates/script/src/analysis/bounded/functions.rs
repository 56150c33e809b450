//! Functions that are values: each is looked at where it is made, as if it were called with the input there and then.
//!
//! Nobody may call one of them here: a call of a name that holds one is refused, and so is handing one to a built-in
//! that might. What calls them is the host, one event at a time.

use starlark::syntax::ast::{AstNoPayload, AstParameter, DefP, LambdaP};

use super::size::Size;
use super::{Machine, Names};
use crate::analysis::walk::Parameter;

impl<'a> Machine<'a> {
    /// A `def`: of the top level, whose body is looked at later, or inside a function.
    pub(super) fn definition(&mut self, def: &'a DefP<AstNoPayload>, names: &mut Names<'a>) -> Option<()> {
        self.defaults(&def.params, names)?;
        if !self.calling.is_empty() {
            let mut inner = captured(names, &def.params);
            self.apart(|machine| machine.statement(&def.body, &mut inner))?;
            names.insert(&def.name.ident, Size::FUNCTION);
        }
        Some(())
    }

    /// A `lambda`.
    pub(super) fn lambda(&mut self, lambda: &'a LambdaP<AstNoPayload>, names: &mut Names<'a>) -> Option<Size> {
        self.defaults(&lambda.params, names)?;
        let mut inner = captured(names, &lambda.params);
        self.apart(|machine| machine.expression(&lambda.body, &mut inner).map(|_| ()))?;
        Some(Size::FUNCTION)
    }

    /// The values of parameters that are not given, which are made where the function is.
    fn defaults(&mut self, parameters: &'a [AstParameter], names: &mut Names<'a>) -> Option<()> {
        for parameter in parameters {
            if let Parameter::Normal(_, _, Some(default)) = &parameter.node {
                self.expression(default, names)?;
            }
        }
        Some(())
    }

    /// Looks at a body whose cost is its own, not that of the place where it is made.
    fn apart(&mut self, look: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let around = std::mem::take(&mut self.around);
        let outside = std::mem::take(&mut self.outside);
        let allocated = std::mem::replace(&mut self.allocated, 0);
        let returned = self.returned.take();
        // What a body makes is not of the top level, wherever it stands.
        self.calling.push("lambda");
        self.calls += 1;
        (self.calls <= super::MAX_CALLS).then_some(())?;
        look(self)?;
        self.calling.pop();
        self.returned = returned;
        self.allocated = allocated;
        self.outside = outside;
        self.around = around;
        Some(())
    }
}

/// What a body sees: its parameters, and what is around it, which may have grown by the time it is called.
fn captured<'a>(names: &Names<'a>, parameters: &'a [AstParameter]) -> Names<'a> {
    let grown = |size: &Size| if size.number { *size } else { Size { units: size.units.max(1), ..*size } };
    let mut inner: Names<'a> = names.iter().map(|(name, size)| (*name, grown(size))).collect();
    for parameter in parameters {
        if let Some(name) = parameter.ident() {
            inner.insert(&name.ident, Size::INPUT);
        }
    }
    inner
}

//! The Starlark function behind a `when`.

use std::sync::OnceLock;

use pintle_contract::{Failure, FailureKind};
use starlark::environment::Module;
use starlark::eval::Evaluator;
use starlark::syntax::AstModule;
use starlark::values::OwnedFrozenValue;

use super::WHEN;
use crate::compile::try_on_large_stack;
use crate::globals;
use crate::language::dialect;

/// A function that is loaded at once or when it is first called.
///
/// Most expressions never need the interpreter, and building the language's globals takes longer than a process that
/// answers one event should run.
pub(super) struct LazyFunction {
    /// The parsed text, and its name in error messages.
    origin: (String, String),
    loaded: OnceLock<Result<OwnedFrozenValue, String>>,
}

impl LazyFunction {
    /// A function whose text is known to have no error that loading would find.
    pub(super) fn deferred(name: &str, text: String) -> Self {
        Self { origin: (name.to_owned(), text), loaded: OnceLock::new() }
    }

    /// Loads the function now.
    pub(super) fn loaded(ast: AstModule) -> Result<Self, starlark::Error> {
        let function = load_function(ast)?;
        Ok(Self { origin: Default::default(), loaded: OnceLock::from(Ok(function)) })
    }

    /// The function.
    ///
    /// # Errors
    /// If it cannot be loaded after all.
    pub(super) fn load_once(&self) -> Result<&OwnedFrozenValue, Failure> {
        let (name, text) = &self.origin;
        let parse = || AstModule::parse(name, text.clone(), &dialect()).and_then(load_function);
        let loaded = self.loaded.get_or_init(|| {
            // The caller may have a small stack, and the parser is recursive.
            let loaded = try_on_large_stack(|| parse().map_err(|error| error.without_diagnostic().to_string()));
            loaded.unwrap_or_else(|| Err(String::from("the interpreter crashed")))
        });
        loaded
            .as_ref()
            .map_err(|reason| Failure::new(FailureKind::Missing, format!("`when` cannot be loaded: {reason}")))
    }
}

fn load_function(ast: AstModule) -> Result<OwnedFrozenValue, starlark::Error> {
    let module = Module::with_temp_heap(|module| {
        Evaluator::new(&module).eval_module(ast, globals::for_when())?;
        module.freeze().map_err(|error| crate::call_state::script_error(error.err_msg))
    })?;
    module.get(WHEN).map_err(crate::call_state::script_error)
}

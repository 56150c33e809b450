//! The top level of a plugin, run once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::FunctionRef;
use starlark::PrintHandler;
use starlark::environment::{FrozenModule, Module};
use starlark::eval::Evaluator;
use starlark::syntax::AstModule;
use starlark::values::OwnedFrozenValue;

use super::module::Functions;
use super::record::{Recording, slot};
use super::{Facts, Inventory};
use crate::Finding;
use crate::analysis::{Closures, LAMBDA, Traits};
use crate::compile::Role;
use crate::globals;
use crate::load::{LOAD_BYTES, LOAD_STEPS, internal, load_fault};
use crate::values::Loading;

/// Runs the top level under limits, freezes the module and makes its functions ready.
pub(super) fn load(ast: AstModule, closures: &Closures) -> Result<(Functions, Inventory), Finding> {
    let (module, recording) = evaluate(ast)?;
    let mut functions = HashMap::new();
    let mut registered = Vec::new();
    for (number, (call, way)) in recording.ways.iter().enumerate() {
        let span = recording.calls.get(*call).and_then(|recorded| recorded.span);
        let function = FunctionRef::Registered(u32::try_from(number).unwrap_or(u32::MAX));
        let facts = value_of(&module, &slot(&function)).and_then(|value| {
            let traits = closures.handed(name_of(&value), span, way);
            let facts = facts(&value, &traits)?;
            functions.insert(function, (value, traits.reads));
            Some(facts)
        });
        registered.extend(facts);
    }
    let mut exported = Vec::new();
    for name in module.names().filter(|name| !name.as_str().starts_with('<')) {
        let facts = value_of(&module, name.as_str()).and_then(|value| {
            let traits = closures.handed(name_of(&value), None, &[]);
            let facts = facts(&value, &traits)?;
            functions.insert(FunctionRef::Exported(Arc::from(name.as_str())), (value, traits.reads));
            Some(facts)
        });
        exported.push((name.as_str().to_owned(), facts));
    }
    let inventory = Inventory { recorded: recording.calls, registered, exported };
    Ok((functions, inventory))
}

fn evaluate(ast: AstModule) -> Result<(FrozenModule, Recording), Finding> {
    let loading = Loading(RefCell::default());
    let module = Module::with_temp_heap(|module| {
        {
            let mut eval = Evaluator::new(&module);
            eval.extra = Some(&loading);
            eval.set_print_handler(&Silent);
            eval.set_max_tick_count(LOAD_STEPS).map_err(|fault| internal(&fault))?;
            eval.set_max_heap_size(LOAD_BYTES).map_err(|fault| internal(&fault))?;
            eval.eval_module(ast, globals::of(Role::Plugin)).map_err(|fault| load_fault(&fault))?;
        }
        module.freeze().map_err(|fault| internal(&fault.err_msg))
    })?;
    Ok((module, loading.0.into_inner()))
}

fn value_of(module: &FrozenModule, name: &str) -> Option<OwnedFrozenValue> {
    module.get_option(name).ok().flatten()
}

fn facts(value: &OwnedFrozenValue, traits: &Traits) -> Option<Facts> {
    let parameters = value.value().parameters_spec()?;
    Some(Facts {
        name: name_of(value).to_owned(),
        takes_one: parameters.can_fill_with_args(Role::Plugin.parameters().len(), &[]),
        guard: traits.guard,
        shapes: traits.shapes,
    })
}

/// The name that a function was made with.
fn name_of(value: &OwnedFrozenValue) -> &str {
    value.value().function_name().unwrap_or(LAMBDA)
}

/// While a plugin is loaded nobody listens.
struct Silent;

impl PrintHandler for Silent {
    fn println(&self, _text: &str) -> starlark::Result<()> {
        Err(crate::state::refusal("print: not available while the plugin is loaded; call it in a function"))
    }
}

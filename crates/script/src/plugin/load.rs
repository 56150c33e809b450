//! Runs the top level of a plugin once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::FunctionRef;
use starlark::PrintHandler;
use starlark::environment::{FrozenModule, Module};
use starlark::eval::Evaluator;
use starlark::syntax::AstModule;
use starlark::values::OwnedFrozenValue;

use super::module::FunctionTable;
use super::record::{RegistrationRecorder, slot_name};
use super::{FunctionInfo, PluginInventory};
use crate::ScriptFinding;
use crate::analysis::{FunctionTrait, FunctionTraits, LAMBDA};
use crate::globals;
use crate::language::ScriptKind;
use crate::load::{LOAD_BYTES, LOAD_STEPS, internal_error, load_error};
use crate::starlark_values::PluginLoadState;

/// Runs the top level under limits, freezes the module and prepares its functions.
pub(super) fn load(
    ast: AstModule,
    closures: &FunctionTraits,
) -> Result<(FunctionTable, PluginInventory), ScriptFinding> {
    let (module, recording) = evaluate(ast)?;
    let mut functions = HashMap::new();
    let mut registered = Vec::new();
    for (number, (call, way)) in recording.argument_paths.iter().enumerate() {
        let span = recording.calls.get(*call).and_then(|recorded| recorded.span);
        let function = FunctionRef::Registered(u32::try_from(number).unwrap_or(u32::MAX));
        let facts = module_value(&module, &slot_name(&function)).and_then(|value| {
            let traits = closures.registered_function(function_name(&value), span, way);
            let facts = function_info(&value, &traits)?;
            functions.insert(function, (value, traits.reads));
            Some(facts)
        });
        registered.extend(facts);
    }
    let mut exported = Vec::new();
    for name in module.names().filter(|name| !name.as_str().starts_with('<')) {
        let facts = module_value(&module, name.as_str()).and_then(|value| {
            let traits = closures.registered_function(function_name(&value), None, &[]);
            let facts = function_info(&value, &traits)?;
            functions.insert(FunctionRef::Exported(Arc::from(name.as_str())), (value, traits.reads));
            Some(facts)
        });
        exported.push((name.as_str().to_owned(), facts));
    }
    let inventory = PluginInventory {
        registrations: recording.calls,
        registered_functions: registered,
        exported_functions: exported,
    };
    Ok((functions, inventory))
}

fn evaluate(ast: AstModule) -> Result<(FrozenModule, RegistrationRecorder), ScriptFinding> {
    let loading = PluginLoadState(RefCell::default());
    let module = Module::with_temp_heap(|module| {
        {
            let mut eval = Evaluator::new(&module);
            eval.extra = Some(&loading);
            eval.set_print_handler(&DiscardPrints);
            eval.set_max_tick_count(LOAD_STEPS).map_err(|error| internal_error(&error))?;
            eval.set_max_heap_size(LOAD_BYTES).map_err(|error| internal_error(&error))?;
            eval.eval_module(ast, globals::for_kind(ScriptKind::Plugin)).map_err(|error| load_error(&error))?;
        }
        module.freeze().map_err(|error| internal_error(&error.err_msg))
    })?;
    Ok((module, loading.0.into_inner()))
}

fn module_value(module: &FrozenModule, name: &str) -> Option<OwnedFrozenValue> {
    module.get_option(name).ok().flatten()
}

fn function_info(value: &OwnedFrozenValue, traits: &FunctionTrait) -> Option<FunctionInfo> {
    let parameters = value.value().parameters_spec()?;
    Some(FunctionInfo {
        name: function_name(value).to_owned(),
        takes_one: parameters.can_fill_with_args(ScriptKind::Plugin.parameters().len(), &[]),
        guard: traits.guard,
        can_change_event: traits.can_change_event,
    })
}

/// The name with which a function was defined.
fn function_name(value: &OwnedFrozenValue) -> &str {
    value.value().function_name().unwrap_or(LAMBDA)
}

/// Rejects `print` while a plugin is loaded.
struct DiscardPrints;

impl PrintHandler for DiscardPrints {
    fn println(&self, _text: &str) -> starlark::Result<()> {
        Err(crate::call_state::script_error("print: not available while the plugin is loaded; call it in a function"))
    }
}

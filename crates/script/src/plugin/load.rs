//! Runs the top level of a plugin once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::FunctionRef;
use starlark::environment::FrozenModule;
use starlark::syntax::AstModule;
use starlark::values::OwnedFrozenValue;

use super::module::FunctionTable;
use super::record::slot_name;
use super::{FunctionInfo, PluginInventory};
use crate::ScriptFinding;
use crate::analysis::{FunctionTrait, FunctionTraits, LAMBDA};
use crate::language::ScriptKind;
use crate::load;
use crate::starlark_values::PluginLoadState;

/// Runs the top level under limits, freezes the module and prepares its functions.
pub(super) fn load_functions(
    ast: AstModule,
    closures: &FunctionTraits,
) -> Result<(FunctionTable, PluginInventory), ScriptFinding> {
    let loading = PluginLoadState(RefCell::default());
    let module = load::evaluate_module(ast, ScriptKind::Plugin, Some(&loading))?;
    let recording = loading.0.into_inner();
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

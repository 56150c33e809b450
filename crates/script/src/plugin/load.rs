//! Runs the top level of a plugin once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::FunctionRef;
use starlark::syntax::AstModule;
use starlark::values::OwnedFrozenValue;

use super::module::FunctionTable;
use super::record::slot_name;
use super::{FunctionInfo, PluginInventory};
use crate::ScriptFinding;
use crate::analysis::{FunctionTrait, FunctionTraits};
use crate::coverage::PointHits;
use crate::language::ScriptKind;
use crate::load;
use crate::starlark_values::PluginLoadState;

/// Runs the top level under limits, freezes the module and prepares its functions.
pub(super) fn load_functions(
    ast: AstModule,
    closures: &FunctionTraits,
    hits: Option<&Arc<PointHits>>,
) -> Result<(FunctionTable, PluginInventory), ScriptFinding> {
    let loading = PluginLoadState(RefCell::default());
    let module = load::evaluate_module(ast, ScriptKind::Plugin, Some(&loading), hits)?;
    let recording = loading.0.into_inner();
    let mut functions = HashMap::new();
    let mut add_function = |function: FunctionRef, name: &str| {
        let value = module.get_option(name).ok().flatten()?;
        let traits = closures.find(value.value().signature_span());
        let facts = function_info(&value, &traits)?;
        functions.insert(function, (value, traits.reads));
        Some(facts)
    };
    let mut registered_functions = Vec::new();
    for function in (0..recording.function_count).map(FunctionRef::Registered) {
        let name = slot_name(&function);
        registered_functions.extend(add_function(function, &name));
    }
    let mut exported_functions = Vec::new();
    for name in module.names().filter(|name| !name.as_str().starts_with('<')) {
        let name = name.as_str();
        exported_functions.push((name.to_owned(), add_function(FunctionRef::Exported(Arc::from(name)), name)));
    }
    Ok((functions, PluginInventory { registrations: recording.calls, registered_functions, exported_functions }))
}

fn function_info(value: &OwnedFrozenValue, traits: &FunctionTrait) -> Option<FunctionInfo> {
    let parameters = value.value().parameters_spec()?;
    Some(FunctionInfo {
        name: value.value().function_name().unwrap_or("lambda").to_owned(),
        takes_one: parameters.can_fill_with_args(ScriptKind::Plugin.parameters().len(), &[]),
        guard: traits.guard,
        can_change_event: traits.can_change_event,
    })
}

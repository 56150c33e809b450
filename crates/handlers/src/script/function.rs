//! Hooks that are functions of a module, and plugins, whose top level registers such functions.

use std::sync::Arc;

use pintle_contract::{
    BuiltHandler, Codec, Diagnostic, Failure, FailureKind, FunctionOutput, FunctionRef, FunctionSpec, Handler,
    HandlerOutput, HookCall, HookDeclaration, HookInfluence, LoadedPlugin, ScriptSource, Verdict,
};
use pintle_script::{Invocation, PluginFunction};

use super::handler::{code_influence, with_function_payload};
use super::modules::ModuleLocation;
use super::remote::{RemoteScript, WorkerEffects};
use crate::DefaultHandlerFactory;

impl DefaultHandlerFactory {
    /// Loads a plugin; returns its registrations and the diagnostics.
    pub(crate) fn load_plugin(&self, name: &str, text: &ScriptSource) -> LoadedPlugin {
        let module = self.load_cached_module(name, text);
        let registrations = match &module.location {
            Some(_) => module.inventory.to_registrations(name, text),
            None => Vec::new(),
        };
        LoadedPlugin { registrations, diagnostics: module.diagnostics.clone() }
    }

    /// The handler of a hook that is a function of a module.
    ///
    /// An error that prevents the module from loading is reported for each hook, at its own location.
    pub(crate) fn function_handler(&self, declaration: &HookDeclaration, spec: &FunctionSpec) -> BuiltHandler {
        let module = self.load_cached_module(&spec.name, &spec.module);
        let Some(place) = &module.location else {
            return BuiltHandler { diagnostics: module.diagnostics.clone(), ..BuiltHandler::default() };
        };
        let facts = match module.inventory.function_info(&spec.function) {
            Ok(facts) => facts,
            Err(found) => {
                let message = format!("`{}`: {}", spec.name, found.message);
                let location = declaration.location.clone();
                let diagnostic =
                    Diagnostic { help: found.help, ..Diagnostic::error("hook_function", message, location) };
                return BuiltHandler { diagnostics: vec![diagnostic], ..BuiltHandler::default() };
            }
        };
        let place = match place {
            ModuleLocation::InProcess(module, remote) => {
                module.function(&spec.function).map(|function| (Some(function), remote))
            }
            ModuleLocation::Worker(remote) => Some((None, remote)),
        };
        let handler = |(here, remote): (Option<PluginFunction>, &RemoteScript)| FunctionHandler {
            in_process: here,
            remote: remote.clone(),
            function: spec.function.clone(),
            codec: Arc::clone(&declaration.codec),
            influence: code_influence(facts.can_change_event),
        };
        let handler = place.map(|place| Arc::new(handler(place)) as _);
        // Loading the plugin already reported the other diagnostics.
        let diagnostics = match &spec.function {
            FunctionRef::Registered(_) => Vec::new(),
            FunctionRef::Exported(_) => module.diagnostics.clone(),
        };
        BuiltHandler { handler, guard: facts.guard, texts: module.texts.clone(), diagnostics }
    }
}

/// A hook that is a function of a module.
#[derive(Debug)]
struct FunctionHandler {
    /// The function in this process, if its cost is limited by its input.
    in_process: Option<PluginFunction>,
    /// The function in a script worker: otherwise, and for inputs that are too large.
    remote: RemoteScript,
    function: FunctionRef,
    codec: Arc<dyn Codec>,
    /// The influence that its code shows.
    influence: HookInfluence,
}

impl Handler for FunctionHandler {
    fn kind(&self) -> &'static str {
        "script"
    }

    fn may_wait(&self) -> bool {
        self.in_process.as_ref().is_none_or(PluginFunction::may_wait)
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        self.codec.influence(event_alias).min(self.influence)
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        match self.call_function(call) {
            Ok(returned) => self.codec.decode(call.event, &call.hook.event_alias, HandlerOutput::Returned(returned)),
            Err(failure) => Verdict::failed(failure),
        }
    }
}

impl FunctionHandler {
    fn call_function(&self, call: &HookCall<'_>) -> Result<FunctionOutput, Failure> {
        if call.cancel.is_cancelled() {
            return Err(Failure::new(FailureKind::Cancelled, "the call was cancelled"));
        }
        let (event, spelling) = (call.event, &call.hook.event_alias);
        if let Some(function) = self.in_process.as_ref().filter(|function| function.fits(&event.payload, call.limits)) {
            let invocation =
                Invocation { effects: call.effects, caller: call.caller(), limits: call.limits, cancel: call.cancel };
            return match self.codec.lazy_payload(event, spelling) {
                Some(parts) => function.call_with(&parts, &invocation),
                None => {
                    with_function_payload(&*self.codec, event, spelling, |encoded| function.call(encoded, &invocation))
                }
            };
        }
        let door = WorkerEffects { effects: call.effects, caller: call.caller(), cancel: call.cancel };
        with_function_payload(&*self.codec, event, spelling, |encoded| {
            self.remote.call_function(&self.function, encoded.value(), call.limits, &door)
        })
    }
}

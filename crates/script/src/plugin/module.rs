//! A loaded plugin: evaluated once and frozen; its functions can be called any number of times and from any thread.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use pintle_contract::{CallLimits, Failure, FunctionOutput, FunctionRef, LazyPayload, Payload};
use starlark::values::{Heap, OwnedFrozenValue, Value};

use crate::analysis::PayloadReads;
use crate::call::{CallFrame, Invocation, ScriptCallError, decode_return};
use crate::demand::MemoryDemand;
use crate::payload::{parts_value, payload_value};
use crate::source::PreparedSource;

/// The functions of a plugin, and the payload reads of each.
pub(super) type FunctionTable = HashMap<FunctionRef, (OwnedFrozenValue, PayloadReads)>;

/// A plugin whose functions can be called in this process.
pub struct PluginModule {
    pub(super) source: PreparedSource,
    pub(super) functions: FunctionTable,
    pub(super) may_wait: bool,
    pub(super) demand: MemoryDemand,
}

impl fmt::Debug for PluginModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginModule").field("name", &self.source.name).finish_non_exhaustive()
    }
}

impl PluginModule {
    /// A function that can be called.
    #[must_use]
    pub fn function(self: &Arc<Self>, function: &FunctionRef) -> Option<PluginFunction> {
        let (entry, reads) = self.functions.get(function)?;
        Some(PluginFunction { module: Arc::clone(self), entry: entry.clone(), reads: reads.clone() })
    }
}

/// A function of a loaded plugin.
pub struct PluginFunction {
    module: Arc<PluginModule>,
    entry: OwnedFrozenValue,
    reads: PayloadReads,
}

impl fmt::Debug for PluginFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginFunction").field("module", &self.module).finish_non_exhaustive()
    }
}

impl PluginFunction {
    /// Whether a call may wait for something outside this process.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        self.module.may_wait
    }

    /// Whether a call with this payload stays below twice its memory limit in this process.
    #[must_use]
    pub fn fits(&self, payload: &Payload, limits: &CallLimits) -> bool {
        self.module.demand.fits(payload, limits)
    }

    /// Calls the function with an event, as its dialect encodes it.
    ///
    /// # Errors
    /// If it raises an error or exceeds a limit. The failure has the location in the plugin's file.
    pub fn call(&self, event: &Payload, invocation: &Invocation<'_>) -> Result<FunctionOutput, Failure> {
        self.call_on(invocation, |heap| payload_value(event, &self.reads, heap))
    }

    /// Calls the function with an event whose lazy parts are computed only if it reads them.
    ///
    /// # Errors
    /// As [`PluginFunction::call`].
    pub fn call_with(&self, event: &LazyPayload<'_>, invocation: &Invocation<'_>) -> Result<FunctionOutput, Failure> {
        self.call_on(invocation, |heap| parts_value(event, &self.reads, heap))
    }

    fn call_on(
        &self,
        invocation: &Invocation<'_>,
        event: impl for<'v> FnOnce(Heap<'v>) -> Result<Value<'v>, String>,
    ) -> Result<FunctionOutput, Failure> {
        let frame = CallFrame { source: &self.module.source, entry: &self.entry, invocation, offset: 0 };
        frame.run_call(
            |eval, entry| {
                let event = event(eval.heap()).map_err(ScriptCallError::Payload)?;
                eval.eval_function(entry, &[event], &[]).map_err(ScriptCallError::Script)
            },
            |value| decode_return(value, invocation.limits),
        )
    }
}

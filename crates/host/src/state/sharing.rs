//! The state of scripts that several processes use at the same time.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use pintle_contract::{CallId, EffectError, Layer};

use super::{LayerState, OWNERS, RunState, ScratchValues};

/// Stores the state of scripts for several processes that run at the same time.
///
/// A runtime acquires the state when a hook first uses it, and releases it when the hook waits or returns. So what a hook
/// reads and writes in between is one step for all other processes. Scratch values belong to a scope, so a process fires
/// all its events in one.
pub trait ScriptStateStore: Debug + Send + Sync {
    /// Locks out other processes. Returns the state by configuration layer, unless the runtime has it already: it does
    /// if it acquired the state before, and no other process changed it since.
    ///
    /// # Errors
    /// When the state cannot be locked or read.
    fn acquire(&self) -> Result<Option<BTreeMap<Layer, LayerState>>, EffectError>;

    /// Stores the state if it changed, and lets other processes in.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn release(&self, changed: Option<BTreeMap<Layer, LayerState>>) -> Result<(), EffectError>;
}

/// The state of a runtime whose hooks share it with other processes.
#[derive(Debug)]
pub(crate) struct StateSharing {
    store: Arc<dyn ScriptStateStore>,
    run_state: Arc<RunState>,
    users: Mutex<StateUsers>,
    is_released: Condvar,
}

#[derive(Debug, Default)]
struct StateUsers {
    /// The running hook calls. Each keeps the state from its first use until it waits or returns.
    running_calls: Vec<CallId>,
    holder: Option<StateHolder>,
}

/// The call that has acquired the state.
#[derive(Debug)]
struct StateHolder {
    call: CallId,
    scratch: Arc<ScratchValues>,
    has_changed: bool,
}

impl StateSharing {
    pub(crate) fn new(store: Arc<dyn ScriptStateStore>, run_state: Arc<RunState>) -> Self {
        Self { store, run_state, users: Mutex::default(), is_released: Condvar::new() }
    }

    /// A hook's call begins, which keeps the state while it does not wait.
    pub(crate) fn begin_call(&self, call: CallId) {
        self.lock_users().running_calls.push(call);
    }

    /// The call ends, and with it its use of the state.
    pub(crate) fn end_call(&self, call: CallId) {
        // The store knows that it could not store the state, and the verdict is given.
        let _ = self.pause(call);
        self.lock_users().running_calls.retain(|running| *running != call);
    }

    /// Uses the current state for a call, which keeps it if it is a hook's.
    pub(crate) fn with_state<T>(
        &self,
        call: CallId,
        scratch: &Arc<ScratchValues>,
        changes: bool,
        work: impl FnOnce() -> T,
    ) -> Result<T, EffectError> {
        let is_other = |users: &mut StateUsers| users.holder.as_ref().is_some_and(|holder| holder.call != call);
        let mut users =
            self.is_released.wait_while(self.lock_users(), is_other).unwrap_or_else(PoisonError::into_inner);
        if users.holder.is_none()
            && let Some(states) = self.store.acquire()?
        {
            restore_states(&self.run_state, scratch, &states);
        }
        let holder =
            users.holder.get_or_insert_with(|| StateHolder { call, scratch: Arc::clone(scratch), has_changed: false });
        holder.has_changed |= changes;
        let reply = work();
        if !users.running_calls.contains(&call) {
            self.release(&mut users)?;
        }
        Ok(reply)
    }

    /// Lets others use the state while a call waits.
    pub(crate) fn pause(&self, call: CallId) -> Result<(), EffectError> {
        let mut users = self.lock_users();
        match &users.holder {
            Some(holder) if holder.call == call => self.release(&mut users),
            _ => Ok(()),
        }
    }

    fn release(&self, users: &mut StateUsers) -> Result<(), EffectError> {
        let Some(StateHolder { scratch, has_changed, .. }) = users.holder.take() else { return Ok(()) };
        self.is_released.notify_all();
        self.store.release(has_changed.then(|| capture_states(&self.run_state, &scratch)))
    }

    fn lock_users(&self) -> MutexGuard<'_, StateUsers> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of all layers that have any.
fn capture_states(run_state: &RunState, scratch: &ScratchValues) -> BTreeMap<Layer, LayerState> {
    let states = OWNERS.map(|layer| {
        let state = run_state.for_layer(layer);
        let (metrics, cache) = (state.metrics.snapshot(), state.cache.all());
        (layer, LayerState { metrics, cache, scratch: scratch.layer_values(layer) })
    });
    states.into_iter().filter(|(_, state)| !state.is_empty()).collect()
}

/// Replaces the state of all layers.
fn restore_states(run_state: &RunState, scratch: &ScratchValues, states: &BTreeMap<Layer, LayerState>) {
    scratch.clear_layers();
    for layer in OWNERS {
        let state = run_state.for_layer(layer);
        state.metrics.reset(None);
        state.cache.clear();
        let Some(stored) = states.get(&layer) else { continue };
        let pairs = |values: &serde_json::Map<_, _>| values.clone().into_iter();
        pairs(&stored.metrics).for_each(|(name, value)| state.metrics.set(name, value));
        pairs(&stored.cache).for_each(|(key, value)| state.cache.set(key, value));
        pairs(&stored.scratch).for_each(|(key, value)| scratch.set(layer, key, value));
    }
}

//! Hooks that fail because a scenario says so.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use pintle_host::contract::{Failure, FailureKind, VerdictKind};
use pintle_host::dialects::{FaultKind, ScenarioFault};
use pintle_host::{Handler, HandlerOverride, Hook, HookCall, Verdict};

use super::parts::ScenarioClock;

/// Chooses failing handlers for the hooks that a scenario names.
#[derive(Debug)]
pub(super) struct FaultOverride {
    faults: Vec<ScenarioFault>,
    clock: Arc<ScenarioClock>,
    /// The names of faults whose hooks were called.
    used: Arc<Mutex<HashSet<String>>>,
}

/// A handler that fails, for as many calls as the scenario says.
#[derive(Debug)]
struct FailingHandler {
    own: Arc<dyn Handler>,
    fault: ScenarioFault,
    clock: Arc<ScenarioClock>,
    used: Arc<Mutex<HashSet<String>>>,
    calls: AtomicU32,
}

impl FaultOverride {
    pub(super) fn new(faults: &[ScenarioFault], clock: Arc<ScenarioClock>) -> Self {
        Self { faults: faults.to_vec(), clock, used: Arc::default() }
    }

    /// The faults whose hooks were never called.
    pub(super) fn unused<'f>(&self, faults: &'f [ScenarioFault]) -> Vec<&'f ScenarioFault> {
        let used = self.used.lock();
        faults.iter().filter(|fault| !used.contains(&fault.hook)).collect()
    }
}

/// Whether a hook's name is what a scenario calls it: the whole name, or its label.
pub(super) fn is_named(hook: &str, wanted: &str) -> bool {
    hook == wanted || pintle_host::contract::HookId::new(hook).label() == wanted
}

impl HandlerOverride for FaultOverride {
    fn choose_handler(&self, hook: &Hook) -> Option<Arc<dyn Handler>> {
        let fault = self.faults.iter().find(|fault| is_named(hook.id.as_str(), &fault.hook))?;
        Some(Arc::new(FailingHandler {
            own: Arc::clone(&hook.handler),
            fault: fault.clone(),
            clock: Arc::clone(&self.clock),
            used: Arc::clone(&self.used),
            calls: AtomicU32::new(0),
        }))
    }
}

impl Handler for FailingHandler {
    fn kind(&self) -> &'static str {
        self.own.kind()
    }

    fn inner(&self) -> Option<&dyn Handler> {
        Some(&*self.own)
    }

    fn may_wait(&self) -> bool {
        self.fault.times.is_some() && self.own.may_wait()
    }

    fn needs_order(&self) -> bool {
        true
    }

    fn is_reusable(&self) -> bool {
        false
    }

    fn acts_outside(&self) -> bool {
        self.fault.times.is_some() && self.own.acts_outside()
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        self.used.lock().insert(self.fault.hook.clone());
        let earlier = self.calls.fetch_add(1, Ordering::AcqRel);
        if self.fault.times.is_some_and(|times| earlier >= times) {
            return self.own.call(call);
        }
        let timeout_ms = call.limits.timeout_ms;
        let (kind, message) = match self.fault.kind {
            FaultKind::Hangs | FaultKind::Late => {
                self.clock.advance_ms(timeout_ms);
                (FailureKind::Timeout, format!("timed out after {timeout_ms} ms (a fault of the scenario)"))
            }
            FaultKind::Crashes => (FailureKind::Crash, String::from("crashed (a fault of the scenario)")),
            FaultKind::Garbage => {
                (FailureKind::BadOutput, String::from("printed what cannot be read (a fault of the scenario)"))
            }
            FaultKind::Missing => {
                (FailureKind::Missing, String::from("the program does not exist (a fault of the scenario)"))
            }
        };
        Verdict::new(VerdictKind::Failed(Failure::new(kind, message)))
    }
}

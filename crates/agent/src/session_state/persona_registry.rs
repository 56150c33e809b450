//! The personas of a session: their usage, and which are paused.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use pintle_host::contract::{BudgetSpec, PersonaSpec};
use pintle_host::event::{EventKind, TokenUsage};
use serde_json::Value;

use crate::budget::BudgetMeter;

/// A persona that runs no step until it is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PausedPersona {
    /// The persona's name.
    pub persona: String,
    /// Why it is paused; may be empty.
    pub reason: String,
    /// Who paused it: `person`, `agent`, `budget` or `host`.
    pub source: String,
}

/// The personas of a session, by name.
#[derive(Debug, Default)]
pub(crate) struct PersonaRegistry(Mutex<BTreeMap<String, PersonaEntry>>);

#[derive(Debug)]
struct PersonaEntry {
    meter: Arc<BudgetMeter>,
    paused: Option<PausedPersona>,
}

impl Default for PersonaEntry {
    fn default() -> Self {
        Self { meter: Arc::new(BudgetMeter::new("persona", BudgetSpec::default(), &[])), paused: None }
    }
}

impl PersonaRegistry {
    /// The persona's meter, with the limits that its declaration has now.
    pub(crate) fn meter(&self, spec: &PersonaSpec) -> Arc<BudgetMeter> {
        let mut known = self.0.lock();
        let meter = &known.entry(spec.name.clone()).or_default().meter;
        meter.set_budget(spec.budget, &spec.prices);
        Arc::clone(meter)
    }

    /// The paused personas, by name.
    pub(crate) fn paused(&self) -> Vec<PausedPersona> {
        self.0.lock().values().filter_map(|known| known.paused.clone()).collect()
    }

    pub(crate) fn find_pause(&self, name: &str) -> Option<PausedPersona> {
        self.0.lock().get(name)?.paused.clone()
    }

    /// Restores a persona from an event on the tape. Only `persona.paused` and `persona.resumed` have an effect.
    pub(crate) fn restore_event(&self, event: EventKind, payload: &Value) {
        let text = |field: &str| payload.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut known = self.0.lock();
        let known = known.entry(text("persona"));
        if event == EventKind::PersonaPaused {
            let paused = PausedPersona { persona: text("persona"), reason: text("reason"), source: text("by") };
            known.or_default().paused = Some(paused);
        } else if event == EventKind::PersonaResumed {
            known.or_default().paused = None;
        }
    }

    /// Charges a model call from the tape that belongs to a step of a persona.
    pub(crate) fn restore_usage(&self, persona: &str, model: &str, usage: TokenUsage) {
        self.0.lock().entry(persona.to_owned()).or_default().meter.restore(model, usage);
    }

    /// Pauses or resumes a persona. Returns whether that changes anything.
    pub(crate) fn set_paused(&self, name: &str, paused: Option<PausedPersona>) -> bool {
        let mut known = self.0.lock();
        let known = known.entry(name.to_owned()).or_default();
        let changes = known.paused.is_some() != paused.is_some();
        if changes {
            known.paused = paused;
        }
        changes
    }
}

//! The state of a running step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pintle_host::contract::{ModelSpec, PersonaSpec, StepSpec};

use super::agent::Agent;
use super::policy::ToolPolicies;
use super::toolbox::allows_tool;
use crate::budget::{BudgetExceeded, BudgetMeter, BudgetUsage};
use crate::model::{Model, ModelTool};

/// A persona and its meter.
pub(crate) type ActivePersona = (Arc<PersonaSpec>, Arc<BudgetMeter>);

/// A running step, with the enclosing ones.
#[derive(Debug)]
pub(crate) struct StepContext {
    pub(crate) persona: Option<ActivePersona>,
    pub(crate) step: Arc<StepSpec>,
    pub(crate) meter: Arc<BudgetMeter>,
    /// The tool policies of this step and every enclosing step.
    policies: ToolPolicies,
    model: Option<StepModel>,
    instructions: Vec<String>,
    outer: Option<Arc<StepContext>>,
    /// The meter of the whole session.
    session_meter: Arc<BudgetMeter>,
    /// Whether an answer of the agent has not been reported yet, because the hooks of `step.post` can still change it.
    is_answer_withheld: AtomicBool,
}

/// The model of the step's agent. Agents that it delegates to have their own.
#[derive(Debug, Clone)]
struct StepModel {
    agent: Arc<Agent>,
    spec: ModelSpec,
    model: Arc<dyn Model>,
}

/// A meter to charge, and the step whose error boundary applies when it is exhausted.
pub(crate) struct MeterCharge<'w> {
    pub(crate) meter: &'w Arc<BudgetMeter>,
    pub(crate) step: &'w StepSpec,
}

impl StepContext {
    /// Starts a step of an agent, inside another one if there is one.
    ///
    /// # Errors
    /// When a tool policy is not valid, a model cannot be opened, or cost is limited and the model has no price.
    pub(crate) fn new(
        agent: &Arc<Agent>,
        outer: Option<Arc<Self>>,
        persona: Option<ActivePersona>,
        step: Arc<StepSpec>,
    ) -> Result<Self, String> {
        let mut policies = outer.as_ref().map(|outer| outer.policies.clone()).unwrap_or_default();
        let mut instructions = outer.as_ref().map(|outer| outer.instructions.clone()).unwrap_or_default();
        let mut tell = |text: &str| {
            if !text.trim().is_empty() && instructions.iter().all(|known| known != text) {
                instructions.push(text.to_owned());
            }
        };
        if let Some((persona, _)) = &persona {
            policies = policies.narrowed_by(&persona.tools)?;
            tell(&persona.instruction);
        }
        policies = policies.narrowed_by(&step.tools)?;
        tell(&step.instruction);
        let declared = step.model.as_ref().or_else(|| persona.as_ref().and_then(|(persona, _)| persona.model.as_ref()));
        let model = match declared {
            Some(spec) => Some(StepModel::open(agent, spec)?),
            None => outer.as_ref().and_then(|outer| outer.model.clone()),
        };
        let prices = persona.as_ref().map(|(persona, _)| persona.prices.as_slice()).unwrap_or_default();
        let meter = Arc::new(BudgetMeter::new("step", step.budget, prices));
        let session = Arc::clone(&agent.shared.state.meter);
        Ok(Self {
            persona,
            step,
            meter,
            policies,
            model,
            instructions,
            outer,
            session_meter: session,
            is_answer_withheld: AtomicBool::new(false),
        })
    }

    /// The persona's name; empty for a step without one.
    pub(crate) fn persona_name(&self) -> &str {
        self.persona.as_ref().map_or("", |(persona, _)| &persona.name)
    }

    pub(crate) fn step_name(&self) -> &str {
        &self.step.name
    }

    /// Defers the report of the agent's answer to the end of the step.
    pub(crate) fn withhold_answer(&self) {
        self.is_answer_withheld.store(true, Ordering::Relaxed);
    }

    /// Whether the step's output is to be reported now that its hooks have been called. If there is an enclosing step,
    /// its hooks see that output first.
    pub(crate) fn take_withheld_answer(&self) -> bool {
        let is_withheld = self.is_answer_withheld.swap(false, Ordering::Relaxed);
        match &self.outer {
            Some(outer) if is_withheld => {
                outer.withhold_answer();
                false
            }
            _ => is_withheld,
        }
    }

    /// The instructions for the model while the step runs.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = &str> {
        self.instructions.iter().map(String::as_str)
    }

    /// Whether the step's policies allow a tool.
    pub(crate) fn allows(&self, tool: &str) -> bool {
        allows_tool(&self.policies, tool)
    }

    /// Removes the tools that the step may not use.
    pub(crate) fn filter_tools(&self, tools: Vec<ModelTool>) -> Vec<ModelTool> {
        tools.into_iter().filter(|tool| self.allows(&tool.name)).collect()
    }

    /// The model that an agent uses in the step, if it is not the agent's own.
    pub(crate) fn model_of(&self, agent: &Arc<Agent>) -> Option<(&ModelSpec, &Arc<dyn Model>)> {
        let own = self.model.as_ref().filter(|own| Arc::ptr_eq(&own.agent, agent))?;
        Some((&own.spec, &own.model))
    }

    /// All meters that a model call of the step is charged to: the step, its persona and the enclosing ones, each once.
    pub(crate) fn charged_meters(&self) -> Vec<MeterCharge<'_>> {
        let mut charged: Vec<MeterCharge<'_>> = Vec::new();
        let mut at = Some(self);
        while let Some(work) = at {
            charged.push(MeterCharge { meter: &work.meter, step: &work.step });
            if let Some((_, meter)) = &work.persona
                && charged.iter().all(|known| !Arc::ptr_eq(known.meter, meter))
            {
                charged.push(MeterCharge { meter, step: &work.step });
            }
            at = work.outer.as_deref();
        }
        charged.push(MeterCharge { meter: &self.session_meter, step: &self.step });
        charged
    }

    /// The exhausted budget, the step's own first.
    pub(crate) fn exhausted_budget(&self) -> Option<BudgetExceeded> {
        self.charged_meters().iter().find_map(|charged| charged.meter.exhausted_budget())
    }

    pub(crate) fn usage(&self) -> BudgetUsage {
        self.meter.usage()
    }
}

impl StepModel {
    /// Opens a model. Without a provider it is another model of the current provider.
    fn open(agent: &Arc<Agent>, spec: &ModelSpec) -> Result<Self, String> {
        let open = match &agent.shared.open_model {
            Some(open) if !spec.provider.is_empty() => {
                open(spec).map_err(|error| format!("model `{}` cannot be opened: {error}", spec.name))?
            }
            _ => Arc::clone(&agent.model),
        };
        Ok(Self { agent: Arc::clone(agent), spec: spec.clone(), model: open })
    }
}

//! What a session of a scenario has and a usual one does not: a model, a clock, an approver and tools that play it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_host::dialects::{PersonAnswer, ScriptedResult};
use pintle_host::{ApprovalRequest, ApprovalResponse, Approver, CancelToken, Clock};
use serde_json::{Value, json};

use super::stage::{ScenarioStage, USUAL_RESULT, to_tool_output};
use crate::model::{Model, ModelError, ModelReply, ModelRequest, ModelTool, ReplyDelta};
use crate::session_state::Sleeper;
use crate::turn_context::{Tool, ToolContext, ToolError};

/// A clock that only moves when the scenario says so, and never back.
#[derive(Debug)]
pub(super) struct ScenarioClock {
    start_ms: u64,
    passed_us: AtomicU64,
}

impl ScenarioClock {
    pub(super) fn new(start_ms: u64) -> Self {
        Self { start_ms, passed_us: AtomicU64::new(0) }
    }

    /// Lets time pass.
    pub(super) fn advance_ms(&self, passed_ms: u64) {
        let add = |passed: u64| Some(passed.saturating_add(passed_ms.saturating_mul(1_000)));
        let _ = self.passed_us.fetch_update(Ordering::AcqRel, Ordering::Acquire, add);
    }
}

impl Clock for ScenarioClock {
    fn unix_ms(&self) -> u64 {
        self.start_ms.saturating_add(self.monotonic_us() / 1_000)
    }

    fn monotonic_us(&self) -> u64 {
        self.passed_us.load(Ordering::Acquire)
    }
}

/// Lets the time of waits pass without waiting.
#[derive(Debug)]
pub(super) struct ScenarioSleeper(Arc<ScenarioClock>);

impl ScenarioSleeper {
    pub(super) fn new(clock: &Arc<ScenarioClock>) -> Self {
        Self(Arc::clone(clock))
    }
}

impl Sleeper for ScenarioSleeper {
    fn sleep(&self, duration_ms: u64, _cancel: &CancelToken) {
        self.0.advance_ms(duration_ms);
    }
}

/// The person of a scenario.
#[derive(Debug)]
pub(super) struct ScenarioApprover(Arc<ScenarioStage>);

impl ScenarioApprover {
    pub(super) fn new(stage: &Arc<ScenarioStage>) -> Self {
        Self(Arc::clone(stage))
    }
}

impl Approver for ScenarioApprover {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let call_id = question.event.payload.field("id").and_then(Value::as_str).unwrap_or_default();
        let answered_by = String::from("a person");
        match self.0.answer_to(call_id) {
            Some(PersonAnswer::Yes) => ApprovalResponse::Approved { answered_by },
            Some(PersonAnswer::No) => ApprovalResponse::Refused { answered_by },
            None => ApprovalResponse::Unavailable,
        }
    }

    fn is_available(&self) -> bool {
        self.0.has_person()
    }
}

/// The model that gives the answers of a scenario to all its agents.
#[derive(Debug)]
pub(super) struct ScenarioModel(Arc<ScenarioStage>);

impl ScenarioModel {
    pub(super) fn new(stage: &Arc<ScenarioStage>) -> Self {
        Self(Arc::clone(stage))
    }
}

impl Model for ScenarioModel {
    fn name(&self) -> &str {
        "scenario"
    }

    fn complete(
        &self,
        request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::cancelled());
        }
        let reply = self.0.answer(request)?;
        on(ReplyDelta::Text(reply.text.clone()));
        Ok(reply)
    }
}

/// A tool that only a scenario has. Its calls are played.
#[derive(Debug)]
pub(super) struct AddedTool(ModelTool);

impl AddedTool {
    pub(super) fn new(name: String) -> Self {
        let description = String::from("A tool of the scenario.");
        Self(ModelTool { name, description, parameters: json!({"type": "object"}) })
    }
}

impl Tool for AddedTool {
    fn definition(&self) -> &ModelTool {
        &self.0
    }

    fn can_write_unseen(&self) -> bool {
        false
    }

    fn call(&self, _arguments: &Value, _context: &ToolContext<'_>) -> Result<Value, ToolError> {
        to_tool_output(&ScriptedResult::Returns(Value::from(USUAL_RESULT)))
    }
}

//! Tool calls of a program's own agent loop.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::event::{ToolPost, ToolResult};
use pintle_contract::{Decision, Event, Origin, Outcome};
use pintle_lifecycle::{
    AskResolution, CallStage, PathResolver, ToolCallHost, ToolCallRequest, ToolResultHost, conclude, decide,
    result_after,
};

use crate::{EventScope, Refusal, Runtime};

/// What becomes of a tool call.
#[derive(Debug, Clone)]
pub enum ToolCallDecision {
    /// The call runs, as the hooks left it.
    Run(Box<ToolCallRequest>),
    /// The call does not run; the reason is its result for the model.
    Refuse(Refusal),
}

impl Runtime {
    /// Works out the paths and operations of tool calls in a project; `None` if no hook reads them.
    #[must_use]
    pub fn path_resolver(&self, project: &Path) -> Option<PathResolver> {
        let reads = self.hooks().call_reads();
        let resolve = pintle_files::resolve_links;
        (!reads.is_empty()).then(|| PathResolver { project: project.to_owned(), resolve, reads })
    }

    /// Asks all hooks about a tool call, in the order of [`lifecycle`](pintle_lifecycle). Open asks go to the runtime's
    /// approver; without one they are refused.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pintle_host::lifecycle::ToolCallRequest;
    /// use pintle_host::tools::CLAUDE;
    /// use pintle_host::{EventScope, Origin, Runtime, ToolCallDecision, ToolHook};
    ///
    /// let runtime = Runtime::builder().build().unwrap();
    /// runtime.register_tool_hook(ToolHook::for_tools("shell").deny("no shell here")).unwrap();
    /// let input = serde_json::json!({"command": "ls"});
    /// let call = ToolCallRequest::new("call_1", &CLAUDE, "Bash", input);
    /// let decision = runtime.decide_tool_call(call, &Arc::new(Origin::default()), &EventScope::default());
    /// assert!(matches!(decision, ToolCallDecision::Refuse(refusal) if refusal.reason().contains("no shell here")));
    /// ```
    #[must_use]
    pub fn decide_tool_call(
        &self,
        call: ToolCallRequest,
        origin: &Arc<Origin>,
        scope: &EventScope,
    ) -> ToolCallDecision {
        let scope = EventScope { memory: Some(Arc::default()), ..scope.clone() };
        let project = project_dir(&origin.cwd);
        let paths = call.paths.clone().or_else(|| self.path_resolver(&project));
        let cwd = project.join(call.cwd.as_deref().unwrap_or_default()).display().to_string();
        let call = ToolCallRequest { paths, cwd: Some(cwd), ..call };
        let mut host = OwnLoopCall { runtime: self, scope, origin, call, open_ask: None };
        match decide(&mut host) {
            Ok(()) => ToolCallDecision::Run(Box::new(host.call)),
            Err(refusal) => ToolCallDecision::Refuse(refusal),
        }
    }

    /// Shows all hooks the result of a tool call, and returns what is left of it for the model.
    #[must_use]
    pub fn conclude_tool_call(
        &self,
        call: &ToolCallRequest,
        result: ToolResult,
        origin: &Arc<Origin>,
        scope: &EventScope,
    ) -> ToolResult {
        conclude(&mut OwnLoopResult { runtime: self, scope, origin, call }, result)
    }
}

/// The absolute directory of a project. A program that names none works in its own: without a directory, no path is known to
/// be outside of it.
fn project_dir(cwd: &str) -> PathBuf {
    // Fails only if the directory is gone, and then a relative path leads nowhere.
    std::path::absolute(if cwd.is_empty() { "." } else { cwd }).unwrap_or_else(|_| PathBuf::from(cwd))
}

struct OwnLoopCall<'a> {
    runtime: &'a Runtime,
    /// The scope, with the memory of this call.
    scope: EventScope,
    origin: &'a Arc<Origin>,
    call: ToolCallRequest,
    /// The refusal of an ask without an answer.
    open_ask: Option<Refusal>,
}

impl ToolCallHost for OwnLoopCall<'_> {
    type Refusal = Refusal;
    type Approval = ();

    fn hears(&self, stage: CallStage) -> bool {
        let listens = || self.runtime.listens(&stage.event_kind().into(), &self.scope);
        match stage {
            // Every call is recorded.
            CallStage::Pre => true,
            CallStage::Delegation => self.call.delegated_task().is_some() && listens(),
            CallStage::Transform | CallStage::Guard | CallStage::Permission => listens(),
        }
    }

    fn fire(&mut self, stage: CallStage) -> Result<Outcome, Refusal> {
        Ok(self.runtime.fire_in(&self.call.to_event(stage, "", Arc::clone(self.origin)), &self.scope))
    }

    fn refuse(&mut self, stage: CallStage, outcome: &Outcome) -> Refusal {
        Refusal::from_outcome(stage.event_kind(), outcome, outcome.reason_for_model())
    }

    fn take_outcome(&mut self, stage: CallStage, outcome: &Outcome) -> Result<bool, Refusal> {
        if outcome.decision == Decision::Ask {
            self.open_ask = Some(Refusal::from_outcome(stage.event_kind(), outcome, outcome.reason()));
        }
        let changed = self.call.changed_by(stage, outcome);
        let misfit =
            |error: &dyn std::fmt::Display| Refusal::from_outcome(stage.event_kind(), outcome, error.to_string());
        let Some((name, args)) = changed.map_err(|error| misfit(&error))? else {
            return Ok(false);
        };
        self.call.name = name;
        self.call.args = args;
        self.call.arguments = None;
        Ok(true)
    }

    fn begin_round(&mut self) {
        self.open_ask = None;
    }

    fn resolve_asks(&mut self) -> Result<AskResolution<()>, Refusal> {
        self.open_ask.take().map_or(Ok(AskResolution::Approved(())), Err)
    }

    fn refuse_unsettled(&mut self, stage: CallStage) -> Refusal {
        Refusal::without_hooks(stage.event_kind(), "hooks keep changing this call")
    }
}

struct OwnLoopResult<'a> {
    runtime: &'a Runtime,
    scope: &'a EventScope,
    origin: &'a Arc<Origin>,
    call: &'a ToolCallRequest,
}

impl OwnLoopResult<'_> {
    fn fire(&self, event: &Event) -> Outcome {
        self.runtime.fire_in(event, self.scope)
    }
}

impl ToolResultHost for OwnLoopResult<'_> {
    fn fire_result(&mut self, result: &ToolResult) -> Option<Outcome> {
        let payload = self.call.to_result_payload(result.clone());
        Some(self.fire(&Event::from_payload(&payload, Arc::clone(self.origin))))
    }

    fn fire_post(&mut self, result: &ToolResult) -> Outcome {
        let payload: ToolPost = self.call.to_post_payload(result.clone());
        self.fire(&Event::from_payload(&payload, Arc::clone(self.origin)))
    }

    fn take_outcome(&mut self, result: ToolResult, outcome: &Outcome) -> (ToolResult, bool) {
        (result_after(result, outcome), true)
    }
}

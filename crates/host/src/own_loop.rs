//! Tool calls of a program's own agent loop.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::event::{ToolPost, ToolResult};
use pintle_contract::{Decision, Event, EventKind, EventName, Origin, Outcome, Payload};
use pintle_lifecycle::{
    AskResolution, CallStage, PathResolver, ToolCallHost, ToolCallRequest, ToolResultHost, conclude, decide,
    result_after,
};
use pintle_tools::caller_of;
use serde_json::Value;

use crate::{EventScope, Refusal, Runtime};

/// What becomes of a tool call.
#[derive(Debug, Clone)]
pub enum ToolCallDecision {
    /// The call runs, as the hooks left it.
    Run(Box<ToolCallRequest>),
    /// The call does not run; the reason is its result for the model.
    Refuse(Refusal),
}

/// A tool call that no hook denies.
#[derive(Debug, Clone)]
pub struct CheckedToolCall {
    /// The call as the hooks left it.
    pub call: ToolCallRequest,
    /// Why hooks ask for the user's approval. Unless there are none, the call runs only if the user approves it.
    pub open_asks: Vec<Refusal>,
    /// What the hooks said beside that.
    pub remarks: HookRemarks,
}

/// What is left of the result of a tool call.
#[derive(Debug, Clone)]
pub struct ReviewedToolResult {
    /// The result for the model.
    pub result: ToolResult,
    /// What the hooks said beside that.
    pub remarks: HookRemarks,
    /// Why the agent's run must end; `None` if it need not.
    pub stop_reason: Option<String>,
}

/// What hooks said about a tool call, beside their decision.
#[derive(Debug, Clone, Default)]
pub struct HookRemarks {
    /// The texts for the model, context and reminders.
    pub context: Vec<String>,
    /// The texts for the user.
    pub notices: Vec<String>,
}

impl HookRemarks {
    /// Adds what the hooks of one event said.
    fn add(&mut self, outcome: &Outcome) {
        self.context.extend(outcome.model_texts().map(str::to_owned));
        self.notices.extend(outcome.user_texts().map(str::to_owned));
    }
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
        match self.pass_checks(call, origin, scope, false) {
            Err(refusal) => ToolCallDecision::Refuse(refusal),
            Ok(mut checked) => match checked.open_asks.pop() {
                Some(open_ask) => ToolCallDecision::Refuse(open_ask),
                None => ToolCallDecision::Run(Box::new(checked.call)),
            },
        }
    }

    /// [`Runtime::decide_tool_call`], for a host that asks its user itself: asks that the approver defers stay open, unless
    /// hooks of `permission.ask` respond for the user.
    ///
    /// # Errors
    /// If the call must not run.
    pub fn check_tool_call(
        &self,
        call: ToolCallRequest,
        origin: &Arc<Origin>,
        scope: &EventScope,
    ) -> Result<CheckedToolCall, Refusal> {
        self.pass_checks(call, origin, scope, true)
    }

    fn pass_checks(
        &self,
        call: ToolCallRequest,
        origin: &Arc<Origin>,
        scope: &EventScope,
        asks_user: bool,
    ) -> Result<CheckedToolCall, Refusal> {
        let scope = EventScope { memory: Some(Arc::default()), ..scope.clone() };
        let project = project_dir(&origin.cwd);
        let paths = call.paths.clone().or_else(|| self.path_resolver(&project));
        let cwd = project.join(call.cwd.as_deref().unwrap_or_default()).display().to_string();
        let call = ToolCallRequest { paths, cwd: Some(cwd), ..call };
        let (open_asks, remarks) = (Vec::new(), HookRemarks::default());
        let mut host = OwnLoopCall { runtime: self, scope, origin, call, open_asks, remarks, asks_user };
        let open_asks = decide(&mut host)?;
        Ok(CheckedToolCall { call: host.call, open_asks, remarks: host.remarks })
    }

    /// Fills in what a host finds out about a tool call of which an event tells: its kind, its names, and its paths and
    /// operations if a hook reads them. What the payload says stays. `project` is the directory of the project, and `cwd` that
    /// of the call within it.
    pub fn complete_call(&self, event: &EventName, payload: &mut Value, project: &Path, cwd: &Path) {
        if !event.def().is_about_tool_call() {
            return;
        }
        let Value::Object(fields) = payload else { return };
        let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (Some(name), Some(args)) = (text("name"), fields.get("args").filter(|args| args.is_object())) else {
            return;
        };
        let id = text("id").unwrap_or_default();
        let caller = caller_of(&Payload::new(Value::Object(fields.clone())));
        let call = ToolCallRequest {
            cwd: Some(cwd.display().to_string()),
            paths: self.path_resolver(project),
            ..ToolCallRequest::new(id, caller, name, args.clone())
        };
        let Ok(Value::Object(facts)) = serde_json::to_value(call.facts(event.kind())) else { return };
        for (name, fact) in facts {
            fields.entry(name).or_insert(fact);
        }
    }

    /// [`Runtime::complete_call`] for an event of a host that fires events itself. The payload says where the call runs, but not
    /// where the project is.
    #[must_use]
    pub fn complete_event<'e>(&self, event: Cow<'e, Event>) -> Cow<'e, Event> {
        if !event.name.def().is_about_tool_call() {
            return event;
        }
        let Event { name, payload, origin } = event.into_owned();
        let project = project_dir(&origin.cwd);
        let mut payload = payload.into_value();
        let cwd = project.join(payload.get("cwd").and_then(Value::as_str).unwrap_or_default());
        self.complete_call(&name, &mut payload, &project, &cwd);
        Cow::Owned(Event::new(name, payload, origin))
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
        self.review_tool_result(call, result, origin, scope).result
    }

    /// [`Runtime::conclude_tool_call`], with what the hooks said beside the result.
    #[must_use]
    pub fn review_tool_result(
        &self,
        call: &ToolCallRequest,
        result: ToolResult,
        origin: &Arc<Origin>,
        scope: &EventScope,
    ) -> ReviewedToolResult {
        let (remarks, stop_reason) = (HookRemarks::default(), None);
        let mut host = OwnLoopResult { runtime: self, scope, origin, call, remarks, stop_reason };
        let result = conclude(&mut host, result);
        ReviewedToolResult { result, remarks: host.remarks, stop_reason: host.stop_reason }
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
    /// The refusals of asks without an answer.
    open_asks: Vec<Refusal>,
    remarks: HookRemarks,
    /// Whether the host asks its user about open asks.
    asks_user: bool,
}

impl ToolCallHost for OwnLoopCall<'_> {
    type Refusal = Refusal;
    type Approval = Vec<Refusal>;

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
        self.remarks.add(outcome);
        if outcome.decision == Decision::Ask {
            let open_ask = Refusal::from_outcome(stage.event_kind(), outcome, outcome.reason());
            self.open_asks.retain(|known| *known != open_ask);
            self.open_asks.push(open_ask);
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
        self.open_asks.clear();
    }

    fn resolve_asks(&mut self) -> Result<AskResolution<Vec<Refusal>>, Refusal> {
        let asks = std::mem::take(&mut self.open_asks);
        if asks.is_empty() || !self.asks_user || !self.hears(CallStage::Permission) {
            return Ok(AskResolution::Approved(asks));
        }
        let reasons: Vec<&str> = asks.iter().map(Refusal::reason).collect();
        let event = self.call.to_event(CallStage::Permission, &reasons.join("\n"), Arc::clone(self.origin));
        let outcome = self.runtime.fire_in(&event, &self.scope);
        if outcome.decision == Decision::Deny {
            return Err(self.refuse(CallStage::Permission, &outcome));
        }
        if self.take_outcome(CallStage::Permission, &outcome)? {
            return Ok(AskResolution::Changed);
        }
        // Hooks may approve for the user, but not what a guard asks about. Their own asks have no effect.
        let is_approved = outcome.approved && asks.iter().all(|ask| ask.event() != EventKind::ToolGuard);
        Ok(AskResolution::Approved(if is_approved { Vec::new() } else { asks }))
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
    remarks: HookRemarks,
    stop_reason: Option<String>,
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
        self.remarks.add(outcome);
        self.stop_reason = self.stop_reason.take().or_else(|| outcome.stop_reason());
        (result_after(result, outcome), true)
    }
}

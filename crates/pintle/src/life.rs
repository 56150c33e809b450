//! The life of a program's own agent.

use std::borrow::Cow;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use pintle_host::event::{AgentStop, LogLine, PromptSubmit, TurnEnd};
use pintle_host::lifecycle::{
    AfterRejection, AnswerDecision, AnswerRejection, begin_turn, end_turn, review_answer, submit_prompt,
};
use pintle_host::{EventKind, EventScope, RuntimeLife, ToolCallDecision};
use serde_json::Value;

use crate::pending::CallFuture;
use crate::{Event, Outcome, Refusal, Runtime, ToolCall, ToolOutput};

/// One turn of an agent under hooks: its prompt, model calls, tool calls and answer, in this order. A step that hooks deny
/// is a [`Refusal`]; then the host does not take it.
///
/// ```
/// use pintle::{Event, Origin, Refusal, Runtime, ToolCall, events::CompletionPre};
///
/// fn turn(runtime: &Runtime, prompt: &str) -> Result<String, Refusal> {
///     let life = runtime.life(&Origin::session("s1").turn(1));
///     let prompt = life.submit_prompt(prompt)?;
///     let message = life.begin_turn(&prompt)?;
///     let request = serde_json::json!({"model": "m", "messages": [{"role": "user", "content": message}]});
///     let _request = life.review(Event::new::<CompletionPre>(request).expect("it fits the event"))?;
///     let call = life.decide_tool_call(ToolCall::new("1", "shell", serde_json::json!({"command": "ls"})))?;
///     let result = life.conclude_tool_call(&call, call.result("a.txt"));
///     let answer = life.review_answer(result.content())?;
///     life.end_turn(answer.text())
/// }
///
/// assert_eq!(turn(&Runtime::builder().build().unwrap(), "list"), Ok(String::from("a.txt")));
/// ```
///
/// Every method has an async twin, which does not block: hooks that cannot wait are called at once, the others on a thread
/// of the runtime's pool or by its [spawner](crate::RuntimeBuilder::spawner). Dropping the future cancels the step; the host
/// must then not take it. Cheap to clone; clones are of the same turn.
#[derive(Debug, Clone)]
pub struct AgentLife {
    runtime: Runtime,
    origin: Arc<pintle_host::Origin>,
    scope: EventScope,
    context: Arc<Mutex<Vec<String>>>,
}

/// What hooks say about an answer that an agent wants to stop with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedAnswer {
    text: String,
    next_message: Option<String>,
}

impl ReviewedAnswer {
    /// The answer as hooks left it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The message with which the agent continues, because a hook does not accept the answer; `None` if it may stop.
    #[must_use]
    pub fn next_message(&self) -> Option<&str> {
        self.next_message.as_deref()
    }
}

impl AgentLife {
    pub(crate) fn new(runtime: Runtime, origin: Arc<pintle_host::Origin>) -> Self {
        Self::in_scope(runtime, origin, EventScope::default())
    }

    pub(crate) fn in_scope(runtime: Runtime, origin: Arc<pintle_host::Origin>, scope: EventScope) -> Self {
        Self { runtime, origin, scope, context: Arc::default() }
    }

    /// Fires an event and returns the outcome, for hosts that look at more than the decision.
    #[must_use]
    pub fn fire(&self, event: Event) -> Outcome {
        let event = pintle_host::Event { origin: Arc::clone(&self.origin), ..event.0 };
        let host = self.runtime.host();
        Outcome(host.fire_in(&host.complete_event(Cow::Owned(event)), &self.scope))
    }

    /// [`AgentLife::fire`], without blocking.
    pub fn fire_async(&self, event: Event) -> impl Future<Output = Outcome> + Send + use<> {
        self.run_async(|life| life.fire(event))
    }

    /// Shows hooks a step of the agent, such as a model call (`CompletionPre`) or a compaction (`CompactPre`), and returns
    /// its payload as they left it.
    ///
    /// # Errors
    /// If hooks deny it, or it was cancelled.
    pub fn review(&self, event: Event) -> Result<Value, Refusal> {
        self.step(|life| Ok(life.review_event(&event.0)?.into_value()))
    }

    /// [`AgentLife::review`], without blocking.
    pub fn review_async(&self, event: Event) -> impl Future<Output = Result<Value, Refusal>> + Send + use<> {
        self.run_async(|life| life.review(event))
    }

    /// Shows hooks a prompt of the user (`prompt.submit`), and returns it as they left it.
    ///
    /// # Errors
    /// If hooks deny it, or it was cancelled.
    pub fn submit_prompt(&self, prompt: &str) -> Result<String, Refusal> {
        let prompt = PromptSubmit { prompt: prompt.to_owned(), ..PromptSubmit::default() };
        self.step(|life| submit_prompt(life, prompt))
    }

    /// [`AgentLife::submit_prompt`], without blocking.
    pub fn submit_prompt_async(&self, prompt: &str) -> impl Future<Output = Result<String, Refusal>> + Send + use<> {
        let prompt = prompt.to_owned();
        self.run_async(move |life| life.submit_prompt(&prompt))
    }

    /// Begins a turn with a message (`turn.start`), and returns it as hooks left it.
    ///
    /// # Errors
    /// If hooks deny the turn, or it was cancelled.
    pub fn begin_turn(&self, message: &str) -> Result<String, Refusal> {
        self.step(|life| begin_turn(life, message.to_owned()))
    }

    /// [`AgentLife::begin_turn`], without blocking.
    pub fn begin_turn_async(&self, message: &str) -> impl Future<Output = Result<String, Refusal>> + Send + use<> {
        let message = message.to_owned();
        self.run_async(move |life| life.begin_turn(&message))
    }

    /// Asks all hooks about a tool call, until nothing changes, and returns it as they left it: the host runs this call and
    /// no other. A question of a hook goes to the runtime's approver.
    ///
    /// # Errors
    /// If the call must not run. The reason is the call's result for the model.
    pub fn decide_tool_call(&self, call: ToolCall) -> Result<ToolCall, Refusal> {
        match self.runtime.host().decide_tool_call(call.0, &self.origin, &self.scope) {
            ToolCallDecision::Run(call) => Ok(ToolCall(*call)),
            ToolCallDecision::Refuse(refusal) => Err(Refusal(refusal)),
        }
    }

    /// [`AgentLife::decide_tool_call`], without blocking.
    pub fn decide_tool_call_async(
        &self,
        call: ToolCall,
    ) -> impl Future<Output = Result<ToolCall, Refusal>> + Send + use<> {
        self.run_async(|life| life.decide_tool_call(call))
    }

    /// Shows all hooks the result of a tool call, and returns what is left of it for the model.
    #[must_use]
    pub fn conclude_tool_call(&self, call: &ToolCall, result: ToolOutput) -> ToolOutput {
        ToolOutput(self.runtime.host().conclude_tool_call(&call.0, result.0, &self.origin, &self.scope))
    }

    /// [`AgentLife::conclude_tool_call`], without blocking.
    pub fn conclude_tool_call_async(
        &self,
        call: &ToolCall,
        result: ToolOutput,
    ) -> impl Future<Output = ToolOutput> + Send + use<> {
        let call = call.clone();
        self.run_async(move |life| life.conclude_tool_call(&call, result))
    }

    /// Asks hooks whether the agent may stop with this answer (`agent.stop`). If one does not accept it, the agent continues
    /// with [`ReviewedAnswer::next_message`].
    ///
    /// # Errors
    /// If a hook ends the run, or one that must accept the answer failed, or it was cancelled.
    pub fn review_answer(&self, text: &str) -> Result<ReviewedAnswer, Refusal> {
        let answer = AgentStop { response: text.to_owned(), ..AgentStop::default() };
        let reviewed = |text: Option<String>, next_message| ReviewedAnswer {
            text: text.unwrap_or_else(|| answer.response.clone()),
            next_message,
        };
        match self.step(|life| review_answer(life, answer.clone()))? {
            AnswerDecision::Accept(change) => Ok(reviewed(change.text, None)),
            AnswerDecision::Reject(AnswerRejection { reason, hooks, next }) => {
                let (reason, stops_run) = match next {
                    AfterRejection::Continue(message) => return Ok(reviewed(None, Some(message))),
                    AfterRejection::Fail => (reason, false),
                    AfterRejection::EndRun(reason) => (reason, true),
                };
                Err(Refusal(pintle_host::Refusal::new(EventKind::AgentStop, reason, hooks, stops_run)))
            }
        }
    }

    /// [`AgentLife::review_answer`], without blocking.
    pub fn review_answer_async(
        &self,
        text: &str,
    ) -> impl Future<Output = Result<ReviewedAnswer, Refusal>> + Send + use<> {
        let text = text.to_owned();
        self.run_async(move |life| life.review_answer(&text))
    }

    /// Ends the turn with its answer (`turn.end`), and returns the answer as hooks left it.
    ///
    /// # Errors
    /// If hooks withhold the answer, or it was cancelled.
    pub fn end_turn(&self, text: &str) -> Result<String, Refusal> {
        let logs = self.scope.logs.take_lines().into_iter().map(LogLine::from).collect();
        let end = TurnEnd { text: text.to_owned(), logs, ..TurnEnd::default() };
        Ok(self.step(|life| end_turn(life, end))?.text.unwrap_or_else(|| text.to_owned()))
    }

    /// [`AgentLife::end_turn`], without blocking.
    pub fn end_turn_async(&self, text: &str) -> impl Future<Output = Result<String, Refusal>> + Send + use<> {
        let text = text.to_owned();
        self.run_async(move |life| life.end_turn(&text))
    }

    /// Takes what hooks told the model since the last call, context and reminders, for the next model call.
    #[must_use]
    pub fn take_context(&self) -> Vec<String> {
        std::mem::take(&mut *self.context.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Cancels the turn: hooks that wait are cancelled, and every further step is refused.
    pub fn cancel(&self) {
        self.scope.cancel.cancel();
    }

    fn step<T>(&self, run: impl FnOnce(&mut RuntimeLife<'_>) -> Result<T, pintle_host::Refusal>) -> Result<T, Refusal> {
        let mut life = self.runtime.host().life(Arc::clone(&self.origin), &self.scope);
        let result = run(&mut life);
        self.context.lock().unwrap_or_else(PoisonError::into_inner).extend(life.take_context());
        result.map_err(Refusal)
    }

    fn run_async<T: Send + 'static>(&self, run: impl FnOnce(&Self) -> T + Send + 'static) -> CallFuture<T> {
        let cancel = self.scope.cancel.child_token();
        let life = Self { scope: EventScope { cancel: cancel.clone(), ..self.scope.clone() }, ..self.clone() };
        self.runtime.run_async(cancel, move || run(&life))
    }
}

//! The host's prompts, model calls, answers and compactions, on the way that `pintle_host::lifecycle` prescribes.

use pintle_host::event::{
    AgentStop, CompactBefore, CompactPre, CompletionPost, CompletionPre, DelegationPost, EventKind, EventPayload,
    HostPayload, PromptSubmit, TurnEnd,
};
use pintle_host::lifecycle::{
    AfterRejection, AnswerDecision, AnswerRejection, LifeHost, begin_turn, end_turn, plan_compaction, review_answer,
    review_delegated_answer, review_reply, review_request, submit_prompt,
};
use pintle_host::{Decision, Outcome};
use serde_json::Value;

use super::HostDispatch;
use crate::{ActionSupport, HostEventData};

/// The most continuations by hooks in one turn. After that, hooks that want the agent to continue are ignored.
const MOST_CONTINUATIONS: u32 = 8;

/// The hooks denied an event, and the decision says so; no further event is fired.
pub(crate) struct EventRefused;

impl LifeHost for HostDispatch<'_> {
    type Refusal = EventRefused;

    fn hears(&self, kind: EventKind) -> bool {
        self.event_def.fires.contains(&kind) && self.is_fired(&kind.into())
    }

    fn fire<P: EventPayload>(&mut self, payload: &P) -> Result<Outcome, EventRefused> {
        let outcome = self.fire(payload);
        if outcome.decision == Decision::Ask {
            self.ask(&outcome.reason());
        }
        Ok(outcome)
    }

    fn refuse(&mut self, kind: EventKind, outcome: &Outcome) -> EventRefused {
        if kind == EventKind::TurnEnd {
            // The turn has ended, and a hook rejects its result.
            self.decision.stop = Some(format!("turn blocked: {}", outcome.reason()));
        } else {
            self.apply_outcome(outcome);
        }
        EventRefused
    }

    fn passes_asks_on(&self) -> bool {
        true
    }
}

/// Fires the events of a step in the agent's life; nothing for another moment.
pub(super) fn fire(dispatch: &mut HostDispatch<'_>, data: &HostEventData) -> Result<(), EventRefused> {
    let host = dispatch.host_payload();
    match data {
        HostEventData::Prompt { text, source } => {
            let prompt = PromptSubmit { prompt: text.clone(), source: source.clone(), host: Some(host) };
            let prompt = submit_prompt(dispatch, prompt)?;
            take_prompt(dispatch, text, &prompt);
            let prompt = begin_turn(dispatch, prompt)?;
            take_prompt(dispatch, text, &prompt);
            Ok(())
        }
        HostEventData::Model { request, response } => {
            let model = dispatch.event_context.model.clone().unwrap_or_default();
            let sent = || HostPayload { input: Some(request.clone()), ..host.clone() };
            let pre = || CompletionPre { model: model.clone(), host: Some(sent()), ..CompletionPre::default() };
            review_request(dispatch, pre)?;
            let host = || Some(HostPayload { response: Some(response.clone()), ..sent() });
            let post = || CompletionPost { model: model.clone(), host: host(), ..CompletionPost::default() };
            review_reply(dispatch, post)?;
            Ok(())
        }
        HostEventData::SubagentStop { agent, id, answer, .. } => {
            let result = DelegationPost {
                id: id.clone(),
                agent: agent.clone(),
                result: answer.clone(),
                response: answer.clone(),
                depth: 1,
                host: Some(host),
                ..DelegationPost::default()
            };
            let decision = review_delegated_answer(dispatch, result)?;
            take_answer_decision(dispatch, decision, answer)
        }
        HostEventData::Stop { answer, .. } => fire_stop(dispatch, answer, Some(host)),
        HostEventData::CompactBefore { trigger, instructions } => {
            let pre = || CompactPre {
                source: trigger.clone(),
                instructions: instructions.clone(),
                host: Some(host.clone()),
                ..CompactPre::default()
            };
            let reason = if trigger == "manual" { "manual" } else { "threshold" };
            let before =
                || CompactBefore { reason: reason.to_owned(), host: Some(host.clone()), ..CompactBefore::default() };
            plan_compaction(dispatch, pre, before).map(drop)
        }
        _ => Ok(()),
    }
}

fn take_prompt(dispatch: &mut HostDispatch<'_>, before: &str, after: &str) {
    if after != before {
        dispatch.decision.input = Some(Value::from(after));
    }
}

fn fire_stop(dispatch: &mut HostDispatch<'_>, answer: &str, host: Option<HostPayload>) -> Result<(), EventRefused> {
    let state = &*dispatch.state;
    if dispatch.hears(EventKind::AgentStop) {
        let (tool_calls, tool_results) = state.calls_and_results();
        let stop = AgentStop {
            id: dispatch.origin.session.clone(),
            finish_reason: String::from("stop"),
            response: answer.to_owned(),
            tool_calls,
            tool_results,
            continuations: state.continuations.get(&dispatch.event_context.run).copied().unwrap_or_default(),
            last_user_message: Some(state.prompt.clone()).filter(|prompt| !prompt.is_empty()),
            host: host.clone(),
            ..AgentStop::default()
        };
        let decision = review_answer(dispatch, stop)?;
        take_answer_decision(dispatch, decision, answer)?;
    }
    if dispatch.hears(EventKind::TurnEnd) {
        let logs = dispatch.take_logs();
        let state = &*dispatch.state;
        let (tool_calls, tool_results) = state.calls_and_results();
        let end = TurnEnd {
            text: answer.to_owned(),
            tool_calls,
            tool_results,
            logs,
            duration_ms: Some(dispatch.elapsed_ms(state.turn_started_ms)),
            host,
            ..TurnEnd::default()
        };
        let change = end_turn(dispatch, end)?;
        take_answer(dispatch, change.text, answer);
    }
    Ok(())
}

fn take_answer_decision(
    dispatch: &mut HostDispatch<'_>,
    decision: AnswerDecision,
    answer: &str,
) -> Result<(), EventRefused> {
    match decision {
        AnswerDecision::Accept(change) => {
            take_answer(dispatch, change.text, answer);
            Ok(())
        }
        AnswerDecision::Reject(rejection) => {
            continue_agent(dispatch, rejection);
            Err(EventRefused)
        }
    }
}

fn take_answer(dispatch: &mut HostDispatch<'_>, text: Option<String>, before: &str) {
    if let Some(text) = text.filter(|text| text != before) {
        dispatch.decision.output = Some(Value::from(text));
    }
}

/// Makes the agent continue because a hook wants it, up to the limit per turn.
fn continue_agent(dispatch: &mut HostDispatch<'_>, rejection: AnswerRejection) {
    let AnswerRejection { reason, next, .. } = rejection;
    let message = match next {
        AfterRejection::EndRun(why) => return dispatch.end_run(why),
        AfterRejection::Fail => {
            let why = format!("the answer was not accepted: {reason}");
            // A host that cannot end the run does not show why the rest of it is denied.
            if let ActionSupport::Approximated(_) = dispatch.event_def.support.stop {
                dispatch.decision.notices.push(format!("pintle: {why}"));
            }
            return dispatch.end_run(why);
        }
        AfterRejection::Continue(message) => message,
    };
    let run = dispatch.event_context.run.clone();
    if dispatch.state.continuations.get(&run).is_some_and(|count| *count >= MOST_CONTINUATIONS) {
        let text = format!(
            "pintle: hooks made the agent continue {MOST_CONTINUATIONS} times in this turn, which is the limit: {reason}"
        );
        dispatch.decision.notices.push(text);
        return;
    }
    let kept = message.clone();
    dispatch.state.change_turn(move |state| {
        *state.continuations.entry(run.clone()).or_default() += 1;
        state.continuation_reason = Some(kept.clone());
    });
    dispatch.deny(message);
}

//! The effect runner of a runtime, which records every request on the tape.

pub(crate) mod clean;
mod external;
pub(crate) mod local;
mod session;

use std::sync::Arc;

use pintle_contract::{CallId, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, Origin};

use crate::{EventScope, Runtime};

/// Performs the effect requests of scripts in one scope, and records each with its reply.
#[derive(Debug)]
pub struct ScopedEffects<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) scope: &'a EventScope,
    pub(crate) origin: &'a Arc<Origin>,
}

impl ScopedEffects<'_> {
    fn record(&self, caller: EffectCaller<'_>, request: &EffectRequest, reply: &Result<EffectReply, EffectError>) {
        let journals = self.runtime.journals();
        match &self.scope.held {
            Some(held) => held.record_effect(journals, caller, request, reply),
            None => journals.record_effect(caller, request, reply),
        }
    }

    fn perform_request(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        if let Some(sharing) = self.runtime.state_sharing() {
            if let Some(changes) = request.changes_state() {
                let answer = || local::answer_local(self.runtime.run_state(), self.scope, caller, request);
                return sharing.with_state(caller.call, &self.scope.scratch, changes, answer);
            }
            if request.may_wait() {
                sharing.pause(caller.call)?;
            }
        }
        match request {
            EffectRequest::Emit { event, payload } => session::emit(self, caller, &event, payload),
            EffectRequest::Http { .. }
            | EffectRequest::Sleep { .. }
            | EffectRequest::Now
            | EffectRequest::Random { .. }
            | EffectRequest::Uuid => external::answer_external(self, caller, request),
            EffectRequest::Session { function, arguments } if self.scope.host.is_none() => {
                session::answer_without_host(self, caller, &function, arguments)
            }
            #[cfg(feature = "script")]
            EffectRequest::Fs { function, arguments } if self.scope.host.is_none() => {
                external::answer_fs(self, caller, &function, &arguments)
            }
            EffectRequest::CallTool { .. }
            | EffectRequest::Meta { .. }
            | EffectRequest::Session { .. }
            | EffectRequest::Exec { .. }
            | EffectRequest::Fs { .. }
            | EffectRequest::Host { .. } => match &self.scope.host {
                Some(host) => host.perform(caller, request, &self.scope.for_caller(caller)),
                None => Err(EffectError(String::from("no agent is available for this request"))),
            },
            local => Ok(local::answer_local(self.runtime.run_state(), self.scope, caller, local)),
        }
    }
}

impl EffectRunner for ScopedEffects<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let journals = self.runtime.journals();
        if !journals.records_effects() {
            return self.perform_request(caller, request);
        }
        let reply = self.perform_request(caller, request.clone());
        let kept = reply.as_ref().ok().and_then(|reply| clean::redact_reply(&request, reply)).map(Ok);
        let asked = clean::redact_request(&request);
        self.record(caller, asked.as_ref().unwrap_or(&request), kept.as_ref().unwrap_or(&reply));
        reply
    }

    fn begin_call(&self, call: CallId) {
        if let Some(sharing) = self.runtime.state_sharing() {
            sharing.begin_call(call);
        }
    }

    fn end_call(&self, call: CallId) {
        if let Some(sharing) = self.runtime.state_sharing() {
            sharing.end_call(call);
        }
    }

    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, amount: i64) -> Result<i64, EffectError> {
        let increment = || self.runtime.run_state().for_layer(caller.layer).metrics.increment(name, amount);
        let value = match self.runtime.state_sharing() {
            Some(sharing) => sharing.with_state(caller.call, &self.scope.scratch, true, increment)?,
            None => increment(),
        };
        let journals = self.runtime.journals();
        if journals.records_effects() {
            let request = EffectRequest::MetricIncr { name: name.to_owned(), amount };
            self.record(caller, &request, &Ok(EffectReply::Int(value)));
        }
        Ok(value)
    }
}

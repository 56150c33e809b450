//! The door between scripts and the world, with the tape standing in it.

pub(crate) mod clean;
mod emit;
pub(crate) mod local;
mod outside;

use std::sync::Arc;

use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, Origin};
use serde_json::json;

use crate::{Runtime, Scope};

/// Performs the requests of the scripts that run in one scope, and records each with its reply.
#[derive(Debug)]
pub struct ScopeSeam<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) scope: &'a Scope,
    pub(crate) origin: &'a Arc<Origin>,
}

impl ScopeSeam<'_> {
    fn answer(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        match request {
            EffectRequest::Emit { event, payload } => emit::emit(self, caller, &event, payload),
            EffectRequest::Http { .. }
            | EffectRequest::Sleep { .. }
            | EffectRequest::Now
            | EffectRequest::Random { .. }
            | EffectRequest::Uuid => outside::answer(self, caller, request),
            // Without an agent the session is empty, and nobody is there to be told.
            EffectRequest::Session { function, .. } if self.scope.host.is_none() => Ok(match function.as_str() {
                "messages" => EffectReply::Value(json!([])),
                "unsettled_state" => EffectReply::Value(json!({})),
                _ => EffectReply::Done,
            }),
            EffectRequest::Fs { function, arguments } if self.scope.host.is_none() => {
                outside::files(self, caller, &function, &arguments)
            }
            EffectRequest::CallTool { .. }
            | EffectRequest::Meta { .. }
            | EffectRequest::Session { .. }
            | EffectRequest::Exec { .. }
            | EffectRequest::Fs { .. }
            | EffectRequest::Host { .. } => match &self.scope.host {
                Some(host) => host.perform(caller, request, &self.scope.for_caller(caller)),
                None => Err(EffectError(String::from("there is no agent behind this call to do that"))),
            },
            local => Ok(local::answer(self, caller, local)),
        }
    }
}

impl EffectRunner for ScopeSeam<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let journals = self.runtime.journals();
        if !journals.keeps_effects() {
            return self.answer(caller, request);
        }
        let reply = self.answer(caller, request.clone());
        let kept = reply.as_ref().ok().and_then(|reply| clean::reply(&request, reply)).map(Ok);
        let asked = clean::request(&request);
        journals.effect(caller, asked.as_ref().unwrap_or(&request), kept.as_ref().unwrap_or(&reply));
        reply
    }

    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, by: i64) -> Result<i64, EffectError> {
        let value = self.runtime.state().of(caller.layer).metrics.incr(name, by);
        let journals = self.runtime.journals();
        if journals.keeps_effects() {
            let request = EffectRequest::MetricIncr { name: name.to_owned(), amount: by };
            journals.effect(caller, &request, &Ok(EffectReply::Int(value)));
        }
        Ok(value)
    }
}

//! The door between scripts and the world, with the tape standing in it.

pub(crate) mod clean;
mod emit;
pub(crate) mod local;
mod outside;

use std::sync::Arc;

use pintle_contract::{Caller, Origin, Reply, Request, Seam, SeamError};
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
    fn answer(&self, caller: Caller<'_>, request: Request) -> Result<Reply, SeamError> {
        match request {
            Request::Emit { event, payload } => emit::emit(self, caller, &event, payload),
            Request::Http { .. } | Request::Sleep { .. } | Request::Now | Request::Random { .. } | Request::Uuid => {
                outside::answer(self, caller, request)
            }
            // Without an agent the session is empty, and nobody is there to be told.
            Request::Session { function, .. } if self.scope.host.is_none() => Ok(match function.as_str() {
                "messages" => Reply::Value(json!([])),
                "unsettled_state" => Reply::Value(json!({})),
                _ => Reply::Done,
            }),
            Request::Fs { function, arguments } if self.scope.host.is_none() => {
                outside::files(self, caller, &function, &arguments)
            }
            Request::CallTool { .. }
            | Request::Meta { .. }
            | Request::Session { .. }
            | Request::Exec { .. }
            | Request::Fs { .. }
            | Request::Host { .. } => match &self.scope.host {
                Some(host) => host.perform(caller, request, &self.scope.for_caller(caller)),
                None => Err(SeamError(String::from("there is no agent behind this call to do that"))),
            },
            local => Ok(local::answer(self, caller, local)),
        }
    }
}

impl Seam for ScopeSeam<'_> {
    fn perform(&self, caller: Caller<'_>, request: Request) -> Result<Reply, SeamError> {
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

    fn metric_incr(&self, caller: Caller<'_>, name: &str, by: i64) -> Result<i64, SeamError> {
        let value = self.runtime.state().of(caller.layer).metrics.incr(name, by);
        let journals = self.runtime.journals();
        if journals.keeps_effects() {
            let request = Request::MetricIncr { name: name.to_owned(), by };
            journals.effect(caller, &request, &Ok(Reply::Int(value)));
        }
        Ok(value)
    }
}

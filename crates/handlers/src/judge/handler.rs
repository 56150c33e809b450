//! Sends one request to a model.

use std::sync::Arc;

use pintle_contract::{
    CallLimits, Codec, Failure, FailureKind, Handler, HandlerOutput, HookCall, HookInfluence, Judge, JudgeRequest,
    LimitKind, Verdict,
};

use super::schema::{PLAIN_INSTRUCTION, ReplySchema};
use crate::template::{self, Template};

/// A hook whose verdict comes from a model.
#[derive(Debug)]
pub(super) struct JudgeHandler {
    pub(super) model: String,
    pub(super) template: Template,
    pub(super) schema: Option<&'static ReplySchema>,
    pub(super) judge: Option<Arc<dyn Judge>>,
    pub(super) codec: Arc<dyn Codec>,
}

impl JudgeHandler {
    fn request_judgement(&self, call: &HookCall<'_>) -> Result<String, Failure> {
        if call.cancel.is_cancelled() {
            return Err(Failure::new(FailureKind::Cancelled, "cancelled before the model was called"));
        }
        let Some(judge) = &self.judge else {
            let message = "cannot call a language model: this runtime does not have a judge";
            return Err(Failure::new(FailureKind::Missing, message));
        };
        let input = template::encode_input(&*self.codec, call.event, &call.hook.event_alias);
        let rendered = self.template.render(input.value());
        let prompt = rendered.map_err(|reason| Failure::new(FailureKind::Error, format!("the prompt: {reason}")))?;
        let schema = self.schema.map(|schema| (schema.name, (schema.value)()));
        let CallLimits { timeout_ms, output_bytes, .. } = *call.limits;
        let question = JudgeRequest {
            model: &self.model,
            instruction: self.schema.map_or(PLAIN_INSTRUCTION, |schema| schema.instruction),
            prompt: &prompt,
            schema: schema.as_ref().map(|(name, value)| (*name, value)),
            timeout_ms,
        };
        let reply = judge.judge(&question, call.cancel)?;
        if u64::try_from(reply.len()).is_ok_and(|length| length <= output_bytes) {
            return Ok(reply);
        }
        let message = format!("the reply has more than {output_bytes} bytes");
        Err(Failure::new(FailureKind::Limit(LimitKind::Output), message))
    }
}

impl Handler for JudgeHandler {
    fn kind(&self) -> &'static str {
        "model"
    }

    fn may_wait(&self) -> bool {
        true
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        self.codec.influence(event_alias).min(HookInfluence::MayChange)
    }

    fn acts_outside(&self) -> bool {
        true
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        match self.request_judgement(call) {
            Ok(reply) => self.codec.decode(call.event, &call.hook.event_alias, HandlerOutput::Text(reply)),
            Err(failure) => Verdict::failed(failure),
        }
    }
}

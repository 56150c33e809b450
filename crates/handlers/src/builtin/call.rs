//! Describes one call of a built-in and its configuration.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use pintle_contract::{
    BuiltinSpec, Codec, EffectReply, EffectRequest, EventKind, Failure, FailureKind, HookCall, HookDeclaration, Payload,
};
use serde_json::Value;

use super::BuiltinState;
use crate::command_context::CommandContext;
use crate::template;

/// The configuration of a built-in other than its arguments.
#[derive(Debug)]
pub(super) struct BuiltinConfig {
    context: CommandContext,
    codec: Arc<dyn Codec>,
    state: Arc<BuiltinState>,
}

impl BuiltinConfig {
    pub(super) fn new(declaration: &HookDeclaration, spec: &BuiltinSpec, state: Arc<BuiltinState>) -> Self {
        let surroundings = CommandContext {
            variables: spec.environment.clone(),
            directory: spec.directory.clone(),
            expands_variables: spec.expands,
        };
        Self { context: surroundings, codec: Arc::clone(&declaration.codec), state }
    }

    /// A warning about the declared working directory.
    pub(super) fn directory_warning(&self, call: &HookCall<'_>) -> Option<String> {
        self.context.directory.as_ref()?;
        self.context.resolve_working_dir(&call.event.origin.cwd).warning
    }
}

/// One call of a built-in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuiltinCall<'a> {
    /// The call of the hook.
    pub(crate) call: &'a HookCall<'a>,
    config: &'a BuiltinConfig,
    started_at: Instant,
}

impl<'a> BuiltinCall<'a> {
    pub(super) fn new(call: &'a HookCall<'a>, setup: &'a BuiltinConfig) -> Self {
        Self { call, config: setup, started_at: Instant::now() }
    }

    /// What the built-ins of the runtime share.
    pub(super) fn state(&self) -> &'a BuiltinState {
        &self.config.state
    }

    pub(crate) fn event_kind(&self) -> EventKind {
        self.call.event.name.kind()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&'a Value> {
        self.call.event.payload.field(name)
    }

    /// A string field of the canonical payload; empty if it is absent or not a string.
    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.field(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A text that is written to a file: with secrets redacted, if hooks redact them.
    pub(crate) fn redact_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let clean = self.config.state.redactor.get().and_then(|secrets| secrets.redact(text));
        clean.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// The working directory: the session's, changed by the hook's own. `None` if there is none.
    pub(crate) fn working_dir(&self) -> Option<PathBuf> {
        self.config.context.resolve_working_dir(&self.call.event.origin.cwd).directory
    }

    /// The variables that programs see in addition to Pintle's own.
    pub(crate) fn extra_variables(&self) -> Vec<(String, String)> {
        self.config.context.environment()
    }

    /// The remaining time of the call in milliseconds; 0 if it has expired.
    pub(crate) fn time_left_ms(&self) -> u64 {
        let gone = u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.call.limits.timeout_ms.saturating_sub(gone)
    }

    /// The time in milliseconds since the Unix epoch, requested as an effect so that a replay gets the same time.
    pub(crate) fn now_ms(&self) -> Result<i64, Failure> {
        match self.call.effects.perform(self.call.caller(), EffectRequest::Now) {
            Ok(EffectReply::Int(now)) => Ok(now),
            Ok(other) => Err(Failure::new(FailureKind::Error, format!("unexpected reply from the clock: {other:?}"))),
            Err(error) => Err(Failure::new(FailureKind::Error, format!("the clock is not available: {error}"))),
        }
    }

    /// The payload as the dialect encodes it for handlers.
    pub(crate) fn encoded_payload(&self) -> Payload {
        template::encode_input(&*self.config.codec, self.call.event, &self.call.hook.event_alias)
    }
}

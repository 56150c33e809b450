//! The runtime: one set of hooks, and what it is built from.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::bindgen_prelude::{ClassInstance, Env, Function, Result};
use napi_derive::napi;
use serde_json::{Value, json};

use crate::life::JsLife;
use crate::questions::{JsFunction, JsQuestion, call_from};
use crate::results::{exact_text, invalid};
use crate::tape::JsTape;

/// A function that is called on an event.
#[napi(object, js_name = "HookFields", object_to_js = false)]
pub struct JsHook<'a> {
    pub event: String,
    pub function: Function<'a, JsQuestion, ()>,
    /// Whether the function may return a promise.
    pub may_wait: bool,
    pub name: Option<String>,
    pub tools: Option<Vec<String>>,
    pub on_failure: Option<String>,
    pub timeout_ms: Option<u32>,
    pub shadow: Option<bool>,
}

impl JsHook<'_> {
    fn to_hook(&self) -> Result<pintle::Hook> {
        let function = JsFunction::new(&self.function)?;
        let mut hook = pintle::Hook::on_named(&self.event, move |call: &pintle::HookCall<'_, ()>| {
            let answer = function.ask_hook(describe_call(call)?, call)?;
            answer.map_or_else(|| Ok(pintle::Verdict::pass()), |answer| parse_verdict(&answer))
        });
        if let Some(name) = &self.name {
            hook = hook.named(name);
        }
        if let Some(tools) = &self.tools {
            hook = hook.tools(tools.iter().map(String::as_str));
        }
        match self.on_failure.as_deref() {
            None => {}
            Some("deny") => hook = hook.on_failure(pintle::FailurePolicy::Closed),
            Some("allow") => hook = hook.on_failure(pintle::FailurePolicy::Open),
            Some(other) => return Err(invalid(format!("onFailure is \"deny\" or \"allow\", not {other:?}"))),
        }
        if let Some(limit_ms) = self.timeout_ms {
            hook = hook.timeout_ms(u64::from(limit_ms));
        }
        if self.may_wait {
            hook = hook.may_wait();
        }
        Ok(if self.shadow == Some(true) { hook.shadow() } else { hook })
    }
}

/// A call of a hook as JSON, for the class `HookCall` in `lib/`. The payload is written once, and not copied before.
fn describe_call(call: &pintle::HookCall<'_, ()>) -> std::result::Result<String, String> {
    let payload = exact_text(call.payload())?;
    let rest = json!([call.event(), call.session(), call.agent(), call.turn(), call.cwd()]);
    Ok(format!("[{payload},{rest}]"))
}

/// The verdict in the JSON text that `lib/` makes of the class `Verdict`: a list of its parts, each with its name.
fn parse_verdict(text: &str) -> std::result::Result<pintle::Verdict, String> {
    let unknown = || format!("this is not a verdict: {text}");
    let parts: Vec<(String, Value)> = serde_json::from_str(text).map_err(|_| unknown())?;
    let mut verdict = pintle::Verdict::pass();
    for (name, value) in parts {
        verdict = match (name.as_str(), value) {
            ("deny", Value::String(reason)) => pintle::Verdict::deny(reason),
            ("ask", Value::String(reason)) => pintle::Verdict::ask(reason),
            ("allow", Value::String(reason)) => pintle::Verdict::allow(reason),
            ("rewrite", payload) => pintle::Verdict::rewrite(payload),
            ("args", args) => pintle::Verdict::args(args),
            ("withRewrite", payload) => verdict.with_rewrite(payload),
            ("context", Value::String(text)) => verdict.context(text),
            ("remind", Value::String(text)) => verdict.remind(text),
            ("notice", Value::String(text)) => verdict.notice(text),
            _ => return Err(unknown()),
        };
    }
    Ok(verdict)
}

/// A function that answers when a hook asks.
struct JsApprover(JsFunction);

impl fmt::Debug for JsApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JsApprover")
    }
}

impl JsApprover {
    fn ask(&self, request: &pintle::ApprovalRequest<'_>) -> std::result::Result<pintle::ApprovalResponse, String> {
        let text = exact_text(&json!({
            "event": request.event(),
            "subject": request.subject(),
            "payload": request.payload(),
            "reasons": request.reasons().map(|(hook, reason)| [hook, reason]).collect::<Vec<_>>(),
        }))?;
        let answer = self.0.ask_other(text, || false)?.unwrap_or_default();
        let (response, approver): (String, String) =
            serde_json::from_str(&answer).map_err(|_| String::from("this is not a response"))?;
        Ok(match response.as_str() {
            "approved" => pintle::ApprovalResponse::approved(approver),
            "refused" => pintle::ApprovalResponse::refused(approver),
            "deferred" => pintle::ApprovalResponse::deferred(),
            _ => pintle::ApprovalResponse::unavailable(),
        })
    }
}

impl pintle::Approver for JsApprover {
    fn request_approval(&self, request: &pintle::ApprovalRequest<'_>) -> pintle::ApprovalResponse {
        self.ask(request).unwrap_or_else(|_| pintle::ApprovalResponse::unavailable())
    }
}

fn ask_judge(function: &JsFunction, request: &pintle::JudgeRequest<'_>) -> std::result::Result<String, String> {
    let text = exact_text(&json!({
        "model": request.model(),
        "instruction": request.instruction(),
        "prompt": request.prompt(),
        "schema": request.schema().map(|(name, schema)| json!({"name": name, "schema": schema})),
        "timeoutMs": request.timeout_ms(),
    }))?;
    let answer = function.ask_other(text, || request.is_cancelled())?;
    answer.ok_or_else(|| String::from("the judge returned nothing"))
}

/// A function of the program with whether it may return a promise.
#[napi(object, js_name = "FunctionFields", object_to_js = false)]
pub struct JsFunctionFields<'a> {
    pub function: Function<'a, JsQuestion, ()>,
    pub may_wait: bool,
}

/// A path of hooks with its layer.
#[napi(object, js_name = "LayeredPath", object_to_js = false)]
pub struct JsLayeredPath {
    pub path: String,
    pub layer: String,
}

/// What a runtime is built from.
#[napi(object, js_name = "RuntimeFields", object_to_js = false)]
pub struct JsRuntimeFields<'a> {
    pub paths: Vec<JsLayeredPath>,
    pub packs: Vec<String>,
    pub hooks: Vec<JsHook<'a>>,
    pub workspace: Option<String>,
    pub config_dir: Option<String>,
    pub tape: Option<ClassInstance<'a, JsTape>>,
    pub approver: Option<JsFunctionFields<'a>>,
    pub judge: Option<JsFunctionFields<'a>>,
    pub shadow: bool,
    pub redact_secrets: bool,
    pub allowed_hosts: Option<Vec<String>>,
    pub random_seed: Option<u32>,
    /// The program and the arguments of a process that runs scripts.
    pub worker: Vec<String>,
}

/// A message about a hook or its file.
#[napi(object, js_name = "DiagnosticFields", object_from_js = false)]
pub struct JsDiagnostic {
    pub text: String,
    pub is_error: bool,
    pub code: String,
    pub message: String,
    pub help: Option<String>,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// What is wrong with hooks.
#[napi(object, js_name = "LoadFault", object_from_js = false)]
pub struct JsLoadFault {
    pub text: String,
    pub diagnostics: Vec<JsDiagnostic>,
}

impl From<&pintle::LoadReport> for JsLoadFault {
    fn from(report: &pintle::LoadReport) -> Self {
        let diagnostics = report.diagnostics().iter().map(|diagnostic| {
            let (line, column) = diagnostic.line_column().unzip();
            let number = |number: Option<usize>| number.and_then(|number| u32::try_from(number).ok());
            JsDiagnostic {
                text: diagnostic.to_string(),
                is_error: diagnostic.is_error(),
                code: diagnostic.code().to_owned(),
                message: diagnostic.message().to_owned(),
                help: diagnostic.help().map(str::to_owned),
                path: diagnostic.path().map(|path| path.display().to_string()),
                line: number(line),
                column: number(column),
            }
        });
        Self { text: report.to_string(), diagnostics: diagnostics.collect() }
    }
}

/// A runtime, or what is wrong with its hooks.
#[napi(object, js_name = "BuiltRuntime", object_from_js = false)]
pub struct JsBuiltRuntime {
    pub runtime: Option<JsRuntime>,
    pub fault: Option<JsLoadFault>,
}

/// A compiled set of hooks.
#[napi(js_name = "Runtime")]
pub struct JsRuntime {
    runtime: pintle::Runtime,
    /// Whether a function may return a promise.
    may_wait: Arc<AtomicBool>,
}

#[napi]
impl JsRuntime {
    #[napi]
    pub fn build(env: Env, fields: JsRuntimeFields<'_>) -> Result<JsBuiltRuntime> {
        let mut may_wait = fields.hooks.iter().any(|hook| hook.may_wait);
        let mut builder = pintle::Runtime::builder()
            .packs(fields.packs.iter().map(String::as_str))
            .shadow(fields.shadow)
            .redact_secrets(fields.redact_secrets);
        for path in &fields.paths {
            builder = builder.path(&path.path, parse_layer(&path.layer)?);
        }
        for hook in &fields.hooks {
            builder = builder.hook(hook.to_hook()?);
        }
        if let Some(dir) = fields.workspace {
            builder = builder.workspace(dir);
        }
        if let Some(dir) = fields.config_dir {
            builder = builder.config_dir(dir);
        }
        if let Some(tape) = &fields.tape {
            builder = builder.tape(&tape.0);
        }
        if let Some(approver) = fields.approver {
            may_wait |= approver.may_wait;
            builder = builder.approver(JsApprover(JsFunction::new(&approver.function)?));
        }
        if let Some(judge) = fields.judge {
            may_wait |= judge.may_wait;
            let function = JsFunction::new(&judge.function)?;
            builder = builder.judge(move |request| ask_judge(&function, request));
        }
        if let Some(hosts) = &fields.allowed_hosts {
            builder = builder.allowed_hosts(hosts.iter().map(String::as_str));
        }
        if let Some(seed) = fields.random_seed {
            builder = builder.random_seed(u64::from(seed));
        }
        if let Some((program, arguments)) = fields.worker.split_first() {
            builder = builder.worker(program, arguments);
        }
        Ok(match call_from(env, || builder.build()) {
            Ok(runtime) => {
                let runtime = Self { runtime, may_wait: Arc::new(AtomicBool::new(may_wait)) };
                JsBuiltRuntime { runtime: Some(runtime), fault: None }
            }
            Err(report) => JsBuiltRuntime { runtime: None, fault: Some(JsLoadFault::from(&report)) },
        })
    }

    #[napi]
    pub fn life(&self, origin: Option<JsOrigin>) -> JsLife {
        JsLife::new(self.runtime.clone(), origin.map(Into::into), Arc::clone(&self.may_wait))
    }

    #[napi]
    pub fn register(&self, env: Env, hook: JsHook<'_>) -> Result<JsRegisteredHook> {
        // Before the hook can be called.
        self.may_wait.fetch_or(hook.may_wait, Ordering::Relaxed);
        let hook = hook.to_hook()?;
        Ok(match call_from(env, || self.runtime.register(hook)) {
            Ok(registration) => JsRegisteredHook { registration: Some(JsHookRegistration(registration)), fault: None },
            Err(report) => JsRegisteredHook { registration: None, fault: Some(JsLoadFault::from(&report)) },
        })
    }

    #[napi]
    pub fn redact(&self, text: String) -> String {
        self.runtime.redact(&text)
    }
}

#[cfg(feature = "bench")]
impl JsRuntime {
    pub(crate) fn inner(&self) -> &pintle::Runtime {
        &self.runtime
    }
}

/// The session, turn and agent that an event belongs to.
#[napi(object, js_name = "OriginFields", object_to_js = false)]
pub struct JsOrigin {
    pub session: Option<String>,
    pub agent: Option<String>,
    pub turn: Option<u32>,
    pub depth: Option<u32>,
    pub cwd: Option<String>,
}

impl From<JsOrigin> for pintle::Origin {
    fn from(origin: JsOrigin) -> Self {
        Self::session(origin.session.unwrap_or_default())
            .agent(origin.agent.unwrap_or_default())
            .turn(origin.turn.unwrap_or_default())
            .depth(origin.depth.unwrap_or_default())
            .cwd(origin.cwd.unwrap_or_default())
    }
}

/// A hook that was registered while the runtime runs.
#[napi(js_name = "HookRegistration")]
pub struct JsHookRegistration(pintle::HookRegistration);

#[napi]
impl JsHookRegistration {
    #[napi(getter)]
    pub fn is_active(&self) -> bool {
        self.0.is_active()
    }

    #[napi]
    pub fn remove(&self) -> bool {
        self.0.remove()
    }
}

/// A registration, or what is wrong with its hook.
#[napi(object, js_name = "RegisteredHook", object_from_js = false)]
pub struct JsRegisteredHook {
    pub registration: Option<JsHookRegistration>,
    pub fault: Option<JsLoadFault>,
}

fn parse_layer(name: &str) -> Result<pintle::Layer> {
    match name {
        "managed" => Ok(pintle::Layer::Managed),
        "user" => Ok(pintle::Layer::User),
        "project" => Ok(pintle::Layer::Project),
        _ => Err(invalid(format!("a layer is \"managed\", \"user\" or \"project\", not {name:?}"))),
    }
}

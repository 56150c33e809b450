//! The requests of hosts in other languages, and the answers: one JSON object each.
//!
//! `schemas/serve.json` is generated from these types. To add an operation, add a row to the table.

use pintle_host::contract::{PayloadError, read_payload, suggest_or_list};
use pintle_host::tape::record::OutcomeRecord;
use pintle_host::{Decision, Event, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the protocol. A change that a host could notice gets the next number.
pub const PROTOCOL_VERSION: u32 = 1;

/// The JSON Schema of the protocol. `cargo xtask reference` writes the file, and its `--check` compares it.
pub const SCHEMA: &str = include_str!("schema.json");

/// Most characters of the ID of a request, a session or a call.
pub const MAX_ID_CHARS: usize = 256;

macro_rules! operations {
    ($($(#[doc = $doc:literal])+ $variant:ident($name:literal, $request:ident, $answer:ident)),* $(,)?) => {
        /// A request.
        #[derive(Debug, Clone)]
        pub enum HostRequest {
            $($(#[doc = $doc])+ $variant($request),)*
        }

        /// The operations by name.
        pub const OPERATIONS: &[&str] = &[$($name),*];

        impl HostRequest {
            /// Reads the fields of an operation.
            fn from_fields(operation: &str, fields: Value) -> Result<Self, RequestError> {
                match operation {
                    $($name => serde_json::from_value(fields).map(Self::$variant).map_err(|error| {
                        RequestError::new(ErrorCode::BadRequest, format!("`{operation}`: {error}"))
                    }),)*
                    _ => Err(unknown_operation(operation)),
                }
            }
        }

        /// Each operation with its description and the schemas of its request and its answer.
        #[cfg(feature = "schema")]
        fn operation_schemas(
            requests: &mut schemars::SchemaGenerator,
            answers: &mut schemars::SchemaGenerator,
        ) -> Vec<(&'static str, String, Value, Value)> {
            vec![$((
                $name,
                [$($doc.trim()),+].join(" "),
                requests.root_schema_for::<$request>().to_value(),
                answers.subschema_for::<$answer>().to_value(),
            )),*]
        }
    };
}

operations! {
    /// Asks which program answers, and within which limits.
    Hello("hello", HelloRequest, HelloAnswer),
    /// Opens a session: loads the hooks, and fires `session.start`.
    Open("open", OpenSessionRequest, OpenSessionAnswer),
    /// Fires an event, and answers with the outcome.
    Fire("fire", FireEventRequest, FiredEventAnswer),
    /// Asks all hooks about a tool call.
    Decide("decide", DecideCallRequest, DecidedCallAnswer),
    /// Passes on the user's response to the approval request of a call.
    Approve("approve", ApproveCallRequest, DecidedCallAnswer),
    /// Shows all hooks the result of a call that `decide` or `approve` allowed.
    Conclude("conclude", ConcludeCallRequest, ConcludedCallAnswer),
    /// Asks which hooks would run for an event, and why the others would not. No hook is called.
    Explain("explain", ExplainEventRequest, ExplainedEventAnswer),
    /// Ends a session: fires `session.end`, and closes its tape.
    End("end", EndSessionRequest, EndedSessionAnswer),
}

macro_rules! wire_types {
    ($($item:item)*) => {$(
        #[derive(Debug, Clone, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $item
    )*};
}

wire_types! {
    /// The fields of `hello`: none.
    #[serde(deny_unknown_fields)]
    pub struct HelloRequest {}

    /// The fields of `open`.
    #[serde(deny_unknown_fields)]
    pub struct OpenSessionRequest {
        /// The ID of the new session.
        pub session: String,
        /// The absolute path of the directory that the agent works in. Default: that of the server.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub cwd: Option<String>,
        /// The name of the agent. Default: that of the loaded agent, otherwise `root`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub agent: Option<String>,
        /// Why the session starts: `startup`, `resume`, `clear` or `compact`. Default: `startup`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub source: Option<String>,
    }

    /// The fields of `fire`.
    #[serde(deny_unknown_fields)]
    pub struct FireEventRequest {
        /// The ID of the session.
        pub session: String,
        /// The name of the event, such as `prompt.submit`.
        pub event: String,
        /// The data of the event: an object, in which fields that may be omitted are filled in, or the text of a `turn.start`.
        #[serde(default = "no_fields")]
        pub payload: Value,
    }

    /// The fields of `decide`.
    #[serde(deny_unknown_fields)]
    pub struct DecideCallRequest {
        /// The ID of the session.
        pub session: String,
        /// The call that the agent wants to make.
        pub call: RequestedCall,
    }

    /// A tool call that an agent wants to make, in its own words.
    #[serde(deny_unknown_fields)]
    pub struct RequestedCall {
        /// The agent's ID of the call. Another call may have it only after this one was refused or concluded.
        pub id: String,
        /// The name of the tool.
        pub name: String,
        /// The arguments.
        pub args: Map<String, Value>,
        /// Whose names the tool and its arguments have, such as `claude`. Default: found by the name of the tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub vocabulary: Option<String>,
        /// The directory that relative paths refer to. Default: that of the session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub cwd: Option<String>,
        /// The permission mode of the agent, which hooks can read, such as `plan`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub permission_mode: Option<String>,
        /// Whether the tool declares itself read-only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub read_only: Option<bool>,
    }

    /// The fields of `approve`.
    #[serde(deny_unknown_fields)]
    pub struct ApproveCallRequest {
        /// The ID of the session.
        pub session: String,
        /// The ID of the call.
        pub call: String,
        /// The response.
        pub decision: UserResponse,
        /// Who gave it, for the tape. Default: `user`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
    }

    /// The user's response to an approval request.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum UserResponse {
        /// The call may run.
        Allow,
        /// The call must not run.
        Deny,
    }

    /// The fields of `conclude`.
    #[serde(deny_unknown_fields)]
    pub struct ConcludeCallRequest {
        /// The ID of the session.
        pub session: String,
        /// The ID of the call.
        pub call: String,
        /// What the tool returned.
        pub result: HostToolResult,
    }

    /// What a tool returned.
    #[serde(deny_unknown_fields)]
    pub struct HostToolResult {
        /// The text for the model.
        pub content: String,
        /// Whether the tool failed. Default: false.
        #[serde(default)]
        pub is_error: bool,
    }

    /// The fields of `explain`.
    #[serde(deny_unknown_fields)]
    pub struct ExplainEventRequest {
        /// The name of the event, such as `tool.pre` for a tool call.
        pub event: String,
        /// The data of the event, such as `name` and `args` of a tool call.
        #[serde(default = "no_fields")]
        pub payload: Value,
    }

    /// The fields of `end`.
    #[serde(deny_unknown_fields)]
    pub struct EndSessionRequest {
        /// The ID of the session.
        pub session: String,
        /// Why the session ends: `done`, `exit`, `clear`, `error` or `cancelled`. Default: `done`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
    }

    /// The result of `hello`.
    pub struct HelloAnswer {
        /// The version of Pintle.
        pub pintle: String,
        /// The version of the protocol.
        pub protocol: u32,
        /// The names of the operations.
        pub operations: Vec<String>,
        /// The number of hooks that are loaded.
        pub hooks: usize,
        /// The limits.
        pub limits: ServerLimits,
    }

    /// What the server takes at most.
    #[derive(Copy)]
    pub struct ServerLimits {
        /// The bytes of a request.
        pub request_bytes: usize,
        /// The sessions that are open at the same time.
        pub sessions: usize,
        /// The requests that wait at the same time.
        pub waiting_requests: usize,
        /// The calls of a session that are neither refused nor concluded. Of more the oldest is forgotten: it can be
        /// neither approved nor concluded.
        pub open_calls: usize,
    }

    /// The result of `open`.
    pub struct OpenSessionAnswer {
        /// Whether the session is open. A hook can deny that.
        pub opened: bool,
        /// The outcome of `session.start`.
        pub outcome: FiredEventAnswer,
    }

    /// The result of `fire`: the outcome of the event.
    pub struct FiredEventAnswer {
        /// The name of the event.
        pub event: String,
        /// What the host must do. `ask`: go on only if the user approves.
        pub decision: DecisionWord,
        /// Whether a hook explicitly allowed the event, as opposed to no hook objecting.
        pub approved: bool,
        /// Whether hooks changed the payload.
        pub rewritten: bool,
        /// The data of the event as hooks left it. The host uses this and no other.
        pub payload: Value,
        /// The reasons in one text with the names of the hooks, for the user.
        pub reason: String,
        /// The reasons in one text without the names of the hooks, for the model.
        pub reason_for_model: String,
        /// The hooks that decided, in their order.
        pub hooks: Vec<String>,
        /// Why the agent's run must end, and not just this step; `null` if it need not.
        pub stop_reason: Option<String>,
        /// The texts for the model, context and reminders.
        pub context: Vec<String>,
        /// The texts for the user.
        pub notices: Vec<String>,
        /// The effects for the host with their hooks, among them the texts above.
        pub effects: Vec<Value>,
        /// The hooks that failed.
        pub failures: Vec<Value>,
        /// Problems that did not affect the decision, with their hooks.
        pub warnings: Vec<HookWarning>,
        /// The number of hooks that were called.
        pub hooks_called: u32,
    }

    /// What a host must do.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum DecisionWord {
        /// Go on.
        Allow,
        /// Go on only if the user approves.
        Ask,
        /// Do not go on.
        Deny,
    }

    /// A problem of a hook.
    pub struct HookWarning {
        /// The name of the hook.
        pub hook: String,
        /// The message for the user.
        pub message: String,
    }

    /// The result of `decide` and of `approve`.
    pub struct DecidedCallAnswer {
        /// What the host must do. `ask`: ask the user, and pass on the response with `approve`.
        pub decision: DecisionWord,
        /// The call to run, and no other; absent unless it may run.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub call: Option<RunnableCall>,
        /// What the user is to approve; absent unless the decision is `ask`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub approval_request: Option<CallApprovalRequest>,
        /// Why the call does not run; absent unless the decision is `deny`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub refusal: Option<StepRefusal>,
        /// The texts for the model, context and reminders.
        pub context: Vec<String>,
        /// The texts for the user.
        pub notices: Vec<String>,
    }

    /// A call as hooks left it.
    pub struct RunnableCall {
        /// The agent's ID of the call.
        pub id: String,
        /// The name of the tool.
        pub name: String,
        /// The arguments.
        pub args: Value,
        /// Whether hooks changed the name or the arguments.
        pub rewritten: bool,
    }

    /// What the user is to approve. Without a response the call does not run.
    pub struct CallApprovalRequest {
        /// The call that runs if the user approves it.
        pub call: RunnableCall,
        /// Why hooks ask, with the names of the hooks.
        pub reasons: Vec<String>,
        /// The hooks that ask.
        pub hooks: Vec<String>,
    }

    /// Why a step does not happen.
    pub struct StepRefusal {
        /// The event at which it was refused.
        pub event: String,
        /// The reason. That of a tool call is its result for the model.
        pub reason: String,
        /// The hooks that refused it; none if the user did.
        pub hooks: Vec<String>,
        /// Whether the agent's run must end, and not just this step.
        pub stops_run: bool,
    }

    /// The result of `conclude`.
    pub struct ConcludedCallAnswer {
        /// The result as hooks left it. The model gets this and no other.
        pub result: ModelToolResult,
        /// Why the agent's run must end; `null` if it need not.
        pub stop_reason: Option<String>,
        /// The texts for the model, context and reminders.
        pub context: Vec<String>,
        /// The texts for the user.
        pub notices: Vec<String>,
    }

    /// The result of a call, as the model gets it.
    pub struct ModelToolResult {
        /// The text for the model.
        pub content: String,
        /// Whether the tool failed, or a hook withheld its result.
        pub is_error: bool,
    }

    /// The result of `explain`.
    pub struct ExplainedEventAnswer {
        /// The name of the event.
        pub event: String,
        /// All loaded hooks, in the order in which they are called.
        pub hooks: Vec<ExplainedHook>,
    }

    /// Whether a hook would run.
    pub struct ExplainedHook {
        /// The name of the hook.
        pub hook: String,
        /// Whether it would run.
        pub runs: bool,
        /// Why it would run or not.
        pub reason: String,
        /// The event that it listens to.
        pub event: String,
        /// The configuration layer.
        pub layer: String,
        /// The priority within the layer.
        pub priority: i64,
        /// The file that declares it; `null` if none does.
        pub path: Option<String>,
    }

    /// The result of `end`.
    pub struct EndedSessionAnswer {
        /// The number of turns that the session had.
        pub turns: u32,
    }

    /// Why a request was not done. No hook approved anything then.
    pub struct RequestError {
        /// What kind of error it is.
        pub code: ErrorCode,
        /// What is wrong.
        pub message: String,
        /// The next step; `null` if the message says it.
        pub help: Option<String>,
    }

    /// The kinds of errors.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum ErrorCode {
        /// The text is not a JSON object, or repeats a key.
        NotJson,
        /// The request is longer than the limit.
        TooLong,
        /// A field is missing, unknown, or has another type.
        BadRequest,
        /// No operation has this name.
        UnknownOperation,
        /// No event has this name.
        UnknownEvent,
        /// The payload does not fit its event.
        BadPayload,
        /// No tool vocabulary has this name.
        UnknownVocabulary,
        /// No session with this ID is open.
        UnknownSession,
        /// A session with this ID is open already.
        SessionInUse,
        /// As many sessions are open as may be.
        TooManySessions,
        /// As many requests wait as may.
        TooManyRequests,
        /// The hooks do not load, and one of them may be a guard.
        HooksNotLoaded,
        /// The tape of the session cannot be written.
        NoTape,
        /// A call with this ID is neither refused nor concluded.
        CallInUse,
        /// No call with this ID waits for this.
        UnknownCall,
        /// The call was not approved.
        NotApproved,
        /// HTTP: the token is missing or wrong.
        Unauthorized,
        /// HTTP: the request comes from a browser, or names another host.
        Forbidden,
        /// HTTP: no operation has this path.
        NotFound,
        /// HTTP: the path has another method.
        MethodNotAllowed,
        /// HTTP: the request did not arrive in time.
        TimedOut,
        /// The server could not finish the request.
        Internal,
    }
}

impl RequestError {
    /// An error without a next step.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    /// The error for a request that is too long.
    pub fn too_long(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::TooLong, message).help("send a smaller request")
    }

    /// Sets the next step.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

fn no_fields() -> Value {
    Value::Object(Map::new())
}

fn unknown_operation(name: &str) -> RequestError {
    let shown: String = name.chars().take(MAX_ID_CHARS).collect();
    let error = RequestError::new(ErrorCode::UnknownOperation, format!("there is no operation `{shown}`"));
    error.help(suggest_or_list(name, OPERATIONS.iter().copied(), "the operations are"))
}

/// Reads a request. `operation` is what the transport says, if that is not in the request itself. The ID of the request is
/// `null` if it has none that can be returned.
///
/// # Errors
/// When the text is not a request.
pub fn read_request(text: &[u8], operation: Option<&str>) -> (Value, Result<HostRequest, RequestError>) {
    let value = match read_payload(text) {
        Ok(value) => value,
        Err(PayloadError::NotJson(error)) => {
            return (
                Value::Null,
                Err(RequestError::new(ErrorCode::NotJson, format!("the request is not JSON: {error}"))),
            );
        }
        Err(error) => return (Value::Null, Err(RequestError::too_long(format!("the request is too large: {error}")))),
    };
    let Value::Object(mut fields) = value else {
        return (Value::Null, Err(RequestError::new(ErrorCode::NotJson, "the request is not a JSON object")));
    };
    let id = fields.shift_remove("id").unwrap_or_default();
    let is_short = |text: &str| text.len() <= MAX_ID_CHARS;
    match &id {
        Value::Null => {}
        Value::String(text) if is_short(text) => {}
        Value::Number(number) if is_short(&number.to_string()) => {}
        _ => {
            let what = format!("`id` is not a number or a text of at most {MAX_ID_CHARS} bytes");
            return (Value::Null, Err(RequestError::new(ErrorCode::BadRequest, what)));
        }
    }
    let request = match (operation, fields.shift_remove("op")) {
        (None, Some(Value::String(name))) => HostRequest::from_fields(&name, Value::Object(fields)),
        (Some(name), None) => HostRequest::from_fields(name, Value::Object(fields)),
        (None, _) => Err(RequestError::new(ErrorCode::BadRequest, "`op`, the name of the operation, is missing")),
        (Some(_), Some(_)) => {
            Err(RequestError::new(ErrorCode::BadRequest, "`op` is not allowed: the path names the operation"))
        }
    };
    (id, request)
}

impl From<Decision> for DecisionWord {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Allow => Self::Allow,
            Decision::Ask => Self::Ask,
            Decision::Deny => Self::Deny,
        }
    }
}

impl FiredEventAnswer {
    /// The outcome of an event.
    #[must_use]
    pub fn new(event: &Event, outcome: Outcome) -> Self {
        let record = OutcomeRecord::new(1, event.name.as_str(), &outcome, 0, true);
        // What is on a tape is JSON.
        let effects = record.effects.iter().filter_map(|effect| serde_json::to_value(effect).ok()).collect();
        let failures = record.failures.iter().filter_map(|failure| serde_json::to_value(failure).ok()).collect();
        let warnings = outcome
            .warnings
            .iter()
            .map(|warning| HookWarning { hook: warning.hook.as_str().to_owned(), message: warning.message.clone() });
        Self {
            event: event.name.as_str().to_owned(),
            decision: outcome.decision.into(),
            approved: outcome.approved,
            rewritten: outcome.rewritten,
            reason: outcome.reason(),
            reason_for_model: outcome.reason_for_model(),
            hooks: outcome.reasons.iter().map(|reason| reason.hook.as_str().to_owned()).collect(),
            stop_reason: outcome.stop_reason(),
            context: outcome.model_texts().map(str::to_owned).collect(),
            notices: outcome.user_texts().map(str::to_owned).collect(),
            effects,
            failures,
            warnings: warnings.collect(),
            hooks_called: outcome.hooks_called,
            payload: outcome.payload.into_value(),
        }
    }
}

/// The JSON Schema of the protocol.
#[cfg(feature = "schema")]
#[must_use]
pub fn generate_protocol_schema() -> Value {
    use schemars::generate::SchemaSettings;
    use serde_json::json;

    let settings = SchemaSettings::draft2020_12;
    let mut requests = settings().for_deserialize().into_generator();
    let mut answers = settings().for_serialize().into_generator();
    let id = json!({
        "description": "Comes back in the answer.",
        "type": ["string", "number", "null"],
        "maxLength": MAX_ID_CHARS,
    });
    let (mut by_operation, mut results) = (Vec::new(), Vec::new());
    for (name, description, mut request, answer) in operation_schemas(&mut requests, &mut answers) {
        if let Value::Object(fields) = &mut request {
            fields.retain(|key, _| !["$schema", "$defs", "title", "description"].contains(&key.as_str()));
            let properties = fields.entry("properties").or_insert_with(|| json!({}));
            if let Value::Object(known) = std::mem::take(properties) {
                let mut all = Map::from_iter([(String::from("id"), id.clone())]);
                all.insert(String::from("op"), json!({"const": name}));
                all.extend(known);
                *properties = Value::Object(all);
            }
            let required = fields.entry("required").or_insert_with(|| json!([]));
            if let Value::Array(names) = required {
                names.insert(0, json!("op"));
            }
            fields.insert(String::from("description"), json!(description));
        }
        by_operation.push(request);
        if !results.contains(&answer) {
            results.push(answer);
        }
    }
    let error = answers.subschema_for::<RequestError>().to_value();
    let mut definitions = requests.take_definitions(true);
    definitions.extend(answers.take_definitions(true));
    definitions.insert(String::from("Request"), json!({"oneOf": by_operation}));
    let answer = |name: &str, schema: Value| {
        json!({
            "type": "object",
            "properties": {"id": id, name: schema},
            "required": ["id", name],
            "additionalProperties": false,
        })
    };
    let result = answer("result", json!({"anyOf": results}));
    definitions.insert(String::from("Answer"), json!({"oneOf": [result, answer("error", error)]}));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pintle serve",
        "description": format!("Requests and answers of `pintle serve`, version {PROTOCOL_VERSION}. Over HTTP the path \
                                names the operation, and a request has no `op`."),
        "oneOf": [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Answer"}],
        "$defs": definitions,
    })
}

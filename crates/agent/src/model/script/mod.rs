//! A model that plays turns from a YAML file, for demos and tests.

mod expect;
mod file;
mod yaml_value;

use std::collections::HashMap;

use parking_lot::Mutex;
use pintle_host::CancelToken;
use serde_json::Value;

pub(crate) use self::expect::new_messages;
use self::file::{AgentScript, ScriptFile, ScriptedTurn, TurnList};
use crate::model::error::{ModelError, ModelErrorKind};
use crate::model::interface::Model;
use crate::model::message::{ModelReply, ModelRequest, ModelToolCall, ModelUsage, ReplyDelta};

/// The number of bytes that count as one token if a turn does not give its usage.
const BYTES_PER_TOKEN: usize = 4;

/// A model that plays turns from a YAML file, for demos and tests.
///
/// Each call of the model plays the next turn. A turn may say what it expects of the conversation. If something else
/// came, the model fails and names the line of the script and what came. So a demo can show, and a test can check, what
/// the agent and its hooks did in between.
///
/// ```yaml
/// about: what this shows                  # optional
/// prompts: [Clean up., And now?]          # optional: the user's messages if no others are given
/// turns:                                  # of the first agent that calls the model
///   - expect: {last: user, contains: clean}
///     say: I will look around.            # streamed word by word
///     calls:                              # several are parallel calls
///       - {tool: run_command, args: {command: ls}}
///       - {tool: run_command, arguments: "not JSON"}   # the raw text, for malformed calls
///       - {tool: self_check, times: 3}      # the same call several times, at once
///   - expect:                             # several: each must hold
///       - {tool: run_command, contains: [blocked, policy]}
///       - {tool: run_command, lacks: secret}
///     error: {retryable: true, message: overloaded}    # this call fails
///   - expect: {offers: run_command, system: be careful}
///     say: Done.
///     usage: {input: 10, output: 5}       # default: estimated from the text
///     finish: stop                        # default: `tool_calls` or `stop`
/// agents:                                 # of other agents, by name
///   reviewer:                             # one list for all its runs, in the order of their calls
///     - say: Looks good.
///   searcher:                             # or one list for each run: the first free one whose first turn fits
///     conversations:
///       - - {expect: {contains: north}, say: nothing in the north}
///       - - {expect: {contains: south}, say: nothing in the south}
/// ```
///
/// `expect` checks the messages since the model's last one: one of them must have the role `last`, be a result of
/// `tool`, contain each text of `contains` and none of `lacks`. `system` checks the instruction and `offers` the tools.
/// Unknown keys are errors.
///
/// Each agent has its own position in the script, so that agents which run concurrently do not disturb each other.
///
/// # Example
///
/// ```
/// use pintle_agent::model::{Model, ModelMessage, ModelRequest, ScriptModel};
/// use pintle_host::CancelToken;
///
/// let model = ScriptModel::parse("hello.yaml", "turns: [{expect: {contains: hi}, say: Hello there.}]")?;
/// let request = ModelRequest { messages: vec![ModelMessage::user("hi!")], ..ModelRequest::default() };
/// let reply = model.complete(&request, &mut |_| {}, &CancelToken::default())?;
/// assert_eq!(reply.text, "Hello there.");
///
/// let error = model.complete(&request, &mut |_| {}, &CancelToken::default()).unwrap_err();
/// assert!(error.message.contains("has no turn 2"));
/// # Ok::<(), pintle_agent::model::ModelError>(())
/// ```
#[derive(Debug)]
pub struct ScriptModel {
    name: String,
    file: ScriptFile,
    progress: Mutex<ScriptProgress>,
}

/// The position in the script.
#[derive(Debug, Default)]
struct ScriptProgress {
    /// The first agent that called the model, which plays the main turns.
    first_agent: Option<String>,
    /// The next turn of each list, from 0.
    next: HashMap<TurnListKey, usize>,
    /// Which of its agent's lists a run plays.
    conversation_lists: HashMap<(String, String), usize>,
}

/// A list of turns: the agent's name and the index of the list.
type TurnListKey = (String, usize);

impl ScriptModel {
    /// Parses a script. `name` is its file, for errors.
    ///
    /// # Errors
    /// When `text` is not a valid script; the message names the line.
    pub fn parse(name: &str, text: &str) -> Result<Self, ModelError> {
        let file = ScriptFile::parse(text)
            .map_err(|reason| ModelError::new(ModelErrorKind::Script, format!("script `{name}`: {reason}")))?;
        Ok(Self { name: name.to_owned(), file, progress: Mutex::default() })
    }

    /// The author's description of the script; may be empty.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.file.summary
    }

    /// The user's messages, turn by turn, if no others are given; may be empty.
    #[must_use]
    pub fn prompts(&self) -> &[String] {
        &self.file.prompts
    }

    /// Advances to the next turn for a request that meets the turn's expectations.
    fn next_turn(&self, request: &ModelRequest) -> Result<NextTurn<'_>, String> {
        let mut places = self.progress.lock();
        let agent = request.agent.as_str();
        let (turns, list) = match self.file.agents.get(agent) {
            Some(AgentScript::Shared(turns)) => (turns, 0),
            Some(AgentScript::Conversations(each)) => pick_turn_list(each, request, &mut places)?,
            None => {
                let first = places.first_agent.get_or_insert_with(|| agent.to_owned());
                if first != agent {
                    return Err(format!("the agent `{agent}` has no turns; add them under `agents`"));
                }
                (&self.file.turns, 0)
            }
        };
        let next = places.next.entry((agent.to_owned(), list)).or_default();
        let number = *next + 1;
        let Some(turn) = turns.get(*next) else {
            let came = expect::summarize(expect::new_messages(request));
            return Err(format!("the agent `{agent}` has no turn {number}, but the model got {came}; add a turn"));
        };
        if let Some(reason) = turn.1.expect.iter().find_map(|wanted| expect::find_mismatch(wanted, request)) {
            let line = turn.0;
            return Err(format!("line {line}, turn {number} of the agent `{agent}`: {reason}"));
        }
        *next = number;
        Ok(NextTurn { turn: &turn.1, list_index: list, turn_number: number })
    }
}

/// The list of turns that a run plays: its own, or the first free one whose first turn fits.
fn pick_turn_list<'a>(
    each: &'a [TurnList],
    request: &ModelRequest,
    progress: &mut ScriptProgress,
) -> Result<(&'a TurnList, usize), String> {
    let run = (request.agent.clone(), request.conversation.clone());
    let list = progress.conversation_lists.get(&run).copied().or_else(|| {
        let taken = |list: usize| {
            progress.conversation_lists.iter().any(|((agent, _), taken)| *agent == run.0 && *taken == list)
        };
        let fits = |turns: &TurnList| {
            turns
                .first()
                .is_some_and(|turn| turn.1.expect.iter().all(|one| expect::find_mismatch(one, request).is_none()))
        };
        each.iter().enumerate().find(|(list, turns)| !taken(*list) && fits(turns)).map(|(list, _)| list)
    });
    let found = list.and_then(|list| each.get(list).map(|turns| (turns, list)));
    let (turns, list) = found.ok_or_else(|| {
        let came = expect::summarize(expect::new_messages(request));
        format!("no free conversation of the agent `{}` starts with what came: {came}; add one", run.0)
    })?;
    progress.conversation_lists.insert(run, list);
    Ok((turns, list))
}

/// A turn to play, with its position.
struct NextTurn<'a> {
    turn: &'a ScriptedTurn,
    list_index: usize,
    turn_number: usize,
}

impl NextTurn<'_> {
    fn calls(&self, agent: &str) -> Vec<ModelToolCall> {
        let each = self.turn.calls.iter().flat_map(|call| std::iter::repeat_n(call, call.times));
        each.enumerate()
            .map(|(index, call)| ModelToolCall {
                id: call.id.clone().unwrap_or_else(|| {
                    let list = if self.list_index == 0 { String::new() } else { format!("{}_", self.list_index + 1) };
                    format!("call_{agent}_{list}{}_{}", self.turn_number, index + 1)
                }),
                name: call.tool.clone(),
                arguments: match (&call.arguments, &call.args) {
                    (Some(raw), _) => raw.clone(),
                    (None, Some(args)) => Value::Object(args.clone()).to_string(),
                    (None, None) => String::from("{}"),
                },
            })
            .collect()
    }

    fn usage(&self, request: &ModelRequest, calls: &[ModelToolCall]) -> ModelUsage {
        if let Some(usage) = self.turn.usage {
            return ModelUsage { input_tokens: usage.input, output_tokens: usage.output };
        }
        let of_calls =
            |calls: &[ModelToolCall]| calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>();
        let read: usize =
            request.messages.iter().map(|message| message.content.len() + of_calls(&message.tool_calls)).sum();
        let tokens = |bytes: usize| bytes.div_ceil(BYTES_PER_TOKEN) as u64;
        ModelUsage { input_tokens: tokens(read), output_tokens: tokens(self.turn.say.len() + of_calls(calls)) }
    }
}

impl Model for ScriptModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(
        &self,
        request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::cancelled());
        }
        let left = |reason| ModelError::new(ModelErrorKind::Script, format!("script `{}`: {reason}", self.name));
        let play = self.next_turn(request).map_err(left)?;
        for word in play.turn.say.split_inclusive(char::is_whitespace) {
            if cancel.is_cancelled() {
                return Err(ModelError::cancelled());
            }
            on(ReplyDelta::Text(word.to_owned()));
        }
        if let Some(error) = &play.turn.error {
            let kind = if error.retryable { ModelErrorKind::Retryable } else { ModelErrorKind::Fatal };
            return Err(ModelError::new(kind, error.message.clone()));
        }
        let tool_calls = play.calls(&request.agent);
        let finish = if tool_calls.is_empty() { "stop" } else { "tool_calls" };
        Ok(ModelReply {
            text: play.turn.say.clone(),
            usage: play.usage(request, &tool_calls),
            finish_reason: play.turn.finish.clone().unwrap_or_else(|| finish.to_owned()),
            tool_calls,
        })
    }

    /// Skips the turns that were already played.
    fn resume_from(&self, calls: &mut dyn Iterator<Item = ModelRequest>) {
        for request in calls {
            // A request that did not fit the script then does not fit it now.
            let _ = self.next_turn(&request);
        }
    }
}

//! A random session: a model that calls tools at random, with hooks that return random verdicts.
//!
//! Each random number is a function of the seed and of the payload or the conversation. Time does not advance, so that
//! they contain no durations, and nothing counts what happens on several threads. So a seed gives the same session
//! every time, except for the order of concurrent agents.

use std::sync::Arc;

use pintle_agent::model::{
    Model, ModelError, ModelReply, ModelRequest, ModelTool, ModelToolCall, ModelUsage, ReplyDelta,
};
use pintle_agent::{Session, Sleeper, Tool, ToolContext, ToolError};
use pintle_host::RandomSource;
use pintle_host::contract::{
    AgentSpec, EffectRequest, EnforcementMode, Failure, FailureKind, MatchResult, Matcher, ToolsPolicy,
};
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, Chain, Effect, Event, EventName, FailurePolicy, Hook,
    HookCall, Layer, Profile, Reminder, Runtime, Verdict, native,
};
use pintle_testkit::FakeClock;
use serde_json::{Map, Value, json};

use crate::replay::dice::SplitMixDice;

/// The events that have random hooks.
const EVENTS: [&str; 9] = [
    "tool.pre",
    "tool.post",
    "completion.pre",
    "prompt.submit",
    "delegation.pre",
    "iteration.post",
    "compact.pre",
    "turn.end",
    "custom.seen",
];

/// A model that replies or calls a tool at random, depending on the conversation, up to a number of messages.
#[derive(Debug)]
struct RandomReplyModel(u64);

impl Model for RandomReplyModel {
    fn name(&self) -> &str {
        "chance"
    }

    fn complete(
        &self,
        request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        _cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError> {
        let mut dice = SplitMixDice::from_seed(self.0, &normalize_numbers(format!("{:?}", request.messages)));
        let number = dice.roll(1 << 40) as u64;
        let can_call = !request.tools.is_empty() && request.messages.len() < 40;
        let calls = if can_call && dice.roll(5) > 1 { 1 + dice.roll(3) } else { 0 };
        let call = |index: usize| {
            let mut dice = SplitMixDice::new(self.0 ^ (number << 20) ^ (index as u64 + 1));
            let (name, arguments) = match dice.roll(7) {
                0 => ("delegate", json!({"task": format!("part {}", dice.roll(9))})),
                1 => ("break", json!({"n": dice.roll(3)})),
                2 => ("nowhere", json!({})),
                _ => ("look", json!({"n": dice.roll(3), "text": "long ".repeat(dice.roll(2) * 300)})),
            };
            ModelToolCall { id: format!("c{number}_{index}"), name: name.to_owned(), arguments: arguments.to_string() }
        };
        let reply = ModelReply {
            text: if calls == 0 { format!("answer {number}") } else { String::new() },
            tool_calls: (0..calls).map(call).collect(),
            finish_reason: String::from(if calls == 0 { "stop" } else { "tool_calls" }),
            usage: ModelUsage { input_tokens: 10, output_tokens: 1 },
        };
        on(ReplyDelta::Text(reply.text.clone()));
        Ok(reply)
    }
}

/// A random source with a fixed value, so that the session gets the same one on every thread.
#[derive(Debug)]
struct ConstantRandom;

impl RandomSource for ConstantRandom {
    fn next_bits(&self) -> u64 {
        7
    }
}

/// The input of a random number, without the numbers in names such as `delegation_3`, which concurrent agents share.
pub(crate) fn normalize_numbers(text: impl ToString) -> String {
    let mut in_number = false;
    let stays = |letter: &char| {
        let is_digit = letter.is_ascii_digit();
        in_number = *letter == '_' || (in_number && is_digit);
        !(in_number && is_digit)
    };
    without_directory(&text.to_string()).chars().filter(stays).collect()
}

/// A payload without the directories, which differ from session to session.
fn without_directory(text: &str) -> String {
    let strip = |text: &str, key: &str| {
        let mut parts = text.split(key);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |whole, part| whole + part.split_once('"').map_or("", |(_, rest)| rest))
    };
    strip(&strip(text, "\"cwd\":\""), "\"project\":\"")
}

/// A tool that returns its arguments, or fails.
#[derive(Debug)]
struct ReplayEchoTool(ModelTool, bool);

impl Tool for ReplayEchoTool {
    fn definition(&self) -> &ModelTool {
        &self.0
    }

    fn call(&self, arguments: &Value, _context: &ToolContext<'_>) -> Result<Value, ToolError> {
        if self.1 { Ok(arguments.clone()) } else { Err(ToolError::from("it broke")) }
    }
}

fn echo_tool(name: &str, works: bool) -> Arc<dyn Tool> {
    let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}, "text": {"type": "string"}}});
    Arc::new(ReplayEchoTool(
        ModelTool { name: name.to_owned(), description: String::from("a tool"), parameters },
        works,
    ))
}

#[derive(Debug)]
struct ReplayNullSleeper;

impl Sleeper for ReplayNullSleeper {
    fn sleep(&self, _duration_ms: u64, _cancel: &CancelToken) {}
}

/// Approves or denies, depending on the request.
#[derive(Debug)]
struct RandomApprover(u64);

impl Approver for RandomApprover {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let by = String::from("mara");
        match SplitMixDice::from_seed(self.0, &normalize_numbers(question.event.payload.value())).roll(3) {
            0 => ApprovalResponse::Unavailable,
            1 => ApprovalResponse::Refused { answered_by: by },
            _ => ApprovalResponse::Approved { answered_by: by },
        }
    }
}

/// Matches events depending on their payload, and fails now and then.
#[derive(Debug)]
struct RandomPayloadMatcher(u64);

impl Matcher for RandomPayloadMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        match SplitMixDice::from_seed(self.0, &normalize_numbers(event.payload.value())).roll(10) {
            0 => MatchResult::Failed(Failure::new(FailureKind::Error, "no such field")),
            1 => panic!("matcher fell over"),
            2..=4 => MatchResult::No,
            _ => MatchResult::Yes,
        }
    }

    fn describe(&self) -> String {
        String::from("on a whim")
    }
}

fn random_rewrite(call: &HookCall<'_>, dice: &mut SplitMixDice) -> Verdict {
    let field = match call.event.name.as_str() {
        "tool.pre" => ("args", json!({"n": dice.roll(3), "text": "other ".repeat(dice.roll(2) * 250)})),
        "tool.post" => ("content", json!(format!("seen {}", dice.roll(3)))),
        "prompt.submit" => ("prompt", json!(format!("rather {}", dice.roll(3)))),
        _ => ("nonsense", json!(1)),
    };
    Verdict::rewrite(Map::from_iter([(field.0.to_owned(), field.1)]))
}

fn random_verdict(seed: u64, call: &HookCall<'_>) -> Verdict {
    let mut dice = SplitMixDice::from_seed(seed, &normalize_numbers(call.event.payload.value()));
    let reason = format!("because {}", dice.roll(3));
    let verdict = match dice.roll(20) {
        0 => Verdict::deny(reason),
        1 => Verdict::ask(reason),
        2 => Verdict::allow(reason),
        3 => Verdict::failed(Failure::new(FailureKind::Timeout, "too slow")),
        4 => panic!("hook fell over"),
        5..=8 => random_rewrite(call, &mut dice),
        9 | 10 if call.event.name.as_str() != "custom.seen" => {
            let request =
                EffectRequest::Emit { event: String::from("custom.seen"), payload: json!({"n": dice.roll(5)}) };
            let _ = call.effects.perform(call.caller(), request);
            Verdict::pass()
        }
        11 | 12 => {
            let _ = call.effects.metric_incr(call.caller(), "n", 1);
            let _ = call.effects.perform(call.caller(), EffectRequest::Uuid);
            Verdict::pass()
        }
        _ => Verdict::pass(),
    };
    match dice.roll(8) {
        0 => verdict.with_effect(Effect::Reminder(Reminder {
            dedupe_key: Some(String::from("k")),
            ..Reminder::for_one_turn("mind it")
        })),
        1 => verdict.with_effect(Effect::Context(String::from("by the way"))).with_warning("odd"),
        _ => verdict,
    }
}

fn random_chain(dice: &mut SplitMixDice, number: usize) -> Chain {
    let layer = dice.pick(&[Layer::Managed, Layer::User, Layer::Project, Layer::Runtime]);
    let profile = dice.pick(&[
        Profile::SequentialFirstDeny,
        Profile::SequentialRunAll,
        Profile::ParallelStrictest,
        Profile::ParallelMerge,
    ]);
    let hooks = (0..2 + dice.roll(6)).map(|index| {
        let seed = dice.roll(usize::MAX) as u64;
        let name = EventName::parse(dice.pick(&EVENTS)).unwrap();
        let hook = native::hook(&format!("h{number}_{index}"), name, move |call| random_verdict(seed, call));
        Hook {
            matcher: (dice.roll(3) == 0).then(|| Arc::new(RandomPayloadMatcher(seed)) as Arc<dyn Matcher>),
            guard: dice.roll(3) > 0,
            on_failure: dice.pick(&[FailurePolicy::Open, FailurePolicy::Open, FailurePolicy::Closed]),
            strict_matcher: dice.roll(4) == 0,
            mode: if dice.roll(10) == 0 { EnforcementMode::Shadow } else { EnforcementMode::Enforce },
            ..hook
        }
    });
    let hooks: Vec<Hook> = hooks.collect();
    Chain { profile, ..native::chain(&format!("chain {number}"), layer, hooks) }
}

/// Runs a session and returns its tape.
pub(crate) fn play_session(seed: u64) -> Vec<u8> {
    let mut dice = SplitMixDice::new(seed);
    let clock = Arc::new(FakeClock::new());
    let tape = Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), clock.clone()));
    let builder = Runtime::builder()
        .tape(Arc::clone(&tape))
        .clock(clock)
        .random(Arc::new(ConstantRandom))
        .approver(Arc::new(RandomApprover(seed)));
    let chains = 1 + dice.roll(3);
    let builder = (0..chains).fold(builder, |builder, number| builder.chain(random_chain(&mut dice, number)));
    let runtime = builder.build().unwrap();
    let allow = ["look", "break", "delegate"].map(str::to_owned).to_vec();
    let agent = AgentSpec {
        name: String::from("root"),
        instruction: String::from("be brief"),
        policy: ToolsPolicy { allow, ..ToolsPolicy::default() },
        ..AgentSpec::default()
    };
    let dir = tempfile::tempdir().unwrap();
    let model = Arc::new(RandomReplyModel(seed));
    let session =
        Session::builder(runtime, agent, model).workspace(dir.path()).name("s").sleeper(Arc::new(ReplayNullSleeper));
    let mut session = session.tool(echo_tool("look", true)).tool(echo_tool("break", false)).build().unwrap();
    for turn in 0..1 + dice.roll(3) {
        // The result of a turn is on the tape, whether it succeeds or not.
        let _ = session.turn(&format!("do {turn}"));
        if dice.roll(3) == 0 {
            let _ = session.compact(Some("the paths"));
        }
    }
    session.end();
    drop(session);
    let mut text = tape.lines().join("\n");
    text.push('\n');
    text.into_bytes()
}

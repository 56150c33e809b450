//! The way of programs in Rust: the crate `pintle`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pintle::{
    AgentLife, ApprovalRequest, ApprovalResponse, Approver, Decision, Event, Layer, Origin, Runtime, Tape, ToolCall,
};
use pintle_host::EventKind;
use serde_json::{Value, json};

use super::part;

/// A user who refuses everything.
#[derive(Debug)]
struct RefusingUser;

impl Approver for RefusingUser {
    fn request_approval(&self, _: &ApprovalRequest<'_>) -> ApprovalResponse {
        ApprovalResponse::refused("ada")
    }
}

pub(super) fn play(dir: &Path, cases: &[Value]) -> Result<(), String> {
    let mut lives = BTreeMap::new();
    let mut results = String::new();
    for case in cases {
        let set = part(case, "/set").as_str().unwrap_or_default();
        if !lives.contains_key(set) {
            lives.insert(set, begin(dir, set)?);
        }
        let Some((life, _)) = lives.get(set) else { continue };
        let result = if part(case, "/op") == "fire" { fire(life, case) } else { call(life, case) };
        results.push_str(&format!("{result}\n"));
    }
    for (_, tape) in lives.values() {
        drop(tape.close());
    }
    fs::write(dir.join("rust.jsonl"), results).map_err(|error| format!("cannot write the results: {error}"))
}

fn begin(dir: &Path, set: &str) -> Result<(AgentLife, Tape), String> {
    let project = dir.join("sets").join(set);
    let tape =
        Tape::create(dir.join("tapes/rust").join(format!("{set}.jsonl")), set).map_err(|error| error.to_string())?;
    let builder =
        Runtime::builder().path(&project, Layer::Project).workspace(&project).tape(&tape).approver(RefusingUser);
    let runtime = builder.build().map_err(|report| report.to_string())?;
    let cwd = project.display().to_string();
    let life = runtime.life(&Origin::session(set).agent("root").turn(1).cwd(cwd.as_str()));
    let start = Event::named(EventKind::SessionStart.name(), json!({"source": "startup", "cwd": cwd}));
    drop(life.fire(start.map_err(|error| error.to_string())?));
    Ok((life, tape))
}

fn fire(life: &AgentLife, case: &Value) -> Value {
    let Ok(event) = Event::named(part(case, "/event").as_str().unwrap_or_default(), part(case, "/payload").clone())
    else {
        return json!({"error": "event"});
    };
    let outcome = life.fire(event);
    json!({
        "decision": match outcome.decision() {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            _ => "deny",
        },
        "payload": outcome.payload(),
        "reason": outcome.reason(),
        "reason_for_model": outcome.reason_for_model(),
        "stop_reason": outcome.stop_reason(),
        "context": outcome.context().collect::<Vec<_>>(),
        "notices": outcome.notices().collect::<Vec<_>>(),
        "warnings": outcome.warnings().collect::<Vec<_>>(),
        "hooks_called": outcome.hooks_called(),
    })
}

fn call(life: &AgentLife, case: &Value) -> Value {
    let text = |name: &str| part(case, &format!("/{name}")).as_str().unwrap_or_default();
    let asked = ToolCall::new(format!("c{}", part(case, "/id")), text("name"), part(case, "/args").clone());
    let decided = match life.decide_tool_call(asked) {
        Ok(decided) => decided,
        Err(refusal) => {
            let hooks: Vec<&str> = refusal.hooks().collect();
            return json!({
                "event": refusal.event(), "reason": refusal.reason(), "hooks": hooks, "stops_run": refusal.stops_run(),
            });
        }
    };
    let content = text("content");
    let output = if part(case, "/is_error") == true { decided.error(content) } else { decided.result(content) };
    let reviewed = life.conclude_tool_call(&decided, output);
    json!({
        "name": decided.name(), "args": decided.args(), "content": reviewed.content(), "is_error": reviewed.is_error(),
    })
}

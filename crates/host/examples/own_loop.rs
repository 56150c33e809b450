//! An agent loop of one's own under hooks: a prompt, a model, its tool calls, and what goes back.
//!
//! `pintle_host::lifecycle` says which events each step fires, in which order, and what a deny means. The model here is a
//! list of calls, and the tools return texts.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::sync::Arc;

use pintle_host::event::{PromptSubmit, ToolResult, TurnEnd};
use pintle_host::lifecycle::{ToolCallRequest, begin_turn, end_turn, submit_prompt};
use pintle_host::tools::PINTLE;
use pintle_host::{EventScope, HookReturn, Origin, Refusal, Runtime, ToolCallDecision, ToolHook};
use serde_json::{Value, json};

/// What the model wants to do.
fn model_calls() -> Vec<(&'static str, Value)> {
    vec![("shell", json!({"command": "ls"})), ("shell", json!({"command": "rm -rf /"}))]
}

fn run_tool(name: &str, args: &Value) -> String {
    format!("{name} ran {args}")
}

fn run_turn(runtime: &Runtime, prompt: &str) -> Result<Vec<String>, Refusal> {
    let (origin, scope) = (Arc::new(Origin::default()), EventScope::default());
    let mut life = runtime.life(Arc::clone(&origin), &scope);
    let prompt = submit_prompt(&mut life, PromptSubmit { prompt: prompt.to_owned(), ..PromptSubmit::default() })?;
    let message = begin_turn(&mut life, prompt)?;
    let mut transcript = vec![message];
    for (index, (name, args)) in model_calls().into_iter().enumerate() {
        let call = ToolCallRequest::new(format!("call_{index}"), &PINTLE, name, args);
        transcript.push(match runtime.decide_tool_call(call, &origin, &scope) {
            // The model gets the reason instead of a result.
            ToolCallDecision::Refuse(refusal) => refusal.reason().to_owned(),
            ToolCallDecision::Run(call) => {
                let output = run_tool(&call.name, &call.args);
                let result = ToolResult::from_content(&call.id, &call.name, &output, false);
                runtime.conclude_tool_call(&call, result, &origin, &scope).content
            }
        });
    }
    let change = end_turn(&mut life, TurnEnd { text: transcript.join("\n"), ..TurnEnd::default() })?;
    transcript.extend(change.text);
    Ok(transcript)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let deletes = |event: &pintle_host::HookEvent<'_>| {
        let command = event.tool_arg("command")?.as_str()?;
        command.starts_with("rm ").then(|| HookReturn::block("nothing is deleted here"))
    };
    let guard = ToolHook::for_tools("shell").name("no_rm").pre(deletes);
    let runtime = Runtime::builder().register_tool_hook(guard).build()?;
    let transcript = run_turn(&runtime, "tidy up")?;
    transcript.iter().for_each(|line| println!("{line}"));
    assert!(transcript.iter().any(|line| line.contains("nothing is deleted here")));
    assert!(!transcript.iter().any(|line| line.contains("ran {\"command\":\"rm")));
    Ok(())
}

//! An agent loop of one's own under hooks: a prompt, a model, its tool calls, and what goes back. The model here is a list
//! of calls, and the tools return texts.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use pintle::{Hook, Origin, Refusal, Runtime, ToolCall, Verdict, events::ToolPre};
use serde_json::json;

fn run_turn(runtime: &Runtime, prompt: &str) -> Result<Vec<String>, Refusal> {
    let life = runtime.life(&Origin::session("s1").turn(1));
    let mut transcript = vec![life.begin_turn(&life.submit_prompt(prompt)?)?];
    // What the model wants to do.
    for (id, command) in [("call_1", "ls"), ("call_2", "rm -rf /")] {
        let decided = life.decide_tool_call(ToolCall::new(id, "shell", json!({"command": command})));
        transcript.push(match decided {
            // The program's own tool, with the arguments that hooks left.
            Ok(call) => life.conclude_tool_call(&call, call.result(&format!("ran {}", call.args()))).into_content(),
            // The model gets the reason instead of a result.
            Err(refusal) => refusal.reason().to_owned(),
        });
    }
    transcript.push(life.end_turn("tidied up")?);
    Ok(transcript)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let no_rm = Hook::on::<ToolPre>(|call| {
        call.arg("command")?.as_str()?.starts_with("rm ").then(|| Verdict::deny("nothing is deleted here"))
    });
    let runtime = Runtime::builder().hook(no_rm.named("no_rm").tools(["shell"])).build()?;
    let transcript = run_turn(&runtime, "tidy up")?;
    transcript.iter().for_each(|line| println!("{line}"));
    assert_eq!(transcript, ["tidy up", "ran {\"command\":\"ls\"}", "nothing is deleted here", "tidied up"]);
    Ok(())
}

//! An asynchronous host: a thousand tool calls at once on one thread of the host, with a hook that takes its time.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::thread::sleep;
use std::time::Duration;

use pintle::{Hook, Runtime, ToolCall, Verdict, events::ToolPre};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), pintle::LoadReport> {
    let slow = Hook::on::<ToolPre>(|_| {
        sleep(Duration::from_millis(1));
        Verdict::deny("exec is gated")
    });
    let runtime = Runtime::builder().hook(slow.tools(["exec_*"]).may_wait()).build()?;
    let calls = (0..1_000).map(|number| {
        let tool = if number % 2 == 0 { "exec_ls" } else { "read_file" };
        // Nothing blocks here: a hook that may wait runs on another thread, which completes the future.
        tokio::spawn(runtime.decide_tool_call_async(ToolCall::new(number.to_string(), tool, json!({}))))
    });
    let mut denied = 0;
    for task in calls.collect::<Vec<_>>() {
        denied += usize::from(task.await.is_ok_and(|decided| decided.is_err()));
    }
    println!("{denied} of 1000 were denied");
    assert_eq!(denied, 500);
    Ok(())
}

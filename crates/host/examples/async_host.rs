//! An asynchronous host: a thousand events at once on one thread of the host, with a hook that takes its time.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use pintle_host::{Event, EventKind, Origin, Runtime, ToolHook};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), pintle_host::LoadReport> {
    let slow = ToolHook::for_tools("exec_*").pre(|_| {
        sleep(Duration::from_millis(1));
        pintle_host::HookReturn::block("exec is gated")
    });
    let runtime = Runtime::builder().register_tool_hook(slow).build()?;
    let origin = Arc::new(Origin::default());
    let tasks: Vec<_> = (0..1_000)
        .map(|number| {
            let tool = if number % 2 == 0 { "exec_ls" } else { "read_file" };
            let call = json!({"id": number.to_string(), "name": tool, "arguments": "{}", "args": {}});
            let event = Event::new(EventKind::ToolPre, call, Arc::clone(&origin));
            // Nothing blocks here: the hooks run on a thread of their own, which completes the future.
            tokio::spawn(runtime.fire_async(event))
        })
        .collect();
    let mut denied = 0;
    for task in tasks {
        denied += usize::from(task.await.is_ok_and(|outcome| !outcome.is_allowed()));
    }
    println!("{denied} of 1000 were denied");
    assert_eq!(denied, 500);
    Ok(())
}

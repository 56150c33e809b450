//! `pintle-fleet approve`, which is a hook.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use pintle_fleet::{
    FleetError, HookReply, HookedEvent, LONGEST_PATIENCE_MS, MOST_CALL_BYTES, MachineToken, SystemTimer, ask_people,
};

use super::wait_for_stop;
use crate::output::{print_line, print_note};

/// Where a hook asks, and as which machine.
#[derive(Debug, Args)]
pub(super) struct HookConnectionArgs {
    /// Address of the collector, such as `https://collector.example:7420`.
    #[arg(long, value_name = "URL")]
    pub(super) to: String,
    /// File with the token of this machine.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct ApproveArgs {
    #[command(flatten)]
    options: HookConnectionArgs,
    /// Milliseconds after which the call is denied if no one has answered. The hook itself needs a longer timeout.
    #[arg(long, value_name = "MS", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..=LONGEST_PATIENCE_MS))]
    timeout_ms: u64,
}

impl ApproveArgs {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        let patience = Duration::from_millis(self.timeout_ms);
        let stop = async {
            tokio::select! {
                () = tokio::time::sleep(patience) => format!(
                    "no one answered within {} s, so this call is denied; `pintle-fleet asks list` lists the calls that wait for an answer",
                    patience.as_secs_f64()
                ),
                () = wait_for_stop() => String::from("the hook was stopped before anyone answered, so this call is denied"),
            }
        };
        tokio::pin!(stop);
        let event = tokio::select! {
            event = read_event(MOST_CALL_BYTES) => event,
            reason = &mut stop => Err(reason),
        };
        let (event, reply) = match (event, MachineToken::load(&self.options.token_file)) {
            (Ok(event), Ok(token)) => {
                let timer = SystemTimer::default();
                let reply = ask_people(&self.options.to, &token, &event, self.timeout_ms, &timer, stop).await;
                (Some(event), reply)
            }
            (Ok(event), Err(error)) => {
                let reason = format!("people cannot be asked about this call: {}", error.message);
                (Some(event), HookReply::Deny(reason))
            }
            (Err(reason), _) => (None, HookReply::Deny(format!("people cannot be asked about this call: {reason}"))),
        };
        print_reply(event.as_ref(), &reply)
    }
}

/// Reads the event on standard input.
pub(super) async fn read_event(most_bytes: usize) -> Result<HookedEvent, String> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    // The program does not wait for this thread if the input has no end.
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let limit = most_bytes as u64 + 1;
        let read = std::io::stdin().lock().take(limit).read_to_end(&mut text).map(|_| text);
        let _ = sender.send(read);
    });
    let text = receiver.await.map_err(|error| error.to_string())?;
    let text = text.map_err(|error| format!("the event cannot be read: {error}"))?;
    if text.len() > most_bytes {
        return Err(format!("the event has more than {most_bytes} bytes"));
    }
    HookedEvent::parse(String::from_utf8(text).map_err(|_| String::from("the event is not text"))?)
}

/// Prints what a hook answers. Returns whether it denies nothing.
pub(super) fn print_reply(event: Option<&HookedEvent>, reply: &HookReply) -> Result<bool, FleetError> {
    if let Some(output) = reply.output(event) {
        print_line(&output.to_string())?;
    }
    if let HookReply::Deny(note) | HookReply::Pass(Some(note)) = reply {
        print_note(note);
    }
    Ok(!matches!(reply, HookReply::Deny(_)))
}

//! The approval prompt on a terminal.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use parking_lot::Mutex;
use pintle_host::contract::ApprovalScope;
use pintle_host::event::json_to_text;
use pintle_host::tape::show::{Tone, single_line};
use pintle_host::{ApprovalRequest, ApprovalResponse, Approver};
use serde_json::Value;

use super::input::{InputLine, StdinReader};
use super::live_display::LiveDisplay;
use crate::render::style;
use crate::terminal::Terminal;

/// Whether stdin and stderr are terminals, so the user can be prompted.
pub(super) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Prompts the user at the terminal, for one request at a time.
#[derive(Debug)]
pub(super) struct TerminalApprover {
    terminal: Terminal,
    input: StdinReader,
    live: Arc<LiveDisplay>,
    prompt_lock: Mutex<()>,
}

impl TerminalApprover {
    pub(super) fn new(terminal: Terminal, input: StdinReader, live: Arc<LiveDisplay>) -> Self {
        Self { terminal, input, live, prompt_lock: Mutex::new(()) }
    }
}

impl Approver for TerminalApprover {
    /// Shows exactly what an approval allows. Anything but a clear yes is a no.
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let _turn = self.prompt_lock.lock();
        self.live.finish_line();
        self.input.expect_line();
        self.terminal.print_error_line("");
        for reason in question.reasons {
            let text = format!("{}: {}", single_line(reason.hook.as_str(), 80), single_line(&reason.text, 2_000));
            self.terminal.print_error_line(style::with_label(Tone::Warn, "ask", text));
        }
        for line in describe_request(question) {
            // Not wrapped: spaces count.
            self.terminal.print_error_piece(format_args!("{line}\n"));
        }
        parse_answer(self.input.wait_for_line().ok(), question.allows_grant)
    }
}

/// Converts the typed line to a response.
fn parse_answer(typed: Option<InputLine>, grants: bool) -> ApprovalResponse {
    let by = String::from("the user at the terminal");
    let Some(InputLine::Line(line)) = typed else { return ApprovalResponse::Refused { answered_by: by } };
    match line.trim() {
        "y" | "Y" | "yes" => ApprovalResponse::Approved { answered_by: by },
        "a" | "A" | "always" if grants => ApprovalResponse::Granted { answered_by: by, grant: ApprovalScope::Tool },
        _ => ApprovalResponse::Refused { answered_by: by },
    }
}

/// Describes the request without shortening anything, because the user approves all of it.
fn describe_request(question: &ApprovalRequest<'_>) -> Vec<String> {
    let payload = question.event.payload.value();
    let of_call = payload.get("name").and_then(Value::as_str).zip(payload.get("args").filter(|args| args.is_object()));
    let (head, shown) = match of_call {
        Some((tool, arguments)) => (format!("{}, with exactly these arguments:", single_line(tool, 200)), arguments),
        None => (format!("{}, with exactly this payload:", question.event.name), payload),
    };
    let mut lines = vec![head];
    let pretty = serde_json::to_string_pretty(shown).unwrap_or_default();
    lines.extend(pretty.lines().map(|line| single_line(line, usize::MAX)));
    for (name, value) in question.metadata {
        lines.push(format!("{}: {}", single_line(name, 80), single_line(&json_to_text(value), 2_000)));
    }
    lines.push(String::from(match question.allows_grant {
        true => "allow? type `y` for yes, `a` to always allow exactly this call in this session, anything else for no:",
        false => "allow? type `y` for yes, anything else for no:",
    }));
    lines
}

#[cfg(test)]
mod tests {
    use pintle_host::{Event, EventName, Origin};
    use serde_json::{Map, json};

    use super::*;

    fn shown_request(payload: Value, metadata: Value, grants: bool) -> Vec<String> {
        let event = Event::new(EventName::parse("tool.pre").unwrap(), payload, Arc::new(Origin::default()));
        let metadata: Map<String, Value> = metadata.as_object().unwrap().clone();
        describe_request(&ApprovalRequest {
            event: &event,
            reasons: &[],
            digest: "",
            metadata: &metadata,
            allows_grant: grants,
        })
    }

    #[test]
    fn a_question_shows_the_tool_and_its_exact_final_arguments() {
        let call = json!({"id": "1", "name": "shell", "args": {"cmd": "ls\u{1b}[31m"}, "arguments": "{}"});
        let lines = shown_request(call, json!({"blast_radius": "high"}), true);
        assert_eq!(
            lines,
            [
                "shell, with exactly these arguments:",
                "{",
                "  \"cmd\": \"ls\\u001b[31m\"",
                "}",
                "blast_radius: high",
                "allow? type `y` for yes, `a` to always allow exactly this call in this session, anything else for no:",
            ]
        );
    }

    #[test]
    fn always_is_an_answer_only_where_it_is_offered() {
        let line = |text: &str| Some(InputLine::Line(String::from(text)));
        let by = || String::from("the user at the terminal");
        let granted = ApprovalResponse::Granted { answered_by: by(), grant: ApprovalScope::Tool };
        let (yes, no) =
            (ApprovalResponse::Approved { answered_by: by() }, ApprovalResponse::Refused { answered_by: by() });
        let cases = [
            (line("y\n"), true, yes.clone()),
            (line(" yes \n"), false, yes),
            (line("a\n"), true, granted),
            (line("a\n"), false, no.clone()),
            (line("yep\n"), true, no.clone()),
            (line("\n"), true, no.clone()),
            (Some(InputLine::End), true, no.clone()),
            (Some(InputLine::Interrupted), true, no.clone()),
            (None, true, no),
        ];
        for (typed, grants, wanted) in cases {
            assert_eq!(parse_answer(typed, grants), wanted);
        }
    }
}

//! The approver of a run without a terminal.

use std::collections::BTreeSet;

use parking_lot::Mutex;
use pintle_host::tape::show::single_line;
use pintle_host::{ApprovalRequest, ApprovalResponse, Approver};

use crate::render::count_text;
use crate::terminal::Terminal;

/// Answers every approval request with `Unavailable`, which denies. Keeps what was requested, so that the user can be
/// told afterwards how to allow it.
#[derive(Debug, Default)]
pub(super) struct AbsentApprover(Mutex<UnansweredAsks>);

#[derive(Debug, Default)]
struct UnansweredAsks {
    request_count: usize,
    subjects: BTreeSet<String>,
}

impl AbsentApprover {
    /// Prints which requests were denied, and how to allow them.
    pub(super) fn print_summary(&self, terminal: &Terminal, is_team: bool) {
        let asked = self.0.lock();
        if asked.request_count == 0 {
            return;
        }
        let about: Vec<String> = asked.subjects.iter().map(|name| format!("`{}`", single_line(name, 80))).collect();
        let questions = count_text(asked.request_count, "question");
        let were = if asked.request_count == 1 { "was" } else { "were" };
        let about = about.join(", ");
        terminal.print_note(format!("{questions} about {about} could not be shown to anyone and {were} denied"));
        terminal.print_note(match is_team {
            true => {
                "run it in a terminal, or allow calls that only the mode asks about with a `permissions: {allow: [..]}` \
                rule or with `--yolo`; `--yes` also approves what hooks and `ask` rules ask about"
            }
            false => "run it in a terminal, or approve with `--yes`",
        });
    }
}

impl Approver for AbsentApprover {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let mut asked = self.0.lock();
        asked.request_count += 1;
        asked.subjects.insert(question.event.subject().unwrap_or(question.event.name.as_str()).to_owned());
        ApprovalResponse::Unavailable
    }

    fn is_available(&self) -> bool {
        false
    }
}

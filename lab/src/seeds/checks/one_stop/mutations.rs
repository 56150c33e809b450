//! Checks that changes to the example are noticed: each of these changes to a copy must fail a check.

use super::document::OneStopDocument;
use super::prompts::check_promises;
use super::scripts::{COMPACTION, ERROR, TEAM, TOOLS};
use super::session_runner::SessionScript;
use crate::seeds::tally::{CheckTally, expect};

/// The text to replace, the replacement, and the session that must then differ.
const CHANGES: &[(&str, &str, &SessionScript)] = &[
    // A guard that allows a command it must deny.
    ("|sudo|", "|", &TOOLS),
    // Another rewrite.
    ("ls -h/'", "ls -l/'", &TOOLS),
    // Another line of the hook that runs before the approval request.
    ("permission request: ", "permission asked: ", &TOOLS),
    // Built-ins without context, or with another context.
    ("command: add_date", "command: add_user_info", &TOOLS),
    ("- GUIDELINES.md", "- OTHER.md", &TOOLS),
    // Another line in a log.
    ("turn ended (reason=", "turn over (reason=", &ERROR),
    (".notification_message // \"no message\"", ".message // \"no message\"", &ERROR),
    ("child=$CHILD parent=$PARENT", "child=$PARENT parent=$CHILD", &TEAM),
    // A hook that fails, or that prints invalid output.
    (
        "echo '{\"hook_specific_output\":{\"additional_context\":\"When summarizing",
        "echo 'x{\"hook_specific_output\":{\"additional_context\":\"When summarizing",
        &COMPACTION,
    ),
    ("# Pure observability", "exit 1 #", &COMPACTION),
];

pub(super) fn check(document: &OneStopDocument, tally: &mut CheckTally) {
    for (from, to, scene) in CHANGES {
        let changed = document.yaml.replace(from, to);
        let differs = expect(changed != document.yaml, || String::from("the example does not contain that text"));
        let noticed = differs.and_then(|()| scene.run(&changed)).and_then(|seen| {
            let judged = scene.check(&seen).and_then(|()| check_promises(document, &seen));
            expect(judged.is_err(), || format!("the session `{}` is unchanged", scene.name))
        });
        tally.check(format!("the one-stop example: `{from}` changed to `{to}` is noticed"), noticed);
    }
}

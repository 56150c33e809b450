//! The checks notice when the example does something else: each of these changes to a copy fails one.

use super::document::OneStopDocument;
use super::prompts::check_promises;
use super::scripts::{COMPACTION, ERROR, TEAM, TOOLS};
use super::session_runner::SessionScript;
use crate::seeds::tally::{CheckTally, expect};

/// What is replaced by what, and the session that must not be as before.
const CHANGES: &[(&str, &str, &SessionScript)] = &[
    // A guard that lets something through.
    ("|sudo|", "|", &TOOLS),
    // Another rewrite.
    ("ls -h/'", "ls -l/'", &TOOLS),
    // Another line of the hook that is asked before the person.
    ("permission request: ", "permission asked: ", &TOOLS),
    // Built-ins that tell the model nothing, or nothing that was asked for.
    ("command: add_date", "command: add_user_info", &TOOLS),
    ("- GUIDELINES.md", "- OTHER.md", &TOOLS),
    // Another line in a log.
    ("turn ended (reason=", "turn over (reason=", &ERROR),
    (".notification_message // \"no message\"", ".message // \"no message\"", &ERROR),
    ("child=$CHILD parent=$PARENT", "child=$PARENT parent=$CHILD", &TEAM),
    // A hook that fails, or that says what nobody asked for.
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
        let differs = expect(changed != document.yaml, || String::from("the example does not hold that text"));
        let noticed = differs.and_then(|()| scene.run(&changed)).and_then(|seen| {
            let judged = scene.check(&seen).and_then(|()| check_promises(document, &seen));
            expect(judged.is_err(), || format!("the session `{}` is as before", scene.name))
        });
        tally.check(format!("the one-stop example: `{from}` changed to `{to}` is noticed"), noticed);
    }
}

//! The checks notice when the example does something else: each of these changes to a copy fails one.

use super::document::Document;
use super::prompts::kept;
use super::scenes::{COMPACTION, ERROR, TEAM, TOOLS};
use super::stage::Scene;
use crate::seeds::tally::{Tally, holds};

/// What is replaced by what, and the session that must not be as before.
const CHANGES: &[(&str, &str, &Scene)] = &[
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

pub(super) fn check(document: &Document, tally: &mut Tally) {
    for (from, to, scene) in CHANGES {
        let changed = document.yaml.replace(from, to);
        let differs = holds(changed != document.yaml, || String::from("the example does not hold that text"));
        let noticed = differs.and_then(|()| scene.play(&changed)).and_then(|seen| {
            let judged = scene.judge(&seen).and_then(|()| kept(document, &seen));
            holds(judged.is_err(), || format!("the session `{}` is as before", scene.name))
        });
        tally.check(format!("the one-stop example: `{from}` changed to `{to}` is noticed"), noticed);
    }
}

//! What a program's output can say to Claude Code, and to those who took that over.

use crate::client_hooks::{Choice, Means, Word};

/// Why what only Claude Code shows or keeps is not carried over.
const OWN: &str = "it is about what only Claude Code shows or keeps";

/// The words.
pub(crate) const WORDS: &[Word] = &[
    Word::top("continue", Means::Continue),
    Word::top("stopReason", Means::StopReason),
    Word::top("suppressOutput", Means::Lost("")),
    Word::top("systemMessage", Means::Notice),
    Word::top("terminalSequence", Means::Lost(OWN)),
    Word::top("decision", Means::Decision(&[("approve", Choice::Allow), ("block", Choice::Deny)])),
    Word::top("reason", Means::Reason),
    Word::top("async", Means::Lost("a hook that already runs cannot go to the background; write `async` in the file")),
    Word::top("asyncTimeout", Means::Lost("")),
    Word::top("hookSpecificOutput", Means::Specific),
    Word::inside("hookEventName", Means::EventName),
    Word::inside(
        "permissionDecision",
        Means::Permission(&[
            ("allow", Choice::Allow),
            ("deny", Choice::Deny),
            ("ask", Choice::Ask),
            // Somebody is to decide later, so nobody has said yes.
            ("defer", Choice::Ask),
        ]),
    ),
    Word::inside("permissionDecisionReason", Means::PermissionReason),
    Word::inside("updatedInput", Means::Input),
    Word::inside("additionalContext", Means::Context),
    Word::inside("updatedToolOutput", Means::Output(None)),
    Word::inside("updatedMCPToolOutput", Means::Output(None)),
    Word::inside("decision", Means::Behavior),
    Word::inside("classifierContext", Means::Lost(OWN)),
    Word::inside("sessionTitle", Means::Lost(OWN)),
    Word::inside("suppressOriginalPrompt", Means::Lost(OWN)),
    Word::inside("initialUserMessage", Means::Lost(OWN)),
    Word::inside("watchPaths", Means::Lost(OWN)),
    Word::inside("reloadSkills", Means::Lost(OWN)),
    Word::inside("retry", Means::Lost(OWN)),
];

//! The output fields of Claude Code's hooks, and of clients that adopted them.

use crate::{FieldChoice, FieldMeaning, OutputField};

/// The reason for fields that only Claude Code shows or stores.
const OWN: &str = "only Claude Code shows or stores it";

pub(crate) const WORDS: &[OutputField] = &[
    OutputField::top_level("continue", FieldMeaning::Continue),
    OutputField::top_level("stopReason", FieldMeaning::StopReason),
    OutputField::top_level("suppressOutput", FieldMeaning::NotCarriedOver("")),
    OutputField::top_level("systemMessage", FieldMeaning::Notice),
    OutputField::top_level("terminalSequence", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::top_level(
        "decision",
        FieldMeaning::Decision(&[("approve", FieldChoice::Allow), ("block", FieldChoice::Deny)]),
    ),
    OutputField::top_level("reason", FieldMeaning::Reason),
    OutputField::top_level(
        "async",
        FieldMeaning::NotCarriedOver("a running hook cannot move to the background; set `async` in the settings file"),
    ),
    OutputField::top_level("asyncTimeout", FieldMeaning::NotCarriedOver("")),
    OutputField::top_level("hookSpecificOutput", FieldMeaning::Specific),
    OutputField::nested("hookEventName", FieldMeaning::EventName),
    OutputField::nested(
        "permissionDecision",
        FieldMeaning::Permission(&[
            ("allow", FieldChoice::Allow),
            ("deny", FieldChoice::Deny),
            ("ask", FieldChoice::Ask),
            // The decision is deferred, so nobody has approved yet.
            ("defer", FieldChoice::Ask),
        ]),
    ),
    OutputField::nested("permissionDecisionReason", FieldMeaning::PermissionReason),
    OutputField::nested("updatedInput", FieldMeaning::Input),
    OutputField::nested("additionalContext", FieldMeaning::Context),
    OutputField::nested("updatedToolOutput", FieldMeaning::Output(None)),
    OutputField::nested("updatedMCPToolOutput", FieldMeaning::Output(None)),
    OutputField::nested("decision", FieldMeaning::Behavior),
    OutputField::nested("classifierContext", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("sessionTitle", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("suppressOriginalPrompt", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("initialUserMessage", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("watchPaths", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("reloadSkills", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("retry", FieldMeaning::NotCarriedOver(OWN)),
];

use super::{FakeProgramLookup, findings, load_settings};

const HEADER: &str = "#!/bin/sh\n# Hook: Guard\n# Event: PreToolUse\n# Description: Guards.\n";

/// The header's lines, the entry's matcher, and the expected diagnostics.
const HEADERS: &[(&str, &str, &[&str])] = &[
    ("", "", &[]),
    ("# Matcher: none\n", "", &[]),
    ("# Matcher: tool_name = \"Bash\"\n", r#"{"tool_name": "Bash"}"#, &[]),
    (
        "# Matcher: tool_name == 'Bash' and tool_input.command = \"ls\"\n",
        r#"{"tool_name": "Bash", "tool_input": {"command": "ls"}}"#,
        &[],
    ),
    ("# Matcher: tool_input.timeout = 5\n", r#"{"tool_input": {"timeout": 5}}"#, &[]),
    (
        "",
        r#"{"tool_name": "Bash"}"#,
        &[
            "note: the settings have the matcher `{\"tool_name\":\"Bash\"}`, but the script's header has none (add a line `Matcher:` to the header)",
        ],
    ),
    (
        "# Matcher: tool_name = \"Write\"\n",
        r#"{"tool_name": "Bash"}"#,
        &[
            "warning: the header's matcher is `{\"tool_name\":\"Write\"}`, but the settings have `{\"tool_name\":\"Bash\"}` (write the same in both)",
        ],
    ),
    (
        "# Matcher: tool_name = \"Write\"\n",
        "",
        &[
            "warning: the header's matcher is `{\"tool_name\":\"Write\"}`, but the settings have none (write the same in both)",
        ],
    ),
    (
        "# Matcher: Bash tools\n",
        "",
        &["warning: the header's matcher `Bash tools` is invalid (write it as `tool_name = \"Bash\"`)"],
    ),
];

fn header_findings(text: &str, matcher: &str) -> Vec<String> {
    let machine = FakeProgramLookup::with_programs(&[]).file("hooks/Guard.sh", text, true);
    let matcher = if matcher.is_empty() { String::new() } else { format!(", \"matcher\": {matcher}") };
    let project = load_settings(
        &format!("{{\"hooks\": {{\"PreToolUse\": [{{\"path\": \"hooks/Guard.sh\"{matcher}}}]}}}}"),
        Some(&machine),
    );
    findings(&project).iter().map(|line| line.split_once(": ").unwrap().1.to_owned()).collect()
}

#[test]
fn the_matcher_of_a_header_is_that_of_the_settings() {
    for (lines, matcher, wanted) in HEADERS {
        assert_eq!(header_findings(&format!("{HEADER}{lines}exit 0\n"), matcher), *wanted, "{lines} {matcher}");
    }
}

#[test]
fn name_and_event_of_a_header_are_those_of_the_settings() {
    let with = |from: &str, to: &str| header_findings(&HEADER.replace(from, to), "");
    assert_eq!(
        with("Hook: Guard", "Hook: Gard"),
        ["warning: the header names the hook `Gard`, but its file is named `Guard` (use the same name in both)"]
    );
    assert_eq!(
        with("PreToolUse", "Stop"),
        [
            "warning: the header says that the hook is for Stop, but the settings register it for PreToolUse (write the same in both)"
        ]
    );
    assert_eq!(
        with("PreToolUse", "PostToolUse"),
        ["warning: the header names the event `PostToolUse`, which does not exist (did you mean `PreToolUse`?)"]
    );
    assert_eq!(with("PreToolUse", "PreToolUse (one of the six lifecycle events)"), [] as [&str; 0]);
    assert_eq!(
        header_findings("#!/bin/sh\necho hi # Hook: late\n", ""),
        [
            "note: the script's first comment does not state its Hook, Event, Description (start it with the lines `Hook:`, `Event:` and `Description:`)"
        ]
    );
}

#[test]
fn a_header_stands_in_the_first_comment_of_any_language() {
    for text in [
        "#!/usr/bin/env node\n// Hook: Guard\n// Event: PreToolUse\n// Description: x\ncode()\n",
        "#!/usr/bin/env node\n\n/**\n * Hook: Guard\n * Event: PreToolUse\n * Description: x\n */\n",
        "#!/usr/bin/env lua\n-- Hook: Guard\n-- Event: PreToolUse\n-- Description: x\n",
    ] {
        let machine = FakeProgramLookup::with_programs(&["node", "lua"]).file("hooks/Guard.x", text, true);
        let project = load_settings(r#"{"hooks": {"PreToolUse": [{"path": "hooks/Guard.x"}]}}"#, Some(&machine));
        assert_eq!(findings(&project), [] as [&str; 0], "{text}");
    }
}

#[test]
fn a_hook_is_called_by_its_header_else_by_its_file() {
    for (text, wanted) in [(HEADER.replace("Guard\n", "Shield\n"), "Shield"), (String::from("#!/bin/sh\n"), "Guard")] {
        let machine = FakeProgramLookup::with_programs(&[]).file("hooks/Guard.hook.sh", &text, true);
        let project = load_settings(r#"{"hooks": {"PreToolUse": [{"path": "hooks/Guard.hook.sh"}]}}"#, Some(&machine));
        assert_eq!(project.hooks[0].name, wanted);
    }
}

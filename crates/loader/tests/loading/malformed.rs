//! Malformed artifacts: every error of every file is reported in one run, and nothing panics.

use pintle_contract::Severity;

use crate::support::{LoaderFixture, hook_file, hook_order};

/// File name, content, and the diagnostics of at least a warning.
fn malformed_files() -> Vec<(&'static str, Vec<u8>, Vec<&'static str>)> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("a_good", text(&hook_file("tool.pre", 1)), vec![]),
        (
            "bad_yaml",
            text("---\nevent: tool.pre\nwhen: a: b\nscript: x\n---\n"),
            vec![":3:8: error: parse hook bad_yaml.md: yaml: line 3: mapping values are not allowed in this context"],
        ),
        (
            "bom",
            text("\u{FEFF}---\nevent: tool.pre\npriority: 1\nscript: x\n---\n"),
            vec![":1:1: warning: the file begins with a byte order mark"],
        ),
        (
            "crlf",
            text(
                "---\r\nevent: tool.pre\r\npriority: 1\r\nscript: |\r\n  def handle(event, payload):\r\n      return allow()\r\n---\r\n",
            ),
            vec![],
        ),
        (
            "empty",
            Vec::new(),
            vec![":1:1: error: parse hook empty.md: markdown file must start with --- frontmatter delimiter"],
        ),
        (
            "empty_event",
            text("---\nevent: \"\"\npriority: 1\nscript: SYNTAX\n---\n"),
            vec![
                ":2:8: error: hook \"empty_event\": event field is required in frontmatter",
                ":4:9: error: SYNTAX in the script",
            ],
        ),
        (
            "huge",
            vec![b'x'; 10 << 20],
            vec![":1:1: error: the file is too large: it has 10485760 bytes, the limit is 1048576"],
        ),
        (
            "many",
            text(
                "---\nevent: 3\nscript: [a]\nwhen: true\npriority: high\ntimeout_ms: 0\non_error: shut\nmode: shadw\nexamples: no\nprioriy: 1\nname: x\n---\n",
            ),
            vec![
                ":2:8: error: parse hook many.md: yaml: line 2: event must be a string, not a number",
                ":3:9: error: parse hook many.md: yaml: line 3: script must be a string, not a list",
                ":4:7: error: parse hook many.md: yaml: line 4: when must be a string, not a boolean",
                ":5:11: error: parse hook many.md: yaml: line 5: priority must be a whole number, not a string",
                ":6:13: error: parse hook many.md: yaml: line 6: timeout_ms must be between 1 and 3600000, not `0`",
                ":7:11: error: parse hook many.md: yaml: line 7: on_error must be `open` or `closed`, not `shut`",
                ":8:7: error: parse hook many.md: yaml: line 8: mode must be `enforce` or `shadow`, not `shadw`",
                ":9:11: error: parse hook many.md: yaml: line 9: examples must be a list, not a string",
                ":10:1: error: parse hook many.md: yaml: line 10: unknown key `prioriy` in hook `many`",
                ":11:1: warning: unknown key `name` in hook `many`, which has no effect",
            ],
        ),
        (
            "missing_event",
            text("---\npriority: 1\nscript: x\n---\n"),
            vec![":2:1: error: hook \"missing_event\": event field is required in frontmatter"],
        ),
        (
            "no_frontmatter",
            text("# just a note\nevent: tool.pre\n"),
            vec![":1:1: error: parse hook no_frontmatter.md: markdown file must start with --- frontmatter delimiter"],
        ),
        (
            "not_utf8",
            b"---\nevent: tool.pre\nscript: \"\xFF\"\n---\n".to_vec(),
            vec![":3:10: error: the file is not UTF-8: invalid byte at offset 29"],
        ),
        (
            "nulls",
            text("---\nevent:\npriority:\nscript: ~\nwhen:\n---\n"),
            vec![
                ":2:1: error: hook \"nulls\": event field is required in frontmatter",
                ":3:9: error: parse hook nulls.md: yaml: line 3: priority must be a whole number, not null",
                ":4:9: error: parse hook nulls.md: yaml: line 4: script must be a string, not null",
                ":5:5: error: parse hook nulls.md: yaml: line 5: when must be a string, not null",
            ],
        ),
        (
            "too_high",
            text("---\nevent: tool.pre\npriority: 3000000000\nscript: x\n---\n"),
            vec![
                ":3:11: error: parse hook too_high.md: yaml: line 3: priority must be between -2147483648 and 2147483647, not `3000000000`",
            ],
        ),
        (
            "twice",
            text("---\nevent: tool.pre\nevent: tool.post\npriority: 1\nscript: x\n---\n"),
            vec![":3:1: error: parse hook twice.md: yaml: line 3: key `event` is already set at line 2"],
        ),
        (
            "unclosed",
            text("---\nevent: tool.pre\n"),
            vec![":1:1: error: parse hook unclosed.md: no closing --- delimiter found for frontmatter"],
        ),
        (
            "unknown_event",
            text("---\nevent: tool.pree\npriority: 1\nscript: SYNTAX\n---\n"),
            vec![":2:8: error: hooks[9].event \"tool.pree\" is invalid", ":4:9: error: SYNTAX in the script"],
        ),
        (
            "without_script",
            text("---\nevent: tool.pre\npriority: 1\n---\n"),
            vec![":2:1: warning: hook `without_script` has no script and does nothing"],
        ),
        (
            "z_spaced_event",
            text("---\nevent: \" custom.x \"\npriority: 1\nscript: x\n---\n"),
            vec![":2:8: error: hooks[11].event \" custom.x \" is invalid"],
        ),
    ]
}

#[test]
fn every_fault_of_every_file_is_reported_in_one_run() {
    let corpus = malformed_files();
    let paths: Vec<String> = corpus.iter().map(|(name, ..)| format!(".harness/hooks/{name}.md")).collect();
    let files: Vec<(&str, &[u8])> =
        paths.iter().zip(&corpus).map(|(path, (_, bytes, _))| (path.as_str(), bytes.as_slice())).collect();
    let project = LoaderFixture::new(&files);
    let loaded = project.load("");
    let wanted: Vec<String> = paths
        .iter()
        .zip(&corpus)
        .flat_map(|(path, (.., findings))| findings.iter().map(move |finding| format!("{path}{finding}")))
        .collect();
    assert_eq!(project.findings(&loaded, Severity::Warning), wanted);
    assert_eq!(loaded.files, corpus.len());
}

#[test]
fn one_faulty_file_does_not_keep_the_others_from_loading() {
    let project =
        LoaderFixture::new(&[("hooks/bad.md", String::from("nothing")), ("hooks/good.md", hook_file("tool.pre", 1))]);
    assert_eq!(hook_order(&project.load("hooks")), ["good"]);
}

#[test]
fn a_thousand_files_give_a_thousand_findings() {
    let paths: Vec<String> = (0..1000).map(|index| format!("hooks/h{index:04}.md")).collect();
    let files: Vec<(&str, String)> = paths.iter().map(|path| (path.as_str(), hook_file("tool.pree", 1))).collect();
    let project = LoaderFixture::new(&files);
    let loaded = project.load("hooks");
    let wanted: Vec<String> = (0..1000)
        .map(|index| format!("{}:2:8: error: hooks[{index}].event \"tool.pree\" is invalid", paths[index]))
        .collect();
    assert_eq!(project.findings(&loaded, Severity::Note), wanted);
}

#[test]
fn what_cannot_be_read_is_an_error_and_no_more() {
    let project = LoaderFixture::new(&[("hooks/good.md", hook_file("tool.pre", 1))]);
    std::fs::create_dir(project.path("hooks/folder.md")).unwrap();
    let loaded = project.load("hooks");
    assert_eq!(
        project.findings(&loaded, Severity::Note),
        ["hooks/folder.md:1:1: error: cannot read the file: it is not a regular file"]
    );
    assert_eq!(hook_order(&loaded), ["good"]);

    let missing = project.load("nowhere");
    let wanted = format!("error: cannot read `{}`: no such file or directory", project.path("nowhere").display());
    assert_eq!(missing.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>(), [wanted]);
    assert_eq!(missing.files, 0);
}

//! No file and no program output causes a panic.

use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{Codec, CommandOutput, HandlerOutput, SourceFile, VerdictKind};
use pintle_testkit::example_event;
use proptest::prelude::*;
use serde_json::json;

use crate::{Artifact, ArtifactKind, ParseContext};
use pintle_clients::{CLIENTS, ClientCodec, ClientDef, ClientFile, locations};

/// A file of each kind.
fn files() -> Vec<ClientFile> {
    let mut files: Vec<ClientFile> = Vec::new();
    for (_, file) in locations() {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// A file of fragments of real files, in any order.
fn any_file() -> impl Strategy<Value = String> {
    let words = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"hooks\"",
        "\"PreToolUse\"",
        "\"preToolUse\"",
        "\"BeforeTool\"",
        "\"matcher\"",
        "\"type\"",
        "\"command\"",
        "\"http\"",
        "\"url\"",
        "\"prompt\"",
        "\"timeout\"",
        "\"if\"",
        "\"args\"",
        "\"async\"",
        "\"onFailure\"",
        "\"x\"",
        "\"Bash(git *)\"",
        "\"(\"",
        "1",
        "-1e400",
        "true",
        "null",
        "\n",
        "[hooks]",
        "=",
        "//",
    ];
    let word = prop_oneof![
        8 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    proptest::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

fn hook_clients() -> Vec<&'static ClientDef> {
    CLIENTS.iter().filter(|client| client.dialect.is_some()).copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_loads(text in any_file(), file in proptest::sample::select(files())) {
        let source = Arc::new(SourceFile { path: PathBuf::from(".claude/PreToolUse"), text });
        let artifact = Artifact { role: ArtifactKind::Client(file), name: String::new(), file: source };
        let project = (artifact.role.dialect().load)(std::slice::from_ref(&artifact), &ParseContext::default());
        for finding in &project.diagnostics {
            prop_assert!(!finding.message.contains('\n'), "{finding}");
        }
    }

    #[test]
    fn any_answer_decodes(
        client in proptest::sample::select(hook_clients()),
        row in any::<prop::sample::Index>(),
        stdout in "(\\PC|[\\[\\]{}:,\"\n]|\"decision\"|\"permissionDecision\"|\"hookSpecificOutput\"|deny|block|true){0,40}",
        exit_code in proptest::option::of(-1i32..200),
        bytes in proptest::collection::vec(any::<u8>(), 0..20),
        needs_answer in any::<bool>(),
    ) {
        let rows: Vec<_> = client.hook_events().collect();
        let row = rows[row.index(rows.len())];
        let codec = ClientCodec { client, project: None, plugin: None, needs_answer, needs_json: false };
        let event = example_event(row.canonical.unwrap().name(), json!({"name": "shell", "args": {"command": "ls"}}));
        let stdout = [stdout.into_bytes(), bytes].concat();
        let answer = CommandOutput { exit_code, stdout, ..CommandOutput::default() };
        let verdict = codec.decode(&event, row.name, HandlerOutput::Process(answer.clone()));
        if exit_code.is_none() {
            prop_assert!(!matches!(verdict.kind, VerdictKind::Allow { .. } | VerdictKind::Pass), "{verdict:?}");
        }
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let _ = codec.decode(&event, row.name, HandlerOutput::Text(text));
    }
}

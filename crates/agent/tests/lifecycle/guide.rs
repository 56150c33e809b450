//! The example of the guide on session hooks, unchanged.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_agent::Session;
use pintle_agent::model::ScriptModel;
use pintle_host::{Layer, Runtime};
use serde_json::json;

use crate::support::worker;

/// The fenced blocks after a heading of the guide.
fn fenced_blocks(heading: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/session-hooks.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once(heading).unwrap();
    let mut blocks = Vec::new();
    for piece in section.split("```").skip(1).step_by(2) {
        blocks.push(piece.split_once('\n').unwrap().1.to_owned());
    }
    blocks
}

#[test]
fn the_example_of_the_guide_does_what_the_guide_says() {
    let blocks = fenced_blocks("## Try it");
    let [harness, script, hooks @ ..] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    assert_eq!(hooks.len(), 3);
    let demo = tempfile::tempdir().unwrap();
    let dir = demo.path().join(".harness/hooks");
    fs::create_dir_all(&dir).unwrap();
    fs::write(demo.path().join("harness.md"), harness).unwrap();
    for (index, hook) in hooks.iter().enumerate() {
        fs::write(dir.join(format!("hook_{index}.md")), hook).unwrap();
    }
    let mut built = Runtime::builder().path(demo.path(), Layer::Project).worker(worker()).load();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let model = Arc::new(ScriptModel::parse("demo.yaml", script).unwrap());
    let prompts = model.prompts().to_vec();
    let builder = Session::builder(Arc::clone(&built.runtime), built.agent.take().unwrap(), model);
    let mut session = builder.workspace(demo.path()).build().unwrap();
    let ended: Vec<String> = prompts
        .iter()
        .map(|prompt| match session.turn(prompt) {
            Ok(answer) => answer.text,
            Err(error) => error.stop_reason().to_owned(),
        })
        .collect();
    session.end();
    assert_eq!(ended, ["Done.", "user_prompt_submit_blocked"]);
    assert_eq!(fs::read_to_string(demo.path().join("notes.txt")).unwrap(), "hello\n");
    let metrics = built.runtime.metrics();
    assert_eq!((metrics.get("edited.write"), metrics.get("rounds")), (Some(&json!(1)), Some(&json!(2))));
}

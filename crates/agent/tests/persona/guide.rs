//! The manifest in the guide loads without errors; its Rust block is compiled with the crate's documentation.

use std::fs;
use std::path::Path;

use pintle_host::{Layer, Runtime};

#[test]
fn the_manifest_of_the_guide_declares_the_persona_that_it_speaks_of() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/personas.md");
    let text = fs::read_to_string(page).unwrap();
    let manifest = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let package = tempfile::tempdir().unwrap();
    fs::write(package.path().join("harn.toml"), format!("[package]\nname = \"merging\"\n\n{manifest}")).unwrap();
    let built = Runtime::builder().path(package.path(), Layer::Project).load();
    let found: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(found, [] as [&str; 0]);
    let names: Vec<&str> = built.personas[0].steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!((built.personas[0].name.as_str(), names), ("merge_captain", vec!["audit", "merge"]));
}

//! Settings that register scripts: their paths, and what their scripts are on this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pintle_contract::HandlerSpec;

use crate::support::LoaderFixture;

const SETTINGS: &str = r#"{"hooks": {"Stop": [{"path": "hooks/A.sh"}, {"path": "hooks/Gone.sh"}]}}"#;
const SCRIPT: &str = "#!/bin/sh\n# Hook: A\n# Event: Stop\n# Description: Does nothing.\n";

fn diagnostic_codes(project: &LoaderFixture, path: &str) -> Vec<(&'static str, String)> {
    let loaded = project.load(path);
    let first = loaded.hook_declarations.first().unwrap();
    let HandlerSpec::Command(spec) = &first.handler else { unreachable!("a script is a program") };
    let program = spec.command.rsplit('/').next().unwrap().to_owned();
    assert_eq!(loaded.hook_declarations.len(), 2);
    loaded.diagnostics.iter().map(|found| (found.code, program.clone())).collect()
}

#[test]
fn settings_are_found_by_their_name_and_their_scripts_are_looked_at() {
    let project = LoaderFixture::new(&[("settings.json", SETTINGS), ("hooks/A.sh", SCRIPT)]);
    let missing = |program: &str| ("missing_script", program.to_owned());
    assert_eq!(diagnostic_codes(&project, "settings.json"), [("not_executable", String::from("sh")), missing("sh")]);
    let script = project.path("hooks/A.sh");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    for path in ["settings.json", ""] {
        assert_eq!(diagnostic_codes(&project, path), [missing("A.sh")], "{path}");
    }
}

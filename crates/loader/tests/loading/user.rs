//! Tests the user's own configuration: settings and drop-ins.

use pintle_contract::{
    EnforcementMode, Layer, PermissionMode, PermissionsSpec, Severity, TapeRetention, TelemetrySettings,
};
use pintle_loader::{
    LayerDirs, LoadOptions, LoadedPath, find_tape_retention, find_tape_witness, load_layer, load_shadowed_layer,
    telemetry_of,
};

use crate::support::{AcceptingFactory, LoaderFixture};

fn load_user_dir(project: &LoaderFixture, dir: &str) -> LoadedPath {
    load_layer(&project.path(dir), Layer::User, &AcceptingFactory, &LoadOptions::default())
}

/// A block with one hook of an event.
fn hooks_block(event: &str, name: &str) -> String {
    format!("{event}:\n  - {{type: command, name: {name}, command: \"true\"}}\n")
}

/// The names of the declared hooks, in order.
fn declared_names(path: &LoadedPath) -> Vec<&str> {
    path.hook_declarations.iter().map(|hook| hook.name.as_str()).collect()
}

#[test]
fn hooks_of_a_shadowed_directory_are_called_and_nothing_of_it_applies() {
    let settings = "settings:\n  permissions:\n    deny: [shell]\n";
    let project =
        LoaderFixture::new(&[("config.yaml", settings.to_owned()), ("hooks.d/1.yaml", hooks_block("stop", "mine"))]);
    let enforced = load_user_dir(&project, "");
    let load = |dir: &str| load_shadowed_layer(&project.path(dir), &AcceptingFactory, &LoadOptions::default());
    let shadowed = load("");
    let modes = |loaded: &LoadedPath| {
        loaded.chains.iter().flat_map(|chain| &chain.hooks).map(|hook| hook.mode).collect::<Vec<_>>()
    };
    assert_eq!((modes(&enforced), modes(&shadowed)), (vec![EnforcementMode::Enforce], vec![EnforcementMode::Shadow]));
    assert!(enforced.permissions != PermissionsSpec::default() && shadowed.permissions == PermissionsSpec::default());
    // An error in it is not one of what guards.
    std::fs::write(project.path("hooks.d/2.yaml"), "").unwrap();
    assert!(project.findings(&load_user_dir(&project, ""), Severity::Error).len() == 1);
    assert_eq!(project.findings(&load(""), Severity::Error), Vec::<String>::new());
    assert_eq!(project.findings(&load(""), Severity::Warning).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_not_one_is_an_error_and_a_missing_one_is_not() {
    let project = LoaderFixture::new(&[("file", "")]);
    std::os::unix::fs::symlink("nowhere", project.path("link")).unwrap();
    let found = |dir: &str| project.findings(&load_user_dir(&project, dir), Severity::Note);
    assert_eq!(found("missing"), Vec::<String>::new());
    assert_eq!(found("file"), ["error: cannot read `file`: it is not a directory"]);
    assert_eq!(found("link"), ["error: cannot read `link`: no such file or directory"]);
}

#[test]
fn a_drop_in_without_hooks_guards_nothing_and_is_an_error() {
    for text in ["", "# nothing yet\n", "{}\n"] {
        let project = LoaderFixture::new(&[("hooks.d/30.yaml", text)]);
        let found = project.findings(&load_user_dir(&project, ""), Severity::Note);
        assert_eq!(found, ["hooks.d/30.yaml:1:1: error: yaml: line 1: the file declares no hooks"], "{text}");
    }
}

#[test]
fn what_was_meant_to_be_read_in_the_users_folder_is_told_of() {
    let project = LoaderFixture::new(&[
        ("config.yml", "settings: {}\n"),
        ("hooks.d/guard.json", "{}"),
        ("hooks.d/guard.md", "# x"),
        ("hooks.d/README.txt", ""),
    ]);
    let found = project.findings(&load_user_dir(&project, ""), Severity::Note);
    let wanted = [
        "error: the file `config.yml` is not read, so the hooks in it do not run",
        "warning: the file `hooks.d/guard.json` is not read",
        "warning: the file `hooks.d/guard.md` is not read",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn settings_come_first_and_drop_ins_in_the_order_of_their_names() {
    let settings =
        format!("settings:\n  safety: strict\n  hooks:\n    {}", hooks_block("stop", "mine").replace('\n', "\n    "));
    let project = LoaderFixture::new(&[
        ("config.yaml", settings),
        ("hooks.d/20-late.yaml", hooks_block("stop", "late")),
        (
            "hooks.d/10-early.yml",
            format!("{}{}", hooks_block("session_end", "early"), hooks_block("stop", "early_too")),
        ),
        ("hooks.d/notes.txt", String::from("agents:")),
        ("hooks.d/folder/40.yaml", hooks_block("stop", "deeper")),
        ("hooks.d/50.yaml/inside.yaml", hooks_block("stop", "inside")),
    ]);
    let loaded = load_user_dir(&project, "");
    assert_eq!(project.findings(&loaded, Severity::Note), Vec::<String>::new());
    assert_eq!(declared_names(&loaded), ["mine", "early", "early_too", "late"]);
    assert!(loaded.chains.iter().all(|chain| chain.layer == Layer::User));
    assert_eq!((loaded.files, loaded.permissions.mode), (3, Some(PermissionMode::Strict)));
}

#[test]
fn what_is_not_there_holds_nothing() {
    let nothing: [(&str, &str); 1] = [("else/config.yaml", "settings: {}\n")];
    let project = LoaderFixture::new(&nothing);
    for dir in ["", "else", "nowhere"] {
        let loaded = load_user_dir(&project, dir);
        assert_eq!(project.findings(&loaded, Severity::Note), Vec::<String>::new(), "{dir}");
        assert!(loaded.hook_declarations.is_empty() && loaded.chains.is_empty(), "{dir}");
    }
}

#[test]
fn a_bad_file_is_an_error_and_the_others_are_read_all_the_same() {
    let project = LoaderFixture::new(&[
        ("config.yaml", String::from("settings:\n  hooks:\n    stpo: []\n")),
        ("hooks.d/10.yaml", String::from("stop: [\n")),
        ("hooks.d/20.yaml", hooks_block("stop", "fine")),
        ("hooks.d/30.yaml", String::from("- a\n")),
    ]);
    let loaded = load_user_dir(&project, "");
    assert_eq!(declared_names(&loaded), ["fine"]);
    let faults = project.findings(&loaded, Severity::Error);
    let files: Vec<&str> = faults.iter().filter_map(|error| error.split(':').next()).collect();
    assert_eq!(files, ["config.yaml", "hooks.d/10.yaml", "hooks.d/30.yaml"], "{faults:?}");
}

#[test]
fn only_the_settings_of_user_and_organisation_say_how_long_tapes_are_kept() {
    let project = LoaderFixture::new(&[
        ("managed/config.yaml", "tapes: {keep_days: 90}\n"),
        ("own/config.yaml", "tapes: {keep_days: 7, max_size: 500MB}\n"),
        ("silent/config.yaml", "tapes:\nsettings: {theme: x}\n"),
        (".harness/config.yaml", "tapes: {keep_days: 1}\n"),
        ("harness.md", "---\ntapes: {keep_days: 1}\n---\nDo it.\n"),
    ]);
    let find = |managed: &[&str], own: &str| {
        let dir = |name: &&str| project.path(name);
        let managed = managed.iter().map(dir).collect();
        let dirs = LayerDirs { managed, config: Some(dir(&own)), cwd: project.path(""), ..LayerDirs::default() };
        find_tape_retention(&dirs).unwrap()
    };
    let limits = |keep_days, max_size_bytes| TapeRetention { keep_days, max_size_bytes };
    assert_eq!(find(&["none", "managed"], "own"), limits(Some(90), Some(500_000_000)));
    assert_eq!(find(&["silent"], "own"), limits(Some(7), Some(500_000_000)));
    assert!(find(&["none"], "silent").keeps_everything());
}

#[test]
fn witness_of_the_organisation_comes_first_and_a_project_has_none() {
    let project = LoaderFixture::new(&[
        ("managed/config.yaml", "tapes: {keep_days: 90, witness: /mnt/audit/notes}\n"),
        ("own/config.yaml", "tapes: {witness: /home/me/notes}\n"),
        ("silent/config.yaml", "tapes: {keep_days: 1}\n"),
        ("relative/config.yaml", "tapes: {witness: notes}\n"),
        (".harness/config.yaml", "tapes: {witness: /tmp/notes}\n"),
    ]);
    let find = |managed: &str, own: &str| {
        let dir = |name: &str| project.path(name);
        let dirs = LayerDirs {
            managed: vec![dir(managed)],
            config: Some(dir(own)),
            cwd: project.path(""),
            ..LayerDirs::default()
        };
        find_tape_witness(&dirs)
    };
    let path = |text: &str| Ok(Some(std::path::PathBuf::from(text)));
    assert_eq!(find("managed", "own"), path("/mnt/audit/notes"));
    assert_eq!(find("silent", "own"), path("/home/me/notes"));
    assert_eq!(find("silent", "none"), Ok(None));
    assert!(find("managed", "relative").unwrap_err().contains("`notes` depends on the working directory"));
    // What is appended there is not for an agent to change.
    let is_guarded = |dir: &str, path: &str| load_user_dir(&project, dir).policy.contains_policy(path.as_ref());
    assert!(is_guarded("managed", "/mnt/audit/notes") && is_guarded("managed", "/mnt/audit"));
    assert!(is_guarded("own", "/home/me/notes") && !is_guarded("own", "/mnt/audit/notes"));
}

#[test]
fn telemetry_is_what_the_organisation_or_the_user_says_and_never_a_project() {
    let project = LoaderFixture::new(&[
        ("managed/config.yaml", "telemetry: {otlp: https://otel.example, headers_file: /etc/otlp-headers}\n"),
        ("own/config.yaml", "telemetry: {otlp: 'http://localhost:4318', content: true}\n"),
        ("silent/config.yaml", "telemetry:\nsettings: {theme: x}\n"),
        (".harness/config.yaml", "telemetry: {otlp: https://elsewhere.example}\n"),
        ("config.yaml", "telemetry: {otlp: https://elsewhere.example}\n"),
        ("harness.md", "---\ntelemetry: {otlp: https://elsewhere.example}\n---\nDo it.\n"),
    ]);
    let find = |managed: &str, own: &str| {
        let dir = |name: &str| project.path(name);
        let dirs = LayerDirs {
            managed: vec![dir(managed)],
            config: Some(dir(own)),
            cwd: project.path(""),
            ..LayerDirs::default()
        };
        telemetry_of(&dirs)
    };
    let own = TelemetrySettings { otlp: String::from("http://localhost:4318"), headers_file: None, content: true };
    assert_eq!(find("silent", "own"), Ok(Some(own)));
    assert_eq!(find("silent", "none"), Ok(None));
    // The organisation's key applies as a whole.
    let managed = find("managed", "own").unwrap().unwrap();
    assert_eq!((managed.otlp.as_str(), managed.content), ("https://otel.example", false));
    // What identifies the machine is not for an agent to change.
    assert!(load_user_dir(&project, "managed").policy.contains_policy("/etc/otlp-headers".as_ref()));
    for (text, wanted) in [
        ("telemetry: {otlp: 'http://otel.example'}\n", "`http` would send telemetry unencrypted"),
        ("telemetry: {otlp: 'https://me:pw@otel.example'}\n", "it has a user"),
        ("telemetry: {oltp: https://otel.example}\n", "has no `otlp`"),
        ("telemetry: {otlp: https://otel.example, contnet: true}\n", "unknown key `contnet`"),
        ("telemetry: {otlp: https://otel.example, content: often}\n", "content"),
        (
            "telemetry: {otlp: https://otel.example, headers_file: secrets}\n",
            "`secrets` depends on the working directory",
        ),
        ("telemetry: https://otel.example\n", "telemetry"),
    ] {
        std::fs::write(project.path("own/config.yaml"), text).unwrap();
        let error = find("silent", "own").unwrap_err();
        assert!(error.message.contains(wanted) && !error.message.contains("pw@"), "{text}: {}", error.message);
    }
}

#[test]
fn retention_that_cannot_be_read_removes_nothing() {
    let cases = [
        ("tapes: {keep_days: 0}\n", "keep_days must be between 1 and 36500, not `0`"),
        ("tapes: {keep_days: soon}\n", "keep_days"),
        ("tapes: {max_size: 500}\n", "max_size"),
        ("tapes: {max_size: a lot}\n", "`a lot` is not a size"),
        ("tapes: 30\n", "tapes"),
        ("tapes: {keep_days: 30\n", ""),
        ("tapes: {keep_days: 30}\nsettings: {hooks: {stpo: []}}\n", "`stpo`"),
    ];
    for (text, wanted) in cases {
        let project = LoaderFixture::new(&[("own/config.yaml", text)]);
        let dirs = LayerDirs { config: Some(project.path("own")), ..LayerDirs::default() };
        let error = find_tape_retention(&dirs).unwrap_err();
        assert!(error.message.contains(wanted), "{text}: {}", error.message);
    }
}

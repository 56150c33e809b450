//! The user's own configuration: settings and drop-ins (docker-agent behaviour, section 7, Config).

use pintle_contract::{Layer, PermissionMode, Severity};
use pintle_loader::{Loaded, Options, load_layer};

use crate::support::{Project, Taking};

fn load(project: &Project, folder: &str) -> Loaded {
    load_layer(&project.path(folder), Layer::User, &Taking, &Options::default())
}

/// A block with one hook of an event.
fn block(event: &str, name: &str) -> String {
    format!("{event}:\n  - {{type: command, name: {name}, command: \"true\"}}\n")
}

/// The names of the declared hooks, in order.
fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.declarations.iter().map(|hook| hook.name.as_str()).collect()
}

#[test]
fn a_drop_in_without_hooks_guards_nothing_and_is_an_error() {
    for text in ["", "# nothing yet\n", "{}\n"] {
        let project = Project::new(&[("hooks.d/30.yaml", text)]);
        let found = project.findings(&load(&project, ""), Severity::Note);
        assert_eq!(found, ["hooks.d/30.yaml:1:1: error: yaml: line 1: the file declares no hooks"], "{text}");
    }
}

#[test]
fn what_was_meant_to_be_read_in_the_users_folder_is_told_of() {
    let project = Project::new(&[
        ("config.yml", "settings: {}\n"),
        ("hooks.d/guard.json", "{}"),
        ("hooks.d/guard.md", "# x"),
        ("hooks.d/README.txt", ""),
    ]);
    let found = project.findings(&load(&project, ""), Severity::Note);
    let wanted = [
        "error: the file `config.yml` is not read, and what is in it guards nothing",
        "warning: the file `hooks.d/guard.json` is not read",
        "warning: the file `hooks.d/guard.md` is not read",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn settings_come_first_and_drop_ins_in_the_order_of_their_names() {
    let settings =
        format!("settings:\n  safety: strict\n  hooks:\n    {}", block("stop", "mine").replace('\n', "\n    "));
    let project = Project::new(&[
        ("config.yaml", settings),
        ("hooks.d/20-late.yaml", block("stop", "late")),
        ("hooks.d/10-early.yml", format!("{}{}", block("session_end", "early"), block("stop", "early_too"))),
        ("hooks.d/notes.txt", String::from("agents:")),
        ("hooks.d/folder/40.yaml", block("stop", "deeper")),
        ("hooks.d/50.yaml/inside.yaml", block("stop", "inside")),
    ]);
    let loaded = load(&project, "");
    assert_eq!(project.findings(&loaded, Severity::Note), Vec::<String>::new());
    assert_eq!(names(&loaded), ["mine", "early", "early_too", "late"]);
    assert!(loaded.chains.iter().all(|chain| chain.layer == Layer::User));
    assert_eq!((loaded.files, loaded.permissions.mode), (3, Some(PermissionMode::Strict)));
}

#[test]
fn what_is_not_there_holds_nothing() {
    let nothing: [(&str, &str); 1] = [("else/config.yaml", "settings: {}\n")];
    let project = Project::new(&nothing);
    for folder in ["", "else", "nowhere"] {
        let loaded = load(&project, folder);
        assert_eq!(project.findings(&loaded, Severity::Note), Vec::<String>::new(), "{folder}");
        assert!(loaded.declarations.is_empty() && loaded.chains.is_empty(), "{folder}");
    }
}

#[test]
fn a_bad_file_is_an_error_and_the_others_are_read_all_the_same() {
    let project = Project::new(&[
        ("config.yaml", String::from("settings:\n  hooks:\n    stpo: []\n")),
        ("hooks.d/10.yaml", String::from("stop: [\n")),
        ("hooks.d/20.yaml", block("stop", "fine")),
        ("hooks.d/30.yaml", String::from("- a\n")),
    ]);
    let loaded = load(&project, "");
    assert_eq!(names(&loaded), ["fine"]);
    let faults = project.findings(&loaded, Severity::Error);
    let files: Vec<&str> = faults.iter().filter_map(|fault| fault.split(':').next()).collect();
    assert_eq!(files, ["config.yaml", "hooks.d/10.yaml", "hooks.d/30.yaml"], "{faults:?}");
}

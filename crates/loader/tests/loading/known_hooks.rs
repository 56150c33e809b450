//! Hooks of files that did not change are read when they are asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pintle_contract::{HandlerSpec, Hook, Layer, MatchResult, Severity, VerdictKind};
use pintle_loader::{KnownHooks, LoadOptions, LoadedPath, TrustOptions};
use pintle_testkit::example_event;
use serde_json::json;
use tempfile::TempDir;

use crate::known_scripts::{ScriptFactory, call, hook_text, many_hooks, only_file};

/// A script that is always among the declarations.
const KEPT: &str = "return 9";

fn load_from(path: &Path, dir: &Path, factory: &ScriptFactory) -> LoadedPath {
    let keeps = |handler: &HandlerSpec| matches!(handler, HandlerSpec::Script(script) if script.text.trim() == KEPT);
    let known = KnownHooks::new(dir, Arc::new(factory.clone()), keeps).unwrap();
    let options = LoadOptions { known_hooks: Some(&known), skips_lints: true, ..LoadOptions::default() };
    pintle_loader::load_for_hooks(path, Layer::User, factory, &options)
}

/// Loads until few hooks are compiled: files that were just written may change without a trace. Returns how many the first
/// load compiled.
fn load_until_known(path: &Path, dir: &Path, factory: &ScriptFactory) -> usize {
    let compiled = || {
        load_from(path, dir, factory);
        factory.take_compiled().len()
    };
    let first = compiled();
    let until = Instant::now() + Duration::from_secs(5);
    while compiled() > 2 {
        assert!(Instant::now() < until, "the hooks are read again and again");
    }
    first
}

/// The hooks of a path in their order, with everything that is known of one before it is asked.
fn describe(loaded_path: &LoadedPath) -> Vec<String> {
    let chains = loaded_path.chains.iter();
    let hooks = chains.flat_map(|chain| chain.hooks.iter().map(move |hook| (chain.dialect, chain.profile, hook)));
    let describe = |(dialect, profile, hook): (&str, _, &Arc<Hook>)| {
        let Hook { id, event, event_alias, priority, guard, on_failure, strict_matcher, mode, limits, .. } = &**hook;
        let subjects = hook.matcher.as_ref().map(|matcher| matcher.subjects());
        format!(
            "{dialect} {profile:?} {id} {event} {event_alias} {priority} {guard} {on_failure:?} {strict_matcher} {mode:?} \
             {limits:?} {:?} {:?} {} {} {} {} {:?} {:?} {subjects:?}",
            hook.tools,
            hook.location,
            hook.handler.kind(),
            hook.handler.may_wait(),
            hook.handler.needs_order(),
            hook.handler.is_reusable(),
            hook.handler.influence(event_alias),
            hook.handler.call_reads(),
        )
    };
    hooks.map(describe).collect()
}

fn find_hook<'l>(loaded_path: &'l LoadedPath, name: &str) -> &'l Hook {
    loaded_path.chains.iter().flat_map(|chain| &chain.hooks).find(|hook| hook.id.as_str() == name).unwrap()
}

/// Whether a hook matches a call of `tool3`.
fn match_tool(hook: &Hook) -> MatchResult {
    hook.matcher.as_ref().unwrap().matches(&example_event("tool.pre", json!({"name": "tool3"})))
}

#[test]
fn a_known_hook_is_read_when_it_is_asked() {
    let (project, dir) = many_hooks();
    let hears_everything = hook_text(5).replace("when: tool5\n", "");
    fs::write(project.path(".harness/hooks/h05.md"), hears_everything).unwrap();
    fs::write(project.path(".harness/hooks/h21.md"), hook_text(1).replace("priority: 1", "priority: -3")).unwrap();
    let (factory, root) = (ScriptFactory::default(), project.path(""));
    let first = pintle_loader::load_for_hooks(&root, Layer::User, &factory, &LoadOptions::default());
    load_until_known(&root, dir.path(), &factory);
    let again = load_from(&root, dir.path(), &factory);
    let read: Vec<&str> = again.hook_declarations.iter().map(|hook| hook.name.as_str()).collect();
    assert_eq!((read, factory.take_compiled()), (vec!["h09"], vec![String::from("h09")]));
    assert_eq!((again.files, describe(&again)), (first.files, describe(&first)));
    assert!(describe(&again)[0].contains(" h21 "));
    assert_eq!(project.findings(&again, Severity::Error), [""; 0]);
    let all_paths = |loaded: &LoadedPath| loaded.policy.paths().map(Path::to_owned).collect::<Vec<_>>();
    assert_eq!(all_paths(&again), all_paths(&first));

    let hook = find_hook(&again, "h03");
    assert_eq!(match_tool(hook), MatchResult::Yes);
    assert!(matches!(call(hook), VerdictKind::Deny { reason } if reason == "no"));
    assert_eq!(factory.take_compiled(), ["h03"]);
    let hook = find_hook(&again, "h05");
    assert!(hook.matcher.is_none() && matches!(call(hook), VerdictKind::Deny { reason } if reason == "no"));
    assert_eq!(factory.take_compiled(), ["h05"]);
    let file = only_file(dir.path());
    assert_eq!(pintle_files::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn each_change_of_a_file_is_seen() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 13] = [
        ("a text of the same length at the same time", |hooks| {
            let file = fs::File::options().write(true).open(hooks.join("h03.md")).unwrap();
            let before = file.metadata().unwrap().modified().unwrap();
            fs::write(hooks.join("h03.md"), hook_text(4)).unwrap();
            file.set_modified(before).unwrap();
        }),
        ("another file in its place, as old as the first", |hooks| {
            let before = pintle_files::metadata(hooks.join("h03.md")).unwrap().modified().unwrap();
            fs::write(hooks.join("new"), hook_text(4)).unwrap();
            fs::File::options().write(true).open(hooks.join("new")).unwrap().set_modified(before).unwrap();
            fs::rename(hooks.join("new"), hooks.join("h03.md")).unwrap();
        }),
        ("a mode", |hooks| fs::set_permissions(hooks.join("h03.md"), fs::Permissions::from_mode(0o640)).unwrap()),
        ("a second name", |hooks| fs::hard_link(hooks.join("h03.md"), hooks.join("h97.md")).unwrap()),
        ("a second name elsewhere", |hooks| fs::hard_link(hooks.join("h03.md"), hooks.join("../three")).unwrap()),
        ("a text by another name of the file", |hooks| fs::write(hooks.join("../linked"), hook_text(7)).unwrap()),
        ("a new hook", |hooks| fs::write(hooks.join("h99.md"), hook_text(3)).unwrap()),
        ("a hook less", |hooks| fs::remove_file(hooks.join("h03.md")).unwrap()),
        ("another name", |hooks| fs::rename(hooks.join("h03.md"), hooks.join("h98.md")).unwrap()),
        ("two names exchanged", |hooks| {
            fs::rename(hooks.join("h03.md"), hooks.join("new")).unwrap();
            fs::rename(hooks.join("h04.md"), hooks.join("h03.md")).unwrap();
            fs::rename(hooks.join("new"), hooks.join("h04.md")).unwrap();
        }),
        ("where a link leads", |hooks| {
            fs::remove_file(hooks.join("h20.md")).unwrap();
            symlink("../two", hooks.join("h20.md")).unwrap();
        }),
        ("what a link leads to", |hooks| fs::write(hooks.join("../one"), hook_text(4)).unwrap()),
        ("another directory in its place", |hooks| {
            fs::rename(hooks, hooks.join("../../old")).unwrap();
            fs::create_dir(hooks).unwrap();
            fs::copy(hooks.join("../one"), hooks.join("../../one")).unwrap();
            for entry in pintle_files::read_dir(hooks.join("../../old")).unwrap() {
                let path = entry.unwrap().path();
                fs::copy(&path, hooks.join(path.file_name().unwrap())).unwrap();
            }
        }),
    ];
    // A set of any size is remembered.
    for ((name, change), count) in changes.into_iter().flat_map(|change| [(change, 40), (change, 5)]) {
        let (project, dir) = many_hooks();
        let (factory, root, hooks) = (ScriptFactory::default(), project.path(""), project.path(".harness/hooks"));
        for (number, target) in ["one", "two"].into_iter().enumerate() {
            fs::write(hooks.parent().unwrap().join(target), hook_text(number)).unwrap();
        }
        fs::remove_file(hooks.join("h20.md")).unwrap();
        symlink("../one", hooks.join("h20.md")).unwrap();
        fs::hard_link(hooks.join("h21.md"), hooks.join("../linked")).unwrap();
        let kept = ["h03.md", "h04.md", "h09.md", "h20.md", "h21.md"];
        for entry in pintle_files::read_dir(&hooks).unwrap().flatten().filter(|_| count < 40) {
            if !kept.iter().any(|name| entry.file_name() == *name) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        assert_eq!(load_until_known(&root, dir.path(), &factory), count);
        change(&hooks);
        let whole = pintle_loader::load_for_hooks(&root, Layer::User, &factory, &LoadOptions::default());
        factory.take_compiled();
        let loaded = load_from(&root, dir.path(), &factory);
        assert!(factory.take_compiled().len() >= count - 1, "{name} of {count}");
        assert_eq!(describe(&loaded), describe(&whole), "{name} of {count}");
        load_until_known(&root, dir.path(), &factory);
        assert_eq!(describe(&load_from(&root, dir.path(), &factory)), describe(&whole), "{name}");
    }
}

#[test]
fn the_hooks_of_a_directory_that_was_moved_are_read_again() {
    let (project, dir) = many_hooks();
    let factory = ScriptFactory::default();
    let (one, two) = (project.path("one"), project.path("two"));
    fs::create_dir(&one).unwrap();
    fs::rename(project.path(".harness"), one.join(".harness")).unwrap();
    assert_eq!(load_until_known(&one, dir.path(), &factory), 40);
    fs::rename(&one, &two).unwrap();
    assert_eq!(load_until_known(&two, dir.path(), &factory), 40);
    fs::rename(&two, &one).unwrap();
    let loaded = load_from(&one, dir.path(), &factory);
    assert!(loaded.chains[0].hooks.iter().all(|hook| hook.location.path().unwrap().starts_with(&one)));
}

#[test]
fn a_hook_that_does_not_compile_is_an_error_at_every_load() {
    let (project, dir) = many_hooks();
    fs::write(project.path(".harness/hooks/h07.md"), hook_text(7).replace("return", "SYNTAX")).unwrap();
    let (factory, root) = (ScriptFactory::default(), project.path(""));
    let until = Instant::now() + Duration::from_millis(150);
    while Instant::now() < until {
        let loaded = load_from(&root, dir.path(), &factory);
        assert_eq!(project.findings(&loaded, Severity::Error).len(), 1);
        assert_eq!(factory.take_compiled().len(), 40);
    }
}

#[test]
fn a_known_guard_that_does_not_compile_any_more_denies() {
    let (project, dir) = many_hooks();
    let (factory, root) = (ScriptFactory::default(), project.path(""));
    load_until_known(&root, dir.path(), &factory);
    let loaded = load_from(&root, dir.path(), &factory);
    *factory.is_broken.lock().unwrap() = true;
    let hook = find_hook(&loaded, "h03");
    assert_eq!(match_tool(hook), MatchResult::Yes);
    assert!(matches!(call(hook), VerdictKind::Deny { .. }));
}

#[test]
fn a_file_that_is_damaged_or_that_others_may_have_written_is_not_used() {
    let (project, dir) = many_hooks();
    let (factory, root) = (ScriptFactory::default(), project.path(""));
    assert_eq!(load_until_known(&root, dir.path(), &factory), 40);
    let file = only_file(dir.path());
    let bytes = pintle_files::read(&file).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let (half, zeros) = (bytes[..bytes.len() / 2].to_vec(), vec![0; bytes.len()]);
    let lost_end = [&bytes[..bytes.len() - 100], &[0; 100]].concat();
    let other_text = text.replace("return 3", "return 8").into_bytes();
    let other_subject = text.replace("tool3\"", "tool8\"").into_bytes();
    for damaged in [Vec::new(), half, zeros, lost_end, other_text, other_subject, b"0".repeat(64)] {
        assert_ne!(damaged, bytes);
        fs::write(&file, &damaged).unwrap();
        assert_eq!(load_until_known(&root, dir.path(), &factory), 40, "{damaged:?}");
        assert_eq!(pintle_files::read(&file).unwrap(), bytes);
    }
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for mode in [0o644, 0o620, 0o602] {
        set_mode(&file, mode);
        assert_eq!(load_until_known(&root, dir.path(), &factory), 40, "{mode:o}");
    }
    // Only the system's administrator can give a file away.
    if chown(&file, Some(1), Some(1)).is_ok() {
        assert_eq!(load_until_known(&root, dir.path(), &factory), 40);
    }
    let other_dir = TempDir::new().unwrap();
    let elsewhere = other_dir.path().join("mine");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert_eq!(load_until_known(&root, dir.path(), &factory), 40);
    let read_by = |dir: &Path| {
        load_from(&root, dir, &factory);
        factory.take_compiled().len()
    };
    set_mode(dir.path(), 0o777);
    assert_eq!((read_by(dir.path()), read_by(dir.path())), (40, 40));
    // Inside the project, its author may have written it.
    assert_eq!((read_by(&project.path("state")), read_by(&project.path("state"))), (40, 40));
    assert!(!pintle_files::exists(project.path("state")));
}

#[test]
fn what_needs_trust_is_always_read() {
    let (project, dir) = many_hooks();
    let (factory, root) = (ScriptFactory::default(), project.path(""));
    load_until_known(&root, dir.path(), &factory);
    let known = KnownHooks::new(dir.path(), Arc::new(factory.clone()), |_| false).unwrap();
    let grants = TrustOptions::default().into_grants();
    let options = LoadOptions { known_hooks: Some(&known), skips_lints: true, ..LoadOptions::default() };
    let untrusted = LoadOptions { trust_grants: Some(&grants), ..options };
    let loaded = pintle_loader::load_for_hooks(&root, Layer::User, &factory, &untrusted);
    assert_eq!((loaded.hook_declarations.len(), factory.take_compiled().len()), (40, 40));
    // So is what shows its warnings.
    let shown = LoadOptions { skips_lints: false, ..options };
    let loaded = pintle_loader::load_for_hooks(&root, Layer::User, &factory, &shown);
    assert_eq!((loaded.hook_declarations.len(), factory.take_compiled().len()), (40, 40));
    let loaded = pintle_loader::load_for_hooks(&root, Layer::User, &factory, &options);
    assert_eq!((loaded.hook_declarations.len(), factory.take_compiled().len()), (1, 1));
}

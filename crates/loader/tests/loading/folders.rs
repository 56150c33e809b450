//! Tests the directories of a user and the state in them.

use std::fs;
use std::path::{Path, PathBuf};

use pintle_loader::{LayerDirs, MissingDir, TrustOptions, UserDirs, find_config_dir, find_managed_dir, find_projects};

/// A function that finds the directory that an option names.
type FindDirFn = fn(Option<&Path>) -> Result<Option<PathBuf>, MissingDir>;

#[test]
fn a_folder_that_is_named_has_to_be_there() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let cases: [(FindDirFn, &str, &str); 2] = [
        (find_config_dir, "--config-dir", "your own hooks"),
        (find_managed_dir, "--managed-dir", "the hooks of your organisation"),
    ];
    for (find, by, whose) in cases {
        assert_eq!(find(Some(dir.path())), Ok(Some(dir.path().to_owned())), "{by}");
        for name in ["gone", "file"] {
            let path = dir.path().join(name);
            let missing = find(Some(&path)).unwrap_err();
            assert_eq!(
                missing.to_string(),
                format!("the directory `{}`, named by {by}, does not exist", path.display())
            );
            assert_eq!(missing.help(), format!("{whose} would not run: create the directory, or name another one"));
        }
    }
}

#[cfg(unix)]
#[test]
fn bundles_are_hooks_of_the_organisation_and_are_resolved_once() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let root = pintle_files::canonicalize(dir.path()).unwrap();
    for version in ["bundles/a-1/files", "bundles/a-2/files", "managed"] {
        fs::create_dir_all(root.join("own").join(version)).unwrap();
    }
    let own = root.join("own");
    let managed = own.join("managed");
    let find = || LayerDirs::find_for_host(PathBuf::new(), Some(&own), Some(&managed)).unwrap();
    assert_eq!(find().managed.last(), Some(&managed));
    assert_eq!(find().shadowed, Vec::<PathBuf>::new());
    symlink("bundles/a-1/files", own.join("bundle")).unwrap();
    symlink("bundles/a-2/files", own.join("bundle-shadow")).unwrap();
    symlink("../nowhere", managed.join("bundle")).unwrap();
    let found = find();
    assert!(found.managed.ends_with(&[managed.clone(), managed.join("bundle"), own.join("bundles/a-1/files")]));
    assert_eq!(found.shadowed, [own.join("bundles/a-2/files")]);
    // Without an option, the user's directory has them, too.
    let found = LayerDirs::find_for_host(PathBuf::new(), Some(&own), None).unwrap();
    assert!(found.managed.ends_with(&[own.join("bundles/a-1/files")]));
}

#[test]
fn folders_are_the_same_wherever_somebody_works() {
    let here = std::env::current_dir().unwrap();
    let folders = UserDirs { config: Some(PathBuf::from("own")), state: None, managed: Some(PathBuf::from("/m")) };
    let wanted = UserDirs { config: Some(here.join("own")), state: None, managed: Some(PathBuf::from("/m")) };
    assert_eq!(folders.to_absolute(), wanted);
}

#[test]
fn grants_come_from_the_named_state_dir_and_are_read_once_per_load() {
    let dir = tempfile::tempdir().unwrap();
    let root = pintle_files::canonicalize(dir.path()).unwrap();
    let layers = LayerDirs { cwd: root.join("project/below"), home: Some(root.clone()), ..LayerDirs::default() };
    fs::create_dir_all(&layers.cwd).unwrap();
    fs::create_dir(root.join("state")).unwrap();
    let trust = TrustOptions::from_state_dir(Some(&root.join("state")));
    assert_eq!(trust.store_path, Some(root.join("state/trust.json")));
    assert_eq!(TrustOptions::from_state_dir(None).store_path, None);

    let before = trust.clone().into_grants();
    assert_eq!(find_projects(&layers, &before), Vec::<PathBuf>::new());
    let project = root.join("project");
    let grant = serde_json::json!({"granted_at_ms": 1, "files": {}, "items": []});
    let text = serde_json::json!({"version": 2, "projects": {project.display().to_string(): grant}}).to_string();
    fs::write(root.join("state/trust.json"), text).unwrap();
    assert_eq!(find_projects(&layers, &before), Vec::<PathBuf>::new());
    assert_eq!(find_projects(&layers, &trust.into_grants()), [project]);
    assert_eq!(find_projects(&layers, &TrustOptions::from_state_dir(Some(&root)).into_grants()), Vec::<PathBuf>::new());
}

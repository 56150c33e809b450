//! From shadow mode to enforcement, and back.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::{PolicySite, find_in, printed};

#[test]
fn a_version_is_tried_compared_enforced_and_rolled_back() {
    let Some(site) = PolicySite::new() else { return };
    site.publish(1, "one\n");
    let added = printed(&site.add(&site.published_dir(), &[]), 0);
    assert!(added.starts_with("acme version 1 is now in shadow mode: its hooks are called, and nothing is enforced\n"));
    assert_eq!((site.enforced(), site.policy_at("bundle-shadow").unwrap().as_str()), (None, "one\n"));
    let shadow = fs::canonicalize(site.home().join("bundle-shadow")).unwrap();
    let compared = printed(&site.policy(&["compare", "--", "--since", "30d"]), 0);
    assert_eq!(
        compared,
        format!("called: replay --with {} --since 30d\n", site.home().join(read_name(&shadow)).display())
    );
    assert_eq!(printed(&site.policy(&["enforce"]), 0), "acme version 1 is now enforced\n");
    assert_eq!((site.enforced().unwrap().as_str(), site.policy_at("bundle-shadow")), ("one\n", None));
    assert!(printed(&site.policy(&["update"]), 0).contains("nothing new: acme version 1 is enforced"));
    assert!(printed(&site.policy(&["enforce"]), 3).contains("no bundle is in shadow mode"));
    assert!(printed(&site.policy(&["rollback"]), 3).contains("no bundle was enforced before this one"));

    site.publish(2, "two\n");
    assert!(printed(&site.policy(&["update"]), 0).contains("acme version 2 is now in shadow mode"));
    assert_eq!(site.enforced().unwrap(), "one\n");
    let compared = printed(&site.policy(&["compare"]), 0);
    assert!(compared.starts_with("called: diff ") && compared.contains("acme-1-") && compared.contains("acme-2-"));
    assert_eq!(site.command(&["compare"]).env("FAKE_STATUS", "1").output().unwrap().status.code(), Some(1));
    let status = printed(&site.policy(&["status"]), 0);
    for expected in
        ["enforced  acme version 1, sha256:", "shadow    acme version 2, sha256:", ", since 20", "last look 20"]
    {
        assert!(status.contains(expected), "{status}");
    }
    printed(&site.policy(&["enforce"]), 0);
    assert_eq!(site.enforced().unwrap(), "two\n");

    assert_eq!(printed(&site.policy(&["rollback"]), 0), "acme version 1 is now enforced\n");
    assert_eq!(site.enforced().unwrap(), "one\n");
    let again = printed(&site.policy(&["update"]), 0);
    assert_eq!(again, "acme version 2 was rolled back here; a later version is accepted\n");
    assert_eq!((site.enforced().unwrap().as_str(), site.policy_at("bundle-shadow")), ("one\n", None));
    site.publish(3, "three\n");
    printed(&site.policy(&["update"]), 0);
    assert_eq!(
        printed(&site.policy(&["rollback", "--shadow"]), 0).lines().next().unwrap(),
        again.trim().replace('2', "3")
    );
    assert_eq!((site.enforced().unwrap().as_str(), site.policy_at("bundle-shadow")), ("one\n", None));
    let status: Value = serde_json::from_slice(&site.policy(&["status", "--json"]).stdout).unwrap();
    assert_eq!(
        (&status["enforced"]["version"], &status["shadow"], &status["state"]["rolled_back"]),
        (&1.into(), &Value::Null, &3.into())
    );

    let mode = |name: &str| fs::metadata(site.home().join("bundles").join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("lock"), mode("state.json"), mode("")), (0o600, 0o644, 0o755));
    assert!(printed(&site.policy(&["remove"]), 0).starts_with("no bundle of "));
    assert_eq!((site.enforced(), fs::read_dir(site.home()).unwrap().count()), (None, 0));
    assert!(printed(&site.policy(&["update"]), 3).contains("has no source of bundles"));
}

/// `bundles/NAME/files` of a path.
fn read_name(files: &std::path::Path) -> std::path::PathBuf {
    files.components().rev().take(3).collect::<Vec<_>>().into_iter().rev().collect()
}

#[test]
fn versions_that_are_enforced_at_once_are_kept_for_a_rollback() {
    let Some(site) = PolicySite::new() else { return };
    site.publish(1, "1");
    printed(&site.add(&site.published_dir(), &["--stage", "enforce"]), 0);
    for version in 2..=8 {
        site.publish(version, &version.to_string());
        let updated = printed(&site.policy(&["update"]), 0);
        assert_eq!(updated, format!("acme version {version} is now enforced\n"));
        assert_eq!(site.enforced().unwrap(), version.to_string());
    }
    let names = |prefix: &str| find_in(&site.home().join("bundles"), prefix).is_some();
    assert!(!names("acme-3-") && (4..=8).all(|version| names(&format!("acme-{version}-"))));
    for version in (4..=7).rev() {
        printed(&site.policy(&["rollback"]), 0);
        assert_eq!(site.enforced().unwrap(), version.to_string());
    }
    assert!(printed(&site.policy(&["rollback"]), 3).contains("no bundle was enforced before this one"));
    assert_eq!(site.enforced().unwrap(), "4");
    // To name the source again accepts what was rolled back.
    assert!(
        printed(&site.add(&site.published_dir(), &["--stage", "enforce"]), 0)
            .contains("acme version 8 is now enforced")
    );
}

//! What the real `pintle` makes of a bundle, where it was built into the same directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{PolicySite, printed};

fn find_pintle() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_BIN_EXE_pintle-fleet")).with_file_name("pintle");
    let found = path.is_file().then_some(path);
    if found.is_none() {
        eprintln!("NOT TESTED: `pintle` was not built beside `pintle-fleet`");
    }
    found
}

#[test]
fn hooks_of_a_bundle_are_called_in_shadow_mode_and_then_enforced() {
    let (Some(site), Some(pintle)) = (PolicySite::new(), find_pintle()) else { return };
    fs::remove_file(site.path("pintle")).unwrap();
    std::os::unix::fs::symlink(&pintle, site.path("pintle")).unwrap();
    // The tests may be run by an agent, which is not what is tested.
    let policy = |args: &[&str]| {
        let mut command = site.command(args);
        command.env("PINTLE_USER_SETUP", "1").env("PINTLE_STATE_DIR", site.path("state"));
        command.output().unwrap()
    };
    let decide = |call: &str| {
        let mut command = Command::new(&pintle);
        command.args(["try", call, "--json"]).current_dir(site.path("published"));
        command.env("PINTLE_CONFIG_DIR", site.home()).env("PINTLE_STATE_DIR", site.path("state"));
        let output = command.output().unwrap();
        let judged: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        judged["decision"].as_str().unwrap().to_owned()
    };
    fs::create_dir(site.home()).unwrap();
    assert_eq!(decide("npm publish"), "allow");
    site.publish(1, "deny:\n  - run: npm publish\n");
    let key = site.path("own.pub").display().to_string();
    printed(&policy(&["add", &site.published_dir(), "--public-key", &key]), 0);
    assert_eq!(decide("npm publish"), "allow");
    printed(&policy(&["enforce"]), 0);
    assert_eq!((decide("npm publish").as_str(), decide("npm test").as_str()), ("deny", "allow"));

    site.publish(2, "use: [no-such-pack]\n");
    let refused = printed(&policy(&["update"]), 1);
    assert!(refused.contains("the bundle does not load: files/policy.yaml:1: "), "{refused}");
    let hook = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return allow()\n\
                examples:\n  - call: ls\n    expect: block\n---\n";
    fs::create_dir(site.path("policy/hooks")).unwrap();
    fs::write(site.path("policy/hooks/guard.md"), hook).unwrap();
    site.publish(2, "use: [git]\n");
    assert!(printed(&policy(&["update"]), 1).contains("files/hooks/guard.md"), "an example that does not hold");
    fs::remove_dir_all(site.path("policy/hooks")).unwrap();
    site.publish(3, "requires: '>=99'\nuse: [git]\n");
    assert!(printed(&policy(&["update"]), 1).contains("this policy is for Pintle >=99"));
    assert_eq!((decide("npm publish").as_str(), decide("npm test").as_str()), ("deny", "allow"));
    site.publish(4, "deny:\n  - run: cargo publish\n");
    printed(&policy(&["update"]), 0);
    assert_eq!((decide("npm publish").as_str(), decide("cargo publish").as_str()), ("deny", "allow"));
    printed(&policy(&["enforce"]), 0);
    assert_eq!((decide("npm publish").as_str(), decide("cargo publish").as_str()), ("allow", "deny"));
    printed(&policy(&["rollback"]), 0);
    assert_eq!((decide("npm publish").as_str(), decide("cargo publish").as_str()), ("deny", "allow"));

    let mut hooks = Command::new(&pintle);
    let hooks = hooks.arg("hooks").current_dir(site.path("published")).env("PINTLE_CONFIG_DIR", site.home()).output();
    let hooks = String::from_utf8(hooks.unwrap().stdout).unwrap();
    assert!(hooks.contains("bundles/acme-1-") && hooks.contains("managed"), "{hooks}");

    // A link that leads nowhere does not mean that nothing is guarded.
    let bundle = fs::canonicalize(site.home().join("bundle")).unwrap();
    fs::rename(&bundle, site.path("away")).unwrap();
    assert_eq!(decide("npm test"), "deny");
    fs::rename(site.path("away"), &bundle).unwrap();
    // An agent changes neither a link nor what is behind it.
    for call in [
        "rm bundle",
        "ln -sfn /tmp bundle",
        "ln -s /tmp bundle-shadow",
        "echo x > bundle/policy.yaml",
        "echo x > bundles/state.json",
        "rm -rf bundles",
    ] {
        let there = format!("cd {} && {call}", site.home().display());
        assert_eq!(decide(&there), "deny", "{call}");
    }
    let real = format!("echo x > {}/policy.yaml", bundle.display());
    assert_eq!(decide(&real), "deny");
    for (call, decision) in [
        ("pintle-fleet policy rollback", "deny"),
        ("pintle-fleet policy add /tmp/x --public-key x --stage enforce", "deny"),
        ("pintle-fleet policy remove --managed", "deny"),
        ("pintle-fleet policy status", "allow"),
        ("pintle-fleet policy compare -- --since 1d", "allow"),
        ("pintle-fleet log --denied", "allow"),
    ] {
        assert_eq!(decide(call), decision, "{call}");
    }
}

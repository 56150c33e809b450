//! `rule`, and rules of a user's own in policy files.

use std::fs;

use crate::fixture::{CliFixture, snapshot};

/// What `rule` says in a project with the user's directory `own`.
fn rule(fixture: &CliFixture, words: &[&str]) -> (String, String, Option<i32>) {
    let words: Vec<&str> = std::iter::once("rule").chain(words.iter().copied()).collect();
    let own = fixture.path("own").display().to_string();
    let invocation = fixture.pintle(&words).with_variable("PINTLE_CONFIG_DIR", &own).with_variable("HOME", "/home/ada");
    invocation.run_to_parts()
}

fn judge(fixture: &CliFixture, command: &str) -> (String, Option<i32>) {
    let own = fixture.path("own").display().to_string();
    let words = ["try", command];
    let invocation = fixture.pintle(&words).with_variable("PINTLE_CONFIG_DIR", &own).with_variable("HOME", "/home/ada");
    let (out, _, status) = invocation.run_to_parts();
    (out, status)
}

#[test]
fn rules_are_added_listed_and_removed() {
    let fixture = CliFixture::new_empty().with_file("own/hooks/.keep", "").with_file(".harness/hooks/.keep", "");
    let mut screen = String::new();
    for words in [
        &["list"][..],
        &["add", "deny", "npm publish", "--reason", "releases: made by CI", "--instead", "Push a tag."],
        &["add", "ask", "--write", "infra/**", "--project"],
        &["add", "ask", "terraform apply", "--name", "apply", "--agent", "claude"],
        &["add", "allow", "npm publish --dry-run"],
        &["allow-path", "~/scratch"],
        &["list"],
        &["remove", "aply"],
        &["remove", "policy.apply"],
        &["add", "allow", "*"],
        &["add", "deny", "a && b"],
        &["add", "deny"],
        &["list", "--project"],
    ] {
        let (out, err, status) = rule(&fixture, words);
        screen.push_str(&format!("$ pintle rule {}\n{out}{err}status {}\n", words.join(" "), status.unwrap()));
    }
    screen.push_str(&fs::read_to_string(fixture.path("own/policy.yaml")).unwrap());
    let own = fixture.path("own").display().to_string();
    let (out, _, _) = fixture.pintle(&["rules"]).with_variable("PINTLE_CONFIG_DIR", &own).run_to_parts();
    assert!(out.contains("policy.npm-publish ") && out.contains("policy.write-infra "), "{out}");
    snapshot!("rules", screen);
    for (command, status) in [("npm publish", 2), ("npm publish --dry-run", 0), ("npm ci", 0), ("rm -rf infra", 0)] {
        let (out, found) = judge(&fixture, command);
        assert_eq!(found, Some(status), "{command}: {out}");
    }
    let (out, _) = judge(&fixture, "echo x > infra/a && npm publish");
    snapshot!("rules_deny", out);
    let (out, _) = judge(&fixture, "echo x > infra/a");
    assert!(out.contains("rule     policy.write-infra (ask) of .harness/policy.yaml:3\n"), "{out}");
    let cases = "- {call: npm publish, expect: block, rule: policy.npm-publish}\n- {call: echo x > infra/a, expect: ask, \
                 rule: policy.write-infra}\n";
    let fixture = fixture.with_file(".harness/rules.cases.yaml", cases);
    let own = fixture.path("own").display().to_string();
    let (out, err, status) = fixture.pintle(&["test"]).with_variable("PINTLE_CONFIG_DIR", &own).run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
}

#[test]
fn an_exception_reaches_the_packs_of_its_own_directory() {
    let own = "use: [git, self-protection]\nallow:\n  - git push --force origin feature/*\n  - pintle uninstall all\n";
    let project = "use: [shell]\nallow:\n  - path: /srv\n";
    let fixture = CliFixture::new_empty().with_file("own/policy.yaml", own).with_file(".harness/policy.yaml", project);
    for (command, status) in [
        ("git push --force origin feature/x", 0),
        ("git push --force origin main", 2),
        ("git push --force origin feature/x; git push --force origin main", 2),
        ("rm -rf /srv/x", 0),
        ("rm -rf /srv/x /opt/x", 2),
        ("pintle uninstall all", 2),
    ] {
        let (out, found) = judge(&fixture, command);
        assert_eq!(found, Some(status), "{command}: {out}");
    }
    fs::write(fixture.path(".harness/policy.yaml"), "use: [git]\n").unwrap();
    // The user's `allow` is not for the project's packs.
    assert_eq!(judge(&fixture, "git push --force origin feature/x").1, Some(2));
}

#[test]
fn a_directory_with_nothing_but_a_policy_is_one() {
    let fixture = CliFixture::new_empty().with_file("etc/policy.yaml", "deny: npm publish\n");
    let (out, err, status) = fixture.pintle(&["validate", "etc"]).run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.starts_with("1 hook,"), "{out}");
}

#[test]
fn a_path_that_the_shell_has_expanded_stays_and_has_a_short_name() {
    let fixture = CliFixture::new_empty().with_file("own/hooks/.keep", "");
    for (words, name, written) in [
        (&["allow-path", "/home/ada/my builds"][..], "path-my-builds", "path: /home/ada/my builds"),
        (&["add", "deny", "--read", "/home/ada"], "read-home", "read: /home/ada"),
        (&["add", "deny", "--write", "/home/adam/x"], "write-home-adam-x", "write: /home/adam/x"),
        (&["add", "deny", "--tool", "/home/ada/x"], "tool-home-ada-x", "tool: /home/ada/x"),
        (&["add", "deny", "--delete", "~/x"], "delete-x", "delete: '~/x'"),
    ] {
        let (out, err, status) = rule(&fixture, words);
        assert_eq!(status, Some(0), "{out}{err}");
        assert!(out.starts_with(&format!("added policy.{name} to ")), "{out}");
        let policy = fs::read_to_string(fixture.path("own/policy.yaml")).unwrap();
        assert!(policy.contains(written), "{policy}");
    }
    // A project that sets `HOME` does not get at it.
    let own = fixture.path("own").display().to_string();
    let words = ["try", "cat /home/ada/notes"];
    let invocation = fixture.pintle(&words).with_variable("PINTLE_CONFIG_DIR", &own).with_variable("HOME", "/home/eve");
    assert_eq!(invocation.run_to_parts().2, Some(2));
}

#[test]
fn what_is_wrong_in_the_settings_of_packs_is_said_once_and_where_it_is() {
    for (name, policy) in [
        ("list", "use: [shell]\nrules:\n  - deny: {run: npm publish}\n"),
        (
            "settings",
            "use: [shell, git]\nrules:\n  git.force-pus: ask\n  force-push: ask\n  terraform.apply: ask\n  \
             shell.unknown: {alow: [x], severity: dny}\n  shell.delete-root: no\n  nothing: ask\n",
        ),
        ("own", "use: [shell]\nrules:\n  no-apply:\n    deny: {run: terraform apply}\n"),
        ("use", "use: shell\nrules:\n"),
        ("nothing", "use:\nrules: {}\n"),
    ] {
        let fixture = CliFixture::new_empty().with_file(".harness/policy.yaml", policy);
        snapshot!(format!("pack_settings_wrong_{name}"), fixture.pintle(&["validate"]).run_to_screen());
        assert_eq!(judge(&fixture, "ls").1, Some(3), "{policy}");
    }
    // The name of a branch may be a number.
    let policy = "use: [git]\nrules: {git.force-push: {severity: ask, allow: [2024]}}\n";
    let fixture = CliFixture::new_empty().with_file(".harness/policy.yaml", policy);
    assert_eq!(fixture.pintle(&["validate"]).run_to_parts().2, Some(0));
}

#[test]
fn what_is_wrong_in_rules_is_said_where_it_is() {
    let rules = "deny:\n  - rum: npm publish\n  - run: [a, 1, {}]\n  - delete: {outsid: project}\n  - delete: {outside: projct}\n  \
                 - write: a/../b\n  - {read: x, write: y}\n  - {run: a, except: b}\n  - reason: x\nask: []\nwarn:\n  - tool: \
                 Bsh\n  - {run: x, agents: [cluade]}\n  - read: {tags: [secrt]}\nallow:\n  - tool: '*'\n  - delete: any\n";
    let fixture =
        CliFixture::new_empty().with_file(".harness/rules/own.yaml", rules).with_file(".harness/rules/a.yml", "");
    snapshot!("rules_wrong", fixture.pintle(&["validate"]).run_to_screen());
    let (out, status) = judge(&fixture, "ls");
    assert_eq!(status, Some(3), "{out}");
    let fixture = CliFixture::new_empty().with_file(".harness/policy.yaml", "allow: [npm ci]\n");
    snapshot!("rules_dead_exception", fixture.pintle(&["validate"]).run_to_screen());
}

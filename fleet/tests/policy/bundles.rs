//! What is in a bundle.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use super::{PolicySite, printed};
use crate::fixture::{fleet_command, write_file};

#[test]
fn same_files_are_the_same_bytes_wherever_they_are_and_when() {
    let Some(site) = PolicySite::new() else { return };
    for (file, text) in
        [("hooks/b.md", "b"), ("hooks/it's an ä.md", "a"), ("hooks/guard.sh", "#!/bin/sh"), (".git/HEAD", "x")]
    {
        write_file(&site.path("policy").join(file), text);
    }
    fs::set_permissions(site.path("policy/hooks/guard.sh"), fs::Permissions::from_mode(0o700)).unwrap();
    let first = site.publish(7, "use: [git]\n");
    assert!(first.contains("hidden files are left out: .git") && first.contains("acme version 7, 4 files, sha256:"));
    let bytes = fs::read(site.bundle()).unwrap();
    fs::rename(site.path("policy"), site.path("moved")).unwrap();
    for file in ["policy.yaml", "hooks/guard.sh", "hooks/b.md", "hooks/it's an ä.md"] {
        let text = fs::read(site.path("moved").join(file)).unwrap();
        write_file(&site.path("policy").join(file), text);
    }
    fs::set_permissions(site.path("policy/hooks/guard.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    site.publish(7, "use: [git]\n");
    assert!(fs::read(site.bundle()).unwrap() == bytes);

    // The real program accepts the signature, other programs the archive, and this one shows it.
    let verified = Command::new("minisign").arg("-Vm").arg(site.bundle()).arg("-p").arg(site.path("own.pub")).output();
    assert!(verified.unwrap().status.success());
    let listed = Command::new("tar").arg("-tvf").arg(site.bundle()).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("-rwxr-xr-x 0/0") && listed.contains(" 1970-01-01 00:00 files/hooks/guard.sh"), "{listed}");
    let show = |key: &str| {
        let mut command = fleet_command();
        command.args(["bundle", "show"]).arg(site.bundle()).arg("--public-key").arg(site.path(key)).output().unwrap()
    };
    assert!(printed(&show("own.pub"), 0).contains("9  hooks/guard.sh  program"));
    assert!(printed(&show("other.pub"), 1).contains("the signature is not one of the key"));
}

#[test]
fn a_bundle_that_minisign_itself_signed_is_accepted_and_an_unsigned_one_is_not() {
    let Some(site) = PolicySite::new() else { return };
    write_file(&site.path("policy/policy.yaml"), "use: [git]\n");
    let unsigned = printed(&site.make_command(1).output().unwrap(), 0);
    assert!(unsigned.contains("sign it with `minisign -S -s KEY -m "), "{unsigned}");
    assert!(printed(&site.add(&site.published_dir(), &[]), 1).contains("no bundle can be fetched from"));
    site.sign("own.key");
    assert!(printed(&site.policy(&["update"]), 0).contains("acme version 1 is now in shadow mode"));
}

#[test]
fn what_would_not_be_the_same_elsewhere_is_not_in_a_bundle() {
    let Some(site) = PolicySite::new() else { return };
    let refusal = |version: u64| printed(&site.make_command(version).output().unwrap(), 3);
    fs::create_dir_all(site.path("policy/hooks")).unwrap();
    assert!(refusal(1).contains("a bundle has 1 to 4096 files, this one has 0"));
    write_file(&site.path("policy/policy.yaml"), "use: [git]\n");
    symlink("/etc/passwd", site.path("policy/hooks/x.md")).unwrap();
    assert!(refusal(1).contains("policy/hooks/x.md` cannot be in a bundle: it is neither a file nor a directory"));
    fs::remove_file(site.path("policy/hooks/x.md")).unwrap();
    write_file(&site.path("policy/POLICY.yaml"), "");
    assert!(refusal(1).contains("has the name of another file, but for upper and lower case"));
    fs::remove_file(site.path("policy/POLICY.yaml")).unwrap();
    for (option, value, expected) in [
        ("--name", "../x", "is not a name of a bundle"),
        ("--name", "", "is not a name of a bundle"),
        ("--requires", "newest", "`newest` is not a range of versions"),
    ] {
        let mut command = fleet_command();
        command.args(["bundle", "make", "--version", "1", option, value]).arg(site.path("policy"));
        if option != "--name" {
            command.args(["--name", "acme"]);
        }
        assert!(printed(&command.output().unwrap(), 3).contains(expected), "{value}");
    }
    assert!(!site.bundle().exists());
}

//! What is refused, and that it leaves the bundle that is in force.

use std::fs;
use std::path::Path;

use tar::{Builder, EntryType, Header};

use super::{PolicySite, find_in, printed};
use crate::fixture::write_file;

/// A machine with version 5 enforced.
fn site_at_version_5() -> Option<PolicySite> {
    let site = PolicySite::new()?;
    site.publish(5, "five\n");
    printed(&site.add(&site.published_dir(), &["--stage", "enforce"]), 0);
    Some(site)
}

/// The update fails for a reason, version 5 stays, and the status says why.
fn assert_refused(site: &PolicySite, reason: &str) {
    let text = printed(&site.policy(&["update"]), 1);
    assert!(text.contains(reason), "{text}");
    assert_eq!(site.enforced().unwrap(), "five\n", "{reason}");
    assert_eq!(site.policy_at("bundle-shadow"), None, "{reason}");
    let status = printed(&site.policy(&["status"]), 0);
    assert!(status.contains("enforced  acme version 5") && status.contains("which failed: "), "{status}");
}

#[test]
fn an_older_other_unsigned_or_damaged_bundle_leaves_the_last_good_one() {
    let Some(site) = site_at_version_5() else { return };
    let good = fs::read(site.bundle()).unwrap();
    let signature = site.path("published/policy.bundle.minisig");

    site.publish(4, "four\n");
    assert_refused(&site, "`acme` version 4 is refused: version 5 was accepted before");
    site.publish(5, "other\n");
    assert_refused(&site, "it has other content than this version had before");
    site.publish(6, "six\n");
    site.sign("other.key");
    assert_refused(&site, "the signature is not one of the key");
    site.sign("own.key");
    let signed = fs::read(site.bundle()).unwrap();
    for (index, damage) in [(1, 1), (600, 1), (signed.len() - 1, 1), (signed.len() / 2, 0x20)] {
        let mut bytes = signed.clone();
        bytes[index] ^= damage;
        fs::write(site.bundle(), bytes).unwrap();
        assert_refused(&site, "the signature is not one of the key");
    }
    for end in [0, 1, 511, 512, 1024, signed.len() - 1] {
        fs::write(site.bundle(), &signed[..end]).unwrap();
        assert_refused(&site, "the signature is not one of the key");
    }
    // A signature of another bundle, and files that are none.
    fs::write(site.bundle(), &good).unwrap();
    assert_refused(&site, "the signature is not one of the key");
    fs::write(&signature, "x").unwrap();
    assert_refused(&site, "the signature is not one of the key");
    fs::write(&signature, vec![b'x'; 5000]).unwrap();
    assert_refused(&site, "is too large");
    fs::remove_file(&signature).unwrap();
    assert_refused(&site, "no bundle can be fetched from");
    fs::remove_dir_all(site.path("published")).unwrap();
    assert_refused(&site, "no bundle can be fetched from");
    fs::create_dir(site.path("published")).unwrap();
    site.publish(6, "six\n");
    assert_eq!(printed(&site.policy(&["update"]), 0), "acme version 6 is now enforced\n");
    assert!(!printed(&site.policy(&["status"]), 0).contains("failed"));
}

#[test]
fn a_bundle_that_does_not_load_or_is_for_another_pintle_or_has_another_name_is_refused() {
    let Some(site) = site_at_version_5() else { return };
    site.publish(6, "BROKEN\n");
    assert_refused(&site, "the bundle does not load: files/policy.yaml:2: unknown key");
    fs::rename(site.path("policy/policy.yaml"), site.path("policy/polcy.yaml")).unwrap();
    let made = site.make_command(6).arg("--key").arg(site.path("own.key")).output().unwrap();
    assert!(made.status.success());
    assert_refused(&site, "the bundle does not load: it has nothing that Pintle reads");
    fs::remove_file(site.path("policy/polcy.yaml")).unwrap();
    write_file(&site.path("policy/policy.yaml"), "six\n");
    let make = |args: [&str; 2]| {
        let mut command = site.make_command(6);
        assert!(command.args(args).arg("--key").arg(site.path("own.key")).output().unwrap().status.success());
    };
    make(["--requires", ">=0.2"]);
    assert_refused(&site, "the bundle is for Pintle >=0.2, and this is 0.1.0");
    make(["--requires", ">=0.1, <0.2"]);
    let bytes = fs::read(site.bundle()).unwrap();
    let renamed = String::from_utf8(bytes).unwrap().replace("\"acme\"", "\"acne\"");
    // The checksums of headers are not of contents.
    fs::write(site.bundle(), renamed).unwrap();
    site.sign("own.key");
    assert_refused(&site, "the bundle of this machine is `acme`");
    make(["--requires", ">=0.1, <0.2"]);
    let refused = site.command(&["update"]).env("FAKE_AGENT", "1").output().unwrap();
    assert!(printed(&refused, 1).contains("`pintle` refuses this: error: nothing was changed: Claude Code started it"));
    for change in [&["rollback"][..], &["remove"], &["rollback", "--shadow"]] {
        let refused = site.command(change).env("FAKE_AGENT", "1").output().unwrap();
        assert!(!refused.status.success(), "{change:?}");
        assert_eq!(site.enforced().unwrap(), "five\n");
    }
    let source = site.published_dir();
    let add = &["add", &source, "--public-key"];
    let refused = site.command(add).arg(site.path("other.pub")).env("FAKE_AGENT", "1").output().unwrap();
    assert!(printed(&refused, 1).contains("Claude Code started it"));
    assert_eq!(printed(&site.policy(&["update"]), 0), "acme version 6 is now enforced\n");
    let no_pintle = site.command(&["update", "--pintle", "/bin/false"]).output().unwrap();
    assert_eq!(no_pintle.status.code(), Some(3), "an option that is given twice");
}

/// An entry of an archive: its path, its kind, the target of a link, bytes behind the archive, and why it is refused.
type ArchiveCase<'a> = (&'a [u8], EntryType, &'a str, &'a [u8], &'a str);

/// An archive with a manifest and another entry.
fn archive_with(path: &[u8], entry_type: EntryType, link: &str, more: &[u8]) -> Vec<u8> {
    let mut archive = Builder::new(Vec::new());
    let manifest = br#"{"format":1,"name":"acme","version":6,"files":{}}"#;
    let mut append = |path: &[u8], entry_type: EntryType, link: &str, bytes: &[u8]| {
        let mut header = Header::new_ustar();
        header.as_old_mut().name[..path.len()].copy_from_slice(path);
        header.set_entry_type(entry_type);
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_cksum();
        archive.append(&header, bytes).unwrap();
    };
    append(b"bundle.json", EntryType::Regular, "", manifest);
    append(path, entry_type, link, b"");
    let mut bytes = archive.into_inner().unwrap();
    bytes.extend_from_slice(more);
    bytes
}

#[test]
fn what_its_own_signer_puts_into_an_archive_cannot_leave_the_directory() {
    let Some(site) = site_at_version_5() else { return };
    let outside = site.path("outside");
    let out = outside.display().to_string();
    let (file, link) = (EntryType::Regular, EntryType::Symlink);
    let cases: [ArchiveCase<'_>; 16] = [
        (b"files/x", link, &out, b"", "`files/x` is not a regular file"),
        (b"files/x", link, "..", b"", "`files/x` is not a regular file"),
        (b"files/x", EntryType::Link, "/etc/passwd", b"", "`files/x` is not a regular file"),
        (b"files/x", EntryType::Char, "", b"", "`files/x` is not a regular file"),
        (b"files/x", EntryType::Fifo, "", b"", "`files/x` is not a regular file"),
        (b"files/x", EntryType::Directory, "", b"", "`files/x` is not a regular file"),
        (b"files/x", EntryType::GNUSparse, "", b"", "it is not a bundle"),
        (b"/etc/x", file, "", b"", "`/etc/x` does not belong in it"),
        (b"../x", file, "", b"", "`../x` does not belong in it"),
        (b"bundle.json", file, "", b"", "`bundle.json` does not belong in it"),
        (b"files//etc/x", file, "", b"", "`/etc/x` is not a path in a bundle"),
        (b"files/../../x", file, "", b"", "`../../x` is not a path in a bundle"),
        (b"files/a/./x", file, "", b"", "`a/./x` is not a path in a bundle"),
        (b"files/.hidden", file, "", b"", "`.hidden` is not a path in a bundle"),
        (b"files/a\\x", file, "", b"", "is not a path in a bundle"),
        (b"files/x", file, "", b"more", "its bytes are not those that `pintle-fleet bundle make` writes"),
    ];
    for (path, kind, target, more, reason) in cases {
        fs::write(site.bundle(), archive_with(path, kind, target, more)).unwrap();
        site.sign("own.key");
        assert_refused(&site, reason);
    }
    for (text, reason) in [("", "it has no `bundle.json`"), ("not a bundle", "it is not a bundle")] {
        fs::write(site.bundle(), text).unwrap();
        site.sign("own.key");
        assert_refused(&site, reason);
    }
    let future = archive_with(b"files/x", file, "", b"");
    let future = String::from_utf8(future).unwrap().replace("\"format\":1", "\"format\":2");
    fs::write(site.bundle(), future).unwrap();
    site.sign("own.key");
    assert_refused(&site, "the bundle has format 2, and this program reads 1");
    let large = fs::File::create(site.bundle()).unwrap();
    large.set_len(33 << 20).unwrap();
    site.sign("own.key");
    assert_refused(&site, "is too large");
    assert!(!outside.exists() && find_in(&site.home().join("bundles"), ".new-").is_none());
}

#[test]
fn files_that_were_changed_on_the_disk_are_reported_not_enforced_and_installed_again() {
    let Some(site) = site_at_version_5() else { return };
    let file = |link: &str| site.home().join(link).join("policy.yaml");
    fs::write(file("bundle"), "mine\n").unwrap();
    let status = printed(&site.policy(&["status"]), 1);
    assert!(
        status.contains("enforced  NOT AS IT WAS SIGNED: `") && status.contains("policy.yaml` is not as"),
        "{status}"
    );
    // The source has the version that is enforced.
    assert!(printed(&site.policy(&["update"]), 0).contains("acme version 5 is now enforced"));
    assert_eq!(site.enforced().unwrap(), "five\n");
    printed(&site.policy(&["status"]), 0);

    printed(&site.add(&site.published_dir(), &[]), 0);
    site.publish(6, "six\n");
    printed(&site.policy(&["update"]), 0);
    for damage in [
        |path: &Path| fs::write(path, "mine\n").unwrap(),
        |path: &Path| fs::remove_file(path).unwrap(),
        |path: &Path| {
            fs::write(path.with_file_name(".more"), "").unwrap();
        },
    ] {
        damage(&file("bundle-shadow"));
        assert!(printed(&site.policy(&["enforce"]), 1).contains("is not as it was signed"));
        assert_eq!(site.enforced().unwrap(), "five\n");
        printed(&site.policy(&["update"]), 0);
        assert_eq!(site.policy_at("bundle-shadow").unwrap(), "six\n");
    }
    // Links to elsewhere are not followed.
    let mine = site.path("mine");
    write_file(&mine.join("policy.yaml"), "mine\n");
    fs::remove_file(site.home().join("bundle-shadow")).unwrap();
    std::os::unix::fs::symlink(&mine, site.home().join("bundle-shadow")).unwrap();
    assert!(printed(&site.policy(&["enforce"]), 1).contains("is not a link to a bundle"));
    assert!(printed(&site.policy(&["status"]), 1).contains("is not a link to a bundle"));
    printed(&site.policy(&["update"]), 0);
    printed(&site.policy(&["enforce"]), 0);
    assert_eq!(site.enforced().unwrap(), "six\n");
    fs::write(site.home().join("bundles/state.json"), "{").unwrap();
    assert!(printed(&site.policy(&["update"]), 1).contains("cannot read `"));
    assert_eq!(site.enforced().unwrap(), "six\n");
    assert!(printed(&site.add(&site.published_dir(), &[]), 0).contains("nothing new: acme version 6 is enforced"));
}

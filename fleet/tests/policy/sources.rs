//! Each kind of source, and pins.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use oci_client::client::{ClientConfig, ClientProtocol, Config, ImageLayer};
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference};

use super::{PolicySite, REQUIRED, printed};
use crate::fixture::write_file;

/// Serves the files of a directory on this machine, as long as the tests run. What begins with `/moved` is elsewhere.
fn serve(dir: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut line = String::new();
            let mut reader = BufReader::new(&stream);
            let _ = reader.read_line(&mut line);
            let mut header = String::new();
            while reader.read_line(&mut header).is_ok_and(|size| size > 2) {
                header.clear();
            }
            let path = line.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
            let (status, more, body) = match fs::read(dir.join(&path)) {
                _ if path.starts_with("moved/") => {
                    ("302 Found", format!("location: http://policy.example/{path}\r\n"), Vec::new())
                }
                Ok(body) => ("200 OK", String::new(), body),
                Err(_) => ("404 Not Found", String::new(), Vec::new()),
            };
            let head =
                format!("HTTP/1.1 {status}\r\nconnection: close\r\n{more}content-length: {}\r\n\r\n", body.len());
            let _ = (&stream).write_all(head.as_bytes()).and_then(|()| (&stream).write_all(&body));
        }
    });
    format!("http://{address}")
}

#[test]
fn a_web_server_has_bundles() {
    let Some(site) = PolicySite::new() else { return };
    site.publish(1, "1");
    let server = serve(site.path("published"));
    printed(&site.add(&format!("{server}/policy.bundle"), &["--stage", "enforce"]), 0);
    assert_eq!(site.enforced().unwrap(), "1");
    for (path, reason) in [
        ("gone", "the server answers 404 Not Found"),
        ("moved/policy.bundle", "it redirects too often, or to an address without encryption"),
    ] {
        let text = printed(&site.add(&format!("{server}/{path}"), &["--stage", "enforce"]), 1);
        assert!(text.contains(reason), "{text}");
        assert_eq!(site.enforced().unwrap(), "1");
    }
    let nothing = printed(&site.add("http://127.0.0.1:1/policy.bundle", &[]), 1);
    assert!(nothing.contains("no bundle can be fetched from `http://127.0.0.1:1/policy.bundle.minisig`"), "{nothing}");
    // The source is kept, so that the next look can find it.
    assert!(printed(&site.policy(&["status"]), 0).contains("source    http://127.0.0.1:1/policy.bundle"));
}

fn git(site: &PolicySite, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(site.path("published")).args(["-c", "user.name=a", "-c", "user.email=a@b.example"]);
    let output = command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_git_repository_has_bundles_and_runs_nothing() {
    let Some(site) = PolicySite::new() else { return };
    let source = |reference: &str| format!("git+file://{}{reference}", site.published_dir());
    site.publish(1, "1");
    git(&site, &["init", "--quiet", "--initial-branch=main"]);
    write_file(&site.path("published/.gitattributes"), "* filter=run\n");
    git(&site, &["add", "."]);
    git(&site, &["commit", "--quiet", "-m", "one"]);
    git(&site, &["tag", "first"]);
    // Settings of the user that would run something.
    let mark = site.path("ran");
    let script = format!("#!/bin/sh\ntouch '{}'\n", mark.display());
    for hook in ["reference-transaction", "post-checkout", "post-merge"] {
        write_file(&site.path("hooks").join(hook), &script);
        let path = site.path("hooks").join(hook);
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        write_file(&site.path("templates/hooks").join(hook), &script);
    }
    let settings = format!(
        "[core]\nhooksPath = {}\n[init]\ntemplateDir = {}\n[protocol \"ext\"]\nallow = always\n",
        site.path("hooks").display(),
        site.path("templates").display()
    );
    write_file(&site.path("gitconfig"), settings);
    let add = |reference: &str| {
        let text = source(reference);
        let mut command = site.command(&["add", &text, "--stage", "enforce", "--public-key"]);
        command.arg(site.path("own.pub")).env("GIT_CONFIG_GLOBAL", site.path("gitconfig")).output().unwrap()
    };
    printed(&add("#main"), 0);
    assert_eq!(site.enforced().unwrap(), "1");
    site.publish(2, "2");
    assert!(printed(&site.policy(&["update"]), 0).contains("nothing new"), "it is not in a commit");
    git(&site, &["commit", "--quiet", "-am", "two"]);
    printed(&site.policy(&["update"]), 0);
    assert_eq!(site.enforced().unwrap(), "2");
    assert!(printed(&add("#first"), 1).contains("version 2 was accepted before"));
    assert!(printed(&add("#gone"), 1).contains("git fetch: "));
    assert_eq!(site.enforced().unwrap(), "2");
    printed(&add(""), 0);
    assert!(!mark.exists());
}

#[test]
fn only_the_bundle_that_is_pinned_is_accepted() {
    let Some(site) = PolicySite::new() else { return };
    let made = site.publish(1, "1");
    let digest = made.trim().rsplit_once(' ').unwrap().1;
    let pinned = format!("{}@{digest}", site.published_dir());
    printed(&site.add(&pinned, &["--stage", "enforce"]), 0);
    printed(&site.policy(&["update"]), 0);
    site.publish(2, "2");
    let text = printed(&site.policy(&["update"]), 1);
    assert!(text.contains("has a bundle with the digest") && text.contains("not "), "{text}");
    assert_eq!(site.enforced().unwrap(), "1");
}

#[test]
fn what_is_not_a_source_is_said_before_anything_is_written() {
    let Some(site) = PolicySite::new() else { return };
    for (source, reason) in [
        ("published", "a path must be absolute"),
        ("ftp://policy.example/policy.bundle", "bundles are not fetched by this protocol"),
        ("http://policy.example/policy.bundle", "`http` is for this machine only"),
        ("https://ann:secret@policy.example/policy.bundle", "it has a user or a password"),
        ("git+ext::sh -c id", "a repository begins with `git+` and one of"),
        ("git+http://policy.example/x", "a repository begins with `git+` and one of"),
        ("git+--upload-pack=id", "a repository begins with `git+` and one of"),
        ("git+https://ann:secret@policy.example/x", "it has a password"),
        ("git+https://policy.example/x#--upload-pack=id", "is not the name of a branch, a tag or a commit"),
        ("git+https://policy.example/x#a:b", "is not the name of a branch, a tag or a commit"),
        ("/mnt/policy@sha256:12", "a digest has 64 digits"),
        ("oci://policy", "name the registry"),
        ("oci://policy.example/a:b:c", "is not a source of bundles"),
    ] {
        let text = printed(&site.add(source, &[]), 3);
        assert!(text.contains(reason), "{text}");
    }
    let bad_key = printed(&site.command(&["add", "/mnt", "--public-key", "/dev/null"]).output().unwrap(), 3);
    assert!(bad_key.contains("`/dev/null` is neither a public key nor a file with one"), "{bad_key}");
    let secret = site.path("own.key").display().to_string();
    assert!(printed(&site.policy(&["add", "/mnt", "--public-key", &secret]), 3).contains("does not hold a public key"));
    assert!(!site.home().exists());
}

/// A registry of this machine, which keeps what it has in a directory.
struct TestRegistry {
    child: Child,
    address: String,
}

impl TestRegistry {
    /// Starts Debian's `docker-registry`; `None` if it is not installed.
    fn start(dir: &Path) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let store = dir.join("registry");
        let settings = format!(
            "version: 0.1\nlog: {{level: info}}\nstorage: {{filesystem: {{rootdirectory: '{}'}}}}\nhttp: {{addr: '{address}'}}\n",
            store.display()
        );
        write_file(&dir.join("registry.yml"), settings);
        let mut command = Command::new("docker-registry");
        command.arg("serve").arg(dir.join("registry.yml")).stdout(Stdio::null()).stderr(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            assert!(std::env::var_os(REQUIRED).is_none(), "no registry: `apt-get install docker-registry`");
            eprintln!("NOT TESTED: no registry is installed (`apt-get install docker-registry`)");
            return None;
        };
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.by_ref().any(|line| line.unwrap().contains("listening on")));
        // Its log is read to its end, so that it can be written.
        thread::spawn(move || lines.for_each(drop));
        Some(Self { child, address })
    }

    /// Puts files under a tag. Returns the digest of the artifact.
    fn push(&self, tag: &str, files: &[(&str, Vec<u8>)]) -> String {
        let layer = |(name, bytes): &(&str, Vec<u8>)| {
            let title = (String::from("org.opencontainers.image.title"), (*name).to_owned());
            ImageLayer::new(bytes.clone(), String::from("application/octet-stream"), Some([title].into()))
        };
        let layers: Vec<ImageLayer> = files.iter().map(layer).collect();
        let reference: Reference = format!("{}/acme/policy:{tag}", self.address).parse().unwrap();
        let config = ClientConfig { protocol: ClientProtocol::Http, ..ClientConfig::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // Another test may have chosen already, with the same effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        runtime.block_on(async {
            let client = Client::new(config);
            let settings = Config::new(b"{}".to_vec(), String::from("application/vnd.oci.empty.v1+json"), None);
            client.push(&reference, &layers, settings, &RegistryAuth::Anonymous, None).await.unwrap();
            client.fetch_manifest_digest(&reference, &RegistryAuth::Anonymous).await.unwrap()
        })
    }
}

impl Drop for TestRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_registry_has_bundles() {
    let Some(site) = PolicySite::new() else { return };
    let Some(registry) = TestRegistry::start(site.dir.path()) else { return };
    let files = || {
        ["policy.bundle", "policy.bundle.minisig"]
            .map(|name| (name, fs::read(site.path("published").join(name)).unwrap()))
    };
    let source = |reference: &str| format!("oci://{}/acme/policy{reference}", registry.address);
    site.publish(1, "1");
    let first = registry.push("main", &files());
    printed(&site.add(&source(":main"), &["--stage", "enforce"]), 0);
    assert_eq!(site.enforced().unwrap(), "1");
    site.publish(2, "2");
    registry.push("main", &files());
    printed(&site.policy(&["update"]), 0);
    assert_eq!(site.enforced().unwrap(), "2");
    let older = printed(&site.add(&source(&format!("@{first}")), &["--stage", "enforce"]), 1);
    assert!(older.contains("`acme` version 1 is refused: version 2 was accepted before"), "{older}");
    site.publish(3, "3");
    let third = registry.push("other", &files());
    printed(&site.add(&source(&format!("@{third}")), &["--stage", "enforce"]), 0);
    assert_eq!(site.enforced().unwrap(), "3");

    site.publish(4, "4");
    let [bundle, signature] = files();
    registry.push("unsigned", std::slice::from_ref(&bundle));
    registry.push("large", &[bundle, ("policy.bundle.minisig", vec![b'x'; 5000])]);
    registry.push("forged", &[("policy.bundle", b"other".to_vec()), signature]);
    for (reference, reason) in [
        (":unsigned", "the artifact has no file `policy.bundle.minisig`"),
        (":large", "`policy.bundle.minisig` is too large"),
        (":forged", "the signature is not one of the key"),
        (":gone", "no bundle can be fetched from"),
        ("@sha256:0000000000000000000000000000000000000000000000000000000000000000", "no bundle can be fetched from"),
    ] {
        let text = printed(&site.add(&source(reference), &["--stage", "enforce"]), 1);
        assert!(text.contains(reason), "{text}");
        assert_eq!(site.enforced().unwrap(), "3");
    }
}

//! Commands that install or run code of an address.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::RunCode;
use crate::OperationTag::Network;

/// An address of a package.
const PACKAGE: &str = "http*://*.tgz|http*://*.tar.gz|http*://*.whl|http*://*.zip|http*://*.git";

pub(super) static ROWS: &[SubcommandDef] = &[
    subcommand(&["pip", "pip3", "pipx", "uv", "conda", "easy_install"], &["install|add"], RunCode, "install_address")
        .with(&["http://*|https://* except https://files.pythonhosted.org/*"])
        .without(&["-i|--index-url|--extra-index-url|--find-links|-f"])
        .tags(&[Network]),
    // What the registry itself keeps.
    subcommand(&["pip", "pip3", "pipx", "uv"], &["install|add"], RunCode, "install_file")
        .with(&["https://files.pythonhosted.org/*"]),
    subcommand(&["npm", "pnpm", "yarn", "bun"], &["install|i|add"], RunCode, "install_address")
        .with(&["http://*|https://*"])
        .without(&["--registry"])
        .tags(&[Network]),
    subcommand(&["uv", "pipx"], &["run", "http*://*"], RunCode, "run_address").tags(&[Network]),
    subcommand(&["uv"], &["tool", "run", "http*://*"], RunCode, "run_address").tags(&[Network]),
    // What a cluster is to be, out of a file that nobody has read.
    subcommand(&["kubectl", "oc", "k3s", "k"], &["apply|create|replace|patch"], RunCode, "apply_address")
        .with(&["http://*|https://*|--filename=http*|-fhttp*|github.com/*|-khttp*|-kgithub.com/*|--kustomize=http*"])
        .without(&["--dry-run|--dry-run=client|--dry-run=server|--help"]),
    subcommand(&["helm"], &["install|upgrade"], RunCode, "apply_address")
        .with(&["http*://*.tgz"])
        .without(&["--dry-run|--help"]),
    // Any other address may be an argument of the program.
    subcommand(&["npx", "pnpx", "bunx", "uvx"], &[], RunCode, "install_address").with(&[PACKAGE]).tags(&[Network]),
    subcommand(&["npm", "pnpm", "yarn", "bun", "uv", "pipx"], &["exec|dlx|x|run|tool"], RunCode, "install_address")
        .with(&[PACKAGE])
        .tags(&[Network]),
    subcommand(
        &["gem", "apt", "apt-get", "dnf", "yum", "dpkg", "rpm", "luarocks"],
        &["install|-i|-U|-Uvh"],
        RunCode,
        "install_address",
    )
    .with(&["http://*|https://*"])
    .without(&["--source|-s"])
    .tags(&[Network]),
    // Repositories without an address: `gist:ID`, `github:OWNER/NAME`.
    subcommand(&["npx", "pnpx", "bunx"], &[], RunCode, "install_address")
        .with(&["gist:*|github:*|gitlab:*|bitbucket:*|git+*|git://*"])
        .tags(&[Network]),
    subcommand(&["npm", "pnpm", "yarn", "bun"], &["exec|dlx|x|create|init"], RunCode, "install_address")
        .with(&["gist:*|github:*|gitlab:*|bitbucket:*|git+*|git://*"])
        .tags(&[Network]),
    subcommand(&["uvx"], &[], RunCode, "install_address").with(&["git+*"]).tags(&[Network]),
    subcommand(&["pipx", "uv"], &["run|tool"], RunCode, "install_address").with(&["git+*"]).tags(&[Network]),
    subcommand(&["go"], &["run"], RunCode, "run_address")
        .with(&["*.*/*@main|*.*/*@master|*.*/*@head|*.*/*@dev*|*.*/*@trunk"])
        .tags(&[Network]),
    subcommand(&["nix"], &["run|shell|develop"], RunCode, "run_address")
        .with(&["github:*|gitlab:*|git+*|tarball+*|https://*"])
        .without(&["github:nixos/*"])
        .tags(&[Network]),
    subcommand(&["ansible-pull"], &[], RunCode, "run_address").with(&["-U|--url"]).tags(&[Network]),
    subcommand(&["docker", "podman", "nerdctl"], &["compose|stack", "**"], RunCode, "run_address")
        .with(&["http://*|https://*|oci://*|git@*", "-f|--file|-c"])
        .tags(&[Network]),
    subcommand(&["cargo"], &["script|-Zscript"], RunCode, "run_address").with(&["http://*|https://*"]).tags(&[Network]),
];

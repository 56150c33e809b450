//! Commands that publish packages, and that install them from elsewhere than their registry.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Package;

const NODE: &[&str] = &["npm", "pnpm", "yarn", "bun", "yarnpkg", "cnpm"];
const NODE_INSTALL: &str = "install|i|add|in|ins|isntall|update|up|upgrade|link|ci|global";
const PIP: &[&str] = &[
    "pip",
    "pip3",
    "pip2",
    "pip3.*",
    "pipx",
    "uv",
    "uvx",
    "poetry",
    "pdm",
    "pipenv",
    "rye",
    "hatch",
    "conda",
    "mamba",
    "micromamba",
    "pixi",
    "easy_install",
];
const HELP: &[&str] = &["--dry-run|--help|-h|-n"];
/// An address instead of the name of a package.
const ADDRESS: &str = "*git+*|git@*|git:*|http://*|https://*|ssh://*|*@http://*|*@https://*|github:*|\
             gitlab:*|bitbucket:*|gist:*|*@github:*|*@git+*|*@gitlab:*|*@bitbucket:*|*@git:*|\
             *://*.tgz|*://*.tar.gz|*://*.whl|*://*.zip|*@ssh:*|hg+*|svn+*|bzr+*";
/// `owner/name`, which npm takes from GitHub; not `@scope/name` or a path.
const OWNER: &str = "[a-z0-9]*/[a-z0-9]*";
/// The same for programs that hand their arguments on, where any other address may be an argument.
const RUN_ADDRESS: &str = "git+*|*@git+*|github:*|gitlab:*|bitbucket:*|git@*|ssh://git*|https://github.com/*|\
             https://gitlab.com/*|https://gist.github*|*://*.tgz|*://*.tar.gz|*://*.git|\
             *://*.whl|--from=git+*|--package=git*|--package=http*|--with=git+*|--spec=git+*";

pub(super) static ROWS: &[SubcommandDef] = &[
    // Publishing.
    subcommand(NODE, &["publish|unpublish|deprecate|undeprecate|stage"], Package, "publish")
        .without(&["--dry-run|--help|-h"]),
    subcommand(NODE, &["npm|pm", "publish|unpublish|tag"], Package, "publish").without(&["--dry-run|--help"]),
    subcommand(
        NODE,
        &[
            "owner|author|access|team|org|hook|token|profile|dist-tag|trust",
            "add|rm|remove|set|grant|revoke|create|destroy|public|restricted|edit|2fa*|\
             enable-2fa|disable-2fa|update",
        ],
        Package,
        "account",
    ),
    subcommand(NODE, &["login|adduser|add-user|logout"], Package, "account"),
    subcommand(
        NODE,
        &["recursive|workspaces|workspace|ws|run", "**", "publish|npm:publish"],
        Package,
        "publish",
    )
    .without(&["--dry-run"]),
    subcommand(&["lerna"], &["publish"], Package, "publish"),
    subcommand(&["changeset", "changesets"], &["publish"], Package, "publish"),
    subcommand(&["nx"], &["release"], Package, "publish").without(&["--dry-run|-d|changelog|version"]),
    subcommand(&["semantic-release", "release-it", "np", "auto", "standard-version-publish"], &[], Package, "publish")
        .without(&["--dry-run|-d|--help|--version|--preview|--no-npm.publish"]),
    subcommand(&["rush", "beachball"], &["publish"], Package, "publish"),
    subcommand(&["jsr", "deno"], &["publish"], Package, "publish").without(&["--dry-run"]),
    subcommand(&["cargo"], &["publish|yank|owner|login|logout"], Package, "publish")
        .without(&["--dry-run|-n|--help|--list|-l"]),
    subcommand(&["cargo-release", "release-plz"], &[], Package, "publish").without(&["--help|update|changes"]),
    subcommand(&["cargo"], &["release"], Package, "publish").with(&["--execute|-x"]),
    subcommand(&["cargo"], &["smart-release|workspaces|ws"], Package, "publish")
        .with(&["--execute|publish"])
        .without(&["--dry-run"]),
    subcommand(&["twine"], &["upload|register"], Package, "publish").without(HELP),
    subcommand(
        &["poetry", "uv", "pdm", "hatch", "flit", "rye", "maturin", "pixi"],
        &["publish|upload"],
        Package,
        "publish",
    )
    .without(HELP),
    subcommand(&["anaconda", "conda-build", "conda"], &["upload|copy|remove"], Package, "publish")
        .with(&["upload|copy"]),
    subcommand(&["python", "python3"], &["setup.py"], Package, "publish").with(&["upload|register"]),
    subcommand(&["gem"], &["push|yank|owner|signin|signout"], Package, "publish").without(&["--help"]),
    subcommand(&["rake", "bundle"], &["release|release:*"], Package, "publish"),
    subcommand(&["dotnet"], &["nuget", "push|delete"], Package, "publish"),
    subcommand(&["nuget"], &["push|delete|setapikey"], Package, "publish"),
    subcommand(
        &["mvn", "mvnw", "mvnd"],
        &[
            "**",
            "deploy|release:perform|nexus-staging:release|release:prepare|deploy:deploy*|\
             central-publishing:publish",
        ],
        Package,
        "publish",
    )
    .without(&["-DskipDeploy|-dryrun=true|-DdryRun=true|-Dmaven.deploy.skip=true"]),
    subcommand(
        &["gradle", "gradlew"],
        &[
            "**",
            "publish|publishPlugins|uploadArchives|bintrayUpload|publishAllPublications*|\
             publishToSonatype|*:publish|closeAndRelease*|publishToMavenCentral|\
             publishAndRelease*",
        ],
        Package,
        "publish",
    )
    .without(&["--dry-run|-m|--help"]),
    subcommand(
        &["sbt", "mill", "lein"],
        &[
            "**",
            "publish|publishSigned|deploy|sonatypeBundleRelease|+publish*|release|\
             mill.scalalib.publishall/",
        ],
        Package,
        "publish",
    ),
    subcommand(&["pod"], &["trunk|repo", "push|delete|deprecate|add-owner|remove-owner"], Package, "publish"),
    subcommand(&["mix", "rebar3"], &["hex.publish|hex.retire|hex.owner|hex"], Package, "publish")
        .without(&["--dry-run|info|list|search"]),
    subcommand(&["dart", "flutter"], &["pub", "publish|lish"], Package, "publish").without(&["--dry-run|-n"]),
    subcommand(&["vsce", "ovsx"], &["publish|unpublish|login"], Package, "publish").without(&["--help"]),
    subcommand(&["stack", "cabal"], &["upload"], Package, "publish"),
    subcommand(
        &[
            "luarocks",
            "opam",
            "nimble",
            "dub",
            "shards",
            "jfrog",
            "jf",
            "cloudsmith",
            "gemfury",
            "fury",
            "web-ext",
            "snapcraft",
            "charmcraft",
            "npm-publish",
        ],
        &["upload|publish|push|sign|delete|yank|rt|release"],
        Package,
        "publish",
    )
    .with(&["upload|publish|push|sign|delete|yank|u|del|release"]),
    subcommand(&["goreleaser"], &["release|publish"], Package, "publish")
        .without(&["--snapshot|--skip=publish|--skip-publish|--help"]),
    subcommand(&["gh"], &["release", "create|upload|edit"], Package, "publish").without(&["--draft|-d|--help"]),
    subcommand(&["composer"], &["global", "require|remove|update"], Package, "install_global"),
    // Installing from elsewhere.
    subcommand(NODE, &[NODE_INSTALL], Package, "install_address")
        .with(&[ADDRESS])
        .without(&["--help|https://registry.npmjs.org*|https://registry.yarnpkg.com*"]),
    subcommand(NODE, &[NODE_INSTALL], Package, "install_address").with(&[RUN_ADDRESS]),
    subcommand(NODE, &["install|i|add|ci|update|up|exec|dlx|x"], Package, "other_registry").with(&[
        "npm_config_registry=|NPM_CONFIG_REGISTRY=|NPM_CONFIG_USERCONFIG=|npm_config_userconfig=|\
         YARN_NPM_REGISTRY_SERVER=|YARN_REGISTRY=",
    ]),
    subcommand(NODE, &["install|i|add|ci|rebuild|update"], Package, "scripts")
        .with(&["npm_config_ignore_scripts=false|NPM_CONFIG_IGNORE_SCRIPTS=false|YARN_ENABLE_SCRIPTS=true"]),
    subcommand(PIP, &["install|add|pip|sync|lock|tool|download|update"], Package, "other_registry").with(&[
        "PIP_INDEX_URL=|PIP_EXTRA_INDEX_URL=|PIP_TRUSTED_HOST=|UV_INDEX_URL=|UV_DEFAULT_INDEX=|UV_EXTRA_INDEX_URL=|\
         UV_INDEX=|PIP_CONFIG_FILE=|PIP_FIND_LINKS=",
    ]),
    subcommand(&["go"], &["get|install|mod|build|run"], Package, "other_registry")
        .with(&["GOPROXY=|GONOSUMDB=|GONOSUMCHECK=|GOINSECURE=|GOFLAGS=-insecure|GOSUMDB=|GONOSUMCHECK="])
        .without(&["GOPROXY=off|GOPROXY=https://proxy.golang.org,direct|GOPROXY=https://proxy.golang.org"]),
    subcommand(NODE, &["install|i|add"], Package, "install_address")
        .with(&[OWNER])
        .without(&["packages/*|apps/*|libs/*|file:*|link:*|workspace:*|portal:*|npm:*|https://registry.*|--help|--prefix|-C|--filter|-F|-w|--workspace|--cwd|--dir|\
             --cache"]),
    subcommand(NODE, &["install|i|add|ci|exec|dlx|x"], Package, "other_registry")
        .with(&["--registry|--@*:registry=*|--userconfig|--globalconfig"])
        .without(&["https://registry.npmjs.org*|--registry=https://registry.npmjs.org*|\
             https://registry.yarnpkg.com*|http://localhost:*|--registry=http://localhost:*"]),
    subcommand(&["npx", "bunx", "pnpx", "uvx", "pipx"], &[], Package, "install_address").with(&[RUN_ADDRESS]),
    subcommand(NODE, &["exec|dlx|x|create|init"], Package, "install_address").with(&[RUN_ADDRESS]),
    subcommand(PIP, &["run|tool"], Package, "install_address").with(&[RUN_ADDRESS]),
    subcommand(&["npx", "bunx", "pnpx"], &[], Package, "other_registry").with(&["--registry"]),
    subcommand(
        PIP,
        &["install|add|pip|inject|get|sync|lock|download|wheel|update|upgrade"],
        Package,
        "install_address",
    )
    .with(&[ADDRESS])
    .without(&["--help|https://pypi.org/*|https://pypi.python.org/*"]),
    subcommand(
        PIP,
        &["install|add|pip|inject|get|sync|lock|download|wheel|update|upgrade"],
        Package,
        "install_address",
    )
    .with(&["*git+*|git@*|ssh://*|hg+*|svn+*|bzr+*|*://*.whl|*://*.tar.gz|*://*.zip|*://*.tgz"]),
    subcommand(&["easy_install"], &[], Package, "install_address").with(&[ADDRESS]),
    subcommand(PIP, &["install|add|tool|pip|inject|sync|lock|download|wheel"], Package, "other_registry")
        .with(&["--index-url|--extra-index-url|--default-index|--index|-i|--trusted-host|--source|\
             --pip-args"])
        .without(&["https://pypi.org/*|--index-url=https://pypi.org/*|https://pypi.python.org/*|--help"]),
    subcommand(PIP, &["install|pip|download"], Package, "other_registry")
        .with(&["-f|--find-links", "http://*|https://*|--find-links=http*|-fhttp*"]),
    subcommand(PIP, &["install", "**"], Package, "install_global").with(&["--break-system-packages"]),
    subcommand(&["conda", "mamba", "micromamba"], &["install|create|update"], Package, "other_registry")
        .with(&["-c|--channel", "http://*|https://*|--channel=http*"]),
    subcommand(&["conda", "mamba", "micromamba"], &["env", "remove"], Package, "uninstall_global"),
    subcommand(&["cargo"], &["install|add|binstall"], Package, "install_address").with(&["--git"]).without(&["--help"]),
    subcommand(&["cargo"], &["install|add|binstall|update|build|publish|fetch"], Package, "other_registry")
        .with(&["--registry|--index|*registries.*|*source.crates-io*"])
        .without(&["--help"]),
    subcommand(&["gem"], &["install|update|sources|fetch|exec|i"], Package, "other_registry")
        .with(&["--source|-s|-a|--add|--clear-sources|-r|--remove|-c"])
        .without(&["https://rubygems.org*|--source=https://rubygems.org*"]),
    subcommand(&["gem"], &["install|i|specific_install"], Package, "install_address").with(&[ADDRESS]),
    subcommand(&["bundle"], &["add"], Package, "install_address").with(&["--git|--github|--source|-s"]),
    subcommand(&["go"], &["env"], Package, "registry_setting").with(&[
        "-w",
        "GOPROXY=|GOSUMDB=|GONOSUMDB=|GONOSUMCHECK=|GOINSECURE=|GOFLAGS=|GOPRIVATE=|\
             GONOPROXY=",
    ]),
    subcommand(&["go"], &["get|install|mod"], Package, "install_address").with(&["-insecure|--insecure"]),
    subcommand(&["brew"], &["tap"], Package, "other_registry").with(&["*/*"]).without(&["homebrew/*|--help"]),
    subcommand(&["brew"], &["install|reinstall|upgrade"], Package, "install_address")
        .with(&["http://*|https://*|*.rb|*/*/*"])
        .without(&["homebrew/*"]),
    subcommand(&["brew"], &["uninstall|remove|rm|autoremove"], Package, "uninstall_global").without(&["--dry-run|-n"]),
    subcommand(
        &["composer"],
        &["config", "repositories.*|repo.*|repositories|secure-http|disable-tls"],
        Package,
        "registry_setting",
    ),
    subcommand(&["composer"], &["require|create-project|update|install"], Package, "other_registry")
        .with(&["--repository|--repository-url|--add-repository"]),
    subcommand(
        &["nuget", "dotnet"],
        &["nuget|add|sources|tool", "add|update|remove|package|install|enable|disable"],
        Package,
        "other_registry",
    )
    .with(&["-s|--source|source|--add-source|sources|-Source"]),
    subcommand(&["dotnet", "nuget"], &["tool", "install"], Package, "other_registry").with(&["--add-source"]),
    subcommand(&["nix-env", "nix"], &["profile|run|shell|-i|develop|build"], Package, "install_address")
        .with(&["http://*|https://*|github:*|git+*|gitlab:*|tarball+*"])
        .without(&["github:nixos/nixpkgs*|--help"]),
    subcommand(
        &["add-apt-repository", "apt-add-repository", "apt-key", "dnf-config-manager", "zypper-addrepo"],
        &[],
        Package,
        "other_registry",
    )
    .without(&["--help|list|--list|-l"]),
    subcommand(
        &["apt", "apt-get", "dnf", "yum", "zypper", "apk", "rpm", "dpkg", "pacman"],
        &[],
        Package,
        "install_address",
    )
    .with(&["http://*|https://*|--allow-unauthenticated|--nogpgcheck|--no-gpg-checks|\
             --allow-untrusted|--allow-insecure-repositories|--force-yes|--repository|\
             --nosignature"]),
    subcommand(&["dnf", "yum", "zypper"], &["config-manager|addrepo|ar|copr"], Package, "other_registry"),
    subcommand(
        &["choco", "winget", "scoop"],
        &["source|bucket|sources", "add|remove|disable|reset"],
        Package,
        "other_registry",
    ),
    subcommand(&["choco"], &["install|upgrade"], Package, "other_registry").with(&["-s|--source"]),
    subcommand(&["choco", "winget", "scoop", "snap", "flatpak"], &["uninstall|remove"], Package, "uninstall_global"),
    subcommand(&["flatpak"], &["remote-add|remote-delete|remote-modify"], Package, "other_registry"),
    subcommand(
        &["Install-Module", "Install-Package", "Register-PSRepository", "Register-PackageSource", "Set-PSRepository"],
        &[],
        Package,
        "other_registry",
    ),
    subcommand(&["code", "cursor", "codium"], &[], Package, "install_address").with(&["--install-extension", "*.vsix"]),
    // Settings.
    subcommand(NODE, &["config|c|set", "set|delete|edit|rm"], Package, "registry_setting").with(&[
        "registry|registry=*|*registry*|*:registry*|*npmregistryserver*|ignore-scripts*|\
             strict-ssl*|*enablescripts*|cafile*|proxy*|https-proxy*|//*|script-shell*|\
             *enablestrictssl*|edit|prefix*|*_auth*|node-options*|unsafe-perm*",
    ]),
    subcommand(NODE, &["set"], Package, "registry_setting")
        .with(&["*registry*|ignore-scripts*|strict-ssl*|//*|script-shell*"]),
    subcommand(PIP, &["config", "set|edit|unset|*"], Package, "registry_setting")
        .with(&["*index*|*trusted*|edit|*repositories*|*pypi-token*|*http-basic*|*certificates*|\
             *channels*|*ssl_verify*"])
        .without(&["list|get|--list|--show"]),
    subcommand(PIP, &["source|sources|self", "add|remove"], Package, "registry_setting"),
    subcommand(&["poetry"], &["source", "add|remove"], Package, "registry_setting"),
    subcommand(&["bundle"], &["config"], Package, "registry_setting").with(&["*mirror*|*ssl_verify_mode*|*rubygems*"]),
    subcommand(&["corepack", "nrm", "yrm"], &["use|add|del|set"], Package, "registry_setting")
        .without(&["pnpm*|yarn*|npm@*"]),
    // Scripts of packages, which run at once.
    subcommand(NODE, &["install|i|add|ci|rebuild|update|up|exec"], Package, "scripts")
        .with(&["--ignore-scripts=false|--no-ignore-scripts|--unsafe-perm|--unsafe-perm=true|--trust|\
             --dangerously-allow-all-builds|--ignore-scripts=0"]),
    subcommand(&["pnpm", "bun"], &["approve-builds|trust|pm"], Package, "scripts").with(&["approve-builds|trust"]),
    subcommand(NODE, &["audit"], Package, "audit_fix").with(&["fix", "--force"]),
    // Programs of the whole machine.
    subcommand(NODE, &["uninstall|un|unlink|remove|rm|r"], Package, "uninstall_global")
        .with(&["-g|--global|--location=global"]),
    subcommand(NODE, &["global", "remove"], Package, "uninstall_global"),
    subcommand(NODE, &["install|i|add|update|up|upgrade"], Package, "install_global")
        .with(&["-g|--global|--location=global"]),
    subcommand(&["yarn"], &["global", "add|upgrade"], Package, "install_global"),
    subcommand(&["cargo", "pipx", "go-uninstall"], &["uninstall|uninstall-all"], Package, "uninstall_global"),
    subcommand(&["uv"], &["tool|python", "uninstall"], Package, "uninstall_global"),
    subcommand(&["gem"], &["uninstall|cleanup"], Package, "uninstall_global").without(&["-n|--dry-run"]),
    subcommand(&["rustup"], &["self|toolchain|override", "uninstall|remove|unset"], Package, "uninstall_global"),
    subcommand(
        &["nvm", "fnm", "volta", "pyenv", "rbenv", "asdf", "mise", "sdk", "n"],
        &["uninstall|rm|remove"],
        Package,
        "uninstall_global",
    ),
];

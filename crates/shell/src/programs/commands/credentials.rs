//! Commands that print secrets.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Secret;

pub(super) static ROWS: &[SubcommandDef] = &[
    subcommand(&["gh", "glab"], &["auth", "token"], Secret, "print_token"),
    subcommand(&["gh", "glab"], &["auth", "status"], Secret, "print_token").with(&["--show-token|-t"]),
    subcommand(&["gcloud"], &["auth", "print-*"], Secret, "print_token"),
    subcommand(&["gcloud"], &["auth", "application-default", "print-*"], Secret, "print_token"),
    subcommand(&["gcloud"], &["config", "config-helper"], Secret, "print_token"),
    subcommand(&["gcloud"], &["secrets", "versions", "access"], Secret, "print_token"),
    subcommand(&["az"], &["account", "get-access-token"], Secret, "print_token"),
    subcommand(&["az"], &["keyvault", "secret", "show|download"], Secret, "print_token"),
    subcommand(&["az"], &["storage", "account", "keys"], Secret, "print_token"),
    subcommand(&["aws"], &["configure", "export-credentials"], Secret, "print_token"),
    subcommand(&["aws"], &["configure", "get"], Secret, "print_token"),
    subcommand(&["aws"], &["sts", "get-session-token|assume-role|get-federation-token"], Secret, "print_token"),
    subcommand(&["aws"], &["secretsmanager", "get-secret-value"], Secret, "print_token"),
    subcommand(&["aws"], &["ssm", "get-parameter*"], Secret, "print_token").with(&["--with-decryption"]),
    subcommand(&["aws"], &["ecr", "get-login-password"], Secret, "print_token").without(&["--help"]),
    subcommand(&["aws"], &["iam", "create-access-key"], Secret, "print_token"),
    subcommand(
        &["security"],
        &["find-generic-password|find-internet-password|export|dump-keychain"],
        Secret,
        "keychain",
    ),
    subcommand(&["secret-tool"], &["lookup|search"], Secret, "keychain"),
    subcommand(&["keyring"], &["get"], Secret, "keychain"),
    subcommand(&["kwallet-query", "lssecret"], &[], Secret, "keychain"),
    subcommand(&["pass", "gopass", "passage"], &[], Secret, "password_store")
        .without(&["ls|list|version|help|init|git|generate|insert|edit|-h|--help|--version"]),
    subcommand(&["op"], &["read|item|document|inject"], Secret, "password_store").without(&["list"]),
    subcommand(&["bw", "rbw"], &["get|export|unlock|list"], Secret, "password_store"),
    subcommand(&["lpass"], &["show|export"], Secret, "password_store"),
    subcommand(&["keepassxc-cli"], &["show|export|clip"], Secret, "password_store"),
    subcommand(&["vault"], &["kv", "get"], Secret, "print_token"),
    subcommand(&["vault"], &["read|print"], Secret, "print_token"),
    subcommand(&["doppler"], &["secrets"], Secret, "print_token"),
    subcommand(&["heroku"], &["config|auth:token|config:get"], Secret, "print_token"),
    subcommand(&["fly", "flyctl"], &["auth", "token"], Secret, "print_token"),
    subcommand(&["npm", "pnpm", "yarn"], &["token", "list|create"], Secret, "print_token"),
    subcommand(&["npm"], &["config", "get|ls"], Secret, "print_token")
        .with(&["//registry.npmjs.org/:_authToken|_authToken|-l"]),
    subcommand(&["git"], &["credential", "fill"], Secret, "print_token"),
    subcommand(&["git"], &["credential-*", "get"], Secret, "print_token"),
    subcommand(
        &["git-credential-store", "git-credential-cache", "git-credential-osxkeychain", "git-credential-manager"],
        &["get"],
        Secret,
        "print_token",
    ),
    subcommand(&["kubectl", "oc"], &["get", "secret|secrets|secret/*|secrets/*"], Secret, "print_token")
        .with(&["yaml|json|jsonpath=*|go-template=*|custom-columns=*|-oyaml|-ojson|-o=yaml|-o=json|--output=*|--template|jsonpath-as-json=*|-ojsonpath=*|-o=jsonpath=*|-ogo-template=*|-o=go-template=*"])
        .without(&["--output=name|--output=wide"]),
    subcommand(&["kubectl", "oc"], &["config", "view"], Secret, "print_token").with(&["--raw"]),
    subcommand(&["kubectl", "oc"], &["create", "token"], Secret, "print_token"),
    subcommand(&["oc"], &["whoami"], Secret, "print_token").with(&["-t|--show-token"]),
    subcommand(
        &[
            "docker-credential-desktop",
            "docker-credential-osxkeychain",
            "docker-credential-secretservice",
            "docker-credential-pass",
        ],
        &["get|list"],
        Secret,
        "print_token",
    ),
    subcommand(&["gpg", "gpg2"], &[], Secret, "private_key")
        .with(&["--export-secret-keys|--export-secret-subkeys|--export-secret-key"]),
    subcommand(&["dotnet"], &["user-secrets", "list"], Secret, "print_token"),
    subcommand(&["terraform", "tofu"], &["output"], Secret, "print_token")
        .with(&["-raw|-json", "*pass*|*secret*|*token*|*key*|*credential*|*private*"]),
    subcommand(&["sops", "ansible-vault", "git-crypt", "blackbox_cat"], &[], Secret, "decrypt")
        .with(&["-d|--decrypt|decrypt|view|unlock"]),
    subcommand(&["age", "rage"], &[], Secret, "decrypt").with(&["-d|--decrypt"]),
    subcommand(&["reg"], &["save|export"], Secret, "password_store").with(&["*\\sam|*\\security|*\\system"]),
    subcommand(&["systemd-creds"], &["cat|decrypt"], Secret, "decrypt"),
    subcommand(&["nmcli"], &[], Secret, "print_token").with(&["-s|--show-secrets"]),
    subcommand(&["netsh"], &["wlan", "show", "profile*"], Secret, "print_token").with(&["key=clear"]),
    subcommand(&["terraform", "tofu"], &["state", "pull"], Secret, "print_token"),
    subcommand(&["pulumi"], &[], Secret, "print_token").with(&["--show-secrets"]),
    subcommand(&["docker", "podman", "nerdctl"], &["inspect|container"], Secret, "print_variable")
        .with(&["*.config.env*|*.config}}*|*.containerconfig.env*"]),
    subcommand(&["systemctl"], &["show-environment"], Secret, "print_environment"),
    subcommand(&["systemctl"], &["show"], Secret, "print_environment").with(&["environment|--property=environment"]),
    subcommand(&["pm2"], &["env"], Secret, "print_environment"),
    subcommand(&["getent"], &["shadow|gshadow"], Secret, "password_store"),
    subcommand(&["unshadow", "mimikatz", "lazagne"], &[], Secret, "password_store"),
    // What a process keeps in memory.
    subcommand(&["gcore", "procdump", "memdump", "avml"], &[], Secret, "process_memory").without(&["-h|--help"]),
    subcommand(&["coredumpctl"], &["dump|debug|gdb"], Secret, "process_memory"),
    subcommand(&["jmap"], &[], Secret, "process_memory").with(&["-dump:*"]),
    subcommand(&["dotnet-dump", "dotnet-gcdump"], &["collect"], Secret, "process_memory"),
    subcommand(&["gdb", "lldb"], &[], Secret, "process_memory")
        .with(&["*gcore*|*dump memory*|*generate-core*|*process save-core*"]),
    // The command lines that the user ran.
    subcommand(&["history"], &[], Secret, "history").with(&["-r|-n"]),
    subcommand(&["fc"], &[], Secret, "history").with(&["-R"]),
    subcommand(&["atuin"], &["history|search"], Secret, "history").without(&["--help"]),
    subcommand(&["mcfly", "hstr", "doskey"], &["search|--non-interactive|/history|-n"], Secret, "history"),
    subcommand(&["cmdkey"], &[], Secret, "keychain").with(&["/list"]),
];

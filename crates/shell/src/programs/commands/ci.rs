//! Commands that change what continuous integration does.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Ci;

const GH: &[&str] = &["gh"];
const GLAB: &[&str] = &["glab"];
const HELP: &[&str] = &["--help|-h"];
/// Names of workflows that only look.
const CHECKS: &str = "*test*|*lint*|*check*|ci.yml|ci.yaml|ci|*build*|docs*|*e2e*|*typecheck*";
/// Parts of an API that decide what runs, and with which rights.
const GITHUB_PATHS: &str = "*/protection*|*rulesets*|*/actions/secrets*|*/actions/variables*|*/actions/runners*|\
             */actions/permissions*|*dispatches*|*/environments*|*/hooks*|*/collaborators*|\
             */keys*|*deployments*|*/actions/workflows/*/disable|*/actions/workflows/*/enable|\
             *dependabot/secrets*|*codespaces/secrets*|*/actions/oidc*|*/contents/.github/*|\
             */statuses/*|*/check-runs*|*vulnerability-alerts*|*automated-security-fixes*|\
             */branches/*/rename|*code-scanning*|*/merge|*/merges|*/git/refs*|*/transfer|\
             */approve";
const GITLAB_PATHS: &str = "*protected_branches*|*protected_tags*|*/variables*|*/runners*|*/triggers*|\
             */pipeline|*/pipelines*|*/hooks*|*deploy_keys*|*deploy_tokens*|*access_tokens*|\
             *push_rule*|*approval*|*/members*|*schedules*|*/merge|*environments*|*/jobs/*";
const CHANGING: &str = "-X|--method|-XPUT|-XPOST|-XPATCH|-XDELETE|-f|-F|--field|--raw-field|--input|--form|\
             -d|--data|--data-raw|--json|--data-binary";

/// The same for `curl` and its kin.
const SENDING: &str = "-X|-XPUT|-XPOST|-XPATCH|-XDELETE|--request|-F|--form|-d|--data|--data-raw|--json|--data-binary|-T|\
    PUT|POST|PATCH|DELETE|--method|--post-data|--body-data";

pub(super) static ROWS: &[SubcommandDef] = &[
    // GitHub.
    subcommand(GH, &["secret|variable", "set|delete|remove|rm"], Ci, "secret").without(HELP),
    subcommand(GH, &["workflow", "disable|enable"], Ci, "run").without(HELP),
    subcommand(GH, &["workflow", "run"], Ci, "run").without(&["--help|-h", CHECKS]),
    subcommand(GH, &["workflow", "run"], Ci, "run")
        .with(&["*deploy*|*release*|*publish*|*prod*|*terraform*|*migrat*|-f|-F|--field|--raw-field|--json"]),
    subcommand(GH, &["workflow", "run"], Ci, "rerun").with(&[CHECKS]).without(HELP),
    subcommand(GH, &["run", "cancel|delete"], Ci, "stop_run").without(HELP),
    subcommand(GH, &["run", "rerun"], Ci, "rerun").without(HELP),
    subcommand(GH, &["pr", "merge"], Ci, "skip_checks").with(&["--admin"]).without(HELP),
    subcommand(GH, &["pr", "merge"], Ci, "merge").without(&["--admin|--auto|--help|--disable-auto"]),
    subcommand(GH, &["pr", "review"], Ci, "approve").with(&["-a|--approve"]).without(HELP),
    subcommand(GH, &["api"], Ci, "settings").with(&[GITHUB_PATHS, CHANGING]).without(&["-XGET|--method=GET|GET"]),
    subcommand(GH, &["api"], Ci, "settings").with(&[
        "allow_*|visibility=*|private=*|default_branch=*|archived=*|delete_branch_on_merge=*|security_and_analysis*",
        CHANGING,
    ]),
    subcommand(GH, &["api", "graphql"], Ci, "settings").with(&["*mutation*"]),
    subcommand(
        GH,
        &["ruleset|deploy-key|ssh-key|gpg-key|cache|environment", "create|add|delete|edit|remove"],
        Ci,
        "settings",
    )
    .without(HELP),
    subcommand(GH, &["repo", "deploy-key|sync|autolink", "add|delete|create"], Ci, "settings").without(HELP),
    subcommand(GH, &["auth", "login|refresh|logout|switch|setup-git"], Ci, "account").without(HELP),
    subcommand(GH, &["extension|ext", "install|upgrade"], Ci, "extension").without(HELP),
    subcommand(GH, &["alias", "set|import"], Ci, "extension").without(HELP),
    subcommand(GH, &["attestation|codespace|cs", "delete"], Ci, "settings"),
    subcommand(&["curl", "http", "https", "xh", "wget"], &[], Ci, "settings")
        .with(&[SENDING, "*api.github.com/*|*/api/v3/repos/*", GITHUB_PATHS])
        .without(&["-XGET|GET|--request=GET|--method=GET"]),
    subcommand(&["curl", "http", "https", "xh", "wget"], &[], Ci, "settings")
        .with(&[SENDING, "*/api/v4/projects/*", GITLAB_PATHS])
        .without(&["-XGET|GET|--request=GET|--method=GET"]),
    subcommand(&["curl", "wget"], &[], Ci, "run").with(&[
        "*/job/*/build*|*/trigger/pipeline*|*circleci.com/api/*/pipeline*|*/job/*/dodelete*|\
             */job/*/config.xml|*api.buildkite.com/*|*/scripttext|*/buildwithparameters*",
        SENDING,
    ]),
    // GitLab.
    subcommand(GLAB, &["variable", "set|update|delete|remove|import"], Ci, "secret").without(HELP),
    subcommand(
        GLAB,
        &["ci|pipeline|pipe|pipelines", "run|trigger|cancel|delete|retry|run-trig|create|play"],
        Ci,
        "run",
    )
    .without(HELP),
    subcommand(
        GLAB,
        &[
            "schedule|deploy-key|token|runner|securefile|cluster|ssh-key|opentofu",
            "create|add|delete|run|update|revoke|rotate|remove|assign|unassign|pause",
        ],
        Ci,
        "settings",
    )
    .without(HELP),
    subcommand(GLAB, &["mr", "approve"], Ci, "approve").without(HELP),
    subcommand(GLAB, &["mr", "merge"], Ci, "merge").without(HELP),
    subcommand(GLAB, &["repo|project", "update|transfer|mirror"], Ci, "settings").without(HELP),
    subcommand(GLAB, &["api"], Ci, "settings").with(&[GITLAB_PATHS, CHANGING]),
    // Others.
    subcommand(
        &["circleci"],
        &[
            "context|runner|pipeline|orb|policy|project|namespace",
            "store-secret|remove-secret|delete|create|run|publish|push|settings|resource-class|\
             token|secret|promote|unlist|update",
        ],
        Ci,
        "secret",
    ),
    subcommand(
        &["travis"],
        &["env|encrypt|encrypt-file|disable|enable|settings|cancel|restart|requests|sshkey|cron", "**"],
        Ci,
        "secret",
    )
    .without(&["list|show"]),
    subcommand(&["travis"], &["disable|enable|cancel|restart|encrypt"], Ci, "secret"),
    subcommand(
        &["drone", "woodpecker-cli"],
        &[
            "secret|build|pipeline|deploy|repo|cron|orgsecret|registry|repository",
            "add|update|rm|promote|rollback|stop|approve|decline|disable|enable|start|create|\
             kill|chown",
        ],
        Ci,
        "secret",
    ),
    subcommand(
        &["bk", "buildkite-agent"],
        &["build|job|pipeline|secret|cluster|agent", "create|new|cancel|unblock|upload|rebuild|retry|stop|delete"],
        Ci,
        "run",
    ),
    subcommand(
        &["java"],
        &[
            "**",
            "delete-job|build|disable-job|groovy|safe-restart|restart|update-job|create-job|\
             delete-builds|groovysh|install-plugin|delete-credentials|create-credentials-by-xml|\
             offline-node|delete-node",
        ],
        Ci,
        "run",
    )
    .with(&["*jenkins-cli*"]),
    subcommand(
        &["jenkins-cli", "jcli", "jk"],
        &["**", "delete|build|disable|enable|restart|create|update|delete-job|stop|update-job"],
        Ci,
        "run",
    ),
    subcommand(&["az"], &["pipelines|repos|devops", "**", "run|create|update|delete|queue"], Ci, "run").without(HELP),
    subcommand(&["gcloud"], &["builds", "**", "run|submit|delete|cancel|create|import|update|approve"], Ci, "run")
        .without(HELP),
    subcommand(
        &["aws"],
        &[
            "codebuild|codepipeline|codedeploy",
            "start-*|stop-*|delete-*|update-*|create-*|retry-*|put-*|disable-*|enable-*",
        ],
        Ci,
        "run",
    )
    .without(HELP),
    subcommand(&["tkn"], &["pipeline|task|clustertask", "start"], Ci, "run"),
    subcommand(
        &["fly"],
        &["set-pipeline|destroy-pipeline|trigger-job|abort-build|pause-pipeline|\
             unpause-pipeline"],
        Ci,
        "run",
    ),
    subcommand(&["sentry-cli", "codecov", "sonar-scanner"], &["releases", "delete"], Ci, "settings"),
    // Runners: machines that run what a pipeline says.
    subcommand(
        &["gitlab-runner", "gitlab-ci-multi-runner"],
        &["register|unregister|install|uninstall|stop|start|restart|reset-token"],
        Ci,
        "runner",
    )
    .without(HELP),
    subcommand(&["config.sh", "svc.sh"], &["**"], Ci, "runner").with(&["--token|remove|install|uninstall|--url"]),
    subcommand(
        &["buildkite-agent", "circleci-runner", "woodpecker-agent", "drone-runner-docker", "act_runner"],
        &["start|register|daemon|machine"],
        Ci,
        "runner",
    )
    .without(HELP),
    // Checks that are passed over.
    subcommand(&["git"], &["push"], Ci, "skip_checks")
        .with(&["ci.skip|-oci.skip|--push-option=ci.skip|*merge_request.merge_when*|*skip-ci*|\
             *secret_push_protection.skip*"]),
    subcommand(&["git"], &["commit|merge|push|rebase|cherry-pick|am"], Ci, "skip_hooks")
        .with(&["--no-verify|HUSKY=0|SKIP=*"]),
    subcommand(&["git"], &["commit"], Ci, "skip_hooks").with(&["-n"]),
    subcommand(&["git"], &["commit"], Ci, "skip_run")
        .with(&["*[[]skip ci]*|*[[]ci skip]*|*[[]no ci]*|*[[]skip actions]*|*skip-checks: true*"]),
    subcommand(&["pre-commit", "husky", "lefthook"], &["uninstall"], Ci, "skip_hooks"),
];

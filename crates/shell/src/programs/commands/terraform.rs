//! Commands that change infrastructure: Terraform and its kin.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Terraform;

const TERRAFORM: &[&str] = &["terraform", "tofu", "terragrunt", "cdktf", "tf", "terramate"];
const GRUNT: &[&str] = &["terragrunt", "terramate", "tfswitch"];
const HELP: &[&str] = &["-help|--help"];
const CHECK: &[&str] = &["--check|-C|--syntax-check|--list-tasks|--list-hosts|--list-tags|--help|-h|--version"];

pub(super) static ROWS: &[SubcommandDef] = &[
    subcommand(TERRAFORM, &["apply"], Terraform, "apply").without(HELP),
    subcommand(TERRAFORM, &["apply"], Terraform, "destroy").with(&["-destroy|--destroy"]).without(HELP),
    subcommand(TERRAFORM, &["destroy"], Terraform, "destroy").without(HELP),
    subcommand(TERRAFORM, &["state", "rm|mv|push|replace-provider"], Terraform, "state")
        .without(&["-dry-run|--dry-run|-help|--help"]),
    subcommand(TERRAFORM, &["workspace", "delete"], Terraform, "destroy").without(HELP),
    subcommand(TERRAFORM, &["workspace", "select"], Terraform, "choose").with(&["*prod*"]),
    subcommand(TERRAFORM, &["taint|untaint|import|refresh|force-unlock"], Terraform, "state").without(HELP),
    subcommand(TERRAFORM, &["init"], Terraform, "state")
        .with(&["-migrate-state|--migrate-state|-force-copy|--force-copy"]),
    subcommand(TERRAFORM, &["init"], Terraform, "backend").with(&["-reconfigure|--reconfigure"]),
    subcommand(TERRAFORM, &["login|logout"], Terraform, "account").without(HELP),
    subcommand(TERRAFORM, &["deploy"], Terraform, "apply").without(HELP),
    subcommand(GRUNT, &["run-all|run|stack|exec|all", "**", "apply"], Terraform, "apply").without(HELP),
    subcommand(GRUNT, &["run-all|run|stack|exec|all", "**", "destroy"], Terraform, "destroy").without(HELP),
    subcommand(GRUNT, &["run-all|run|stack", "**", "state|import|taint|refresh"], Terraform, "state")
        .without(&["list|show|-help"]),
    subcommand(GRUNT, &["destroy-all|apply-all"], Terraform, "destroy").without(HELP),
    subcommand(&["aws-nuke", "driftctl", "terraformer"], &["import"], Terraform, "state"),
    // Pulumi.
    subcommand(&["pulumi"], &["up|update|watch"], Terraform, "apply").without(&["--help|--preview-only"]),
    subcommand(&["pulumi"], &["destroy|down|dn"], Terraform, "destroy").without(&["--help|--preview-only"]),
    subcommand(&["pulumi"], &["stack", "rm|import|rename|change-secrets-provider"], Terraform, "state"),
    subcommand(&["pulumi"], &["state", "delete|unprotect|rename|move|edit|repair|taint"], Terraform, "state"),
    subcommand(&["pulumi"], &["import|refresh|cancel"], Terraform, "state").without(&["--preview-only|--help"]),
    subcommand(&["pulumi"], &["automation|deployment", "run"], Terraform, "apply"),
    subcommand(&["pulumi"], &["stack", "select"], Terraform, "choose").with(&["*prod*"]),
    // Stacks.
    subcommand(&["cdk", "aws-cdk"], &["deploy|bootstrap|import|rollback|migrate|gc|watch"], Terraform, "apply")
        .without(&["--help|--no-execute"]),
    subcommand(&["cdk", "aws-cdk"], &["destroy"], Terraform, "destroy").without(&["--help"]),
    subcommand(&["serverless", "sls", "sst", "osls"], &["deploy|rollback"], Terraform, "apply")
        .without(&["--help|--noDeploy|--package"]),
    subcommand(&["serverless", "sls", "sst", "osls"], &["remove|unlock"], Terraform, "destroy").without(&["--help"]),
    subcommand(&["packer"], &["build"], Terraform, "apply").without(HELP),
    subcommand(
        &["bosh", "crossplane", "waypoint", "juju", "atmos", "spacectl", "kitchen"],
        &[
            "**",
            "apply|deploy|destroy|delete-deployment|destroy-model|destroy-controller|remove-*|\
             kill-controller|uninstall",
        ],
        Terraform,
        "destroy",
    )
    .without(HELP),
    // Ansible and what is like it.
    subcommand(&["ansible-playbook", "ansible-pull"], &[], Terraform, "playbook").without(&[
        "--check|-C|--syntax-check|--list-tasks|--list-hosts|--list-tags|--help|-h|--version",
        "localhost,|-ilocalhost,|--connection=local|127.0.0.1,",
    ]),
    subcommand(&["ansible"], &["*"], Terraform, "playbook").without(&[
        "--check|-C|--syntax-check|--list-hosts|--help|-h|--version",
        "ping|setup|debug|stat|ansible.builtin.ping|ansible.builtin.setup|-mping|-msetup|\
             gather_facts|localhost|--version",
    ]),
    subcommand(&["salt", "salt-ssh"], &["**"], Terraform, "playbook")
        .without(&["test=True|test.ping|grains.*|--help|--version"]),
    subcommand(&["salt-call"], &["state.*|cmd.*"], Terraform, "playbook").without(&["test=True"]),
    subcommand(
        &["puppet", "knife", "chef-client", "fab", "pyinfra", "bolt"],
        &["**", "apply|agent|delete|bootstrap|ssh|purge|bulk|task|command|plan"],
        Terraform,
        "playbook",
    )
    .without(&["--noop|--help|--dry|--why-run|-W"]),
    subcommand(&["nixos-rebuild", "darwin-rebuild"], &["switch|boot|test"], Terraform, "apply"),
    subcommand(&["nixops", "colmena", "deploy-rs"], &["deploy|apply|destroy|delete"], Terraform, "apply")
        .without(CHECK),
];

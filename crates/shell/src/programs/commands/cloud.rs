//! Commands that change resources of a cloud.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Cloud;

const AWS: &[&str] = &["aws", "aws2", "awscli"];
const GCLOUD: &[&str] = &["gcloud"];
const AZ: &[&str] = &["az"];
/// Nothing is changed, or only an emulator on this machine.
const NO_CHANGE: &str = "--dry-run|--dryrun|--help|help|-h|--generate-cli-skeleton|--what-if|-WhatIf|\
             --validate-only|--endpoint-url=http://localhost*|--endpoint-url=http://127.0.0.1*|\
             http://localhost*|http://127.0.0.1*|http://localstack*";
const DRY: &[&str] = &[NO_CHANGE];

pub(super) static ROWS: &[SubcommandDef] = &[
    // Amazon.
    subcommand(AWS, &["s3", "rb"], Cloud, "delete").without(DRY),
    subcommand(AWS, &["s3", "rm|mv"], Cloud, "delete").with(&["--recursive|*\u{fffc}*"]).without(DRY),
    subcommand(AWS, &["s3", "rm"], Cloud, "delete_object").without(DRY),
    subcommand(AWS, &["s3", "sync"], Cloud, "delete").with(&["--delete"]).without(DRY),
    subcommand(AWS, &["s3", "cp|sync|mv"], Cloud, "grant")
        .with(&["public-read*|--acl=public-read*|--grants|authenticated-read"]),
    subcommand(
        AWS,
        &[
            "*",
            "delete|delete-*|terminate|terminate-*|batch-delete-*|purge-*|deregister-*|destroy-*|\
             schedule-key-deletion|remove-*|release-*",
        ],
        Cloud,
        "delete",
    )
    .without(DRY),
    subcommand(
        AWS,
        &[
            "*",
            "stop-*|disable-*|detach-*|cancel-*|suspend-*|reboot-*|revoke-*|abort-*|reset-*|\
             restore-*|leave-*|close-*|failover-*",
        ],
        Cloud,
        "stop",
    )
    .without(DRY),
    subcommand(
        AWS,
        &[
            "iam|sso-admin|identitystore|organizations|sts",
            "create-*|attach-*|put-*|add-*|update-*|upload-*|set-*|enable-*",
        ],
        Cloud,
        "grant",
    )
    .without(DRY),
    subcommand(
        AWS,
        &[
            "*",
            "add-permission|put-*-policy|put-*-acl|put-policy|put-resource-policy|set-*-policy|\
             create-grant|authorize-*-ingress|authorize-*-egress",
        ],
        Cloud,
        "grant",
    )
    .without(DRY),
    subcommand(
        AWS,
        &[
            "*",
            "put-public-access-block|modify-image-attribute|modify-snapshot-attribute|\
             modify-db-snapshot-attribute|share-*",
        ],
        Cloud,
        "grant",
    )
    .without(DRY),
    subcommand(
        AWS,
        &[
            "*",
            "update-*|modify-*|change-*|put-*|set-*|run-instances|request-spot-*|register-*|\
             replace-*|associate-*|import-*|create-invalidation",
        ],
        Cloud,
        "change",
    )
    .without(&[NO_CHANGE, "update-kubeconfig"]),
    subcommand(AWS, &["*", "create-*"], Cloud, "create").without(DRY),
    subcommand(AWS, &["s3", "mb"], Cloud, "create").without(DRY),
    subcommand(AWS, &["cloudformation", "deploy|execute-change-set|*-stack"], Cloud, "deploy")
        .without(&["--no-execute-changeset|--help"]),
    subcommand(
        AWS,
        &[
            "deploy|lambda|ecs|amplify|apprunner|elasticbeanstalk|codepipeline",
            "create-deployment|update-*|publish-*|start-*|run-task",
        ],
        Cloud,
        "deploy",
    )
    .without(DRY),
    subcommand(AWS, &["ssm", "send-command|start-session|start-automation-execution|put-parameter"], Cloud, "enter")
        .without(DRY),
    subcommand(AWS, &["ecs", "execute-command"], Cloud, "enter").without(DRY),
    subcommand(AWS, &["ec2-instance-connect", "*"], Cloud, "enter").without(DRY),
    subcommand(AWS, &["configure", "set|import|sso"], Cloud, "client_settings"),
    subcommand(
        &["eb", "copilot", "sam", "chalice", "zappa", "amplify", "ecs-cli", "awsebcli", "up"],
        &["terminate|delete|undeploy|down|restore"],
        Cloud,
        "delete",
    )
    .without(DRY),
    subcommand(&["copilot", "amplify", "ecs-cli"], &["**", "delete|remove|down"], Cloud, "delete").without(DRY),
    subcommand(
        &["eb", "sam", "chalice", "zappa", "copilot", "amplify"],
        &["deploy|push|publish|update|sync"],
        Cloud,
        "deploy",
    )
    .without(DRY),
    subcommand(&["aws-nuke", "cloud-nuke", "nuke"], &[], Cloud, "delete").without(&["--help|--version|--dry-run"]),
    // Google.
    subcommand(GCLOUD, &["**", "delete|destroy|purge|delete-*|remove-*|rm"], Cloud, "delete")
        .without(&["--help|--dry-run|--validate-only", "remove-iam-policy-binding"]),
    subcommand(
        GCLOUD,
        &["**", "add-iam-policy-binding|set-iam-policy|remove-iam-policy-binding|add-*-binding"],
        Cloud,
        "grant",
    )
    .without(&["--help"]),
    subcommand(GCLOUD, &["iam", "**", "create|add|update|undelete|enable|upload"], Cloud, "grant").without(&["--help"]),
    subcommand(GCLOUD, &["compute", "firewall-rules", "create|update"], Cloud, "grant").without(&["--help"]),
    subcommand(GCLOUD, &["**", "deploy|apply|replace|promote|rollback"], Cloud, "deploy")
        .without(&["--help|--no-promote|--validate-only|--dry-run"]),
    subcommand(
        GCLOUD,
        &[
            "**",
            "stop|reset|suspend|restart|failover|disable|resize|patch|update|set-*|import|\
             restore|clone|update-*|move|rollback|submit",
        ],
        Cloud,
        "change",
    )
    .without(&["--help|--validate-only|--dry-run", "config|components|auth"]),
    subcommand(GCLOUD, &["compute", "ssh|scp|start-iap-tunnel|connect-to-serial-port"], Cloud, "enter")
        .without(&["--help|--dry-run"]),
    subcommand(GCLOUD, &["storage|alpha|beta", "**", "rsync"], Cloud, "delete")
        .with(&["--delete-unmatched-destination-objects"])
        .without(DRY),
    subcommand(GCLOUD, &["storage", "rsync"], Cloud, "delete")
        .with(&["--delete-unmatched-destination-objects"])
        .without(DRY),
    subcommand(GCLOUD, &["**", "create"], Cloud, "create")
        .without(&["--help|--dry-run|--validate-only", "configurations"]),
    subcommand(GCLOUD, &["config", "set"], Cloud, "choose").with(&["*prod*"]),
    subcommand(&["gsutil"], &["rm"], Cloud, "delete").with(&["-r|-R|-a|-I|*[*]*|*\u{fffc}*"]),
    subcommand(&["gsutil"], &["rm"], Cloud, "delete_object"),
    subcommand(&["gsutil"], &["rb"], Cloud, "delete"),
    subcommand(&["gsutil"], &["rsync"], Cloud, "delete").with(&["-d"]).without(&["-n"]),
    subcommand(&["gsutil"], &["iam|acl|defacl|bucketpolicyonly|pap", "ch|set"], Cloud, "grant"),
    subcommand(
        &["gsutil"],
        &["lifecycle|retention|versioning|kms|cors|hmac|requesterpays", "set|clear|lock|create|delete|off"],
        Cloud,
        "change",
    ),
    // Microsoft.
    subcommand(AZ, &["**", "delete|purge|delete-*|remove"], Cloud, "delete")
        .without(&["--help|-h|--dryrun|--what-if", "extension"]),
    subcommand(
        AZ,
        &["role|ad|keyvault|sql", "**", "create|add|create-for-rbac|reset|set-policy|update"],
        Cloud,
        "grant",
    )
    .without(&["--help|-h"]),
    subcommand(AZ, &["**", "credential", "reset"], Cloud, "grant"),
    subcommand(AZ, &["network", "nsg", "rule", "create|update"], Cloud, "grant"),
    subcommand(
        AZ,
        &[
            "**",
            "stop|deallocate|restart|redeploy|reimage|regenerate|renew|failover|swap|scale|\
             update|set|restore|import|move|lock",
        ],
        Cloud,
        "change",
    )
    .without(&["--help|-h", "account|config|extension|cloud"]),
    subcommand(AZ, &["**", "up|deploy|config-zip"], Cloud, "deploy").without(&["--help|-h"]),
    subcommand(AZ, &["deployment|stack", "**", "create"], Cloud, "deploy").without(&["--help|--what-if|-w"]),
    subcommand(AZ, &["vm|vmss|container|containerapp|webapp|aks", "run-command|exec|ssh|command"], Cloud, "enter")
        .without(&["--help"]),
    subcommand(AZ, &["**", "create"], Cloud, "create").without(&["--help|-h"]),
    subcommand(AZ, &["rest"], Cloud, "delete").with(&["delete|DELETE|--method=delete|--method=DELETE"]),
    subcommand(AZ, &["account", "set"], Cloud, "choose").with(&["*prod*"]),
    subcommand(&["azcopy"], &["remove|rm"], Cloud, "delete").without(DRY),
    subcommand(&["azcopy"], &["sync"], Cloud, "delete").with(&["--delete-destination"]).without(DRY),
    subcommand(
        &[
            "Remove-AzResourceGroup",
            "Remove-AzVM",
            "Remove-AzStorageAccount",
            "Remove-AzSqlDatabase",
            "Remove-AzKeyVault",
            "Remove-AzResource",
            "Remove-AzWebApp",
            "Remove-S3Bucket",
            "Remove-S3Object",
            "Remove-EC2Instance",
            "Stop-EC2Instance",
            "Remove-AzDisk",
        ],
        &[],
        Cloud,
        "delete",
    )
    .without(DRY),
    subcommand(&["New-AzRoleAssignment", "New-AzADServicePrincipal", "Register-IAMUserPolicy"], &[], Cloud, "grant"),
    // Secrets and settings that services share.
    subcommand(
        &["vault"],
        &["delete|destroy|write|lease|token|policy|auth|secrets|operator|audit|namespace|plugin"],
        Cloud,
        "secrets",
    )
    .with(&["delete|destroy|disable|revoke|seal|write|rekey|generate-root|remove|move|tune|\
             step-down|deregister"]),
    subcommand(&["vault"], &["kv", "delete|destroy|put|patch|metadata|undelete|rollback"], Cloud, "secrets")
        .without(&["get|list"]),
    subcommand(&["consul", "etcdctl"], &["kv", "delete|put|import"], Cloud, "delete_object"),
    subcommand(&["consul"], &["kv", "delete"], Cloud, "delete").with(&["-recurse|--recurse"]),
    subcommand(&["consul"], &["leave|force-leave|acl|operator|snapshot"], Cloud, "delete")
        .with(&["leave|force-leave|delete|restore|remove-peer"]),
    subcommand(&["nomad"], &["job", "stop|run|revert|dispatch|scale"], Cloud, "change"),
    subcommand(&["nomad"], &["stop|run|system|namespace|node|operator|acl|alloc"], Cloud, "change")
        .with(&["stop|run|gc|delete|drain|remove-peer|exec"]),
    subcommand(
        &["doppler", "infisical", "chamber", "aws-vault"],
        &["secrets|configs|delete|write|remove|rotate"],
        Cloud,
        "secrets",
    )
    .with(&["delete|set|upload|write|remove|rotate"]),
];

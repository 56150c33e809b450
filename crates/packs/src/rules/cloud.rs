//! Cloud: resources that are deleted, opened or changed.

use pintle_shell::OperationKind::Cloud;

use crate::RuleSeverity::{Ask, Deny, Warn};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "cloud",
    doc: "Refuses to delete and change resources of clouds and hosting providers, and to give rights over them.",
    is_default: false,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "delete",
            severity: Deny,
            tests: &[
                OperationTest::new(Cloud).actions(&["delete"]),
                OperationTest::new(Cloud)
                    .actions(&["delete_backup"])
                    .reason("this deletes backups")
                    .with_way_out("List them, and leave the deletion to the user."),
            ],
            reason: "this deletes resources of a cloud",
            instead: "List them, or use a dry run, and leave the deletion to the user.",
            stops: &[
                "aws s3 rb s3://b --force",
                "aws s3 rm s3://b/x --recursive",
                "aws rds delete-db-instance --db-instance-identifier a",
                "gcloud compute instances delete vm-1",
                "az group delete --name g",
                "doctl compute droplet delete 12",
                "rclone purge remote:b",
                "gsutil rb gs://b",
                "wrangler delete",
                "heroku apps:destroy a --confirm a",
                "restic forget --prune --keep-last 1",
                "borg delete repo::monday",
                "op vault delete team",
                "curl -X DELETE https://api.github.com/repos/o/r",
                "python3 -c \"import boto3; boto3.client('ec2').terminate_instances(InstanceIds=['i-1'])\"",
            ],
            passes: &[
                "aws s3 ls",
                "aws s3 rm s3://b/x --recursive --dryrun",
                "gcloud compute instances list",
                "az group show -n g",
                "rclone ls remote:b",
                "restic snapshots",
                "borg prune --dry-run --keep-daily 7 repo",
                "curl https://api.github.com/repos/o/r",
                "aws --endpoint-url=http://localhost:4566 s3 rb s3://b",
            ],
        },
        RuleDef {
            id: "grant",
            severity: Deny,
            tests: &[OperationTest::new(Cloud).actions(&["grant"])],
            reason: "this gives rights over resources of a cloud, or opens them to others",
            instead: "Leave rights to the user.",
            stops: &[
                "aws iam create-user --user-name x",
                "aws ec2 authorize-security-group-ingress --group-id g --cidr 0.0.0.0/0",
                "gcloud projects add-iam-policy-binding p --member=user:a --role=roles/viewer",
                "az role assignment create --assignee a --role Owner",
                "gsutil iam ch allUsers:objectViewer gs://b",
            ],
            passes: &["aws iam list-users", "gcloud projects get-iam-policy p", "az role assignment list"],
        },
        RuleDef {
            id: "change",
            severity: Ask,
            tests: &[
                OperationTest::new(Cloud).actions(&["change", "stop", "secrets"]),
                OperationTest::new(Cloud)
                    .actions(&["delete_hosted"])
                    .reason("this deletes something that another server keeps"),
            ],
            reason: "this changes or stops resources of a cloud",
            instead: "Show what would change, and leave it to the user.",
            stops: &[
                "aws ec2 stop-instances --instance-ids i-1",
                "aws lambda update-function-code --function-name f --zip-file fileb://f.zip",
                "gcloud sql instances restart db",
                "az vm deallocate -n v -g g",
                "heroku config:set A=b",
                "fly secrets set A=b",
                "vault kv put secret/a b=c",
            ],
            passes: &[
                "aws ec2 describe-instances",
                "gcloud config list",
                "heroku ps",
                "fly status",
                "aws eks update-kubeconfig --name c",
            ],
        },
        RuleDef {
            id: "deploy",
            severity: Ask,
            tests: &[OperationTest::new(Cloud).actions(&["deploy", "enter"])],
            reason: "this brings a version to where users are, or runs commands there",
            instead: "Build and check it here, and leave the deployment to the user.",
            stops: &[
                "vercel --prod",
                "wrangler deploy",
                "firebase deploy",
                "fly deploy",
                "gcloud app deploy",
                "netlify deploy --prod",
                "aws ssm start-session --target i-1",
                "heroku run bash",
            ],
            passes: &[
                "vercel build",
                "vercel dev",
                "wrangler dev",
                "wrangler deploy --dry-run",
                "firebase emulators:start",
                "fly logs",
            ],
        },
        RuleDef {
            id: "small-changes",
            severity: Warn,
            tests: &[OperationTest::new(Cloud).actions(&["create", "delete_object", "choose", "client_settings"])],
            reason: "this makes a resource that may cost money, deletes one object, or changes what later commands apply to",
            instead: "Name the project and the region in each command.",
            stops: &["aws s3 mb s3://b", "aws s3 rm s3://b/x.txt", "gcloud config set project shop-prod"],
            passes: &["aws s3 cp a.txt s3://b/a.txt", "gcloud config get project"],
        },
    ],
};

//! Terraform and its kin: infrastructure that is changed without a plan that was read.

use pintle_shell::OperationKind::Terraform;

use crate::RuleSeverity::{Ask, Deny, Warn};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "terraform",
    doc: "Refuses to apply and destroy infrastructure and to change its state; plans pass.",
    is_default: false,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "destroy",
            severity: Deny,
            tests: &[OperationTest::new(Terraform).actions(&["destroy"])],
            reason: "this destroys infrastructure",
            instead: "Show `terraform plan -destroy`, and leave it to the user.",
            stops: &[
                "terraform destroy",
                "tofu -chdir=infra destroy -auto-approve",
                "terraform apply -destroy",
                "terragrunt run-all destroy",
                "pulumi destroy --yes",
                "npx cdk destroy",
                "terraform workspace delete dev",
            ],
            passes: &["terraform plan -destroy", "pulumi preview", "cdk diff", "terraform workspace list"],
        },
        RuleDef {
            id: "apply",
            severity: Ask,
            tests: &[OperationTest::new(Terraform).actions(&["apply", "playbook"])],
            reason: "this changes infrastructure",
            instead: "Show the plan, and ask the user to apply it.",
            stops: &[
                "terraform apply",
                "terraform apply tfplan",
                "terragrunt apply --auto-approve",
                "pulumi up -y",
                "cdk deploy --all",
                "serverless deploy",
                "ansible-playbook -i hosts site.yml",
            ],
            passes: &[
                "terraform plan -out=tfplan",
                "terraform validate",
                "terraform fmt -check",
                "terraform init",
                "cdk synth",
                "ansible-playbook --check -i hosts site.yml",
            ],
        },
        RuleDef {
            id: "state",
            severity: Ask,
            tests: &[OperationTest::new(Terraform).actions(&["state", "account"])],
            reason: "this changes what the tool knows of the infrastructure, which cannot be taken back by a plan",
            instead: "Leave the state to the user.",
            stops: &[
                "terraform state rm a.b",
                "terraform import a.b c",
                "terraform force-unlock 1",
                "pulumi stack rm dev",
            ],
            passes: &["terraform state list", "terraform state show a.b", "pulumi stack ls"],
        },
        RuleDef {
            id: "choose",
            severity: Warn,
            tests: &[OperationTest::new(Terraform).actions(&["choose", "backend"])],
            reason: "what follows applies to production, or to another state",
            instead: "Use another workspace.",
            stops: &["terraform workspace select prod", "terraform init -reconfigure"],
            passes: &["terraform workspace select dev", "terraform init -upgrade"],
        },
    ],
};

//! Kubernetes: what is deleted, and what is changed in production.

use pintle_shell::OperationKind::Kubernetes;

use crate::RuleSeverity::{Ask, Deny, Warn};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "kubernetes",
    doc: "Refuses to delete what clusters run, to take nodes out, and to change what is in production.",
    is_default: false,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "delete-whole",
            severity: Deny,
            tests: &[OperationTest::new(Kubernetes).actions(&["delete_whole", "delete_all", "store"])],
            reason: "this deletes a namespace, data, or everything of a kind",
            instead: "Name one resource, or ask the user.",
            stops: &[
                "kubectl delete namespace shop",
                "kubectl -n dev delete pods --all",
                "kubectl delete pvc data-db-0",
                "kubectl get ns -o name | xargs kubectl delete",
                "kubectl delete deploy -l app=web",
                "eksctl delete cluster blue",
                "etcdctl del --prefix /registry",
            ],
            passes: &["kubectl get ns", "kubectl delete ns shop --dry-run=client", "kubectl describe pvc data-db-0"],
        },
        RuleDef {
            id: "delete",
            severity: Ask,
            tests: &[OperationTest::new(Kubernetes).actions(&[
                "delete",
                "delete_production",
                "uninstall",
                "roll_back",
                "scale_down",
            ])],
            reason: "this takes down what runs in a cluster",
            instead: "Show it with `kubectl get` or `--dry-run=server`, and ask the user.",
            stops: &[
                "kubectl delete deployment api",
                "kubectl delete -f k8s/",
                "helm uninstall web",
                "kubectl scale deploy/api --replicas=0",
                "argocd app delete web",
                "kubectl -n prod delete pod api-1",
            ],
            passes: &["helm list", "kubectl scale deploy/api --replicas=3", "kubectl delete pod api-1 -n dev"],
        },
        RuleDef {
            id: "nodes",
            severity: Ask,
            tests: &[OperationTest::new(Kubernetes).actions(&["node", "enter_node"])],
            reason: "this changes nodes of a cluster",
            instead: "Leave nodes to the user.",
            stops: &[
                "kubectl drain n1",
                "kubectl cordon n1",
                "kubectl taint nodes n1 a=b:NoSchedule",
                "kubectl debug node/n1 -it --image=busybox",
            ],
            passes: &["kubectl get nodes", "kubectl describe node n1", "kubectl top nodes"],
        },
        RuleDef {
            id: "production",
            severity: Ask,
            tests: &[OperationTest::new(Kubernetes).actions(&[
                "enter_production",
                "change_production",
                "choose_cluster",
            ])],
            reason: "this runs commands in production, changes what is there, or lets later commands apply to it",
            instead: "Use another namespace or context, or ask the user.",
            stops: &[
                "kubectl exec -it web-1 -n prod -- bash",
                "kubectl --context prod-eu apply -f k8s/",
                "helm upgrade web chart -n production",
                "kubectl config use-context prod",
            ],
            passes: &[
                "kubectl exec web-1 -n dev -- ls",
                "kubectl get pods -n prod",
                "kubectl exec deploy/products -n dev -- ls",
                "kubectl logs web-1 --context prod-eu",
                "helm template chart -f values.prod.yaml",
            ],
        },
        RuleDef {
            id: "rights",
            severity: Ask,
            tests: &[OperationTest::new(Kubernetes).actions(&[
                "rights",
                "open_proxy",
                "client_settings",
                "publish_chart",
            ])],
            reason: "this gives rights in a cluster, or changes how it is reached",
            instead: "Leave rights to the user.",
            stops: &[
                "kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=me",
                "kubectl proxy --address=0.0.0.0 --accept-hosts='.*'",
                "kubectl config delete-context blue",
            ],
            passes: &["kubectl auth can-i get pods", "kubectl config get-contexts", "kubectl proxy"],
        },
        RuleDef {
            id: "small-changes",
            severity: Warn,
            tests: &[OperationTest::new(Kubernetes).actions(&["delete_renewed", "local_cluster"])],
            reason: "this deletes what a cluster makes anew, or a cluster of this machine",
            instead: "Name the namespace and the context in each command.",
            stops: &["kubectl delete pod api-1", "kind delete cluster"],
            passes: &["kubectl get pod api-1", "kind get clusters"],
        },
    ],
};

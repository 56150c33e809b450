//! Commands that change a Kubernetes cluster.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Kubernetes;

const KUBECTL: &[&str] = &["kubectl", "oc", "k", "kubecolor"];
const HELM: &[&str] = &["helm", "helm3", "helmfile"];
/// Nothing is changed, or only a cluster on this machine.
const LOCAL: &str = "--dry-run|--help|-h|--local|minikube|kind-*|--context=kind-*|--context=minikube|\
             docker-desktop|--context=docker-desktop|k3d-*|--context=k3d-*|rancher-desktop|\
             --context=rancher-desktop|colima";
const HARMLESS: &[&str] = &[LOCAL];
/// A name of what is in production.
const PRODUCTION: &str = "*prod|*prod-*|*prod/*|*prod_*|*prod.*|*prod:*|*prod,*|*prod=*|*production*|prd|*-prd|prd-*|*-prd-*|\
    live|*-live|*/live|*=live|-nprd|-nlive|KUBECONFIG=*prod*";
/// Kinds of which many other things are a part.
const WHOLE_KINDS: &str = "ns|namespace|namespaces|ns/*|namespace/*|namespaces/*|project|projects|project/*|\
             crd|crds|crd/*|customresourcedefinition*|node|nodes|node/*|nodes/*|no|pv|pv/*|pvc|\
             pvc/*|pvs|persistentvolume*|sc|storageclass*|all|*,*|*.*/*|clusterrole*|\
             validatingwebhook*|mutatingwebhook*|apiservice*|sts|sts/*|statefulset*|secret|\
             secrets|secret/*|secrets/*";
/// Kinds that come back when one of them is gone.
const RENEWED_KINDS: &str = "pod|pods|po|pod/*|pods/*|po/*|job|jobs|job/*|jobs/*|event|events|rs|replicaset|\
             replicasets|rs/*|lease|leases|replicaset/*|jobs.batch|pipelinerun*|taskrun*|\
             workflow|workflows";
const CHANGES: &str = "apply|create|replace|patch|edit|set|scale|rollout|label|annotate|autoscale|expose|\
             run|cp|debug";

pub(super) static ROWS: &[SubcommandDef] = &[
    subcommand(KUBECTL, &["delete", WHOLE_KINDS], Kubernetes, "delete_whole").without(HARMLESS),
    subcommand(KUBECTL, &["delete"], Kubernetes, "delete_all")
        .with(&["--all|-A|--all-namespaces|--raw|*\u{fffc}*"])
        .without(HARMLESS),
    subcommand(KUBECTL, &["delete"], Kubernetes, "delete_all")
        .with(&["-l|--selector|--field-selector"])
        .without(HARMLESS),
    subcommand(KUBECTL, &["delete", RENEWED_KINDS], Kubernetes, "delete_renewed").without(HARMLESS),
    subcommand(KUBECTL, &["delete"], Kubernetes, "delete_production")
        .with(&[PRODUCTION])
        .without(&["--dry-run|--help"]),
    subcommand(KUBECTL, &["delete"], Kubernetes, "delete").without(&[LOCAL, RENEWED_KINDS]),
    subcommand(KUBECTL, &["delete"], Kubernetes, "delete")
        .with(&["deploy/*|deployment/*|svc/*|service/*|cm/*|configmap/*|ingress/*|cronjob/*|ds/*|\
             daemonset/*"])
        .without(HARMLESS),
    subcommand(KUBECTL, &["delete"], Kubernetes, "delete").with(&["-f|--filename|-k|--kustomize"]).without(HARMLESS),
    subcommand(KUBECTL, &["drain|cordon|taint|evict"], Kubernetes, "node").without(HARMLESS),
    subcommand(KUBECTL, &["adm", "drain|cordon|taint|manage-node|prune|policy|upgrade|uncordon"], Kubernetes, "node")
        .without(HARMLESS),
    subcommand(KUBECTL, &["label|annotate", "node*|no|ns|namespace*"], Kubernetes, "node").without(HARMLESS),
    subcommand(KUBECTL, &["exec|attach|cp|debug|rsh|rsync"], Kubernetes, "enter_production")
        .with(&[PRODUCTION])
        .without(&["--help"]),
    subcommand(KUBECTL, &["debug", "node/*|nodes/*"], Kubernetes, "enter_node").without(&["--help"]),
    subcommand(KUBECTL, &["debug", "node"], Kubernetes, "enter_node").without(&["--help"]),
    subcommand(KUBECTL, &[CHANGES], Kubernetes, "change_production")
        .with(&[PRODUCTION])
        .without(&["--dry-run|--help|status|history|view-last-applied"]),
    subcommand(KUBECTL, &["apply"], Kubernetes, "delete_all").with(&["--prune|--force"]).without(HARMLESS),
    subcommand(KUBECTL, &["replace"], Kubernetes, "delete").with(&["--force"]).without(HARMLESS),
    subcommand(KUBECTL, &["scale"], Kubernetes, "scale_down").with(&["--replicas=0|0"]).without(HARMLESS),
    subcommand(KUBECTL, &["patch"], Kubernetes, "scale_down")
        .with(&["*finalizers*|*replicas:0*|*replicas: 0*"])
        .without(HARMLESS),
    subcommand(KUBECTL, &["create", "clusterrolebinding|rolebinding|clusterrole"], Kubernetes, "rights")
        .without(HARMLESS),
    subcommand(KUBECTL, &["adm", "policy"], Kubernetes, "rights").without(HARMLESS),
    subcommand(KUBECTL, &["auth", "reconcile"], Kubernetes, "rights").without(HARMLESS),
    subcommand(KUBECTL, &["certificate", "approve"], Kubernetes, "rights").without(HARMLESS),
    subcommand(KUBECTL, &["run|debug"], Kubernetes, "rights")
        .with(&["--privileged|*privileged:true*|*privileged: true*|*hostpid*|*hostpath*|\
             --profile=sysadmin"]),
    subcommand(KUBECTL, &["proxy"], Kubernetes, "open_proxy").with(&["--address|--accept-hosts|--disable-filter"]),
    subcommand(KUBECTL, &["config", "delete-*|unset|set-credentials|set-cluster"], Kubernetes, "client_settings"),
    subcommand(KUBECTL, &["config", "use-context|use|set-context|set"], Kubernetes, "choose_cluster")
        .with(&[PRODUCTION]),
    // The API itself.
    subcommand(&["curl", "wget", "http", "xh"], &[], Kubernetes, "delete").with(&[
        "-xdelete|-XDELETE|DELETE|delete|--request=DELETE|--method=DELETE",
        "*/api/v1/n*|*/apis/*/namespaces/*|*/api/v1/persistent*",
    ]),
    subcommand(&["etcdctl", "etcdkeeper"], &["del|snapshot|member|user|role|auth|defrag"], Kubernetes, "store")
        .with(&["del|restore|remove|delete|disable|grant-role"]),
    // Charts.
    subcommand(HELM, &["uninstall|delete|del|un"], Kubernetes, "uninstall").without(&["--dry-run|--help"]),
    subcommand(HELM, &["destroy"], Kubernetes, "uninstall").without(&["--help"]),
    subcommand(HELM, &["rollback"], Kubernetes, "roll_back").without(&["--dry-run|--help"]),
    subcommand(HELM, &["upgrade|install|sync|apply"], Kubernetes, "change_production")
        .with(&[PRODUCTION])
        .without(&["--dry-run|--help"]),
    subcommand(HELM, &["upgrade|install"], Kubernetes, "delete")
        .with(&["--force|--force-replace"])
        .without(&["--dry-run|--help"]),
    subcommand(HELM, &["push|registry"], Kubernetes, "publish_chart").with(&["push|oci://*"]),
    // Others.
    subcommand(
        &["argocd"],
        &["app|proj|cluster|repo|appset|account", "delete|rm|delete-resource|rollback|terminate-op|remove*"],
        Kubernetes,
        "uninstall",
    ),
    subcommand(&["argocd"], &["app", "sync"], Kubernetes, "delete")
        .with(&["--prune|--force|--replace"])
        .without(&["--dry-run"]),
    subcommand(&["argocd"], &["app", "sync|set|patch|create"], Kubernetes, "change_production")
        .with(&[PRODUCTION])
        .without(&["--dry-run"]),
    subcommand(&["flux"], &["uninstall|delete"], Kubernetes, "uninstall").without(&["--dry-run"]),
    subcommand(&["flux"], &["suspend"], Kubernetes, "change_production").with(&[PRODUCTION]),
    subcommand(
        &["istioctl", "linkerd", "cilium", "operator-sdk", "knative", "kn", "tkn"],
        &["uninstall|delete|x|cleanup"],
        Kubernetes,
        "uninstall",
    ),
    subcommand(&["kn", "tkn"], &["**", "delete"], Kubernetes, "delete"),
    subcommand(
        &["velero"],
        &["backup|schedule|restore|snapshot-location|uninstall", "delete"],
        Kubernetes,
        "uninstall",
    ),
    subcommand(
        &["eksctl", "kops", "rosa", "kubeone", "k0sctl", "clusterctl"],
        &["delete|reset|drain"],
        Kubernetes,
        "delete_whole",
    )
    .without(&["--dry-run|--help"]),
    subcommand(&["kubeadm"], &["reset|upgrade"], Kubernetes, "node").without(&["plan|--dry-run"]),
    subcommand(&["minikube"], &["delete"], Kubernetes, "local_cluster"),
    subcommand(&["kubens", "kubectx"], &[], Kubernetes, "choose_cluster").with(&[PRODUCTION]),
    subcommand(&["kubectx"], &[], Kubernetes, "client_settings").with(&["-d"]),
    subcommand(&["k3s-uninstall.sh", "rke2-uninstall.sh", "k3s-killall.sh"], &[], Kubernetes, "delete_whole"),
    subcommand(
        &["skaffold", "tilt", "devspace", "garden"],
        &["delete|down|purge|cleanup"],
        Kubernetes,
        "change_production",
    )
    .with(&[PRODUCTION]),
    subcommand(
        &["skaffold", "devspace", "garden", "kapp", "werf"],
        &["run|deploy|converge|dismiss|delete"],
        Kubernetes,
        "change_production",
    )
    .with(&[PRODUCTION]),
    subcommand(&["kapp", "werf"], &["delete|dismiss"], Kubernetes, "uninstall").without(&["--dry-run"]),
];

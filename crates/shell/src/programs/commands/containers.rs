//! Commands that change containers, images and volumes.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Container;
use crate::OperationKind::Kubernetes;

const ENGINES: &[&str] = &["docker", "podman", "nerdctl", "finch", "lima", "colima", "docker-compose"];
const COMPOSE: &[&str] = &["docker", "podman", "nerdctl", "finch"];
const COMPOSE_ALONE: &[&str] = &["docker-compose", "podman-compose"];
const HELP: &[&str] = &["--help|-h|--dry-run"];

/// What does more than look at an engine.
const ENGINE_CHANGES: &str = "run|exec|rm|rmi|kill|stop|start|restart|build|push|pull|load|import|cp|commit|create|compose|\
                              stack|service|swarm|system|volume|network|container|image|node|secret|config|plugin|builder|\
                              buildx|tag|rename|update|pause|unpause|attach";

pub(super) static ROWS: &[SubcommandDef] = &[
    // What holds data.
    subcommand(ENGINES, &["volume", "rm|remove|prune"], Container, "remove_volumes").without(HELP),
    subcommand(ENGINES, &["system", "prune|reset"], Container, "prune").without(HELP),
    subcommand(ENGINES, &["container|network|pod", "prune"], Container, "prune").without(HELP),
    subcommand(ENGINES, &["image", "prune"], Container, "prune").with(&["-a|--all"]).without(HELP),
    subcommand(ENGINES, &["image", "prune"], Container, "prune_cache").without(&["-a|--all|--help"]),
    subcommand(ENGINES, &["builder|buildx", "prune"], Container, "prune").with(&["-a|--all"]).without(HELP),
    subcommand(ENGINES, &["builder|buildx", "prune"], Container, "prune_cache").without(HELP),
    subcommand(&["nsenter"], &[], Container, "more_rights").with(&["-t|--target"]),
    subcommand(ENGINES, &["machine", "rm|reset"], Container, "remove_machine").without(HELP),
    subcommand(&["docker-machine"], &["rm|kill|upgrade"], Container, "remove_machine"),
    subcommand(&["colima", "lima", "limactl"], &["delete|factory-reset|prune"], Container, "remove_machine"),
    subcommand(COMPOSE, &["compose", "down"], Container, "remove_volumes").with(&["-v|--volumes"]).without(HELP),
    subcommand(COMPOSE_ALONE, &["down"], Container, "remove_volumes").with(&["-v|--volumes"]).without(HELP),
    subcommand(COMPOSE, &["compose", "rm"], Container, "remove_volumes").with(&["-v|--volumes"]).without(HELP),
    subcommand(COMPOSE_ALONE, &["rm"], Container, "remove_volumes").with(&["-v|--volumes"]).without(HELP),
    subcommand(COMPOSE, &["compose", "down"], Container, "remove_images").with(&["all|--rmi=all"]).without(HELP),
    subcommand(COMPOSE_ALONE, &["down"], Container, "remove_images").with(&["all|--rmi=all"]).without(HELP),
    subcommand(ENGINES, &["rm"], Container, "remove_volumes").with(&["-v|--volumes"]).without(HELP),
    subcommand(ENGINES, &["container", "rm"], Container, "remove_volumes").with(&["-v|--volumes"]).without(HELP),
    subcommand(ENGINES, &["rm|rmi"], Container, "remove_all").with(&["-a|--all|-fa|*\u{fffc}*"]).without(HELP),
    subcommand(ENGINES, &["container|image|pod", "rm"], Container, "remove_all").with(&["-a|--all|*\u{fffc}*"]),
    subcommand(ENGINES, &["kill|stop"], Container, "stop_all").with(&["-a|--all|*\u{fffc}*"]).without(HELP),
    subcommand(ENGINES, &["rmi"], Container, "remove_images").with(&["-f|--force"]).without(HELP),
    subcommand(ENGINES, &["image", "rm"], Container, "remove_images").with(&["-f|--force"]).without(HELP),
    subcommand(&["crictl"], &["rmi|rmp|rm"], Container, "prune").with(&["--prune|-a|--all"]),
    subcommand(&["ctr"], &["images|i|containers|c|snapshots", "rm|remove|delete|del|prune"], Container, "prune")
        .without(HELP),
    // Swarms.
    subcommand(ENGINES, &["stack|service|node|secret|config|swarm", "rm|remove|down|leave"], Container, "swarm"),
    subcommand(ENGINES, &["swarm", "init|join|update|ca"], Container, "swarm").without(HELP),
    subcommand(ENGINES, &["service", "scale|update|rollback"], Container, "swarm").without(HELP),
    subcommand(ENGINES, &["stack", "deploy"], Container, "swarm").without(HELP),
    subcommand(ENGINES, &["plugin", "install|enable|set"], Container, "plugin"),
    // Other machines and registries.
    subcommand(ENGINES, &[ENGINE_CHANGES], Container, "other_engine")
        .with(&["tcp://*|ssh://*|-htcp://*|--host=*|DOCKER_HOST=tcp:*|DOCKER_HOST=ssh:*|CONTAINER_HOST=ssh:*"]),
    subcommand(ENGINES, &["context", "use|create|update|import"], Container, "other_engine"),
    subcommand(ENGINES, &["push"], Container, "push").without(&["--help|localhost*|127.0.0.1*"]),
    subcommand(ENGINES, &["image|manifest|compose", "push"], Container, "push").without(&["--help|localhost*"]),
    subcommand(&["docker", "podman"], &["buildx|buildx*", "build|bake"], Container, "push").with(&["--push"]),
    subcommand(&["docker", "podman"], &["build"], Container, "push").with(&["--push"]),
    subcommand(&["docker", "podman"], &["buildx|build|image", "**"], Container, "more_rights")
        .with(&["security.insecure|network.host|--allow=security.insecure|--security=insecure"]),
    subcommand(&["skopeo", "crane", "regctl", "oras"], &["delete|tag|push|append|mutate"], Container, "push"),
    subcommand(&["skopeo"], &["copy|sync"], Container, "push").without(&["docker-daemon:*|dir:*|oci:*"]),
    // The engine by its socket, and the programs below it.
    subcommand(&["curl", "socat", "nc", "ncat"], &[], Container, "socket")
        .with(&["*docker.sock*|*podman.sock*|*containerd.sock*|*crio.sock*"]),
    subcommand(
        &["ctr", "crictl", "runc", "buildah", "nerdctl"],
        &["**", "rm|rmp|rmi|delete|prune"],
        Container,
        "remove_all",
    )
    .with(&["-a|--all|-f|--force|prune"]),
    subcommand(&["lxc", "incus"], &["delete|profile|config"], Container, "remove_machine")
        .with(&["delete|set|--force"]),
    subcommand(&["multipass"], &["delete|purge"], Container, "remove_machine"),
    subcommand(&["vagrant"], &["destroy"], Container, "remove_machine").without(HELP),
    subcommand(&["virsh"], &["destroy|undefine|vol-delete|pool-delete|snapshot-delete"], Container, "remove_machine"),
    subcommand(&["VBoxManage", "vboxmanage"], &["unregistervm|closemedium"], Container, "remove_machine")
        .with(&["--delete"]),
    subcommand(&["qm", "pct"], &["destroy|rollback|delsnapshot"], Container, "remove_machine"),
    subcommand(&["k3d", "kind"], &["delete"], Kubernetes, "local_cluster"),
];

//! Containers: what reaches the machine, and what holds data.

use pintle_shell::OperationKind::Container;

use crate::RuleSeverity::{Ask, Deny, Warn};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "containers",
    doc: "Refuses containers with rights over the machine, and to delete volumes and what is not of the project.",
    is_default: false,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "machine-rights",
            severity: Deny,
            tests: &[OperationTest::new(Container).actions(&["more_rights", "mount_host", "socket"])],
            reason: "this gives a container rights over the machine",
            instead: "Mount a directory of the project, and leave the container its own namespaces and rights.",
            stops: &[
                "docker run --privileged debian bash",
                "docker run -v /:/mnt debian ls /mnt",
                "docker run -v ~:/home/me debian ls",
                "docker run --mount type=bind,source=/var/run/docker.sock,target=/s debian",
                "podman run --cap-add SYS_ADMIN fedora true",
                "docker exec --privileged web sh",
                "curl --unix-socket /var/run/docker.sock http://x/containers/json",
            ],
            passes: &[
                "docker run --rm -v \"$PWD:/app\" -w /app node:20 npm test",
                "docker run -v cache:/data redis:7",
                "docker exec web ls",
            ],
        },
        RuleDef {
            id: "remove-volumes",
            severity: Deny,
            tests: &[OperationTest::new(Container).actions(&["remove_volumes", "remove_machine"])],
            reason: "the data in the volumes would be lost",
            instead: "Leave the volumes: run it without `-v` and `--volumes`.",
            stops: &[
                "docker volume rm pgdata",
                "docker compose down --volumes",
                "docker-compose down -v",
                "podman volume prune",
            ],
            passes: &["docker compose down", "docker volume ls", "docker compose up -d"],
        },
        RuleDef {
            id: "prune",
            severity: Ask,
            tests: &[OperationTest::new(Container).actions(&["prune", "remove_all", "remove_images"])],
            reason: "this deletes containers or images of other projects, too",
            instead: "Name the container or the image.",
            stops: &[
                "docker system prune",
                "docker rm -f $(docker ps -aq)",
                "docker image prune -a",
                "podman rm --all",
            ],
            passes: &["docker system df", "docker rm web-1", "docker rmi app:old", "docker image ls"],
        },
        RuleDef {
            id: "swarm",
            severity: Ask,
            tests: &[
                OperationTest::new(Container).actions(&["swarm", "plugin"]),
                OperationTest::new(Container)
                    .actions(&["other_engine"])
                    .reason("this changes another engine than the one of this machine"),
            ],
            reason: "this changes services or plugins of an engine",
            instead: "Leave it to the user.",
            stops: &[
                "docker stack rm web",
                "docker service scale api=0",
                "docker -H tcp://build:2375 run x",
                "docker context use remote",
            ],
            passes: &["docker stack ls", "docker service ls", "docker context ls", "docker -H tcp://build:2375 ps"],
        },
        RuleDef {
            id: "push-image",
            severity: Warn,
            tests: &[OperationTest::new(Container).actions(&["push"])],
            reason: "this publishes an image",
            instead: "Leave the release to the user.",
            stops: &["docker push acme/web:2", "docker buildx build --push -t acme/web ."],
            passes: &["docker build -t acme/web .", "docker pull redis:7", "docker push localhost:5000/web"],
        },
        RuleDef {
            id: "stop-all",
            severity: Warn,
            tests: &[OperationTest::new(Container).actions(&["stop_all", "prune_cache"])],
            reason: "this stops containers of other projects, or deletes their caches",
            instead: "Name the container.",
            stops: &["docker stop $(docker ps -q)", "docker builder prune -f"],
            passes: &["docker stop web-1", "docker compose stop"],
        },
    ],
};

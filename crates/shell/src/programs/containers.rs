//! What a container may do to the machine, and what runs in it.

use super::network::{names_registry, push_request};
use super::table::facts_of;
use crate::OperationKind::{self, Container};
use crate::walk::{CommandWalk, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::word_lists::is_listed;
use crate::{Operation, OperationTag, PathPlace};

/// The beginnings of devices that hold no data of the machine.
const HARMLESS_DEVICES: &str =
    "/dev/dri /dev/kvm /dev/fuse /dev/snd /dev/video /dev/bus/usb /dev/tty /dev/nvidia nvidia";
/// Rights of the kernel that do not reach the machine.
const SMALL_RIGHTS: &str = "net_bind_service chown setuid setgid fowner kill audit_write setfcap setpcap fsetid \
             sys_nice ipc_lock sys_chroot mknod";
/// Directories of the machine that hold nothing to keep.
const HARMLESS_MOUNTS: &str = "/etc/localtime /etc/timezone /etc/ssl/certs /etc/ca-certificates \
             /usr/share/zoneinfo /usr/local/share/ca-certificates /usr/share/fonts /etc/passwd \
             /etc/group /etc/resolv.conf /etc/hosts /lib/modules";
/// Caches of package managers below the home directory.
const CACHES: &str = ".m2 .gradle .cargo .npm .cache .gem .composer go .rustup .ivy2 .sbt .nuget \
             .pnpm-store .yarn .local/share/pnpm .m2/repository";

const RUN_OPTIONS: OptionLetters = OptionLetters {
    letters: "acehlmpuvw",
    names: "add-host annotation attach blkio-weight cap-add cap-drop cgroup-parent cgroupns cidfile cpus \
         cpu-shares cpuset-cpus device dns entrypoint env env-file expose gpus group-add health-cmd \
         hostname ip ipc label link log-driver log-opt mac-address memory mount name net network \
         network-alias pid pids-limit platform publish pull restart runtime security-opt shm-size \
         stop-signal stop-timeout storage-opt sysctl tmpfs ulimit user userns uts volume volume-driver \
         volumes-from workdir pod secret index scale",
};

/// Adds what a container that is started may do, and what runs in it.
pub(super) fn push_container(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    push_image(walk, call);
    let verb = call.args.iter().take(8).position(|arg| matches!(arg.text.as_str(), "run" | "create" | "exec"));
    let Some((verb, args)) = verb.and_then(|at| Some((call.args.get(at)?, call.args.get(at + 1..)?))) else { return };
    let (parsed, rest) = ParsedOptions::parse_leading(args, RUN_OPTIONS);
    if let Some(image) = rest.first().filter(|_| verb.text != "exec") {
        push_registry(walk, call, image);
    }
    for (name, value) in &parsed.options {
        let value = value.as_ref().map(ShellArg::shown).unwrap_or_default();
        if gives_rights(name, &value) {
            let written = if value.is_empty() { format!("--{name}") } else { format!("--{name}={value}") };
            walk.push(Operation::new(Container, call.name).action("more_rights").written(written));
        }
    }
    let mut mounts = Vec::new();
    for (source, target) in parsed.options.iter().filter_map(|(name, value)| mount_of(name, value.as_ref()?)) {
        push_mount(walk, call, &source);
        mounts.extend(walk.place(&source).path.map(|path| (path, target)));
    }
    if verb.text == "run" {
        run_inside(walk, &parsed, rest, &mounts);
    }
}

/// `build ADDRESS`, and `push` to a machine that has no name.
fn push_image(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let has = |word: &str| call.args.iter().take(3).any(|arg| arg.text == word);
    let operands = call.args.iter().filter(|arg| !arg.text.starts_with('-'));
    if has("build") {
        let is_address = |text: &str| {
            ["http://", "https://", "git://", "git@", "ssh://", "github.com/"]
                .iter()
                .any(|start| text.starts_with(start))
        };
        if operands.clone().any(|arg| is_address(&arg.text)) {
            walk.push_code(TextTaint::NETWORK, call.name, "it builds an image of an address");
        }
    } else if has("pull") {
        for image in operands.skip_while(|arg| arg.text != "pull").skip(1) {
            push_registry(walk, call, image);
        }
    } else if has("push") {
        for image in operands.filter(|arg| is_unnamed_host(arg.text.split(['/', ':']).next().unwrap_or_default())) {
            let operation = Operation::new(OperationKind::Upload, call.name).action("image").written(image.shown());
            walk.push(TextTaint::FILE.tag(operation));
        }
    }
}

/// The registry that an image comes from, if its name has one.
fn push_registry(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, image: &ShellArg) {
    if names_registry(&image.text) {
        push_request(walk, call.name, &image.text, None);
    }
}

/// Whether a host is an address of the internet without a name.
fn is_unnamed_host(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| !address.is_loopback() && !address.is_private())
}

fn gives_rights(name: &str, value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    match name {
        "privileged" => !matches!(lower.as_str(), "false" | "0"),
        "cap-add" => lower.split(',').any(|right| !is_listed(SMALL_RIGHTS, right.trim_start_matches("cap_"))),
        "device" => !HARMLESS_DEVICES.split(' ').any(|device| lower.starts_with(device)),
        "security-opt" => lower.contains("unconfined") || lower.replace(':', "=") == "label=disable",
        "pid" | "ipc" | "userns" | "uts" | "cgroupns" => lower == "host",
        _ => false,
    }
}

/// The directory of the machine that an option mounts, and where.
fn mount_of(name: &str, value: &ShellArg) -> Option<(ShellArg, String)> {
    let path = |text: &str| value.with_text(text);
    match name {
        "v" | "volume" => {
            let (source, target) = value.text.trim_start_matches('=').split_once(':')?;
            // Other names are those of volumes.
            let is_path = source.starts_with(['/', '.', '~', crate::paths::UNKNOWN]);
            is_path.then(|| (path(source), target.split(':').next().unwrap_or_default().to_owned()))
        }
        "mount" => {
            let field = |names: [&str; 2]| {
                value
                    .text
                    .split(',')
                    .filter_map(|part| part.split_once('='))
                    .find(|(key, _)| names.contains(key))
                    .map(|(_, value)| value)
            };
            let source = field(["source", "src"]).filter(|source| source.starts_with(['/', '.', '~']))?;
            let target = field(["target", "dst"]).or_else(|| field(["destination", "destination"])).unwrap_or_default();
            Some((path(source), target.to_owned()))
        }
        _ => None,
    }
}

fn push_mount(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, arg: &ShellArg) {
    let placed = walk.place(arg);
    let text = arg.text.trim_end_matches('/');
    let is_below = |list: &str, text: &str| {
        list.split_whitespace()
            .any(|known| text.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    let in_home =
        walk.site.home.and_then(|home| placed.path.as_ref()?.strip_prefix(home).ok()?.to_str().map(str::to_owned));
    if in_home
        .is_some_and(|rest| is_below(CACHES, &rest) && !rest.contains("credentials") && !rest.contains("settings.xml"))
    {
        return;
    }
    let is_socket =
        text.ends_with(".sock") && ["docker", "podman", "containerd", "crio"].iter().any(|name| text.contains(name));
    let is_wide = match placed.place {
        PathPlace::Root | PathPlace::Home | PathPlace::Device => true,
        PathPlace::System => {
            !is_below(HARMLESS_MOUNTS, text) && !text.starts_with("/opt/") && !text.starts_with("/srv/")
        }
        _ => false,
    };
    let has = |tag| placed.tags.contains(&tag);
    if has(OperationTag::Secret) && placed.place != PathPlace::Project {
        walk.push_path(Operation::new(OperationKind::Read, call.name).tag(OperationTag::Recursive), arg);
    }
    if is_socket
        || is_wide
        || has(OperationTag::AgentSettings)
        || has(OperationTag::Pintle)
        || has(OperationTag::Startup)
    {
        walk.push(Operation::new(Container, call.name).action("mount_host").written(arg.shown()));
    }
}

/// Walks the command of a container: of what it does to files, only what is below its mounts is kept.
fn run_inside(
    walk: &mut CommandWalk<'_>,
    parsed: &ParsedOptions<'_>,
    rest: &[ShellArg],
    mounts: &[(std::path::PathBuf, String)],
) {
    let Some((image, command)) = rest.split_first() else { return };
    let image = image.text.split(['@']).next().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let program = match name {
        "aws-cli" => "aws",
        "google-cloud-cli" | "cloud-sdk" => "gcloud",
        "azure-cli" => "az",
        "opentofu" => "tofu",
        name => name,
    };
    let entry = parsed.values("", "entrypoint").next().cloned();
    let before = walk.operations.len();
    let workdir = parsed.values("w", "workdir").next().map(|directory| directory.text.clone());
    let mut printed = TextTaint::NONE;
    walk.run_mounted(mounts, workdir, |walk| {
        let is_known = |name: &str| !facts_of(name).sections.is_empty() || walk.is_program(name);
        // The start of an image may be a program of its name, or run its arguments as they are.
        let starts_program = command.first().is_some_and(|first| is_known(&crate::walk::program_name(&first.text)));
        let start = entry.or_else(|| (!starts_program && is_known(program)).then(|| ShellArg::new(program)));
        let args: Vec<ShellArg> = start.into_iter().chain(command.iter().cloned()).collect();
        printed = walk.run_args(&args, &TextFlow::default()).taint;
    });
    let added = walk.operations.split_off(before.min(walk.operations.len()));
    let is_of_machine = |operation: &Operation| match operation.kind {
        OperationKind::Read
        | OperationKind::Write
        | OperationKind::Delete
        | OperationKind::Move
        | OperationKind::Permission => operation
            .path
            .as_ref()
            .is_some_and(|path| mounts.iter().any(|(mount, _)| std::path::Path::new(path).starts_with(mount))),
        OperationKind::Privilege
        | OperationKind::System
        | OperationKind::Kill
        | OperationKind::Secret
        | OperationKind::RunCode
        | OperationKind::Unknown => false,
        _ => true,
    };
    for operation in added.into_iter().filter(is_of_machine) {
        walk.push(operation);
    }
    let gets_secrets = parsed.values("", "env-file").any(|file| walk.place(file).tags.contains(&OperationTag::Secret));
    if gets_secrets && printed.has(TextTaint::ENVIRONMENT | TextTaint::SECRET) {
        walk.push(Operation::new(OperationKind::Secret, program).action("print_variable"));
    }
}

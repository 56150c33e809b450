//! The platforms that packages are made for.

/// A platform, and its name in each format.
#[derive(Debug)]
pub(super) struct DistTarget {
    pub(super) triple: &'static str,
    /// The subcommand of cargo that builds for it, if the machine is another one.
    pub(super) cross_build: &'static str,
    /// Variables of the build.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Flags for the parts in C.
    pub(super) c_flags: &'static [&'static str],
    /// Arguments of the linker of this machine. LLD is the one that comes with Rust.
    pub(super) link_args: &'static [&'static str],
    pub(super) is_windows: bool,
    /// The architecture of a Debian package, if there is one.
    pub(super) deb_arch: Option<&'static str>,
    /// The platforms of Rust that its Python modules are built for, each with the tag of a Linux wheel. An interpreter on Linux
    /// loads only a module for the C library that it runs with; the programs in the wheel are the same.
    pub(super) modules: &'static [(&'static str, &'static str)],
    /// The operating system and the processor, as Node.js names them.
    pub(super) npm: (&'static str, &'static str),
}

/// Functions in C are not unwound: nothing in them panics, and a panic in Rust that they call ends before it reaches them.
const NO_UNWIND_TABLES: &[&str] = &["-fno-asynchronous-unwind-tables"];

/// The argument for the linker LLD.
pub(super) const USE_LLD: &str = "-fuse-ld=lld";

/// Every platform.
pub(super) const DIST_TARGETS: &[DistTarget] = &[
    DistTarget {
        triple: "x86_64-unknown-linux-musl",
        cross_build: "zigbuild",
        variables: &[("CC_x86_64_unknown_linux_musl", "musl-gcc")],
        c_flags: NO_UNWIND_TABLES,
        // A program that can be loaded anywhere has a list of its pointers; the first makes it twenty times smaller.
        // The last two make functions with the same code one, and constants with the same bytes: nothing here tells
        // such apart by their addresses.
        link_args: &["-Wl,-z,pack-relative-relocs", USE_LLD, "-Wl,--icf=all", "-Wl,--ignore-data-address-equality"],
        is_windows: false,
        deb_arch: Some("amd64"),
        modules: &[("x86_64-unknown-linux-gnu", "manylinux_2_17"), ("x86_64-unknown-linux-musl", "musllinux_1_2")],
        npm: ("linux", "x64"),
    },
    DistTarget {
        triple: "aarch64-unknown-linux-musl",
        cross_build: "zigbuild",
        variables: &[],
        c_flags: NO_UNWIND_TABLES,
        link_args: &[],
        is_windows: false,
        deb_arch: Some("arm64"),
        modules: &[("aarch64-unknown-linux-gnu", "manylinux_2_17"), ("aarch64-unknown-linux-musl", "musllinux_1_2")],
        npm: ("linux", "arm64"),
    },
    DistTarget {
        triple: "x86_64-pc-windows-gnu",
        cross_build: "build",
        variables: &[],
        c_flags: &[],
        link_args: &[],
        is_windows: true,
        deb_arch: None,
        modules: &[("x86_64-pc-windows-gnu", "")],
        npm: ("win32", "x64"),
    },
    DistTarget {
        triple: "aarch64-apple-darwin",
        cross_build: "build",
        variables: &[("MACOSX_DEPLOYMENT_TARGET", "11.0")],
        c_flags: &[],
        link_args: &[],
        is_windows: false,
        deb_arch: None,
        modules: &[("aarch64-apple-darwin", "")],
        npm: ("darwin", "arm64"),
    },
    DistTarget {
        triple: "x86_64-apple-darwin",
        cross_build: "build",
        variables: &[("MACOSX_DEPLOYMENT_TARGET", "10.12")],
        c_flags: &[],
        link_args: &[],
        is_windows: false,
        deb_arch: None,
        modules: &[("x86_64-apple-darwin", "")],
        npm: ("darwin", "x64"),
    },
];

impl DistTarget {
    pub(super) fn by_triple(triple: &str) -> Result<&'static Self, String> {
        let found = DIST_TARGETS.iter().find(|target| target.triple == triple);
        let known = || DIST_TARGETS.iter().map(|target| target.triple).collect::<Vec<_>>().join(", ");
        found.ok_or_else(|| format!("unknown target `{triple}`; use {}", known()))
    }

    /// The names of the programs.
    pub(super) fn programs(&self) -> &'static [&'static str] {
        if self.is_windows { &["pintle.exe", "pintle-hook.exe"] } else { &["pintle", "pintle-hook"] }
    }

    /// The package for this platform in the scope `@pintle` of npm.
    pub(super) fn npm_platform(&self) -> String {
        format!("{}-{}", self.npm.0, self.npm.1)
    }

    /// Whether this machine builds for it without a cross compiler.
    pub(super) fn is_native(&self) -> bool {
        let (arch, rest) = self.triple.split_once('-').unwrap_or((self.triple, ""));
        arch == std::env::consts::ARCH
            && match std::env::consts::OS {
                "macos" => rest.ends_with("darwin"),
                system => rest.contains(system),
            }
    }
}

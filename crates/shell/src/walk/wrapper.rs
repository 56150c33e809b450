//! Programs that run the program in their arguments, such as `env` and `timeout`.

use super::OptionLetters;

/// A program that runs the rest of its arguments.
#[derive(Debug)]
pub(crate) struct WrapperDef {
    /// Its names, with blanks between.
    pub(crate) names: &'static str,
    /// Options that take a value.
    pub(crate) valued: OptionLetters,
    /// How many operands come before the program.
    pub(crate) skipped: usize,
    /// Whether other words may come before the program, which is the first that is known.
    pub(crate) searches: bool,
    /// A word that has to come first, such as `run` in `uv run`.
    pub(crate) word: &'static [&'static str],
    /// Whether the program gets the rights of another user.
    pub(crate) is_privileged: bool,
    /// Whether it runs on another machine or in a container, where paths mean something else.
    pub(crate) is_elsewhere: bool,
}

const fn wrapper(names: &'static str, letters: &'static str, names_valued: &'static str) -> WrapperDef {
    WrapperDef {
        names,
        valued: OptionLetters { letters, names: names_valued },
        skipped: 0,
        searches: false,
        word: &[],
        is_privileged: false,
        is_elsewhere: false,
    }
}

impl WrapperDef {
    const fn skips(mut self, count: usize) -> Self {
        self.skipped = count;
        self
    }
    const fn searches(mut self) -> Self {
        self.searches = true;
        self
    }
    const fn behind(mut self, word: &'static [&'static str]) -> Self {
        self.word = word;
        self
    }
    const fn privileged(mut self) -> Self {
        self.is_privileged = true;
        self
    }
    const fn runs_elsewhere(mut self) -> Self {
        self.is_elsewhere = true;
        self
    }
}

/// Every wrapper. Those with a language of their own, such as `xargs` and `find`, are programs.
pub(crate) static WRAPPERS: &[WrapperDef] = &[
    wrapper("sudo", "ughpCcDRrtTU", "user group host prompt chdir chroot role type").privileged(),
    wrapper("doas", "uC", "").privileged(),
    wrapper("pkexec", "u", "user").privileged(),
    wrapper("run0", "ugD", "user group unit chdir setenv property slice description nice background").privileged(),
    wrapper("gosu su-exec", "", "").skips(1).privileged(),
    wrapper("setpriv", "", "reuid regid groups inh-caps ambient-caps bounding-set securebits").privileged(),
    wrapper("command builtin nohup setsid unbuffer noglob nocorrect -", "", ""),
    wrapper("exec tini dumb-init", "aper", ""),
    wrapper("time gtime", "fo", "format output"),
    wrapper("choom", "np", "adjust pid"),
    wrapper("ssh-agent", "aEtPO", ""),
    wrapper("cpulimit", "lpePc", "limit pid exe"),
    wrapper("faketime", "", "").skips(1),
    wrapper("perf", "eoFpCtgm", "event output freq count").behind(&["stat", "record", "trace"]),
    wrapper("xvfb-run", "efnpsw", "error-file auth-file server-num server-args xauth-protocol wait"),
    wrapper("repeat", "", "").skips(1),
    wrapper("nice", "n", "adjustment help! version!"),
    wrapper("ionice", "cnp", "class classdata ignore! pid pgid uid"),
    wrapper("chrt taskset", "", "").skips(1),
    wrapper("timeout gtimeout", "sk", "signal kill-after foreground! preserve-status! verbose!").skips(1),
    wrapper("stdbuf", "ioe", "input output error help!"),
    wrapper("strace ltrace dtruss", "eopsuaPESI", ""),
    wrapper(
        "catchsegv valgrind caffeinate firejail bwrap fakeroot eatmydata rlwrap proxychains proxychains4 proot \
         torsocks torify dbus-run-session dbus-launch systemd-inhibit trickle cgexec numactl prlimit daemonize \
         start-stop-daemon chronic sem ts perf-exec winpty setarch linux32 linux64 arch i386 i586 i686 x86_64 uname26",
        "",
        "",
    )
    .searches(),
    wrapper("nsenter", "tSGrwR", "target root wd setuid setgid").privileged(),
    wrapper("systemd-run", "pEu", "property unit setenv working-directory on-calendar on-active"),
    wrapper("unshare", "SGRw", "root wd setuid setgid"),
    wrapper("chroot arch-chroot", "", "userspec groups").skips(1),
    wrapper("busybox toybox", "", ""),
    wrapper("uv poetry pipenv pdm hatch rye pixi", "pC", "python with directory project env-file").behind(&["run"]),
    wrapper("bundle", "", "").behind(&["exec"]),
    wrapper("rbenv pyenv nodenv asdf goenv", "", "").behind(&["exec"]),
    wrapper("mise rtx", "C", "").behind(&["exec", "x"]),
    wrapper("npx bunx pnpx", "pc", "package call"),
    wrapper("uvx", "p", "from with python"),
    wrapper("pipx", "", "spec python").behind(&["run"]),
    wrapper("npm pnpm", "pcC", "package call filter prefix workspace dir").behind(&["exec", "x", "dlx"]),
    wrapper("yarn", "p", "package cwd").behind(&["exec", "x", "dlx", "run"]),
    wrapper("conda mamba micromamba", "np", "name prefix").behind(&["run"]),
    wrapper("direnv", "", "").behind(&["exec"]).skips(1),
    wrapper("op doppler infisical chamber vault-env dotenvx teller", "pcek", "project config env env-file")
        .behind(&["run", "exec"]),
    wrapper("aws-vault", "dnt", "duration mfa-token region").behind(&["exec"]).skips(1),
    wrapper("dotenv dotenv-cli cross-env env-cmd", "ef", "file"),
    wrapper("flatpak-spawn toolbox distrobox-host-exec host-spawn", "", "").behind(&["run", "--host"]),
    wrapper("chpst envdir softlimit setuidgid", "", "").skips(1),
    wrapper("kubectl oc", "cnflkos", "container namespace context kubeconfig")
        .behind(&["exec"])
        .skips(1)
        .runs_elsewhere(),
    wrapper("docker podman nerdctl docker-compose podman-compose", "uwe", "user workdir env env-file detach-keys")
        .behind(&["exec"])
        .skips(1)
        .runs_elsewhere(),
    wrapper("lxc incus vagrant multipass", "", "").behind(&["exec"]).skips(1).runs_elsewhere(),
];

//! The table of programs.
//!
//! Of a program without a row, `pintle try` shows only operations on paths that need care. To make a program known, add
//! its name to a row, or add a row.

use super::program::ProgramUse::{Converts, Edits, Prints, Quiet, Reads, Selects, Special, Text, Writes};
use super::program::{ProgramDef, program};
use super::{
    archives, builtins, editors, files, git, interpreters, makefile, network, power, recipes, runners, search, sed,
    shells, system, tasks, text, transfer, zsh,
};

pub(super) static PROGRAM_TABLE: &[ProgramDef] = &[
    // Text and names.
    program(
        "true false : test [ sleep wait jobs type ulimit umask shopt return break continue \
         bg fg disown times let expr seq date cal nproc tty locale whereis whatis help info clear \
         reset tput yes sha256sum sha1sum md5sum shasum cksum b2sum wc pwgen uuidgen factor \
         open xdg-open dirs",
        "",
        Text,
    ),
    // About the machine.
    program(
        "uname arch uptime whoami id groups hostname free df du stat file lsof top htop pstree tree exa eza lsd lsblk \
         lscpu netstat ss ip ifconfig ping6 traceroute lspci lsusb dmidecode sw_vers system_profiler last who \
         w finger arp route vmstat iostat dmesg journalctl",
        "",
        Prints,
    ),
    program("pgrep pidof ps", "uUgGtTFo", Special(system::run_process_list)),
    program("trap", "", Special(builtins::run_trap)),
    program("readlink realpath", "", Special(text::run_real_path)),
    program("exit logout bind complete compgen", "", Quiet),
    program("set unset unalias", "", Special(builtins::run_set)),
    program("cd chdir pushd Set-Location sl", "", Special(builtins::run_cd)),
    program("popd", "", Special(builtins::run_popd)),
    program("shift", "", Special(builtins::run_shift)),
    program("hash", "p", Special(builtins::run_hash)),
    program("enable", "f", Quiet),
    program("dc", "ef", Special(text::run_dc)),
    program("getopts", "", Special(builtins::run_getopts)),
    program("mkdir mkfifo", "m", Special(files::run_mkdir)).long("mode"),
    program("echo", "", Special(text::run_echo)),
    program("printf", "", Special(text::run_printf)),
    program("pwd", "", Special(text::run_pwd)),
    program("basename dirname", "s", Special(text::run_name_part)),
    program("mktemp", "p", Special(text::run_mktemp)).long("suffix tmpdir"),
    program("export declare typeset readonly local integer float", "", Special(builtins::run_export)),
    program("alias", "", Special(zsh::run_alias)),
    // zsh.
    program("print", "CfuvxX", Special(zsh::run_print)),
    program("emulate", "co", Special(zsh::run_emulate)),
    program("sched zpty zstyle add-zsh-hook", "", Special(zsh::run_later)),
    program("zmv zcp zln", "popP", Special(zsh::run_zmv)),
    program("zargs", "", Special(zsh::run_zargs)),
    program("setopt unsetopt", "", Special(zsh::run_setopt)),
    program("functions", "", Special(zsh::run_functions)),
    program("zmodload autoload", "", Special(zsh::run_load)),
    program("sysopen", "umo", Special(zsh::run_sysopen)),
    program("ztcp", "d", Special(zsh::run_ztcp)),
    program("read", "adinNptu", Special(builtins::run_read)),
    program("mapfile readarray", "dnOsuCc", Special(builtins::run_read)),
    program("which", "", Special(text::run_which)),
    program("direnv mise rtx asdf", "", Special(shells::run_variable_export)),
    program("env printenv", "uCS", Special(shells::run_env)).long("unset chdir split-string"),
    // Readers.
    program("cat tac nl less more most zless view bat batcat", "pn", Special(text::run_cat)),
    program("head tail", "ncs", Reads(0)).long("lines bytes"),
    program("pr", "DhlNsSwW", Selects),
    program("column", "scoNHRC", Selects).long("separator output-width table-columns output-separator"),
    program("cut", "bcdf", Special(text::run_cut)).long("fields delimiter characters bytes"),
    program("uniq fmt fold expand unexpand comm join paste look", "bdcftkwoST12", Selects)
        .long("fields delimiter key characters bytes"),
    program("sort", "kotST", Special(text::run_sort)).long("key output field-separator buffer-size"),
    program("diff cmp sdiff colordiff delta vimdiff icdiff difft", "UCIxX", Reads(0)),
    program("strings split csplit", "bnlaC", Reads(0)),
    program("grep egrep fgrep zgrep rg ag ack pcregrep ugrep", "efmABCgtTjM", Special(text::run_grep)).long(
        "regexp file include exclude exclude-dir glob type max-count context after-context before-context \
         color max-depth threads iglob type-not",
    ),
    program("jq yq xq tomlq fx gron dasel xmllint xmlstarlet csvcut mlr htmlq pup", "f", Special(text::run_query))
        .long("arg argjson slurpfile rawfile from-file indent xpath"),
    program("source .", "", Special(shells::run_source)),
    program("sed gsed", "efli?I?", Special(sed::run_sed)).long("expression file line-length in-place?"),
    program("awk gawk mawk nawk", "vFfi", Special(text::run_awk)).long("assign field-separator file include"),
    program("base64 base32 basenc gbase64", "wio", Special(text::run_base64)).long("wrap input output"),
    program(
        "xxd uudecode uuencode rev tr iconv recode zcat gzcat bzcat xzcat zstdcat qprint rot13 caesar \
         ascii2uni",
        "lscgoft",
        Special(text::run_converter),
    ),
    program("od hexdump hd", "AjNStwnsef", Special(text::run_converter)),
    program("openssl gpg gpg2 age", "kdior", Special(text::run_openssl))
        .long("in out output pass recipient inkey passin"),
    program("tee", "", Special(files::run_tee)),
    program("sponge touch mknod", "dtrm", Writes).long("date reference"),
    // Files.
    program(
        "rm unlink srm trash rmtrash trash-put gio del erase rd remove remove_directory rimraf del-cli",
        "",
        Special(files::run_delete),
    ),
    program("rmdir", "", Special(files::run_rmdir)),
    program("shred wipe", "ns", Special(files::run_shred)).long("iterations size random-source"),
    program("truncate", "sr", Special(files::run_truncate)).long("size reference"),
    program("fallocate", "lo", Special(files::run_allocate)).long("length offset"),
    program("mv move ren git-mv", "tS", Special(files::run_move)).long("target-directory suffix"),
    program("rename prename file-rename", "", Special(files::run_rename)).dry_run("n", "no-act"),
    program("cp copy copy_directory ditto gcp xcopy robocopy install ginstall", "tSmog", Special(files::run_copy))
        .long("target-directory suffix mode owner group"),
    program("ln link mklink", "tS", Special(files::run_link)).long("target-directory"),
    program("chmod gchmod", "", Special(files::run_chmod)).long("reference"),
    program("chown chgrp chattr setfacl chflags icacls takeown", "mMxX", Special(files::run_chown))
        .long("reference from"),
    program("dd", "", Special(files::run_dd)),
    program("rsync rclone", "efMT", Special(archives::run_rsync))
        .long(
            "rsh exclude include filter exclude-from files-from include-from port bwlimit timeout backup-dir \
         transfers checkers config log-file log-level max-age min-age max-size min-size max-depth",
        )
        .dry_run("n", "dry-run"),
    program("tar bsdtar gtar star", "fCTXIK", Special(archives::run_tar)).long(
        "file directory files-from exclude exclude-from use-compress-program to-command transform \
         checkpoint-action checkpoint strip-components",
    ),
    program("zip 7z 7za 7zz rar gzip bzip2 xz zstd pigz lz4 ar cpio pax", "xiPo", Special(archives::run_archive)),
    program("unzip gunzip bunzip2 unxz unrar unar", "dPx", Special(archives::run_unpack)),
    program(
        "vi vim nvim ex ed red nano pico emacs emacsclient micro joe code cursor subl kak hx mcedit gedit \
         kate vimx rvim",
        "cSu",
        Special(editors::run_editor),
    )
    .long("cmd"),
    program("patch", "pidoB", Special(editors::run_patch)).long("input directory output strip").dry_run("C", "dry-run"),
    program("crudini augtool toml-set dos2unix unix2dos prettier", "", Edits),
    program("xattr", "", Converts),
    // Searching and lists.
    program("ls dir vdir gls", "ITw", Special(search::run_ls)),
    program("find gfind bfs", "", Special(search::run_find)),
    program("fd fdfind", "", Special(search::run_fd)),
    program("locate mlocate plocate mdfind", "nl", Special(search::run_locate)),
    program("xargs gxargs", "", Special(search::run_xargs)),
    program("parallel", "", Special(search::run_parallel)),
    // Shells and programs that run a command line.
    program(
        "sh bash zsh dash ksh mksh fish ash rbash yash tcsh csh elvish nu oil osh xonsh",
        "coOC",
        Special(shells::run_shell),
    )
    .long("rcfile init-file command init-command"),
    program("make gmake", "CfIjlEoW", Special(makefile::run_make)).long("directory file makefile eval"),
    program("just task go-task", "fdt", Special(recipes::run_recipes)).long("justfile working-directory taskfile dir"),
    program("npm pnpm yarn run-s run-p npm-run-all npm-run-all2 composer", "Cw", Special(tasks::run_package_script))
        .long("prefix dir cwd"),
    program("eval", "", Special(shells::run_eval)),
    program("su runuser", "cgGs", Special(shells::run_su)).long("command shell group session-command"),
    program("ssh autossh mosh dbclient plink sshpass", "bcDEeFIiJLlmOopQRSWwB", Special(shells::run_ssh)).long("ssh"),
    program(
        "watch entr flock script nodemon watchexec tmux screen at batch ts-node-dev concurrently nix-shell \
         nix expect gdb lldb hyperfine run-parts start cmd wsl mshta rundll32 osascript \
         schtasks man sops",
        "",
        Special(runners::run_line_runner),
    ),
    program(
        "python python2 python3 pypy pypy3 ipython node nodejs deno bun tsx ts-node perl ruby irb php lua \
         luajit Rscript R groovy jshell scala swift julia tclsh guile sbcl elixir ghci runghc crystal py \
         iex erl rake octave octave-cli matlab gnuplot",
        "WXQmIMrS",
        Special(interpreters::run_interpreter),
    )
    .long("require import loader env-file inspect"),
    program("& &= &. &:: &- &# &$ &@ &{", "", Special(power::run_power)),
    program("pwsh powershell", "", Special(shells::run_powershell)),
    // The network.
    program("curl curlie xh http https httpie", "odFTHXuAebcCDEKmPQrtUwxYyz", Special(network::run_curl))
        .long(network::CURL_VALUED),
    program("aria2c", "doijsxk", Special(network::run_wget)).long("dir out input-file split"),
    program("wget wget2 axel lynx w3m links elinks", "OPUoaieBtTQwlARDIX", Special(network::run_wget))
        .long(network::WGET_VALUED),
    program("nc ncat netcat nc.openbsd nc.traditional telnet", "ecpwisqgGTXxoOIMmPVWd", Special(transfer::run_netcat))
        .long("exec sh-exec lua-exec source-port"),
    program("socat", "", Special(transfer::run_socat)),
    program(
        "scp sftp ftp ncftp ncftpput tftp pscp psftp smbclient croc wormhole transfer magic-wormhole \
         rsend ffsend gh-gist pastebinit sprunge ix termbin",
        "PiFocJlSbD",
        Special(transfer::run_copy_to_host),
    ),
    program("lftp", "uepsf", Special(transfer::run_copy_to_host)),
    program("tftp", "mlp", Special(transfer::run_senders)),
    program("mosquitto_pub redis-cli logger kcat kafkacat nats amqp-publish", "", Special(transfer::run_senders)),
    program(
        "dig nslookup host drill ping kdig resolvectl getent whois traceroute6 fping",
        "tcpxiWsq",
        Special(transfer::run_lookup),
    ),
    program(
        "restic borg borgmatic kopia duplicity rdiff-backup duplicacy bupstash",
        "rpo",
        Special(transfer::run_backup),
    )
    .long("repo password-file repository-file exclude tag"),
    program("mail mailx sendmail mutt swaks msmtp ssmtp", "srabcA", Special(transfer::run_mail))
        .long("to attach body server"),
    program("wall write notify-send", "tpfn", Text),
    program("hub", "", Special(git::run_hub)),
    program("git", "", Special(git::run_git)),
    program("kill pkill killall skill xkill taskkill", "", Special(system::run_kill)),
    program("crontab", "u", Special(system::run_crontab)),
    program("history fc", "", Special(system::run_history)),
    program("pintle pintle-hook", "", Special(system::run_pintle)),
    program("mount umount losetup cryptsetup", "ot", Special(system::run_mount)),
    program("sysctl", "pn", Special(system::run_sysctl)),
];

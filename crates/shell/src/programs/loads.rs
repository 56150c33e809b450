//! Files and input that a program runs as code, when the line itself got them from elsewhere.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::matching::has_words;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, ProgramCall, ShellArg, TextFlow, TextTaint};

/// Options whose value is a file or directory with code, by program.
static LOAD_OPTIONS: &[(&str, &str)] = &[
    (
        "node nodejs bun tsx ts-node electron mocha deno",
        "-r --require --import --loader --experimental-loader --preload --config",
    ),
    ("ruby perl", "-r -I -M -x"),
    ("php", "-f -c -d -z"),
    ("lua luajit", "-l"),
    ("java javac kotlin scala groovy", "-cp -classpath --class-path -jar -javaagent --module-path -p"),
    ("vi vim nvim", "-S -u --cmd"),
    ("emacs", "-l --load --script -q"),
    ("gdb lldb", "-x -ix --command -s --source"),
    (
        "make gmake ninja just task rake gradle gradlew mvn mvnw ant",
        "-f --file --makefile -I --init-script -b -C -t --taskfile --build-file",
    ),
    ("cmake", "-P -C"),
    ("docker docker-compose podman podman-compose kubectl nomad helm", "-f --file --filename -k -c"),
    ("awk gawk mawk sed gsed expect tmux screen", "-f -c"),
    ("pip pip3 uv", "-r --requirement"),
    ("git", "--template"),
    ("gcc clang cc g++ clang++", "-fplugin -wrapper -specs -B"),
    ("ansible-playbook ansible", "-i --inventory"),
    ("psql mysql mariadb sqlite3 duckdb mongosh mongo sqlcmd cqlsh clickhouse-client", "-f --file -i -init"),
];

/// Files that a program runs because of their names, by program.
static LOADED_NAMES: &[(&str, &str)] = &[
    ("make gmake bmake", "Makefile makefile GNUmakefile"),
    ("just task", "justfile Justfile .justfile Taskfile.yml Taskfile.yaml"),
    ("rake rails bundle", "Rakefile rakefile Gemfile"),
    ("npm pnpm yarn bun npx bunx", "package.json .npmrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs"),
    ("pytest py.test tox nox", "conftest.py pytest.ini setup.cfg tox.ini noxfile.py sitecustomize.py"),
    ("python python3", "sitecustomize.py usercustomize.py setup.py conftest.py"),
    ("pip pip3 uv poetry pdm hatch", "setup.py pyproject.toml setup.cfg conftest.py"),
    ("cargo", "build.rs Cargo.toml .cargo/config.toml .cargo/config"),
    ("gradle gradlew", "build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle gradlew"),
    ("mvn mvnw ant", "pom.xml build.xml .mvn"),
    ("cmake ninja meson scons", "CMakeLists.txt build.ninja meson.build SConstruct"),
    ("composer artisan", "composer.json"),
    ("mix", "mix.exs"),
    ("vagrant", "Vagrantfile"),
    ("direnv", ".envrc"),
    (
        "docker docker-compose podman podman-compose",
        "Dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml",
    ),
    ("pre-commit lefthook", ".pre-commit-config.yaml lefthook.yml"),
    (
        "jest vitest vite webpack rollup eslint gulp grunt playwright cypress",
        "package.json gulpfile.js Gruntfile.js \
      jest.config.js vite.config.js vite.config.ts vitest.config.ts webpack.config.js rollup.config.js eslint.config.js .eslintrc.js",
    ),
    ("terraform tofu", "main.tf"),
];

/// Programs whose operands are code or packages with code.
const OPERAND_PROGRAMS: &str = " java kotlin kotlinc dotnet mono wine wasmtime wasmer nim zig v gdb insmod dpkg rpm apt \
                                apt-get dnf yum snap flatpak pip pip3 npm pnpm yarn gem ansible-playbook wscript cscript octave \
                                go rustc gcc cc g++ clang clang++ tcc javac ghc ocaml nim installer msiexec code terraform ";

/// Words of such programs that are no files.
const SUBCOMMANDS: &str = "install i ci add build update upgrade init download get";

/// Programs that make a program of their operands or their input.
const COMPILERS: &str = " gcc cc g++ c++ clang clang++ tcc rustc go ghc ocamlopt ocamlc nim zig as ld javac gfortran ";

/// Programs whose options name addresses that hold no code, or nothing that runs here.
const ADDRESS_PROGRAMS: &str = "docker docker-compose podman podman-compose kubectl nomad helm pip pip3 uv git ansible \
                                ansible-playbook";

/// Programs that run their input, or rules in it.
const INPUT_PROGRAMS: &str = "m4 gdb lldb ed ex crontab tclsh expect wish octave maxima gnuplot screen";

/// Clients of databases that run commands of the shell in their input as well.
const CLIENTS: &str = "psql mysql mariadb sqlite3 duckdb mongosh mongo";

/// Programs that install the packages of a list.
const INSTALLERS: &str = "pip pip3 uv";

/// What scripts of build tools load other scripts by.
const LOADERS: [&str; 8] =
    ["apply from", "apply(from", "DOWNLOAD", "include(", "include:", "loadstring", "source(", "import \""];

/// The most lines of such a list that are looked at.
const MAX_LINES: usize = 64;

/// Programs that run the source files among their operands.
const SOURCE_RUNNERS: &str = "java kotlin scala dart v crystal rust-script gorun dotnet-script csi swift";

/// Variables by which programs find more code.
const LOAD_VARIABLES: &str = " NODE_OPTIONS NODE_PATH RUBYOPT RUBYLIB PERL5OPT PERL5LIB PYTHONPATH PYTHONSTARTUP PYTHONHOME \
                              CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS LD_LIBRARY_PATH LD_PRELOAD \
                              DYLD_LIBRARY_PATH LUA_PATH LUA_CPATH GEM_PATH MAKEFILES MAKEFLAGS R_PROFILE_USER R_LIBS VIMINIT \
                              JULIA_LOAD_PATH EMACSLOADPATH DOTNET_STARTUP_HOOKS PHPRC PHP_INI_SCAN_DIR PATH BASH_ENV \
                              GRADLE_OPTS MAVEN_OPTS ";

fn is_listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|listed| listed == name)
}

/// The options by program.
static OPTION_INDEX: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<&str>> = HashMap::new();
    for (programs, options) in LOAD_OPTIONS {
        for program in programs.split_whitespace() {
            index.entry(program).or_default().extend(options.split_whitespace());
        }
    }
    index
});

/// Programs that read source files.
static SOURCE_PROGRAMS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| COMPILERS.split_whitespace().chain(SOURCE_RUNNERS.split_whitespace()).collect());

/// Adds the code from elsewhere that a program loads.
pub(super) fn push_loads(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    if let Some(options) = OPTION_INDEX.get(call.name) {
        push_option_loads(walk, call, options);
    }
    if SOURCE_PROGRAMS.contains(call.name) {
        run_source_file(walk, call);
    }
    if call.stdin.taint.has(TextTaint::NETWORK | TextTaint::DECODED) && is_listed(INPUT_PROGRAMS, call.name) {
        walk.push_code(call.stdin.taint, call.name, "it runs what is in its input");
    }
    note_cloned(walk, call);
    // What `ssh` prints is the data of another server.
    let is_fetched = call.stdin.taint.has(TextTaint::NETWORK) && !walk.ran_last("ssh");
    if is_fetched && is_listed(CLIENTS, call.name) && call.stdin.text.is_none() {
        walk.push_code(call.stdin.taint, call.name, "it runs what is in its input");
    }
    if !walk.has_fetched() && !call.stdin.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
        return;
    }
    if is_listed(OPERAND_PROGRAMS, call.name) && !is_listed(COMPILERS, call.name) {
        let names_file = |arg: &&ShellArg| !arg.text.starts_with('-') && !is_listed(SUBCOMMANDS, &arg.text);
        for operand in call.args.iter().filter(names_file) {
            push_if_fetched(walk, call.name, &operand.text);
        }
    }
    if matches!(
        call.name,
        "docker" | "podman" | "docker-compose" | "kubectl" | "nomad" | "ansible-playbook" | "tcc" | "uv"
    ) && call.has_arg(&["-", "/dev/stdin", "-f-"])
        && call.stdin.taint.has(TextTaint::NETWORK)
    {
        walk.push_code(call.stdin.taint, call.name, "it runs what is in its input");
    }
    for (_, names) in LOADED_NAMES.iter().filter(|(programs, _)| is_listed(programs, call.name)) {
        if walk.has_fetched_file(names) {
            walk.push_code(
                TextTaint::NETWORK,
                call.name,
                "it runs a file by its name, whose content comes from elsewhere",
            );
        }
    }
    note_compiled(walk, call);
}

/// What gets a repository into a directory of its name, or of the next operand: the programs, and their words.
static CLONERS: &[(&str, &[&str])] = &[
    ("gh glab", &["repo|gist", "clone|fork"]),
    ("hg bzr fossil svn darcs jj", &["clone|checkout|co|export|branch|get"]),
];

/// `gh repo clone OWNER/NAME DIRECTORY`: the directory holds code from the network.
fn note_cloned(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let is_it = |row: &&(&str, &[&str])| is_listed(row.0, call.name) && has_words(call, row.1);
    let Some((_, words)) = CLONERS.iter().find(is_it) else { return };
    let plain: Vec<&ShellArg> =
        call.args.iter().take_while(|arg| arg.text != "--").filter(|arg| !arg.text.starts_with('-')).collect();
    if let Some(repository) = plain.get(words.len()) {
        let name = repository.text.trim_end_matches('/').trim_end_matches(".git").rsplit(['/', ':']).next();
        let inside = ShellArg::new(name.unwrap_or_default());
        walk.note_unpacked(plain.get(words.len() + 1).copied().unwrap_or(&inside), TextTaint::NETWORK);
    }
}

fn push_option_loads(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, options: &[&str]) {
    for (index, arg) in call.args.iter().enumerate() {
        let (name, glued) = arg.text.split_once(['=', ':']).unwrap_or((arg.text.as_str(), ""));
        if options.contains(&name) {
            let next = call.args.get(index + 1).filter(|_| glued.is_empty());
            push_load(walk, call, next.map_or(glued, |next| &next.text), next.or(Some(arg)));
        } else if let Some(value) = options
            .iter()
            .filter(|option| option.len() == 2)
            .find_map(|option| arg.text.strip_prefix(option).filter(|value| value.contains(['/', '.'])))
        {
            push_load(walk, call, value, None);
        }
    }
}

/// Adds what one option loads: a file, an address, or the input of the program.
fn push_load(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, value: &str, arg: Option<&ShellArg>) {
    let content = match arg.and_then(|arg| arg.content.as_deref()) {
        Some(content) => Some(content),
        None if matches!(value, "-" | "/dev/stdin" | "/dev/fd/0") => Some(call.stdin),
        None => None,
    };
    if let Some(content) = content.filter(|content| content.taint.has(TextTaint::NETWORK)) {
        walk.push_code(content.taint, call.name, "it loads text that comes from elsewhere");
    }
    // `auto_prepend_file=http://…` is a setting of PHP.
    let source = if call.name == "php" { value.rsplit('=').next().unwrap_or(value) } else { value };
    let is_address = ["http://", "https://", "ftp://", "git::", "git@"].iter().any(|start| source.starts_with(start));
    if is_address && !is_listed(ADDRESS_PROGRAMS, call.name) {
        walk.push_code(TextTaint::NETWORK, call.name, "it loads code of an address");
    } else if source.starts_with("data:") {
        walk.push_code(TextTaint::DECODED, call.name, "it loads code of an address");
    }
    let text = content.and_then(|content| content.text.clone());
    let text = text.or_else(|| walk.written_before(&ShellArg::new(value)).and_then(|flow| flow.text));
    if let Some(text) = &text
        && text.contains("://")
        && LOADERS.iter().any(|loader| text.contains(loader))
        && !is_listed(ADDRESS_PROGRAMS, call.name)
    {
        walk.push_code(TextTaint::NETWORK, call.name, "it loads a script that loads code of an address");
    }
    if let Some(text) = text.filter(|_| is_listed(INSTALLERS, call.name)) {
        // A list of packages is as good as the arguments.
        for line in text.lines().take(MAX_LINES) {
            let words = line.split_whitespace().map(ShellArg::new);
            let args: Vec<ShellArg> = ["pip", "install"].into_iter().map(ShellArg::new).chain(words).collect();
            walk.run_args(&args, &TextFlow::default());
        }
    }
    push_if_fetched(walk, call.name, value);
}

/// `go run FILE`: code that the line wrote runs as well.
fn run_source_file(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let is_runner = is_listed(SOURCE_RUNNERS, call.name) || call.has_arg(&["run", "-run"]);
    for file in call.args.iter().filter(|arg| is_runner && arg.text.contains('.')) {
        if let Some(text) = walk.written_before(file).and_then(|flow| flow.text) {
            walk.run_code(call.name, &text);
        }
    }
}

/// A program that is made of code from elsewhere comes from elsewhere.
fn note_compiled(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    if !is_listed(COMPILERS, call.name) {
        return;
    }
    let operands: Vec<&ShellArg> = call.args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    let fetched = operands
        .iter()
        .filter_map(|operand| walk.fetched_taint(&operand.text))
        .chain(call.has_arg(&["-"]).then_some(call.stdin.taint))
        .fold(TextTaint::NONE, |taint, more| taint | more);
    if !fetched.has(TextTaint::NETWORK | TextTaint::DECODED) {
        return;
    }
    if call.has_arg(&["run", "-run"]) {
        walk.push_code(fetched, call.name, "it compiles and runs code that comes from elsewhere");
        return;
    }
    let output = call.args.windows(2).find_map(|pair| match pair {
        [option, output] if option.text == "-o" => Some(output.clone()),
        _ => None,
    });
    let stem = operands.first().and_then(|source| source.text.rsplit_once('.')).map_or("a.out", |(stem, _)| stem);
    let stem = if matches!(call.name, "rustc" | "go" | "ghc" | "nim") { stem } else { "a.out" };
    walk.note_written(&output.unwrap_or_else(|| ShellArg::new(stem)), TextFlow::from_taint(fetched));
}

fn push_if_fetched(walk: &mut CommandWalk<'_>, program: &str, path: &str) {
    for part in path.split([':', ',', '=']).filter(|part| !part.is_empty()) {
        if let Some(taint) = walk.fetched_taint(part) {
            walk.push_code(taint, program, "it loads a file whose content comes from elsewhere");
        }
    }
}

/// Adds the code from elsewhere that a variable makes programs load.
pub(super) fn push_variable_loads(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    if !walk.has_fetched() {
        return;
    }
    for value in walk.set_values(|name| is_listed(LOAD_VARIABLES, name)) {
        for part in value.split([' ', ':', '=', ',', ';']).filter(|part| part.contains(['/', '.'])) {
            let part = part.trim_start_matches("-I").trim_start_matches("-r");
            if !part.contains(UNKNOWN)
                && let Some(taint) = walk.fetched_taint(part)
            {
                walk.push_code(taint, call.name, "a variable makes it load files that come from elsewhere");
            }
        }
    }
}

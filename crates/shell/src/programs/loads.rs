//! Files and input that a program runs as code, when the line itself got them from elsewhere.

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
    ("make gmake ninja just task rake gradle mvn ant", "-f --file --makefile -I --init-script -b -C"),
    ("cmake", "-P -C"),
    ("docker docker-compose podman podman-compose kubectl nomad helm", "-f --file --filename -k -c"),
    ("awk gawk mawk sed gsed expect tmux screen", "-f -c"),
    ("pip pip3 uv", "-r --requirement"),
    ("git", "--template"),
    ("gcc clang cc g++ clang++", "-fplugin -wrapper -specs -B"),
    ("ansible-playbook ansible", "-i --inventory"),
];

/// Programs whose operands are code or packages with code.
const OPERAND_PROGRAMS: &str = " java kotlin kotlinc dotnet mono wine wasmtime wasmer nim zig v gdb insmod dpkg rpm apt \
                                apt-get dnf yum snap flatpak pip pip3 npm pnpm yarn gem ansible-playbook wscript cscript octave \
                                go rustc gcc cc g++ clang clang++ tcc javac ghc ocaml nim installer msiexec code terraform ";

/// Programs that make a program of their operands or their input.
const COMPILERS: &str = " gcc cc g++ c++ clang clang++ tcc rustc go ghc ocamlopt ocamlc nim zig as ld javac gfortran ";

/// Variables by which programs find more code.
const LOAD_VARIABLES: &str = " NODE_OPTIONS NODE_PATH RUBYOPT RUBYLIB PERL5OPT PERL5LIB PYTHONPATH PYTHONSTARTUP PYTHONHOME \
                              CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS LD_LIBRARY_PATH LD_PRELOAD \
                              DYLD_LIBRARY_PATH LUA_PATH LUA_CPATH GEM_PATH MAKEFILES MAKEFLAGS R_PROFILE_USER R_LIBS VIMINIT \
                              JULIA_LOAD_PATH EMACSLOADPATH DOTNET_STARTUP_HOOKS PHPRC PHP_INI_SCAN_DIR PATH BASH_ENV \
                              GRADLE_OPTS MAVEN_OPTS ";

fn is_listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|listed| listed == name)
}

/// Adds the code from elsewhere that a program loads.
pub(super) fn push_loads(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let options: Vec<&str> = LOAD_OPTIONS
        .iter()
        .filter(|(programs, _)| is_listed(programs, call.name))
        .flat_map(|(_, options)| options.split_whitespace())
        .collect();
    for (index, arg) in call.args.iter().enumerate() {
        let (name, glued) = arg.text.split_once(['=', ':']).unwrap_or((arg.text.as_str(), ""));
        if options.contains(&name) {
            let value = if glued.is_empty() { call.args.get(index + 1).map_or("", |next| &next.text) } else { glued };
            push_if_fetched(walk, call.name, value);
        } else if let Some(value) = options
            .iter()
            .filter(|option| option.len() == 2)
            .find_map(|option| arg.text.strip_prefix(option).filter(|value| value.contains(['/', '.'])))
        {
            push_if_fetched(walk, call.name, value);
        }
    }
    if is_listed(OPERAND_PROGRAMS, call.name) && !is_listed(COMPILERS, call.name) {
        for operand in call.args.iter().filter(|arg| !arg.text.starts_with('-')) {
            push_if_fetched(walk, call.name, &operand.text);
        }
    }
    if matches!(call.name, "docker" | "podman" | "docker-compose" | "kubectl" | "nomad" | "ansible-playbook" | "tcc")
        && call.has_arg(&["-", "/dev/stdin", "-f-"])
        && call.stdin.taint.has(TextTaint::NETWORK)
    {
        walk.push_code(call.stdin.taint, call.name, "it runs what is in its input");
    }
    note_compiled(walk, call);
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
    for name in LOAD_VARIABLES.split_whitespace() {
        let Some(value) = walk.variable(name).and_then(|values| values.first().cloned()) else { continue };
        for part in value.text.split([' ', ':', '=', ',', ';']).filter(|part| part.contains(['/', '.'])) {
            let part = part.trim_start_matches("-I").trim_start_matches("-r");
            if !part.contains(UNKNOWN)
                && let Some(taint) = walk.fetched_taint(part)
            {
                walk.push_code(taint, call.name, "a variable makes it load files that come from elsewhere");
            }
        }
    }
}

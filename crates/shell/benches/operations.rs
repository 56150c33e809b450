//! Measures how long the operations of a command line take: a line of 200 bytes, and 64 KB of several shapes.
#![expect(clippy::print_stdout, reason = "a bench prints what it measures")]

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use pintle_shell::{CallSite, ShellLanguage, operations_of_command};

/// The limits, in microseconds.
const LINE_US: f64 = 30.0;
const LARGE_US: f64 = 5_000.0;

/// The time of the fastest call in microseconds: what else the machine does only adds to it.
fn measure(command: &str, rounds: usize) -> f64 {
    let site = CallSite::new(Path::new("/home/ana/projects/shop"), Path::new("/home/ana/projects/shop"))
        .with_home(Some(Path::new("/home/ana")));
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            black_box(operations_of_command(black_box(command), ShellLanguage::BashOrZsh, &site));
            start.elapsed().as_secs_f64() * 1e6
        })
        .fold(f64::INFINITY, f64::min)
}

/// 64 KB of a text, over and over.
fn filled(text: &str) -> String {
    text.repeat(64 * 1024 / text.len())
}

fn main() -> ExitCode {
    let line = "set -e; npm run build -- --mode production 2>&1 | tail -40 > /tmp/build.log; rm -rf ./coverage/tmp && \
                git status --short && grep -n 'the total of the cart' src/cart.ts | head -5 && echo \"done: $PWD\"";
    let mut is_slow = false;
    let mut report = |name: &str, us: f64, limit: f64| {
        is_slow |= us > limit;
        println!("{name:40} {us:10.1} us   limit {limit:8.1} us{}", if us > limit { "   TOO SLOW" } else { "" });
    };
    report(&format!("a line of {} bytes", line.len()), measure(line, 2001), LINE_US);
    for shape in [
        "word ",
        "'quoted' ",
        "\"a $b\" ",
        "$(",
        "(",
        "`",
        "a;",
        "ls a | cat b && ",
        "{a,b}",
        "{a,b}{c,d} ",
        "a=$a$a;",
        "for i in 1 2 3 4; do rm $i; done;",
        "for i in 1 2 3 4; do ",
        "cat <<E\nx\nE\n",
        "a && b=1 || ",
        "ln -s ~ /tmp/l; ",
        "cd a; ",
        "mv ./* /tmp/\"trash/",
        "mv ./* /tmp/\"trash/\"; ",
        "..python3 -c \"import yaml;ln -s ~ /",
        "find ~ -name '*.pdf' -print0 | xargs -0 -I% mv % ",
        "then vault kv get *secret/db; ",
        "if a; then b=1; fi; ",
        "while a; do b=$b$b; done; ",
        "rm -rf /x/$a/* ",
        "f(){ f;f; }; f;",
        "*?[",
        "${a//b/c}",
        "\\",
    ] {
        report(&format!("64 KB of {shape:?}"), measure(&filled(shape), 7), LARGE_US);
    }
    for (name, command) in [
        ("32 KB of Python", format!("python3 -c '{}'", filled("f(a,[b,{c:d}]).g().h;").split_at(32_000).0)),
        ("32 KB of JavaScript", format!("node -e '{}'", filled("a[b](c).e({x:1});").split_at(32_000).0)),
        ("64 KB through xargs", format!("echo {} | xargs rm", filled("a "))),
        ("64 KB of lines in a loop", format!("while read -r a; do rm \"$a\"; done <<E\n{}\nE", filled("a\n"))),
        ("64 KB in operators", format!("x='{}'; echo ${{x//a/b}} ${{x##*a}} ${{x%%a*}}", filled("ab"))),
        ("64 KB of a script for sed", format!("sed '{}'", filled("s/a/b/;"))),
    ] {
        report(name, measure(&command, 7), LARGE_US);
    }
    if is_slow { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

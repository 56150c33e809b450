//! Programs that take a command line among their arguments.

use crate::walk::{
    CommandWalk, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, joined, quote,
};
use crate::word_lists::is_listed;

/// Subcommands of tmux that take a command line.
const TMUX_RUNNERS: &str = "new new-session neww new-window run run-shell send send-keys splitw split-window respawn-pane \
                            if-shell";

/// Programs that take a command line among their arguments.
pub(super) fn run_line_runner(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let texts: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    let after = |options: &[&str]| {
        texts
            .iter()
            .position(|text| options.contains(text))
            .and_then(|index| texts.get(index + 1))
            .map(|text| (*text).to_owned())
    };
    let plain = |valued: OptionLetters, skipped: usize| {
        let (_, rest) = ParsedOptions::parse_leading(call.args, valued);
        rest.get(skipped.min(rest.len())..).unwrap_or_default()
    };
    let letters = |letters: &'static str| OptionLetters { letters, names: "interval delay ext watch exec clear" };
    let line = match call.name {
        "watch" => Some(joined(plain(letters("n"), 0))),
        "entr" | "nodemon" | "watchexec" | "hyperfine" | "concurrently" => {
            let rest = plain(letters("newdi"), 0);
            if rest.iter().any(|arg| arg.text.contains(' ')) {
                Some(rest.iter().map(|arg| arg.text.clone()).collect::<Vec<_>>().join(" ; "))
            } else {
                return walk.run_args(rest, call.stdin);
            }
        }
        "flock" => {
            // The line behind `-c` is the value of an option.
            let rest = plain(letters("wEc"), 1);
            let is_option = rest.first().is_some_and(|first| first.text.starts_with('-'));
            return if is_option { TextFlow::default() } else { walk.run_args(rest, call.stdin) };
        }
        // The form of BSD: `script FILE PROGRAM`.
        "script" => return walk.run_args(plain(letters("cEIOTBmoFt"), 1), call.stdin),
        "tmux" => {
            let rest = plain(letters("tnscxyFL"), 1);
            let sent: Vec<String> = rest
                .iter()
                .map(|arg| arg.text.clone())
                .filter(|text| !matches!(text.as_str(), "Enter" | "C-m"))
                .collect();
            let is_runner = call.first_operand().is_some_and(|word| is_listed(TMUX_RUNNERS, word));
            is_runner.then(|| {
                let args: Vec<ShellArg> = sent.into_iter().map(ShellArg::new).collect();
                let (_, rest) = ParsedOptions::parse_leading(&args, letters("tnscxyFL"));
                joined(rest)
            })
        }
        "screen" => {
            let stuffed = texts
                .iter()
                .position(|text| *text == "stuff")
                .and_then(|index| texts.get(index + 1))
                .map(|text| (*text).to_owned());
            stuffed.or_else(|| {
                Some(plain(letters("SctTshX"), 0).iter().map(|arg| quote(&arg.text)).collect::<Vec<_>>().join(" "))
            })
        }
        "at" | "batch" => call.stdin.text.clone(),
        "start" | "wsl" => {
            let rest: Vec<String> = call
                .args
                .iter()
                .map(|arg| arg.text.clone())
                .skip_while(|text| text.starts_with('/') && text.len() <= 2 || text.starts_with('-'))
                .collect();
            Some(rest.join(" "))
        }
        "sops" => {
            let is_runner = matches!(call.first_operand(), Some("exec-env" | "exec-file"));
            texts.last().filter(|_| is_runner && texts.len() > 2).map(|line| (*line).to_owned())
        }
        "osascript" => {
            let script = after(&["-e"]).or_else(|| call.stdin.text.clone());
            if texts.iter().all(|text| *text == "-") && call.stdin.text.is_none() && call.stdin.taint != TextTaint::NONE
            {
                walk.push_code(call.stdin.taint, call.name, "it runs text that is not known");
            }
            script.and_then(|text| {
                text.split_once("do shell script ")
                    .map(|(_, rest)| rest.trim_matches(['"', '\'']).split('"').next().unwrap_or_default().to_owned())
            })
        }
        _ => None,
    };
    match line.filter(|line| !line.trim().is_empty()) {
        Some(line) => walk.run_line(&line, call.stdin),
        None => TextFlow::from_taint(TextTaint::OUTPUT),
    }
}

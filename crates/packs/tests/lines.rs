//! Walks command lines that must pass and command lines that must be stopped, both in many people's styles.

use std::path::Path;

use pintle_packs::{RuleSeverity, RuledCall, default_packs, judge, packs};
use pintle_shell::{CallSite, Operation, OperationKind, ShellLanguage, known_actions, operations_of_command};

/// The lines of a file; several lines between `<<<` and `>>>` are one command.
fn commands(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (&mut open, line) {
            (None, "<<<") => open = Some(String::new()),
            (Some(whole), ">>>") => commands.push(std::mem::take(whole)),
            (Some(whole), line) => {
                whole.push_str(line);
                whole.push('\n');
            }
            (None, line) if line.is_empty() || line.starts_with("# ") => {}
            (None, line) => commands.push(line.to_owned()),
        }
        if line == ">>>" {
            open = None;
        }
    }
    commands
}

fn operations(command: &str) -> Vec<Operation> {
    let site = CallSite::new(Path::new("/home/ana/code/shop"), Path::new("/home/ana/code/shop"))
        .with_home(Some(Path::new("/home/ana")));
    operations_of_command(command, ShellLanguage::BashOrZsh, &site)
}

/// What the default packs say about a command, from `ask` up.
fn findings(command: &str) -> Vec<String> {
    let operations = operations(command);
    let settings = pintle_packs::PackSettings::default();
    default_packs()
        .flat_map(|pack| judge(pack, &settings, RuledCall::of_operations(&operations)))
        .filter(|finding| finding.severity > RuleSeverity::Warn)
        .map(|finding| format!("{}: {:?}", finding.message(), finding.operation))
        .collect()
}

#[test]
fn every_action_is_among_the_known_ones() {
    let known = known_actions();
    let files = [include_str!("harmful.txt"), include_str!("harmless.txt"), include_str!("optional.txt")];
    let mut unknown: Vec<String> = files
        .iter()
        .flat_map(|text| commands(text))
        .flat_map(|command| operations(&command))
        // The action of a permission is its mode, and that of code that deletes the name of its function.
        .filter(|operation| !matches!(operation.kind, OperationKind::Permission | OperationKind::Delete))
        .filter(|operation| !operation.action.is_empty())
        .filter(|operation| !known.contains(&(operation.kind, operation.action.as_str())))
        .map(|operation| format!("{:?} {}", operation.kind, operation.action))
        .collect();
    unknown.sort();
    unknown.dedup();
    let named = packs().iter().flat_map(|pack| pack.rules).flat_map(|rule| rule.tests).flat_map(|test| {
        let unknown = test.actions.iter().filter(|action| !known.contains(&(test.kind, **action)));
        unknown.map(|action| format!("a rule: {:?} {action}", test.kind))
    });
    unknown.extend(named);
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn everyday_command_lines_pass() {
    let wrong: Vec<String> = commands(include_str!("harmless.txt"))
        .iter()
        .filter_map(|command| findings(command).first().map(|finding| format!("{command}\n    {finding}")))
        .collect();
    if !wrong.is_empty() {
        panic!("{} harmless lines are stopped:\n{}", wrong.len(), wrong.join("\n"));
    }
}

#[test]
fn harmful_command_lines_are_stopped() {
    let wrong: Vec<String> = commands(include_str!("harmful.txt"))
        .iter()
        .filter(|command| findings(command).is_empty())
        .map(|command| format!("{command}\n    {}", serde_json::to_string(&operations(command)).unwrap_or_default()))
        .collect();
    if !wrong.is_empty() {
        panic!("{} harmful lines pass:\n{}", wrong.len(), wrong.join("\n"));
    }
}

//! Every example of every rule holds, and everyday work finds no rule of any pack.
#![allow(missing_docs)]

use std::path::Path;

use pintle_packs::{PackDef, RuleSeverity, judge, pack_by_name, packs};
use pintle_shell::{CallSite, Operation, ShellLanguage, operations_of_command};

fn operations(command: &str) -> Vec<Operation> {
    let site =
        CallSite::new(Path::new("/home/dev/shop"), Path::new("/home/dev/shop")).with_home(Some(Path::new("/home/dev")));
    operations_of_command(command, ShellLanguage::BashOrZsh, &site)
}

/// The rules of a pack that find something, with their severities.
fn find_rules(pack: &'static PackDef, command: &str) -> Vec<(&'static str, RuleSeverity)> {
    let operations = operations(command);
    judge(pack, &Default::default(), &operations).map(|finding| (finding.rule.id, finding.severity)).collect()
}

#[test]
fn every_example_of_every_rule_holds() {
    let mut faults = Vec::new();
    for pack in packs() {
        for rule in pack.rules {
            let finds = |command: &str| find_rules(pack, command).iter().any(|(id, _)| *id == rule.id);
            let missed = rule.stops.iter().filter(|command| !finds(command)).map(|command| ("misses", command));
            let wrong = rule.passes.iter().filter(|command| finds(command)).map(|command| ("stops", command));
            for (fault, command) in missed.chain(wrong) {
                faults.push(format!("{}.{} {fault} {command}\n{:#?}", pack.name, rule.id, operations(command)));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_rule_has_examples_of_both_kinds_and_names_that_are_its_own() {
    for pack in packs() {
        for (index, rule) in pack.rules.iter().enumerate() {
            assert!(!rule.stops.is_empty() && !rule.passes.is_empty(), "{}.{} has no examples", pack.name, rule.id);
            let is_first = pack.rules.iter().position(|other| other.id == rule.id) == Some(index);
            assert!(is_first, "{}.{} is there twice", pack.name, rule.id);
        }
        for id in pack.pausable {
            assert!(pack.rules.iter().any(|rule| rule.id == *id), "{}.{id} is not a rule", pack.name);
        }
    }
}

/// The lines of `optional.txt`: `PACK stop|warn|pass COMMAND`. `\n` in a command is the end of a line.
#[test]
fn optional_packs_stop_what_they_are_for_and_nothing_else() {
    let mut faults = Vec::new();
    let text = include_str!("optional.txt");
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut parts = line.splitn(3, ' ');
        let (name, wanted, command) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let command = command.replace("\\n", "\n");
        let pack = pack_by_name(name).unwrap();
        let findings = find_rules(pack, &command);
        let most = findings.iter().map(|(_, severity)| *severity).max();
        let got = match most {
            Some(RuleSeverity::Deny | RuleSeverity::Ask) => "stop",
            Some(RuleSeverity::Warn) => "warn",
            None => "pass",
        };
        if got != wanted {
            faults.push(format!("{line}\n    got {got} by {findings:?}\n    {:?}", operations(&command)));
        }
        // Harmless work for one optional pack is harmless for the others.
        for other in packs().iter().filter(|other| wanted == "pass" && !other.is_default && other.name != name) {
            for (id, _) in find_rules(other, &command).iter().filter(|(_, severity)| *severity > RuleSeverity::Warn) {
                faults.push(format!("{line}\n    stopped by {}.{id}", other.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

//! PowerShell lines and what the default packs make of them: `powershell.txt`, each line with `stop` or `pass` in front.

use std::path::Path;

use pintle_packs::{RuleSeverity, default_packs, judge};
use pintle_shell::{CallSite, ShellLanguage, operations_of_command};

#[test]
fn every_line_is_judged_as_it_says() {
    let site = CallSite {
        cwd: Path::new("/home/dev/shop"),
        project: Path::new("/home/dev/shop"),
        home: Some(Path::new("/home/dev")),
        resolve: None,
    };
    let settings = pintle_packs::PackSettings::new();
    let mut counts = [0_usize; 2];
    let mut wrong = String::new();
    for line in include_str!("powershell.txt").lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        let (label, command) = line.split_once(' ').unwrap();
        let must_stop = match label {
            "stop" => true,
            "pass" => false,
            _ => panic!("`stop` or `pass` is missing in front of `{line}`"),
        };
        counts[usize::from(must_stop)] += 1;
        // A `¶` stands for the end of a line in a command.
        let operations = operations_of_command(&command.replace('¶', "\n"), ShellLanguage::PowerShell, &site);
        let rules: Vec<String> = default_packs()
            .flat_map(|pack| judge(pack, &settings, &operations))
            .filter(|finding| finding.severity > RuleSeverity::Warn)
            .map(|finding| finding.rule_name())
            .collect();
        if must_stop == rules.is_empty() {
            wrong.push_str(&format!("{line}\n    rules {rules:?}\n    {operations:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(counts.iter().all(|count| *count >= 60), "{counts:?}");
}

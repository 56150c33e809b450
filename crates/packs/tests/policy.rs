//! Rules of a user's own, and what they make of lines: `policy.txt`.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::path::Path;

use pintle_contract::ToolKind;
use pintle_packs::{PolicyRule, PolicyRuleSpec, RuleSeverity, RuleSubject, RuledCall, judge_by_policy};
use pintle_shell::{CallEffects, CallSite, effects_of_call};
use serde_json::json;

const HOME: &str = "/home/dev";
const PROJECT: &str = "/home/dev/shop";

fn effects(line: &str) -> CallEffects {
    let site = CallSite::new(Path::new(PROJECT), Path::new(PROJECT)).with_home(Some(Path::new(HOME)));
    effects_of_call(ToolKind::Shell, "shell", &json!({"command": line}), &site)
}

fn rule(severity: Option<RuleSeverity>, subject: &str) -> PolicyRule {
    let subject: RuleSubject = serde_json::from_str(subject).unwrap();
    let spec = PolicyRuleSpec { name: String::from("policy.x"), severity, subject, ..PolicyRuleSpec::default() };
    PolicyRule::compile(spec, Some(Path::new(HOME))).unwrap()
}

fn judge(rules: &[PolicyRule], allowed: &[PolicyRule], line: &str) -> &'static str {
    let effects = effects(line);
    let call = RuledCall {
        commands: &effects.commands,
        project: PROJECT,
        is_plain: &|| pintle_shell::commands_of_line(line, &CallSite::new(Path::new("/"), Path::new("/"))).is_plain,
        ..RuledCall::of_operations(&effects.operations)
    };
    let found = judge_by_policy(rules, allowed, &call);
    found.iter().map(|found| found.severity).max().map_or("pass", RuleSeverity::as_str)
}

#[test]
fn every_line_is_judged_as_it_says() {
    let mut rules = Vec::new();
    let mut wrong = String::new();
    for line in include_str!("policy.txt").lines().filter(|line| !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap();
        if word == "rule" {
            let (severity, subject) = rest.split_once(' ').unwrap();
            let all = [RuleSeverity::Deny, RuleSeverity::Ask, RuleSeverity::Warn];
            rules = vec![rule(all.into_iter().find(|known| known.as_str() == severity), subject)];
            continue;
        }
        let judged = judge(&rules, &[], rest);
        if judged != word {
            wrong.push_str(&format!("{line}\n    {judged}: {:?}\n", effects(rest)));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn an_exception_lets_through_what_it_names_and_nothing_more() {
    let rules = [
        rule(Some(RuleSeverity::Deny), r#"{"run":["git push"]}"#),
        rule(Some(RuleSeverity::Deny), r#"{"operation":{"kinds":["delete"],"outside":["project"]}}"#),
    ];
    let allowed = [
        rule(None, r#"{"run":["git push origin feature/*"]}"#),
        rule(None, r#"{"operation":{"kinds":["delete"],"targets":["~/scratch"]}}"#),
    ];
    for (line, expected) in [
        ("git push origin feature/x", "pass"),
        ("git push origin main", "deny"),
        ("git push origin feature/x:main", "deny"),
        ("git push origin feature/x --force", "deny"),
        ("git push origin feature/x; rm -rf ~/x", "deny"),
        ("git push origin feature/x > ~/.bashrc", "deny"),
        ("PATH=. git push origin feature/x", "deny"),
        ("git push origin feature/$X", "deny"),
        ("sudo git push origin feature/x", "deny"),
        ("git push origin feature/x && git push origin feature/y", "pass"),
        ("rm -rf ~/scratch/x", "pass"),
        ("rm -rf ~/scratch/x ~/y", "deny"),
        ("rm -rf ~/scratch/../y", "deny"),
        ("rm -rf ~/scratch*", "deny"),
    ] {
        assert_eq!(judge(&rules, &allowed, line), expected, "{line}");
    }
}

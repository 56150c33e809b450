//! Reads the personas of a manifest: `[[personas]]` and `[[personas.steps]]`.
//!
//! In Harn the steps of a persona are functions. Here they are tables: a step with a prompt runs by itself, one without
//! is run by a Rust program.

use pintle_contract::{
    BudgetSpec, ErrorBoundary, ModelSpec, PersonaSpec, PolicyMode, PriceSpec, StepSpec, ToolsPolicy,
};

use crate::document::{DocNode, FieldReader, FileReport};

/// Keys of Harn's table that Pintle does not implement, and the alternatives.
const ELSEWHERE: [(&str, &str); 8] = [
    ("autonomy_tier", "set `approval` on steps that need the user's approval, or run with `--permission-mode`"),
    ("budgets", "write `budget = { max_tokens = 100000 }`"),
    ("capabilities", "list the tools that the persona may use with `tools` and `deny_tools`"),
    ("output_style", "write it in `instruction`"),
    ("schedules", "start `pintle run --persona` from your own scheduler"),
    ("stages", "set `tools` and `deny_tools` on each step"),
    ("triggers", "start `pintle run --persona` from your own trigger"),
    ("version", "the package version applies to the persona"),
];

/// Reads the list of personas. Every error is reported.
pub(super) fn read(report: &FileReport, personas: &DocNode) -> Vec<PersonaSpec> {
    let Some(items) = personas.items() else {
        let message = format!("personas must be a list of tables, not {}", personas.describe());
        let help = String::from("start each persona with a line `[[personas]]`");
        report.value_error("wrong_type", &message, personas.span, Some(help));
        return Vec::new();
    };
    let mut read: Vec<PersonaSpec> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let persona = read_persona(report, index, item);
        if read.iter().any(|known| known.name == persona.name) && !persona.name.is_empty() {
            let message = format!("two personas are named `{}`", persona.name);
            report.value_error("persona_name", &message, item.span, Some(String::from("rename one of them")));
        }
        persona.validate().into_iter().for_each(|found| report.add(found));
        read.push(persona);
    }
    read
}

fn read_persona(report: &FileReport, index: usize, item: &DocNode) -> PersonaSpec {
    let mut fields = FieldReader::new(report, format!("personas[{index}]"), Some(item), item.span);
    let mut prices = Vec::new();
    for (index, item) in fields.list("prices").unwrap_or_default().iter().enumerate() {
        prices.extend(read_price(report, index, item));
    }
    let steps = fields.list("steps").unwrap_or_default().iter().enumerate();
    let steps = steps.map(|(index, item)| read_step(report, index, item)).collect();
    let persona = PersonaSpec {
        name: fields.text("name").unwrap_or_default(),
        description: fields.text("description").unwrap_or_default(),
        instruction: fields.text("instruction").unwrap_or_default(),
        model: read_model(&mut fields),
        tools: read_tools(&mut fields),
        budget: read_budget(&mut fields),
        prices,
        thresholds: read_thresholds(&mut fields),
        steps,
        handoffs: fields.texts("handoffs"),
        location: report.location(item.span),
    };
    for (key, help) in ELSEWHERE {
        fields.warn_unsupported(key, help);
    }
    fields.finish_strictly();
    persona
}

fn read_step(report: &FileReport, index: usize, item: &DocNode) -> StepSpec {
    let mut fields = FieldReader::new(report, format!("steps[{index}]"), Some(item), item.span);
    let boundaries =
        [("fail", ErrorBoundary::Fail), ("continue", ErrorBoundary::Continue), ("escalate", ErrorBoundary::Escalate)];
    let step = StepSpec {
        name: fields.text("name").unwrap_or_default(),
        function: fields.text("function").unwrap_or_default(),
        instruction: fields.text("instruction").unwrap_or_default(),
        prompt: fields.text("prompt"),
        model: read_model(&mut fields),
        tools: read_tools(&mut fields),
        budget: read_budget(&mut fields),
        error_boundary: fields.choice("error_boundary", &boundaries).unwrap_or_default(),
        approval: fields.text("approval"),
        location: report.location(item.span),
    };
    fields.finish_strictly();
    step
}

/// A list of allowed tools is an allowlist.
fn read_tools(fields: &mut FieldReader<'_>) -> ToolsPolicy {
    let has_list = fields.node("tools").is_some();
    let mode = if has_list { PolicyMode::Allowlist } else { PolicyMode::Denylist };
    ToolsPolicy { mode, allow: fields.texts("tools"), deny: fields.texts("deny_tools") }
}

fn read_budget(fields: &mut FieldReader<'_>) -> BudgetSpec {
    let Some(mut budget) = fields.fields("budget") else { return BudgetSpec::default() };
    let read = BudgetSpec {
        max_tokens: budget.integer("max_tokens", 1..=1_000_000_000_000_u64),
        max_usd: budget.number("max_usd", 0.0..=1e9),
    };
    budget.finish_strictly();
    read
}

fn read_price(report: &FileReport, index: usize, item: &DocNode) -> Option<PriceSpec> {
    let mut fields = FieldReader::new(report, format!("prices[{index}]"), Some(item), item.span);
    let model = fields.text("model");
    let input = fields.number("input_usd_per_million", 0.0..=1e9);
    let output = fields.number("output_usd_per_million", 0.0..=1e9);
    for key in ["model", "input_usd_per_million", "output_usd_per_million"] {
        if fields.node(key).is_none() {
            let help = "a price needs `model`, `input_usd_per_million` and `output_usd_per_million`";
            let message = format!("prices[{index}] has no `{key}`");
            report.value_error("missing_field", &message, item.span, Some(help.to_owned()));
        }
    }
    fields.finish_strictly();
    Some(PriceSpec { model: model?, input_usd_per_million: input?, output_usd_per_million: output? })
}

fn read_thresholds(fields: &mut FieldReader<'_>) -> Vec<f64> {
    let report = fields.report();
    let number = |item: &DocNode| {
        if item.as_number().is_none() {
            let message = format!("thresholds must be a list of numbers, not of {}", item.describe());
            let help = Some(String::from("write percentages, such as `[50, 90]`"));
            report.value_error("wrong_type", &message, item.span, help);
        }
        item.as_number()
    };
    fields.list("thresholds").unwrap_or_default().iter().filter_map(number).collect()
}

/// `PROVIDER:NAME`, or only a name, which is another model of the same provider.
fn read_model(fields: &mut FieldReader<'_>) -> Option<ModelSpec> {
    let typed = fields.text("model")?;
    let (provider, name) = typed.split_once(':').unwrap_or(("", &typed));
    Some(ModelSpec { name: name.trim().to_owned(), provider: provider.trim().to_owned(), ..ModelSpec::default() })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_contract::{Diagnostic, SourceFile};

    use super::*;
    use crate::document::parse_toml;

    fn read_text(text: &str) -> (Vec<PersonaSpec>, Vec<Diagnostic>) {
        let file = Arc::new(SourceFile { path: "harn.toml".into(), text: text.to_owned() });
        let report = FileReport::new(file, "").with_format("toml");
        let document = parse_toml(&report);
        let personas = read(&report, document.get("personas").unwrap());
        (personas, report.into_diagnostics())
    }

    #[test]
    fn every_field_is_read() {
        let text = r#"
[[personas]]
name = "merge_captain"
description = "Merges what is ready."
instruction = "You merge with care."
model = "openai:large"
deny_tools = ["shell"]
budget = { max_tokens = 1000, max_usd = 0.5 }
thresholds = [25, 62.5]
handoffs = ["release_captain"]

[[personas.prices]]
model = "large"
input_usd_per_million = 2
output_usd_per_million = 8.5

[[personas.steps]]
name = "audit"
function = "audit_change"
instruction = "Be strict."
prompt = "audit {{args.0}}"
model = "small"
tools = ["read", "grep"]
budget = { max_tokens = 100 }
error_boundary = "escalate"
approval = "an audit costs money"

[[personas.steps]]
name = "merge"
"#;
        let (personas, findings) = read_text(text);
        assert_eq!(findings, []);
        let [persona] = personas.as_slice() else { panic!("{personas:?}") };
        assert_eq!((persona.name.as_str(), persona.description.as_str()), ("merge_captain", "Merges what is ready."));
        assert_eq!(persona.instruction, "You merge with care.");
        let model = persona.model.as_ref().unwrap();
        assert_eq!((model.provider.as_str(), model.name.as_str()), ("openai", "large"));
        assert_eq!(
            (persona.tools.mode, persona.tools.deny.as_slice()),
            (PolicyMode::Denylist, &["shell".to_owned()][..])
        );
        assert_eq!(persona.budget, BudgetSpec { max_tokens: Some(1000), max_usd: Some(0.5) });
        assert_eq!(
            (persona.thresholds.as_slice(), persona.handoffs.as_slice()),
            (&[25.0, 62.5][..], &["release_captain".to_owned()][..])
        );
        let price = PriceSpec { model: "large".to_owned(), input_usd_per_million: 2.0, output_usd_per_million: 8.5 };
        assert_eq!(persona.prices, [price]);
        let [audit, merge] = persona.steps.as_slice() else { panic!("{:?}", persona.steps) };
        assert_eq!((audit.name.as_str(), audit.function()), ("audit", "audit_change"));
        assert_eq!((audit.instruction.as_str(), audit.prompt.as_deref()), ("Be strict.", Some("audit {{args.0}}")));
        assert_eq!(
            audit.model.as_ref().map(|model| (model.provider.as_str(), model.name.as_str())),
            Some(("", "small"))
        );
        assert_eq!((audit.tools.mode, audit.tools.allow.len()), (PolicyMode::Allowlist, 2));
        assert_eq!((audit.budget.max_tokens, audit.error_boundary), (Some(100), ErrorBoundary::Escalate));
        assert_eq!(audit.approval.as_deref(), Some("an audit costs money"));
        assert_eq!(
            (merge.function(), merge.error_boundary, merge.prompt.as_deref()),
            ("merge", ErrorBoundary::Fail, None)
        );
    }

    /// The text, and the expected diagnostics: line, message, help.
    #[test]
    fn every_fault_has_a_place_and_a_way_out() {
        let cases = [
            (
                "personas = 3\n",
                "1 toml: line 1: personas must be a list of tables, not a number | start each persona with a line `[[personas]]`",
            ),
            (
                "[[personas]]\nnme = \"a\"\n",
                "2 toml: line 2: unknown key `nme` in personas[0] | did you mean `name`?; 1 a persona needs a name",
            ),
            (
                "[[personas]]\nname = \"a\"\nstages = []\n",
                "3 `stages` is not supported yet | set `tools` and `deny_tools` on each step",
            ),
            (
                "[[personas]]\nname = \"a\"\nbudget = { max_usd = 1 }\n",
                "1 persona `a`: `max_usd` cannot be enforced without prices | declare the model's price in `prices`, or limit the tokens with `max_tokens`",
            ),
            (
                "[[personas]]\nname = \"a\"\n[[personas]]\nname = \"a\"\n",
                "3 toml: line 3: two personas are named `a` | rename one of them",
            ),
            (
                "[[personas]]\nname = \"a\"\n[[personas.steps]]\nname = \"s\"\nerror_boundary = \"contine\"\n",
                "5 toml: line 5: error_boundary must be `fail` or `continue` or `escalate`, not `contine` | did you mean `continue`?",
            ),
            (
                "[[personas]]\nname = \"a\"\n[[personas.prices]]\nmodel = \"m\"\ninput_usd_per_million = 1\n",
                "3 toml: line 3: prices[0] has no `output_usd_per_million` | a price needs `model`, `input_usd_per_million` and `output_usd_per_million`",
            ),
            (
                "[[personas]]\nname = \"a\"\nthresholds = [\"x\"]\n",
                "3 toml: line 3: thresholds must be a list of numbers, not of a string | write percentages, such as `[50, 90]`",
            ),
        ];
        for (text, expected) in cases {
            let (_, findings) = read_text(text);
            let told: Vec<String> = findings
                .iter()
                .map(|found| {
                    let line = found.location.line_column().map_or(0, |(line, _)| line);
                    let help = found.help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
                    format!("{line} {}{help}", found.message)
                })
                .collect();
            assert_eq!(told.join("; "), expected, "{text}");
        }
    }
}

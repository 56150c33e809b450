//! Reads the personas of a manifest: `[[personas]]` and `[[personas.steps]]`.
//!
//! In Harn the steps of a persona are functions. Here they are tables: a step with a prompt runs by itself, one without
//! is run by a Rust program.

use pintle_contract::{
    BudgetSpec, ErrorBoundary, ModelSpec, PersonaSpec, PolicyMode, PriceSpec, StepSpec, ToolsPolicy,
};

use crate::document::{DocNode, FieldReader, FileReport, KeySection, KeyTable, UnknownKeys, key};

/// Reads the list of personas. Every error is reported.
pub(super) fn read(report: &FileReport, personas: &DocNode) -> Vec<PersonaSpec> {
    let Some(items) =
        report.items("personas", "a list of tables", personas, "start each persona with a line `[[personas]]`")
    else {
        return Vec::new();
    };
    let mut read: Vec<PersonaSpec> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let own = FieldReader::new(report, format!("personas[{index}]"), Some(item), item.span);
        let persona = PersonaSpec { location: report.location(item.span), ..PERSONA.read_whole(own) };
        if read.iter().any(|known| known.name == persona.name) && !persona.name.is_empty() {
            let message = format!("two personas are named `{}`", persona.name);
            report.value_error("persona_name", message, item.span, "rename one of them");
        }
        persona.validate().into_iter().for_each(|found| report.add(found));
        read.push(persona);
    }
    read
}

/// The keys of personas, in the order of the reference.
pub static KEY_SECTIONS: &[&dyn KeySection] = &[&PERSONA, &STEP, &BUDGET, &PRICE];

const BOUNDARIES: &[(&str, ErrorBoundary)] =
    &[("fail", ErrorBoundary::Fail), ("continue", ErrorBoundary::Continue), ("escalate", ErrorBoundary::Escalate)];

pub(super) static PERSONA: KeyTable<PersonaSpec> = KeyTable {
    title: "[[personas]]",
    about: "A persona of a manifest: an agent that runs steps in their order.",
    start: PersonaSpec::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(name: text, "Its name, which must be set."),
        key!(description: text, "What it does."),
        key!(instruction: text, "The instruction of every step."),
        key!("model": with(|fields, persona: &mut PersonaSpec| persona.model = read_model(fields), "text", "the root's"),
            "`PROVIDER:NAME`, or only a name, which is another model of the same provider."),
        key!("tools": with(|fields, persona: &mut PersonaSpec| persona.tools = read_tools(fields), "list of texts", "all"),
            "The tools that it may use."),
        key!("deny_tools": listed("list of texts", "none"), "Tools that it may not use."),
        key!(budget: mapping(BUDGET), "What a run may cost."),
        key!("prices": with(read_prices, "list", "none"), "What models cost, as below."),
        key!("thresholds": with(read_thresholds, "list of numbers", "none"),
            "The percentages of the budget at which hooks are told."),
        key!("steps": with(read_steps, "list", "none"), "Its steps, as below."),
        key!(handoffs: texts, "Personas that it may hand over to."),
        key!("autonomy_tier": unsupported("set `approval` on steps that need the user's approval, or run with `--permission-mode`")),
        key!("budgets": unsupported("write `budget = { max_tokens = 100000 }`")),
        key!("capabilities": unsupported("list the tools that the persona may use with `tools` and `deny_tools`")),
        key!("output_style": unsupported("write it in `instruction`")),
        key!("schedules": unsupported("start `pintle run --persona` from your own scheduler")),
        key!("stages": unsupported("set `tools` and `deny_tools` on each step")),
        key!("triggers": unsupported("start `pintle run --persona` from your own trigger")),
        key!("version": unsupported("the package version applies to the persona")),
    ],
};

pub(super) static STEP: KeyTable<StepSpec> = KeyTable {
    title: "[[personas.steps]]",
    about: "A step of a persona. One without a prompt is run by a Rust program.",
    start: StepSpec::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(name: text, "Its name, which must be set."),
        key!(function: text, "The function that hooks see; without it the name."),
        key!(instruction: text, "Its instruction, after that of the persona."),
        key!(prompt?: text, "none", "The prompt with which it runs."),
        key!("model": with(|fields, step: &mut StepSpec| step.model = read_model(fields), "text", "the persona's"),
            "Its model, as of a persona."),
        key!("tools": with(|fields, step: &mut StepSpec| step.tools = read_tools(fields), "list of texts", "all"),
            "The tools of the persona that it may use."),
        key!("deny_tools": listed("list of texts", "none"), "Tools that it may not use."),
        key!(budget: mapping(BUDGET), "What the step may cost."),
        key!(error_boundary: choice(BOUNDARIES),
            "What a failure does: the run fails, the next step runs, or the user is asked."),
        key!(approval?: text, "none", "The question that a user must approve before it runs."),
    ],
};

pub(super) static BUDGET: KeyTable<BudgetSpec> = KeyTable {
    title: "budget",
    about: "What a persona or a step may cost.",
    start: BudgetSpec::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(max_tokens?: integer(1..=1_000_000_000_000_u64), "unlimited", "The tokens of all its model calls."),
        key!(max_usd?: number(0.0..=1e9), "unlimited", "Their price in US dollars; needs `prices`."),
    ],
};

/// A price as written.
#[derive(Debug, Default)]
pub(super) struct PriceKeys {
    model: Option<String>,
    input_usd_per_million: Option<f64>,
    output_usd_per_million: Option<f64>,
}

pub(super) static PRICE: KeyTable<PriceKeys> = KeyTable {
    title: "[[personas.prices]]",
    about: "What a model costs.",
    start: PriceKeys::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(model?: text, "required", "The model's name."),
        key!(input_usd_per_million?: number(0.0..=1e9), "required", "The price of a million tokens that it reads."),
        key!(output_usd_per_million?: number(0.0..=1e9), "required", "The price of a million tokens that it writes."),
    ],
};

fn read_prices(fields: &mut FieldReader<'_>, persona: &mut PersonaSpec) {
    let report = fields.report();
    for (index, item) in fields.list("prices").unwrap_or_default().iter().enumerate() {
        let own = FieldReader::new(report, format!("prices[{index}]"), Some(item), item.span);
        for key in PRICE.keys.iter().filter(|key| item.get(key.name).is_none()) {
            let help = "a price needs `model`, `input_usd_per_million` and `output_usd_per_million`";
            report.value_error("missing_field", format!("prices[{index}] has no `{}`", key.name), item.span, help);
        }
        let PriceKeys { model, input_usd_per_million, output_usd_per_million } = PRICE.read_whole(own);
        if let (Some(model), Some(input_usd_per_million), Some(output_usd_per_million)) =
            (model, input_usd_per_million, output_usd_per_million)
        {
            persona.prices.push(PriceSpec { model, input_usd_per_million, output_usd_per_million });
        }
    }
}

fn read_steps(fields: &mut FieldReader<'_>, persona: &mut PersonaSpec) {
    let report = fields.report();
    for (index, item) in fields.list("steps").unwrap_or_default().iter().enumerate() {
        let own = FieldReader::new(report, format!("steps[{index}]"), Some(item), item.span);
        persona.steps.push(StepSpec { location: report.location(item.span), ..STEP.read_whole(own) });
    }
}

/// A list of allowed tools is an allowlist.
fn read_tools(fields: &mut FieldReader<'_>) -> ToolsPolicy {
    let has_list = fields.node("tools").is_some();
    let mode = if has_list { PolicyMode::Allowlist } else { PolicyMode::Denylist };
    ToolsPolicy { mode, allow: fields.texts("tools"), deny: fields.texts("deny_tools") }
}

fn read_thresholds(fields: &mut FieldReader<'_>, persona: &mut PersonaSpec) {
    let report = fields.report();
    let number = |item: &DocNode| {
        if item.as_number().is_none() {
            let message = format!("thresholds must be a list of numbers, not of {}", item.describe());
            report.value_error("wrong_type", message, item.span, "write percentages, such as `[50, 90]`");
        }
        item.as_number()
    };
    persona.thresholds = fields.list("thresholds").unwrap_or_default().iter().filter_map(number).collect();
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
                "[[personas]]\nname = \"a\"\nstages = [\"x\"]\n",
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

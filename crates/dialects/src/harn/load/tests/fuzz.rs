//! Loading any text ends with diagnostics and never panics.

use pintle_contract::Severity;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::harn::ROWS;
use crate::harn::pattern::EventPattern;

fn any_argument() -> impl Strategy<Value = RegistrationArgument> {
    let words = prop::sample::select(vec![
        "pattern",
        "deny",
        "max_output",
        "pre",
        "post",
        "name",
        "session_start",
        "PreStep",
        "*",
        "[",
        "tool.name ==",
        "OnBudgetThreshold(",
        "merge_*",
    ]);
    let leaf = prop_oneof![
        Just(value(json!(null))),
        any::<i64>().prop_map(|number| value(json!(number))),
        words.clone().prop_map(text),
        any::<bool>().prop_map(|takes_one_argument| RegistrationArgument::Function(RegisteredFunction {
            index: 1,
            name: String::from("f"),
            takes_one_argument,
            guard: true,
        })),
    ];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        let table = prop::collection::vec((words.clone().prop_map(str::to_owned), inner.clone()), 0..4);
        prop_oneof![
            table.prop_map(RegistrationArgument::Table),
            prop::collection::vec(inner, 0..4).prop_map(RegistrationArgument::List)
        ]
    })
}

proptest! {
    #[test]
    fn any_registration_is_hooks_or_an_error(
        function in prop::sample::select(vec![
            "register_tool_hook", "register_persona_hook", "register_step_hook", "register_session_hook",
            "clear_tool_hooks", "unheard_of",
        ]),
        arguments in prop::collection::vec(any_argument(), 0..6),
    ) {
        let project = load_plugin_calls(vec![(function, arguments, vec![])]);
        let is_wrong = project.diagnostics.iter().any(|finding| finding.severity == Severity::Error);
        prop_assert!(is_wrong || !project.hooks.is_empty() || function == "clear_tool_hooks");
        prop_assert!(!is_wrong || project.hooks.is_empty());
    }

    #[test]
    fn any_manifest_is_read(text in "(\\[\\[hooks\\]\\]|event|handler|pattern|=|\"|\\n|a::b|PreStep|\\{|\\}|\\[|\\]|x|,|é| ){0,40}") {
        let artifact = artifact(ArtifactKind::Package, "harn.toml", &text);
        for finding in load(&[artifact], &ParseContext::default()).diagnostics {
            prop_assert!(!finding.message.contains('\n'));
            prop_assert!(finding.location.span.end <= text.len());
        }
    }

    #[test]
    fn any_pattern_compiles_or_says_why(which in 0..ROWS.len(), text in "([a-z.*?\\[\\]{},\\\\=~!\"'&| é]|tool\\.name|==|=~){0,20}") {
        let row = &ROWS[which];
        if let Err(fault) = EventPattern::compile(&text, row) {
            prop_assert!(!fault.message.contains('\n'));
        }
    }
}

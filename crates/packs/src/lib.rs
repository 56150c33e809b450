//! Packs: hooks that ship with Pintle, as rules over the operations of a call.
//!
//! A rule is data: what it looks for, how severe it is, what the model is told, and examples of both kinds. [`judge`]
//! compares operations with the rules; nothing is executed and nothing is read.

mod allowed;
mod examples;
mod facts;
mod glob;
mod judge;
mod pack;
mod policy;
mod rules;
mod settings;

pub use allowed::AllowedTarget;
pub use examples::{BrokenExample, RowCoverage, broken_examples, row_coverage};
pub use judge::{ALLOWED_ONCE_RULE, PAUSED_RULE, PackFinding, judge};
pub use pack::{OperationTest, PackDef, RuleDef, RuleSeverity};
pub use policy::{
    OperationSubject, PolicyFinding, PolicyRule, PolicyRuleError, PolicyRuleSpec, RULE_SUBJECTS, RuleFit, RuleSubject,
    RuledCall, judge_by_policy,
};
pub use rules::{UnknownPackError, default_packs, pack_by_name, packs};
pub use settings::{
    EXCEPTION_ARGUMENT, PackSettingError, PackSettings, RuleSetting, SEVERITY_WORDS, add_setting, read_arguments,
    read_policy_rule,
};

//! Packs: hooks that ship with Pintle, as rules over the operations of a call.
//!
//! A rule is data: what it looks for, how severe it is, what the model is told, and examples of both kinds. [`judge`]
//! compares operations with the rules; nothing is executed and nothing is read.

mod allowed;
mod examples;
mod judge;
mod pack;
mod rules;
mod settings;

pub use allowed::AllowedTarget;
pub use examples::{BrokenExample, broken_examples};
pub use judge::{PAUSED_RULE, PackFinding, judge};
pub use pack::{OperationTest, PackDef, RuleDef, RuleSeverity};
pub use rules::{UnknownPackError, default_packs, pack_by_name, packs};
pub use settings::{PackSettingError, PackSettings, RuleSetting, SEVERITY_WORDS, add_setting, read_arguments};

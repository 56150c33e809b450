//! Packs: hooks that ship with Pintle, as rules over the operations of a call.
//!
//! A rule is data: what it looks for, how severe it is, what the model is told, and examples of both kinds. [`judge`]
//! compares operations with the rules; nothing is executed and nothing is read.

mod allowed;
mod catalogue;
mod examples;
mod judge;
mod pack;
mod rules;
mod setting_error;
mod settings;

pub use allowed::AllowedTarget;
pub use catalogue::{UnknownPackError, default_packs, pack_by_name, packs};
pub use examples::{BrokenExample, broken_examples};
pub use judge::{PAUSED_RULE, PackFinding, judge};
pub use pack::{OperationTest, PackDef, RuleDef, RuleSeverity};
pub use setting_error::PackSettingError;
pub use settings::{PackSettings, RuleSetting, SEVERITY_WORDS, add_setting, read_arguments};

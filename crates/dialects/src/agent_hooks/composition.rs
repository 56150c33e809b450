//! How the verdicts of several interceptors become one.
//!
//! The interceptors of a host are one hook for Pintle: among themselves they are composed by the rule that the host
//! declares, and the result is composed with the verdicts of other hooks by Pintle's own rule.

use pintle_contract::Profile;
use serde_json::{Map, Value, json};

use super::verdict::{HostError, HostFault, InterceptorDecision, InterceptorVerdict};

/// The rule by which a host composes verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompositionRule {
    /// Which interceptors run, and what they see.
    pub profile: Profile,
    /// Whether the setting of the profile has its second value: an approval resumes the fold, or decides about a conflict
    /// or a disagreement.
    pub is_lenient: bool,
}

/// The setting of a profile: its name and its two values, of which the first is the default.
pub(super) type ProfileSetting = (&'static str, [&'static str; 2]);

/// The profiles, each with its one setting.
pub(super) const PROFILES: [(Profile, Option<ProfileSetting>); 4] = [
    (Profile::SequentialFirstDeny, Some(("on_approval", ["stop", "resume"]))),
    (Profile::SequentialRunAll, None),
    (Profile::ParallelStrictest, Some(("on_transform_conflict", ["deny", "approval"]))),
    (Profile::ParallelUnanimous, Some(("on_disagreement", ["deny", "approval"]))),
];

impl Default for CompositionRule {
    fn default() -> Self {
        Self { profile: Profile::SequentialFirstDeny, is_lenient: false }
    }
}

impl CompositionRule {
    /// Reads a rule. Settings of other profiles have no meaning.
    ///
    /// # Errors
    /// If the profile or its setting has another value than those of the format.
    pub fn parse(written: &Value) -> Result<Self, String> {
        let name = written.get("profile").map_or(Some("sequential/first_deny"), Value::as_str).unwrap_or_default();
        let found = PROFILES.into_iter().find(|(profile, _)| profile.to_string() == name);
        let (profile, setting) = found.ok_or_else(|| format!("`{name}` is not a profile"))?;
        let value = setting.and_then(|(setting, values)| Some((setting, values, written.get(setting)?)));
        let is_lenient = match value {
            None => false,
            Some((_, [strict, _], value)) if value == strict => false,
            Some((_, [_, lenient], value)) if value == lenient => true,
            Some((setting, [strict, lenient], _)) => {
                return Err(format!("`{setting}` is `{strict}` or `{lenient}`"));
            }
        };
        Ok(Self { profile, is_lenient })
    }

    /// The rule as records have it.
    #[must_use]
    pub fn to_json(self) -> Value {
        let mut written = Map::from_iter([(String::from("profile"), json!(self.profile))]);
        let setting = PROFILES.iter().find(|(profile, _)| *profile == self.profile).and_then(|(_, setting)| *setting);
        if let Some((name, [strict, lenient])) = setting {
            written.insert(name.to_owned(), json!(if self.is_lenient { lenient } else { strict }));
        }
        Value::Object(written)
    }
}

/// The composed verdict of interceptors that all ran.
#[derive(Debug, Clone, PartialEq)]
pub struct ComposedVerdict {
    /// The verdict.
    pub verdict: InterceptorVerdict,
    /// The interceptor that it is of, if it is of one.
    pub decided_by: Option<usize>,
    /// Whether its change must still be made.
    pub is_unapplied: bool,
}

/// Composes the verdicts of interceptors that all ran. Nothing but `allow` composes to `allow`.
#[must_use]
pub fn compose(rule: CompositionRule, verdicts: &[InterceptorVerdict]) -> ComposedVerdict {
    let is_parallel = matches!(rule.profile, Profile::ParallelStrictest | Profile::ParallelUnanimous);
    let ranked = |rank: u8| verdicts.iter().enumerate().filter(move |(_, verdict)| severity(verdict) == rank);
    let transforms = ranked(1).count();
    let highest = verdicts.iter().map(severity).max().unwrap_or_default();
    let (verdict, decided_by) = if rule.profile == Profile::ParallelUnanimous && highest > 0 {
        let fault = HostFault::new(HostError::CompositionDisagreement, "not all interceptors allowed");
        (liftable_fault(fault, rule), None)
    } else if highest == 1 && transforms > 1 && is_parallel {
        let fault = HostFault::new(HostError::TransformConflict, "several interceptors changed the target");
        (liftable_fault(fault, rule), None)
    } else {
        // Changes one after another include each other, so the last one is the whole change.
        let winner = if highest == 1 { ranked(highest).next_back() } else { ranked(highest).next() };
        let (index, verdict) = winner.unzip();
        let verdict = verdict.cloned().unwrap_or(InterceptorVerdict::new(InterceptorDecision::Allow));
        // That all allowed was decided by none of them.
        (verdict, index.filter(|_| highest > 0))
    };
    let is_unapplied = is_parallel && verdict.decision == InterceptorDecision::Transform;
    ComposedVerdict { verdict: with_notes(verdict, verdicts), decided_by, is_unapplied }
}

/// From least to most severe.
fn severity(verdict: &InterceptorVerdict) -> u8 {
    match verdict.decision {
        InterceptorDecision::Allow => 0,
        InterceptorDecision::Transform => 1,
        InterceptorDecision::Deny if verdict.is_liftable() => 2,
        InterceptorDecision::Deny => 3,
    }
}

fn liftable_fault(fault: HostFault, rule: CompositionRule) -> InterceptorVerdict {
    InterceptorVerdict { approval: rule.is_lenient.then(Map::new), ..InterceptorVerdict::from_fault(fault) }
}

/// The verdict with the warnings of all, and with the labels of those that permit if it permits.
pub(super) fn with_notes<'v>(
    verdict: InterceptorVerdict,
    verdicts: impl IntoIterator<Item = &'v InterceptorVerdict>,
) -> InterceptorVerdict {
    let (mut warnings, mut labels) = (Vec::new(), Vec::new());
    for one in verdicts {
        one.warnings.iter().for_each(|warning| push_new(&mut warnings, warning));
        if one.permits() {
            one.result_labels.iter().for_each(|label| push_new(&mut labels, label));
        }
    }
    let labels = if verdict.permits() && !labels.is_empty() { labels } else { verdict.result_labels };
    let warnings = if warnings.is_empty() { verdict.warnings } else { warnings };
    InterceptorVerdict { warnings, result_labels: labels, ..verdict }
}

fn push_new<T: Clone + PartialEq>(list: &mut Vec<T>, item: &T) {
    if !list.contains(item) {
        list.push(item.clone());
    }
}

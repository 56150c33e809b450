//! Combines what a hook said about the parts of one call.

use pintle_contract::{Effect, Event, Failure, FailureKind, FailurePolicy, Rewrite, Verdict, VerdictKind};
use serde_json::{Map, Value};

use super::translate::{HeardPart, merge_into_call};
use super::vocabulary::ToolVocabulary;

/// The fields of a payload that are the call itself.
const CALL_FIELDS: [&str; 3] = ["name", "args", "arguments"];

/// The verdicts of one hook on the parts of one call.
pub(crate) struct PartVerdicts<'a> {
    event: &'a Event,
    on_failure: FailurePolicy,
    decided: Vec<VerdictKind>,
    /// Whether the hook had no opinion about a part.
    has_silent_part: bool,
    /// The parts with a changed call.
    changed: Vec<(usize, &'static ToolVocabulary, String, Value)>,
    /// Other fields that the hook changed; later parts see them.
    fields: Map<String, Value>,
    effects: Vec<Effect>,
    warnings: Vec<String>,
}

impl<'a> PartVerdicts<'a> {
    pub(crate) fn new(event: &'a Event, on_failure: FailurePolicy) -> Self {
        Self {
            event,
            on_failure,
            decided: Vec::new(),
            has_silent_part: false,
            changed: Vec::new(),
            fields: Map::new(),
            effects: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The fields that the hook changed so far, except the call itself.
    pub(crate) fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// Counts a part that the hook does not want.
    pub(crate) fn skip(&mut self) {
        self.has_silent_part = true;
    }

    /// Adds the verdict on a part. Returns whether the next part is asked about: a refusal refuses the whole call.
    pub(crate) fn add(&mut self, part: &HeardPart, event: &Event, verdict: Verdict) -> bool {
        let denies = verdict.denies(self.on_failure);
        let rewrite = verdict.target_rewrite().cloned();
        self.effects.extend(verdict.effects);
        self.warnings.extend(verdict.warnings);
        let kind = match rewrite.map_or(Ok(()), |rewrite| self.add_rewrite(part, event, rewrite)) {
            Ok(()) => verdict.kind,
            Err(reason) => failed(&reason),
        };
        self.has_silent_part |= !matches!(kind, VerdictKind::Allow { .. });
        self.decided.push(kind);
        !denies
    }

    /// Splits a rewrite into the call and the other fields.
    fn add_rewrite(&mut self, part: &HeardPart, event: &Event, rewrite: Rewrite) -> Result<(), String> {
        let fields = match rewrite {
            Rewrite::Fields(fields) | Rewrite::Whole(Value::Object(fields)) => fields,
            Rewrite::Whole(_) => return Err(format!("the payload of `{}` must stay an object", event.name)),
        };
        let (call, others): (Map<_, _>, Map<_, _>) =
            fields.into_iter().partition(|(name, _)| CALL_FIELDS.contains(&name.as_str()));
        let before = event.payload.value();
        self.fields.extend(others.into_iter().filter(|(name, value)| before.get(name) != Some(value)));
        if call.iter().all(|(name, value)| before.get(name) == Some(value)) {
            return Ok(());
        }
        let mut after = before.clone();
        if let Value::Object(payload) = &mut after {
            payload.extend(call);
        }
        event.name.def().normalize(before, &mut after).map_err(|error| error.to_string())?;
        // The text of the same arguments is no change, whether the hook heard it or not.
        if ["name", "args"].iter().all(|name| after.get(*name) == before.get(*name)) {
            return Ok(());
        }
        let name = after.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let args = after.get("args").cloned().unwrap_or_default();
        self.changed.push((part.index, part.vocabulary, name, args));
        Ok(())
    }

    /// The verdict on the whole call.
    pub(crate) fn combine(self) -> Verdict {
        let Self { event, on_failure, decided, has_silent_part, changed, mut fields, effects, warnings } = self;
        let mut merged = Ok(());
        if !changed.is_empty() {
            merged = merge_into_call(event, &changed).map(|(name, args)| {
                if event.subject() != Some(&name) {
                    fields.insert(String::from("name"), Value::from(name));
                }
                fields.insert(String::from("args"), args);
            });
        }
        let severity = |kind: &VerdictKind| match kind {
            VerdictKind::Deny { .. } => 5,
            VerdictKind::Failed(_) if on_failure == FailurePolicy::Closed => 4,
            VerdictKind::Ask { .. } => 3,
            VerdictKind::Failed(_) => 2,
            VerdictKind::Allow { .. } => 1,
            VerdictKind::Rewrite(_) | VerdictKind::Pass => 0,
        };
        let mut severest = VerdictKind::Pass;
        for kind in decided.into_iter().chain(merged.err().map(|reason| failed(&reason))) {
            if severity(&kind) > severity(&severest) {
                severest = kind;
            }
        }
        if has_silent_part && matches!(severest, VerdictKind::Allow { .. }) {
            severest = VerdictKind::Pass;
        }
        let verdict = Verdict { kind: severest, rewrite: None, effects, warnings };
        match verdict.kind {
            VerdictKind::Deny { .. } | VerdictKind::Failed(_) => verdict,
            _ if fields.is_empty() => verdict,
            _ => verdict.with_rewrite(Rewrite::Fields(fields)),
        }
    }
}

fn failed(reason: &str) -> VerdictKind {
    let message = format!("the change cannot be expressed in the caller's call: {reason}");
    VerdictKind::Failed(Failure::new(FailureKind::BadOutput, message))
}

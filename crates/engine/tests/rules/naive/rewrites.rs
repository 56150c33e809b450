//! What rewrites make of a value, one by one and together.

use std::collections::BTreeSet;

use pintle_contract::event::RewriteTarget;
use serde_json::{Map, Value, json};

use super::NaiveFold;

impl NaiveFold {
    pub(super) fn merge(&mut self, before: &Value, proposals: &[(usize, Value)]) -> Value {
        let proposals: Vec<(usize, Value)> =
            proposals.iter().filter(|(_, proposal)| proposal != before).cloned().collect();
        let Some((_, first)) = proposals.first() else { return before.clone() };
        let mut after = before.clone();
        if !before.is_object() || proposals.iter().any(|(_, proposal)| !proposal.is_object()) {
            if let Some((other, _)) = proposals.iter().find(|(_, proposal)| proposal != first) {
                self.denials.push(self.hooks[*other].spec.id.clone());
            }
            return first.clone();
        }
        self.merge_fields(before, &proposals, after.as_object_mut().unwrap());
        if self.denials.is_empty() {
            self.event.name.def().normalize(before, &mut after).unwrap();
        }
        after
    }

    /// The first whole rewrite, or else each field as the first hook wants it, or the keys of all where it is an object.
    pub(super) fn overlay(&mut self, before: &Value, proposals: &[(usize, Value)]) -> Value {
        let mut laid = json!({});
        for (index, _) in proposals {
            // What it leaves as it was counts too.
            self.hooks[*index].rewrote = true;
            let says = self.hooks[*index].spec.answer(before);
            let (wish, whole) = says.rewrite().unwrap();
            if whole {
                continue;
            }
            for (name, value) in wish.as_object().unwrap() {
                match (laid.get(name).cloned(), value) {
                    (None, value) => laid[name] = value.clone(),
                    (Some(Value::Object(_)), Value::Object(keys)) => {
                        keys.iter().for_each(|(key, value)| laid[name][key] = value.clone());
                    }
                    _ => {}
                }
            }
        }
        let wishes = proposals.iter().map(|(index, _)| self.hooks[*index].spec.answer(before));
        let whole = wishes.into_iter().find(|says| says.rewrite().is_some_and(|(_, whole)| whole));
        let made = match &whole {
            Some(says) => self.apply_rewrite(before, says.rewrite().unwrap().0, true),
            None => self.apply_rewrite(before, &laid, false),
        };
        match made {
            Some((after, _)) => after,
            None => {
                self.denials.push(self.hooks[proposals.last().unwrap().0].spec.id.clone());
                before.clone()
            }
        }
    }

    /// Each field that a proposal changes has to be what the first proposal that changes it makes of it.
    fn merge_fields(&mut self, before: &Value, proposals: &[(usize, Value)], after: &mut Map<String, Value>) {
        for (number, (index, proposal)) in proposals.iter().enumerate() {
            let have = before.as_object().unwrap();
            let want = proposal.as_object().unwrap();
            let mut against = BTreeSet::new();
            for name in have.keys().chain(want.keys().filter(|name| !have.contains_key(*name))) {
                if have.get(name) == want.get(name) {
                    continue;
                }
                match proposals[..number].iter().find(|(_, earlier)| earlier.get(name) != have.get(name)) {
                    Some((other, earlier)) if earlier.get(name) != want.get(name) => {
                        against.insert(*other);
                    }
                    _ => {
                        match want.get(name) {
                            Some(value) => after.insert(name.clone(), value.clone()),
                            None => after.shift_remove(name),
                        };
                    }
                }
            }
            // One reason for each hook that it does not agree with.
            self.denials.extend(against.iter().map(|_| self.hooks[*index].spec.id.clone()));
        }
    }

    /// A rewrite that is not taken a second time; has the hook what it wished for?
    pub(super) fn check_already_applied(&self, value: &Value, wish: &Value, whole: bool) -> Option<(Value, bool)> {
        let has = |name: &String, wished: &Value| match (value.get(name), wished) {
            (Some(Value::Object(have)), Value::Object(keys)) => {
                keys.iter().all(|(key, one)| have.get(key) == Some(one))
            }
            (have, wished) => have == Some(wished),
        };
        let holds =
            if whole { value == wish } else { wish.as_object().unwrap().iter().all(|(name, one)| has(name, one)) };
        Some((value.clone(), holds))
    }

    /// What a rewrite makes of a value, and whether all of it was taken; nothing when it makes no sense.
    pub(super) fn apply_rewrite(&self, before: &Value, wish: &Value, whole: bool) -> Option<(Value, bool)> {
        let mut entirely = true;
        let mut after = match self.target {
            RewriteTarget::Nothing if whole => {
                entirely = wish == before;
                before.clone()
            }
            RewriteTarget::Nothing => {
                entirely = wish.as_object().unwrap().iter().all(|(name, value)| before.get(name) == Some(value));
                before.clone()
            }
            RewriteTarget::Whole if whole || !before.is_object() => wish.clone(),
            RewriteTarget::Whole => {
                let mut after = before.clone();
                for (name, value) in wish.as_object().unwrap() {
                    after[name.as_str()] = value.clone();
                }
                after
            }
            RewriteTarget::Fields(_) if !before.is_object() || !wish.is_object() => return None,
            RewriteTarget::Fields(allowed) => {
                let mut after = before.clone();
                let mut others = wish.as_object().unwrap().iter().filter(|(name, _)| !allowed.contains(&name.as_str()));
                entirely = others.all(|(name, value)| before.get(name) == Some(value));
                for name in allowed {
                    if let Some(value) = wish.get(*name) {
                        after[*name] = value.clone();
                    } else if whole {
                        after.as_object_mut().unwrap().shift_remove(*name);
                    }
                }
                after
            }
        };
        if after != *before {
            self.event.name.def().normalize(before, &mut after).ok()?;
        }
        Some((after, entirely))
    }
}

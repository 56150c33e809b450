//! The nesting of steps on a tape: a model call is charged to the personas of all open steps.

use pintle_host::Origin;

/// The open steps, outermost first.
#[derive(Debug, Default)]
pub(super) struct OpenSteps(Vec<OpenStep>);

#[derive(Debug)]
struct OpenStep {
    persona: String,
    step: String,
    /// Whether anything happened in it yet. Before that it may still be denied.
    has_begun: bool,
}

impl OpenStep {
    fn matches(&self, persona: &str, step: &str) -> bool {
        self.persona == persona && self.step == step
    }
}

impl OpenSteps {
    /// Opens a step when `step.pre` fires.
    pub(super) fn enter(&mut self, persona: &str, step: &str) {
        self.0.iter_mut().for_each(|outer| outer.has_begun = true);
        self.0.push(OpenStep { persona: persona.to_owned(), step: step.to_owned(), has_begun: false });
    }

    /// Removes a step that hooks or the user refused. A step that has begun stays open.
    pub(super) fn refuse(&mut self, persona: &str, step: &str) {
        self.0.pop_if(|last| !last.has_begun && last.matches(persona, step));
    }

    /// Closes a step and every step inside it.
    pub(super) fn leave(&mut self, persona: &str, step: &str) {
        if let Some(index) = self.0.iter().rposition(|entered| entered.matches(persona, step)) {
            self.0.truncate(index);
        }
    }

    /// Closes every step inside the step in which a turn begins.
    pub(super) fn start_turn(&mut self, origin: &Origin) {
        let at = self.0.iter().rposition(|entered| entered.matches(&origin.persona, &origin.step));
        self.0.truncate(at.map_or(0, |index| index + 1));
        self.0.iter_mut().for_each(|entered| entered.has_begun = true);
    }

    /// Closes all steps, because the program was interrupted and steps are not continued.
    pub(super) fn on_interrupt(&mut self) {
        self.0.clear();
    }

    /// The personas that a model call is charged to, each once. What hooks cause does not belong to a step.
    pub(super) fn personas_of(&self, origin: &Origin) -> Vec<String> {
        let (persona, step) = (origin.persona.as_str(), origin.step.as_str());
        let index = self.0.iter().rposition(|entered| entered.matches(persona, step)).map_or(0, |index| index + 1);
        let context = self.0.get(..index).unwrap_or_default().iter().map(|entered| entered.persona.as_str());
        let mut personas: Vec<String> = Vec::new();
        for name in context.chain([persona]) {
            if !name.is_empty() && personas.iter().all(|known| known != name) {
                personas.push(name.to_owned());
            }
        }
        personas
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_origin(location: &str) -> Origin {
        let (persona, step) = location.split_once('/').unwrap();
        Origin { persona: persona.to_owned(), step: step.to_owned(), ..Origin::default() }
    }

    /// Actions, as `WORD PERSONA/STEP`, and the personas that a model call of the last one is charged to.
    #[test]
    fn a_model_call_counts_on_every_persona_around_it() {
        let cases: &[(&str, &[&str])] = &[
            ("enter a/x", &["a"]),
            ("enter a/x, enter b/y", &["a", "b"]),
            ("enter a/x, enter b/y, enter a/z", &["a", "b"]),
            ("enter a/x, enter b/y, leave b/y, turn a/x", &["a"]),
            ("enter a/x, enter b/y, refuse b/y, turn a/x, enter c/z", &["a", "c"]),
            ("enter a/x, refuse a/x, enter b/y", &["b"]),
            ("enter a/x, turn a/x, refuse a/x, enter b/y", &["a", "b"]),
            ("enter a/x, enter b/y, refuse a/x, turn b/y", &["a", "b"]),
            ("enter a/x, turn /, enter b/y", &["b"]),
            ("enter a/x, enter /y", &["a"]),
            ("enter /y", &[]),
            ("enter a/x, hook /", &[]),
            ("hook b/y", &["b"]),
        ];
        for (happens, expected) in cases {
            let mut steps = OpenSteps::default();
            let mut last = parse_origin("/");
            for (word, at) in happens.split(", ").map(|one| one.split_once(' ').unwrap()) {
                last = parse_origin(at);
                match word {
                    "enter" => steps.enter(&last.persona, &last.step),
                    "refuse" => steps.refuse(&last.persona, &last.step),
                    "leave" => steps.leave(&last.persona, &last.step),
                    "turn" => steps.start_turn(&last),
                    _ => {}
                }
            }
            assert_eq!(&steps.personas_of(&last), expected, "{happens}");
        }
    }
}

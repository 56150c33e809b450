//! Runs the steps of a persona by their declared prompts.

use serde_json::{Map, Value};

use super::{Persona, StepError, template};

impl Persona<'_> {
    /// Runs the persona's steps one after another, each with these arguments. The agent is given the step's prompt, and
    /// its answer is the step's output. Returns the outputs by the steps' names.
    ///
    /// # Errors
    /// With the first error of a step; later steps do not run. When a step has no prompt, or the persona has no steps.
    pub fn run(&mut self, args: impl Into<Value>) -> Result<Value, StepError> {
        let args = args.into();
        let names: Vec<String> = self.spec.steps.iter().map(|step| step.name.clone()).collect();
        if names.is_empty() {
            let reason = format!("persona `{}` declares no steps; declare one with a `prompt`", self.spec.name);
            return Err(StepError::failed(reason));
        }
        let mut outputs = Map::new();
        for name in names {
            let output = self.run_step(&name, args.clone(), &outputs)?;
            outputs.insert(name, output);
        }
        Ok(Value::Object(outputs))
    }

    fn run_step(&mut self, name: &str, args: Value, outputs: &Map<String, Value>) -> Result<Value, StepError> {
        let prompt = self.spec.step(name).ok().and_then(|step| step.prompt.clone());
        let Some(prompt) = prompt else {
            let reason = format!("step `{name}` has no `prompt`, so it can only be run from code; declare one");
            return Err(StepError::failed(reason).with_location(&self.spec.name, name));
        };
        self.step(name, args, |step| {
            let asked = template::render(&prompt, step.args(), outputs)?;
            Ok(Value::String(step.run_prompt(&asked)?.text))
        })
    }
}

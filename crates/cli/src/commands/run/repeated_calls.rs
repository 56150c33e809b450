//! Calls that child agents repeat.

use pintle_host::tape::show::single_line;

/// Calls of one tool by one child agent that are shown before the others are only counted.
const SHOWN: usize = 3;

/// The calls of child agents since something else was shown.
#[derive(Debug, Default)]
pub(super) struct RepeatCounter(Vec<RepeatedCall>);

#[derive(Debug)]
struct RepeatedCall {
    agent: String,
    tool: String,
    call_count: usize,
}

impl RepeatCounter {
    /// Counts a call, and returns whether it is shown.
    pub(super) fn count_call(&mut self, agent: &str, tool: &str) -> bool {
        if let Some(known) = self.0.iter_mut().find(|known| known.agent == agent && known.tool == tool) {
            known.call_count += 1;
            return known.call_count <= SHOWN;
        }
        self.0.push(RepeatedCall { agent: agent.to_owned(), tool: tool.to_owned(), call_count: 1 });
        true
    }

    /// Returns how many calls were not shown, and resets the counts.
    pub(super) fn take_summaries(&mut self) -> Vec<String> {
        let hidden = std::mem::take(&mut self.0).into_iter().filter(|repeat| repeat.call_count > SHOWN);
        let line = |repeat: RepeatedCall| {
            let (agent, tool) = (single_line(&repeat.agent, 80), single_line(&repeat.tool, 80));
            match repeat.call_count - SHOWN {
                1 => format!("{agent}: 1 more call of {tool}"),
                more => format!("{agent}: {more} more calls of {tool}"),
            }
        };
        hidden.map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_calls_are_shown_and_the_others_counted() {
        let mut repeats = RepeatCounter::default();
        let calls = [("a", "x"), ("a", "x"), ("b", "x"), ("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("a", "x")];
        let shown: Vec<bool> = calls.iter().map(|(agent, tool)| repeats.count_call(agent, tool)).collect();
        assert_eq!(shown, [true, true, true, true, false, true, true, false]);
        assert_eq!(repeats.take_summaries(), ["a: 2 more calls of x"]);
        assert!(repeats.take_summaries().is_empty() && repeats.count_call("a", "x"));
    }
}

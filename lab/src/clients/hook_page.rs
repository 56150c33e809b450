//! The first hooks of README and of the guide, as their pages have them, in every client.

use std::fs;
use std::path::Path;

use super::call::CallEffect::Changes;
use super::call::{ProofCall, run_calls};
use super::client::ToolPurpose::{Patch, Shell, Write};
use super::sandbox::ClientSandbox;
use super::tally::ProofTally;

/// A page whose first hook is tried.
#[derive(Debug)]
pub(super) struct HookPage {
    path: &'static str,
    /// A call that the hook denies, by the first tool that the client has, and one that passes.
    calls: &'static [(ProofCall, ProofCall)],
}

/// The pages.
pub(super) const PAGES: &[HookPage] = &[
    HookPage {
        path: "README.md",
        calls: &[(
            ProofCall { rule: Some("the hook"), tool: Shell, target: "rm -fr ~", effect: Changes("HOME/kept.txt") },
            ProofCall { rule: None, tool: Shell, target: "rm -r build", effect: Changes("PROJECT/build/out.txt") },
        )],
    },
    HookPage {
        path: "docs/guide/writing-a-hook.md",
        calls: &[
            (
                ProofCall { rule: Some("the hook"), tool: Write, target: GIT_HOOK, effect: Changes(GIT_HOOK) },
                ProofCall { rule: None, tool: Write, target: NOTES, effect: Changes(NOTES) },
            ),
            (
                ProofCall { rule: Some("the hook"), tool: Patch, target: GIT_HOOK, effect: Changes(GIT_HOOK) },
                ProofCall { rule: None, tool: Patch, target: NOTES, effect: Changes(NOTES) },
            ),
        ],
    },
];

const GIT_HOOK: &str = "PROJECT/.git/hooks/pre-commit";
const NOTES: &str = "PROJECT/notes.txt";

impl HookPage {
    /// Installs the page's first hook, and makes both calls in runs of their own.
    pub(super) fn check(&self, fixture: &ClientSandbox, root: &Path, tally: &mut ProofTally) -> Result<(), String> {
        let client = fixture.client;
        let page = fs::read_to_string(root.join(self.path)).map_err(|error| format!("`{}`: {error}", self.path))?;
        let hook = first_hook(&page).ok_or_else(|| format!("`{}` shows no hook", self.path))?;
        let words = denial_words(hook).ok_or_else(|| format!("the hook of `{}` denies nothing", self.path))?;
        fixture.write_files(&[
            ("PROJECT/page/hook.md", hook),
            ("PROJECT/build/out.txt", "built\n"),
            ("HOME/kept.txt", "kept\n"),
        ])?;
        fixture.run_pintle(&["install", client.name, "--yes", "--hooks", "page"])?;
        let Some((denied, passed)) = self.calls.iter().find(|(call, _)| client.tool(call.tool).is_some()) else {
            return Err(format!("{} has no tool for the hook of `{}`", client.name, self.path));
        };
        for call in [passed, denied] {
            let run = run_calls(fixture, &[call])?;
            let found = call.result(0, call.rule.map(|_| words), &run, client);
            let name = call.name(self.path, client);
            tally.record_result(fixture, &name, call.expected_result(client), found, &run.transcript())?;
        }
        Ok(())
    }
}

/// The first Markdown file among the code blocks of a page.
fn first_hook(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("```markdown\n")?;
    rest.split_once("```").map(|(hook, _)| hook).filter(|hook| hook.starts_with("---\n"))
}

/// The longest text in a line that denies or asks.
fn denial_words(hook: &str) -> Option<&str> {
    let mut denials = hook.lines().filter(|line| line.contains("block(") || line.contains("ask("));
    denials.next()?.split('"').skip(1).step_by(2).max_by_key(|words| words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hook_of_a_page_and_its_words_are_found() {
        let hook = "---\nevent: tool.pre\n---\n      return block(\"`\" + path + \"` is not yours\")\n";
        let page = format!("Text\n\n```sh\nls\n```\n\n```markdown\n{hook}```\n");
        assert_eq!(first_hook(&page), Some(hook));
        assert_eq!(denial_words(hook), Some("` is not yours"));
        assert_eq!(first_hook("```markdown\n# A document\n```\n"), None);
    }
}

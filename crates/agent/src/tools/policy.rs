//! Which tools an agent may use.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use pintle::{PolicyMode, ToolsPolicy};

/// The policies of an agent and of every agent above it. All of them must agree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Policies(Vec<Policy>);

#[derive(Debug, Clone)]
struct Policy {
    mode: PolicyMode,
    allow: GlobSet,
    deny: GlobSet,
    named: Vec<String>,
}

impl Policies {
    /// These policies and one more, which can only narrow them.
    pub(crate) fn and(&self, policy: &ToolsPolicy) -> Result<Self, String> {
        let mut policies = self.0.clone();
        policies.push(Policy {
            mode: policy.mode,
            allow: globs("allow", &policy.allow)?,
            deny: globs("deny", &policy.deny)?,
            named: policy.allow.clone(),
        });
        Ok(Self(policies))
    }

    pub(crate) fn allows(&self, tool: &str) -> bool {
        self.0.iter().all(|policy| {
            let allowed = policy.mode == PolicyMode::Denylist || policy.allow.is_match(tool);
            allowed && !policy.deny.is_match(tool)
        })
    }

    /// Whether a policy denies this tool in so many words.
    pub(crate) fn denies(&self, tool: &str) -> bool {
        self.0.iter().any(|policy| policy.deny.is_match(tool))
    }

    /// Whether a policy's `allow` covers this tool: somebody thought of it. That no policy denies it is not enough.
    pub(crate) fn grants(&self, tool: &str) -> bool {
        self.0.iter().any(|policy| policy.allow.is_match(tool))
    }

    /// Whether a policy allows this tool by its very name. Only then are second names of native tools offered.
    pub(crate) fn names(&self, tool: &str) -> bool {
        self.0.iter().any(|policy| policy.named.iter().any(|named| named == tool))
    }
}

fn globs(list: &str, patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let fault = |fault: globset::Error| format!("tools_policy.{list} `{pattern}` is not a glob: {}", fault.kind());
        set.add(GlobBuilder::new(pattern).build().map_err(fault)?);
    }
    set.build().map_err(|fault| format!("tools_policy.{list} is too large: {fault}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(mode: PolicyMode, allow: &[&str], deny: &[&str]) -> ToolsPolicy {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        ToolsPolicy { mode, allow: owned(allow), deny: owned(deny) }
    }

    #[test]
    fn deny_wins_and_a_further_policy_only_narrows() {
        let allowlist = policy(PolicyMode::Allowlist, &["fs.*", "run_command", "delegate*"], &["fs.remove"]);
        let parent = Policies::default().and(&allowlist).unwrap();
        let child = parent.and(&policy(PolicyMode::Denylist, &["shell"], &["fs.read"])).unwrap();
        let cases = [
            ("fs.read", true, false),
            ("fs.remove", false, false),
            ("run_command", true, true),
            ("delegate_async", true, true),
            ("shell", false, false),
            ("fsXread", false, false),
        ];
        for (tool, for_parent, for_child) in cases {
            assert_eq!(parent.allows(tool), for_parent, "{tool}");
            assert_eq!(child.allows(tool), for_child, "{tool}");
            assert!(Policies::default().allows(tool));
        }
        assert!(parent.names("run_command") && !parent.names("fs.read"));
        assert!(parent.grants("fs.read") && child.grants("shell") && !parent.grants("shell"));
    }

    #[test]
    fn an_allowlist_of_nothing_allows_nothing_and_a_bad_glob_is_told() {
        let nothing = Policies::default().and(&policy(PolicyMode::Allowlist, &[], &[])).unwrap();
        assert!(!nothing.allows("read"));
        let fault = Policies::default().and(&policy(PolicyMode::Denylist, &[], &["a["])).unwrap_err();
        assert!(fault.starts_with("tools_policy.deny `a[` is not a glob"), "{fault}");
    }
}

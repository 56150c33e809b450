//! Tool policies, which decide which tools an agent may use.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use pintle_host::contract::{PolicyMode, ToolsPolicy};

/// The policies of an agent and of every agent above it. All of them must allow a tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolPolicies(Vec<CompiledToolPolicy>);

#[derive(Debug, Clone)]
struct CompiledToolPolicy {
    mode: PolicyMode,
    allow: GlobSet,
    deny: GlobSet,
    exact_names: Vec<String>,
}

impl ToolPolicies {
    /// These policies and another one, which can only narrow them.
    pub(crate) fn narrowed_by(&self, policy: &ToolsPolicy) -> Result<Self, String> {
        let mut policies = self.0.clone();
        policies.push(CompiledToolPolicy {
            mode: policy.mode,
            allow: compile_globs("allow", &policy.allow)?,
            deny: compile_globs("deny", &policy.deny)?,
            exact_names: policy.allow.clone(),
        });
        Ok(Self(policies))
    }

    pub(crate) fn allows(&self, tool: &str) -> bool {
        self.0.iter().all(|policy| {
            let allowed = policy.mode == PolicyMode::Denylist || policy.allow.is_match(tool);
            allowed && !policy.deny.is_match(tool)
        })
    }

    /// Whether a policy explicitly denies this tool.
    pub(crate) fn denies(&self, tool: &str) -> bool {
        self.0.iter().any(|policy| policy.deny.is_match(tool))
    }

    /// Whether a policy's `allow` list covers this tool. It is not enough that no policy denies it.
    pub(crate) fn is_explicitly_allowed(&self, tool: &str) -> bool {
        self.0.iter().any(|policy| policy.allow.is_match(tool))
    }

    /// Whether a policy's `allow` list contains exactly this name. Only then are second names of native tools offered.
    pub(crate) fn allows_by_name(&self, tool: &str) -> bool {
        self.0.iter().any(|policy| policy.exact_names.iter().any(|named| named == tool))
    }
}

fn compile_globs(list: &str, patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let error =
            |error: globset::Error| format!("tools_policy.{list} `{pattern}` is not a valid glob: {}", error.kind());
        set.add(GlobBuilder::new(pattern).build().map_err(error)?);
    }
    set.build().map_err(|error| format!("tools_policy.{list} is too large: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools_policy(mode: PolicyMode, allow: &[&str], deny: &[&str]) -> ToolsPolicy {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        ToolsPolicy { mode, allow: owned(allow), deny: owned(deny) }
    }

    #[test]
    fn deny_wins_and_a_further_policy_only_narrows() {
        let allowlist = tools_policy(PolicyMode::Allowlist, &["fs.*", "run_command", "delegate*"], &["fs.remove"]);
        let parent = ToolPolicies::default().narrowed_by(&allowlist).unwrap();
        let child = parent.narrowed_by(&tools_policy(PolicyMode::Denylist, &["shell"], &["fs.read"])).unwrap();
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
            assert!(ToolPolicies::default().allows(tool));
        }
        assert!(parent.allows_by_name("run_command") && !parent.allows_by_name("fs.read"));
        assert!(
            parent.is_explicitly_allowed("fs.read")
                && child.is_explicitly_allowed("shell")
                && !parent.is_explicitly_allowed("shell")
        );
    }

    #[test]
    fn an_allowlist_of_nothing_allows_nothing_and_a_bad_glob_is_told() {
        let nothing = ToolPolicies::default().narrowed_by(&tools_policy(PolicyMode::Allowlist, &[], &[])).unwrap();
        assert!(!nothing.allows("read"));
        let error = ToolPolicies::default().narrowed_by(&tools_policy(PolicyMode::Denylist, &[], &["a["])).unwrap_err();
        assert!(error.starts_with("tools_policy.deny `a[` is not a valid glob"), "{error}");
    }
}

//! Expands `${env.NAME}` in declared values, as docker-agent does.

use pintle_host::loader::expand_env;

/// Expands the values of a list of pairs.
pub(super) fn expand_all(declared: &[(String, String)]) -> Vec<(String, String)> {
    let host = |name: &str| pintle_host::process::variable(name);
    declared.iter().map(|(name, value)| (name.clone(), expand_env(value, host))).collect()
}

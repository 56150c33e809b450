//! Expands `${env.NAME}` in declared values, as docker-agent does.

/// A declared value with the host's variables inserted. An unset variable is empty; any other `$` stays unchanged.
pub(super) fn expand_env(value: &str, lookup: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${env.") {
        text.push_str(before);
        match after.split_once('}').filter(|(name, _)| is_name(name)) {
            Some((name, behind)) => {
                text.push_str(&lookup(name).unwrap_or_default());
                rest = behind;
            }
            None => {
                text.push_str("${env.");
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// Expands the values of a list of pairs.
pub(super) fn expand_all(declared: &[(String, String)]) -> Vec<(String, String)> {
    let host = |name: &str| pintle::internals::process::variable(name);
    declared.iter().map(|(name, value)| (name.clone(), expand_env(value, host))).collect()
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_references_to_the_environment_are_replaced() {
        let lookup = |name: &str| (name == "KEY").then(|| String::from("k${env.KEY}"));
        for (value, expected) in [
            ("Bearer ${env.KEY}!", "Bearer k${env.KEY}!"),
            ("${env.NOT_SET}", ""),
            ("$KEY ${KEY} ${env.} ${env.A B} ${env.KEY", "$KEY ${KEY} ${env.} ${env.A B} ${env.KEY"),
            ("${env.${env.KEY}", "${env.k${env.KEY}"),
        ] {
            assert_eq!(expand_env(value, lookup), expected, "{value}");
        }
    }
}

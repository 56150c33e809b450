//! `add_user_info`: adds the names of the user and the machine.

use pintle_contract::Verdict;
use pintle_files::account_number;

use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict, doubt_arguments};

/// Adds the user's name and the machine's to the context.
#[derive(Debug)]
struct AddUserInfo;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    doubt_arguments(arguments, doubts);
    Ok(Box::new(AddUserInfo))
}

impl BuiltinHook for AddUserInfo {
    fn call(&self, _call: &BuiltinCall<'_>) -> Verdict {
        context_verdict(describe_user(&UserInfo::from_host()))
    }
}

/// The user's data from the host. Each may be unknown.
#[derive(Debug, Default)]
struct UserInfo {
    user: Option<String>,
    full_name: Option<String>,
    hostname: Option<String>,
}

impl UserInfo {
    fn from_host() -> Self {
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let (user, full_name) = account_number().map_or((None, None), |id| find_account(&accounts, id));
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let hostname = ["/proc/sys/kernel/hostname", "/etc/hostname"]
            .iter()
            .filter_map(|path| std::fs::read_to_string(path).ok())
            .map(|text| text.trim().to_owned())
            .find(|name| !name.is_empty());
        Self {
            user: user.or_else(|| variable("USER")).or_else(|| variable("LOGNAME")),
            full_name,
            hostname: hostname.or_else(|| variable("HOSTNAME")),
        }
    }
}

/// The name and the full name of an account in the format of `/etc/passwd`.
fn find_account(accounts: &str, user: u32) -> (Option<String>, Option<String>) {
    for line in accounts.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        if let [name, _, number, _, about, ..] = fields.as_slice()
            && number.parse() == Ok(user)
        {
            let full_name = about.split(',').next().unwrap_or_default().trim();
            return (Some((*name).to_owned()), (!full_name.is_empty()).then(|| full_name.to_owned()));
        }
    }
    (None, None)
}

fn describe_user(facts: &UserInfo) -> Option<String> {
    let parts = [("User", &facts.user), ("Full name", &facts.full_name), ("Hostname", &facts.hostname)];
    let known = parts.into_iter().filter_map(|(label, value)| value.as_ref().map(|value| format!("{label}: {value}")));
    let lines: Vec<String> = known.collect();
    (!lines.is_empty()).then(|| format!("Current user:\n\n{}", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_told_when_it_is_known() {
        let accounts =
            "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000:Ada L,,,:/home/ada:/bin/sh\nb:x:7:7::/:/\nbroken";
        assert_eq!(find_account(accounts, 1000), (Some("ada".into()), Some("Ada L".into())));
        assert_eq!(find_account(accounts, 7), (Some("b".into()), None));
        assert_eq!(find_account(accounts, 8), (None, None));
        let all = UserInfo { user: Some("ada".into()), full_name: Some("Ada L".into()), hostname: Some("m".into()) };
        assert_eq!(describe_user(&all).unwrap(), "Current user:\n\nUser: ada\nFull name: Ada L\nHostname: m");
        assert_eq!(
            describe_user(&UserInfo { full_name: None, ..all }).unwrap(),
            "Current user:\n\nUser: ada\nHostname: m"
        );
        assert_eq!(describe_user(&UserInfo::default()), None);
    }
}

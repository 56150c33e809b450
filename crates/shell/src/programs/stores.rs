//! Commands for stores of keys and documents.

/// What a command for Redis or Memcached does to the data as a whole.
pub(super) fn redis_action(line: &str) -> Option<&'static str> {
    let lower = line.trim().to_ascii_lowercase();
    let mut words = lower.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let first = words.next()?;
    let second = words.next().unwrap_or_default();
    match (first, second) {
        ("flushall" | "flushdb" | "flush_all" | "swapdb", _) => Some("delete_all"),
        ("del" | "unlink", key) if key.contains(['*', crate::paths::UNKNOWN]) => Some("delete_all"),
        ("eval" | "fcall", _)
            if ["flushall", "flushdb", "'keys'", "\"keys\""].iter().any(|name| joined_texts(&lower).contains(name)) =>
        {
            Some("delete_all")
        }
        ("config", "set" | "rewrite" | "resetstat") => Some("settings"),
        ("shutdown" | "replicaof" | "slaveof" | "failover" | "debug", _) => Some("stop"),
        ("module", "load") | ("function", "load" | "flush" | "delete") => Some("program"),
        ("cluster", "reset" | "flushslots" | "forget" | "delslots") => Some("drop"),
        ("acl", "setuser" | "deluser" | "load") => Some("grant"),
        ("script" | "client", "flush" | "kill") => Some("stop"),
        _ => None,
    }
}

/// What code for MongoDB does to the data as a whole.
pub(super) fn mongo_action(text: &str) -> Option<&'static str> {
    static ACTIONS: &[(&str, &str)] = &[
        (
            "drop",
            ".dropDatabase( .drop( [drop]( [dropDatabase]( dropDatabase: {drop: .dropCollection( .dropAllUsers \
             .dropUser( .dropRole(",
        ),
        (
            "delete_all",
            ".deleteMany({}) .deleteMany() .remove({}) .remove() deleteMany({}, .remove({}, [deleteMany]({}) \
             .deleteMany({$ .deleteMany({_id:{$ q:{},limit:0 filter:{} .deleteMany({id:{$ \
             .bulkWrite([{deleteMany:{filter:{}",
        ),
        ("update_all", ".updateMany({}, .update({}, [updateMany]({}, .replaceOne({}, updateMany({_id:{$exists"),
        ("drop_definition", ".dropIndexes( .dropIndex("),
        ("grant", ".createUser( .grantRolesToUser( .changeUserPassword( .updateUser("),
        ("stop", ".shutdownServer( .fsyncLock( shutdown:1 .stepDown("),
        ("drop", ".renameCollection("),
    ];
    let plain: String = joined_texts(text)
        .chars()
        .filter(|letter| !letter.is_whitespace() && !matches!(letter, '"' | '\'' | '`'))
        .collect();
    ACTIONS.iter().find(|(_, marks)| marks.split(' ').any(|mark| plain.contains(mark))).map(|(action, _)| *action)
}

/// Code in which texts that are put together with `+` or `..` are one text.
fn joined_texts(text: &str) -> String {
    let plain: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    ["\"+\"", "'+'", "`+`", "\"..\"", "'..'"].iter().fold(plain, |plain, mark| plain.replace(mark, ""))
}

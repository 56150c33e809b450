//! SQL by its verbs: what statements would do to the data as a whole.

use crate::Operation;
use crate::OperationKind::Database;
use crate::word_lists::is_listed;

mod conditions;
mod words;

use conditions::selects_everything;
use words::{SqlWord, read_statements};

/// The deepest nesting of statements in texts of statements.
const MAX_DEPTH: usize = 4;

/// The most words of a statement that are looked at behind a verb.
const MAX_REST: usize = 1000;

/// What a statement would do: its meaning, and to what.
type SqlEffect = (&'static str, String);

/// Adds the operations of a text of statements.
pub(crate) fn sql_operations(program: &str, text: &str) -> Vec<Operation> {
    let mut effects = Vec::new();
    read_text(text, 0, &mut effects);
    let mut operations: Vec<Operation> = Vec::new();
    for (action, written) in effects {
        let operation = Operation::new(Database, program).action(action).written(written);
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    operations
}

fn read_text(text: &str, depth: usize, effects: &mut Vec<SqlEffect>) {
    let statements = read_statements(text);
    let is_first = |statement: &[SqlWord], words: &str| statement.first().is_some_and(|word| word.is_any(words));
    // A transaction that is taken back.
    let keeps_rows = statements.last().is_some_and(|last| is_first(last, "ROLLBACK"))
        && !statements.iter().any(|statement| is_first(statement, "COMMIT END"));
    for statement in &statements {
        read_statement(statement, depth, effects);
    }
    if keeps_rows {
        effects.retain(|(action, _)| !matches!(*action, "delete_all" | "update_all"));
    }
}

fn read_statement(words: &[SqlWord], depth: usize, effects: &mut Vec<SqlEffect>) {
    let runs_text = |word: &SqlWord| word.is_any("EXECUTE IMMEDIATE SP_EXECUTESQL");
    let may_run = words.first().is_some_and(|word| word.is_any("PREPARE DO CALL EXEC SELECT"));
    if depth > 0 || may_run || words.iter().any(runs_text) {
        read_inner(words, depth, effects);
    }
    for index in 0..words.len() {
        let Some(rest) = words.get(index..words.len().min(index + MAX_REST)) else { return };
        let before = index.checked_sub(1).and_then(|before| words.get(before));
        if let Some(effect) = effect_at(rest, before) {
            effects.push(effect);
        }
    }
}

/// Statements in the texts of a statement, such as those of `EXECUTE` and of `DO $$ … $$`.
fn read_inner(words: &[SqlWord], depth: usize, effects: &mut Vec<SqlEffect>) {
    if depth >= MAX_DEPTH {
        return;
    }
    let is_query = words.first().is_some_and(|word| word.is_any("SELECT"));
    // `SELECT 'DROP …'` prints a text; `SELECT dblink_exec('…')` runs it.
    let runs = words.iter().any(|word| word.is_any("DBLINK_EXEC DBLINK QUERY_TO_XML EXEC_SQL"));
    for word in words {
        if let SqlWord::Text(text) = word
            && (!is_query || runs)
        {
            read_text(text, depth + 1, effects);
        }
    }
}

/// What begins with the first word, if it begins something.
fn effect_at(words: &[SqlWord], before: Option<&SqlWord>) -> Option<SqlEffect> {
    let verb = words.first()?.keyword()?;
    let is_at = |index: usize, any: &str| words.get(index).is_some_and(|word| word.is_any(any));
    let follows = |any: &str| before.is_some_and(|word| word.is_any(any));
    let begins = before.is_none_or(|word| {
        word.is_any("BEGIN THEN ELSE DO AS ANALYZE VERBOSE EXPLAIN LOOP EXEC GO (")
            || matches!(word, SqlWord::Mark(')'))
    });
    match verb {
        "DROP" => drop_effect(words, before),
        "TRUNCATE" if begins && !is_at(1, "(") => {
            let name = usize::from(is_at(1, "TABLE"));
            Some(("truncate", shown(words.get(1 + name..)?)))
        }
        "DELETE" if (is_at(1, "FROM TOP") || is_at(2, "FROM")) && !follows("ON") => {
            selects_everything(words).then(|| ("delete_all", shown(words)))
        }
        // `DELETE t WHERE …` and `DELETE t` of some servers.
        "DELETE" if begins && words.len() <= 3 => Some(("delete_all", shown(words))),
        "UPDATE" if !follows("ON FOR KEY DO AFTER BEFORE OR NO") => {
            let set = words.iter().take(8).position(|word| word.is_any("SET"))?;
            (set > 1 && selects_everything(words)).then(|| ("update_all", shown(words)))
        }
        "ALTER" if is_at(1, "TABLE DATABASE TYPE SCHEMA KEYSPACE") => alter_effect(words),
        "ALTER" if is_at(1, "USER ROLE LOGIN SYSTEM") => Some(("grant", shown(words))),
        "CREATE" if is_at(1, "USER ROLE LOGIN") && has_any(words, "SUPERUSER CREATEROLE BYPASSRLS") => {
            Some(("grant", shown(words)))
        }
        "GRANT" if begins => {
            let is_wide = is_at(1, "ALL SUPER DBA") || has_any(words, "PUBLIC OPTION SUPERUSER ROOT");
            is_wide.then(|| ("grant", shown(words)))
        }
        "SET" if is_at(1, "PASSWORD") => Some(("grant", shown(words))),
        "COPY" if has_any(words, "PROGRAM") => Some(("program", shown(words))),
        "XP_CMDSHELL" | "SYS_EXEC" | "SYS_EVAL" | "PLPYTHON3U" | "PLPERLU" => Some(("program", shown(words))),
        "OUTFILE" | "DUMPFILE" => Some(("write_file", shown(words))),
        "LO_EXPORT" | "PG_READ_FILE" | "LOAD_FILE" | "PG_WRITE_FILE" => Some(("read_file", shown(words))),
        "FLUSHALL" | "FLUSHDB" if before.is_none() => Some(("delete_all", shown(words))),
        "DETACH" if is_at(1, "DELETE") => (!has_any(words, "WHERE")).then(|| ("delete_all", shown(words))),
        "SHUTDOWN" if begins && words.len() <= 3 => Some(("stop", shown(words))),
        _ => None,
    }
}

/// What can be dropped, and what that means.
static DROPPED: &[(&str, &str)] = &[
    ("TABLE DATABASE SCHEMA KEYSPACE TABLESPACE COLLECTION BUCKET WAREHOUSE STAGE", "drop"),
    ("MEASUREMENT SERIES SHARD GRAPH DATASET STREAM TOPIC DICTIONARY FOREIGN", "drop"),
    ("COLUMN MATERIALIZED PARTITION OWNED EXTENSION TYPE DOMAIN SEQUENCE SERVER", "drop"),
    ("USER ROLE LOGIN POLICY TRIGGER PUBLICATION SUBSCRIPTION", "drop"),
    ("VIEW FUNCTION PROCEDURE INDEX RULE AGGREGATE EVENT CONSTRAINT", "drop_definition"),
];

fn drop_effect(words: &[SqlWord], before: Option<&SqlWord>) -> Option<SqlEffect> {
    if before.is_some_and(|word| word.is_any("NO ON")) {
        return None;
    }
    let kind = words.get(1)?.keyword()?;
    let (_, action) = DROPPED.iter().find(|(kinds, _)| is_listed(kinds, kind))?;
    let name = words.iter().skip(2).find(|word| !word.is_any("IF EXISTS TABLE VIEW CONCURRENTLY BY"))?;
    let name = name.name();
    let plain = name.trim_start_matches(['#', '@']).to_ascii_lowercase();
    let is_temporary = name.starts_with(['#', '@'])
        || ["tmp_", "temp_", "_tmp", "_temp", "pg_temp", "scratch_"].iter().any(|start| plain.starts_with(start))
        || ["_tmp", "_temp"].iter().any(|end| plain.ends_with(end));
    let is_for_tests = kind == "DATABASE" && plain.split(['_', '-']).any(|part| part == "test" || part == "tests");
    (!is_temporary && !is_for_tests).then(|| (*action, shown(words)))
}

/// `ALTER TABLE t DROP c`, also without the word `COLUMN`.
fn alter_effect(words: &[SqlWord]) -> Option<SqlEffect> {
    let at = words.iter().position(|word| word.is_any("DROP"))?;
    let next = words.get(at + 1)?;
    // These are found by their own words, or lose no data.
    let is_other = next
        .is_any("CONSTRAINT INDEX DEFAULT NOT KEY FOREIGN PRIMARY IDENTITY EXPRESSION CHECK COLUMN PARTITION TABLE");
    (!is_other).then(|| ("drop", shown(words)))
}

fn has_any(words: &[SqlWord], any: &str) -> bool {
    words.iter().any(|word| word.is_any(any))
}

/// The beginning of a statement, for people.
fn shown(words: &[SqlWord]) -> String {
    let mut text = String::new();
    for word in words.iter().take(8) {
        if !text.is_empty() && !matches!(word, SqlWord::Mark(_)) && !text.ends_with(['.', '(']) {
            text.push(' ');
        }
        text.push_str(&word.name());
    }
    text
}

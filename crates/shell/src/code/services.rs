//! Calls of libraries that change databases, clouds and clusters.

use super::reader::CodeCall;
use crate::sql::sql_operations;
use crate::walk::CommandWalk;
use crate::{Operation, OperationKind};

/// Functions that get SQL, between spaces.
const SQL_FUNCTIONS: &str = "execute executescript executemany execute_sql execute_batch exec query raw text \
             unsafe run all command sql $executeRaw $executeRawUnsafe $queryRawUnsafe execSQL \
             simple_query do mysql_query mysqli_query pg_query exec_query statement unprepared \
             select_all insert update delete Exec ExecContext read_sql sqlx::query each_row \
             raw_sql runSql executeSql query_row";

/// Functions with their meaning, whatever they are called on.
static FUNCTIONS: &[(OperationKind, &str, &str)] = &[
    (
        OperationKind::Database,
        "drop",
        "dropDatabase drop_database dropCollection drop_collection drop_all dropAllTables \
             drop_table dropTable dropTableIfExists dropSchema delete_index indices.delete \
             delete_collection drop_schema",
    ),
    (
        OperationKind::Database,
        "delete_all",
        "delete_all destroy_all flushall flushdb flushAll flushDb flush_all truncate_tables",
    ),
    (
        OperationKind::Cloud,
        "delete",
        "terminate_instances delete_bucket delete_objects delete_stack delete_db_instance \
             delete_db_cluster delete_cluster terminateInstances deleteBucket deleteStack \
             TerminateInstancesCommand DeleteBucketCommand DeleteStackCommand \
             DeleteDBInstanceCommand DeleteTableCommand empty_bucket delete_blobs \
             schedule_key_deletion delete_resource_group begin_delete",
    ),
    (
        OperationKind::Cloud,
        "grant",
        "attach_user_policy attach_role_policy put_user_policy put_role_policy \
             create_access_key put_bucket_policy put_bucket_acl authorize_security_group_ingress \
             add_user_to_group put_public_access_block delete_public_access_block",
    ),
    (OperationKind::Container, "prune", "prune prune_builds remove_volume"),
    (
        OperationKind::Kubernetes,
        "delete_whole",
        "delete_namespace deleteNamespace delete_collection_namespaced_pod \
             delete_persistent_volume delete_node deleteNode \
             delete_namespaced_persistent_volume_claim delete_collection_namespaced_deployment",
    ),
    (
        OperationKind::Kubernetes,
        "delete",
        "delete_namespaced_deployment delete_namespaced_stateful_set \
             delete_namespaced_service deleteNamespacedDeployment delete_namespaced_secret \
             delete_namespaced_custom_object delete_cluster_custom_object",
    ),
];

/// Adds what the calls of libraries do.
pub(super) fn push_service_calls(walk: &mut CommandWalk<'_>, language: &str, text: &str, calls: &[CodeCall]) {
    if empties_model(text) {
        walk.push(Operation::new(OperationKind::Database, language).action("delete_all").written("delete_all"));
    }
    push_system_calls(walk, language, text);
    let mut before = "";
    for call in calls {
        let last = last_part(&call.name);
        if SQL_FUNCTIONS.split_whitespace().any(|name| name == last) {
            for text in call.texts.iter().filter(|text| text.contains(char::is_whitespace)) {
                for operation in sql_operations(language, text) {
                    walk.push(operation);
                }
            }
        }
        let effect = FUNCTIONS.iter().find(|(_, _, names)| names.split_whitespace().any(|name| name == last));
        if let Some((kind, action, _)) = effect {
            walk.push(Operation::new(*kind, language).action(action).written(call.name.trim_start_matches(").")));
        }
        if call.name.ends_with("containers.run") && call.names.iter().any(|name| name == "privileged") {
            walk.push(Operation::new(OperationKind::Container, language).action("more_rights").written("privileged"));
        }
        // `Model.objects.all().delete()`, `bucket.objects.all().delete()`.
        let is_empty = matches!(last, "delete" | "terminate") && last_part(before) == "all";
        if is_empty {
            let in_cloud = ["boto3", "aws-sdk", "google.cloud", "azure"].iter().any(|library| text.contains(library));
            let (kind, action) =
                if in_cloud { (OperationKind::Cloud, "delete") } else { (OperationKind::Database, "delete_all") };
            walk.push(Operation::new(kind, language).action(action).written(last));
        }
        before = &call.name;
    }
}

/// Functions of the system library, and processes that start themselves without an end.
fn push_system_calls(walk: &mut CommandWalk<'_>, language: &str, text: &str) {
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    if has(&["ctypes", "cffi", "Fiddle", "FFI", "dlopen", "syscall"]) && has(&["reboot", "kexec_load", "SYS_reboot"]) {
        walk.push(Operation::new(OperationKind::System, language).action("power").written("reboot"));
    }
    let is_endless = |pair: &[&str]| matches!(pair, ["while", "1" | "True" | "true"] | ["until", "0" | "false"]);
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    let loops = plain.windows(2).any(is_endless) || has(&["loop", "forever"]) || text.contains("for(;;)");
    if loops && plain.contains(&"fork") && !plain.iter().any(|word| matches!(*word, "wait" | "waitpid" | "sleep")) {
        walk.push(Operation::new(OperationKind::System, language).action("fork_bomb"));
    }
}

/// Methods that empty a model when nothing is between their brackets, as they look without spaces.
const EMPTYING: [&str; 13] = [
    ".delete_many({})",
    ".deleteMany({})",
    ".deleteMany()",
    ".update_many({},",
    ".updateMany({},",
    "::truncate()",
    ".destroy({truncate:true",
    ".destroy({where:{}",
    ".sync({force:true",
    ".flushall",
    ".flushdb",
    ".flushAll",
    ".flushDb",
];

/// `Order.delete_all`, `Order.all.destroy_all`, `Order.deleteMany({})`; not behind a condition.
fn empties_model(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':' | '.');
    let plain: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    EMPTYING.iter().any(|method| plain.contains(method))
        || [".delete_all", ".destroy_all"].iter().flat_map(|method| text.match_indices(method)).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let receiver = before.rsplit(|letter| !is_part(letter)).next().unwrap_or_default();
            receiver.starts_with(|letter: char| letter.is_ascii_uppercase())
        })
}

fn last_part(name: &str) -> &str {
    name.rsplit(['.', '>', ':']).next().unwrap_or_default()
}

//! Commands that change a database without a statement of a query language.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Database;

const RAILS: &[&str] = &["rails", "rake", "spring"];
const PRISMA: &[&str] = &["prisma", "@prisma/cli"];
const PYTHON: &[&str] = &["python", "python3", "python2", "manage.py", "django-admin"];
const PHP: &[&str] = &["php", "artisan", "sail", "console", "symfony", "bin/console"];
/// Nothing is changed, or only the database of the tests.
const HARMLESS: &[&str] = &["--help|-h|--dry-run|--pretend|--sql|--dump-sql|RAILS_ENV=test|RACK_ENV=test|\
             NODE_ENV=test|APP_ENV=test|APP_ENV=testing|ASPNETCORE_ENVIRONMENT=Test|\
             --env=testing|--env=test|--environment=test|MIX_ENV=test"];
const TEST_NAMES: &str = "*_test|*_test?|test_*|*-test|test|*_test_*|--help|--version";

pub(super) static ROWS: &[SubcommandDef] = &[
    // Queues and streams.
    subcommand(&["nats"], &["stream|consumer|kv|object|account", "delete|rm|del|purge|remove"], Database, "drop")
        .without(&["--help|-h"]),
    subcommand(&["kafka-configs", "kafka-configs.sh"], &[], Database, "restore").with(&["--delete-config"]),
    subcommand(&["kafka-acls", "kafka-acls.sh"], &[], Database, "restore").with(&["--remove"]),
    subcommand(&["kafka-delete-records", "kafka-delete-records.sh"], &[], Database, "drop").without(&["--help"]),
    subcommand(&["kcat", "kafkactl", "rpk", "kaf"], &["delete|topic", "**"], Database, "drop").with(&["delete"]),
    subcommand(&["pulsar-admin"], &["**", "delete|delete-*|clear-backlog|terminate|truncate"], Database, "drop"),
    subcommand(&["celery"], &["**", "purge"], Database, "drop").without(&["--help"]),
    subcommand(&["celery"], &["purge"], Database, "drop").without(&["--help"]),
    subcommand(&["etcdctl", "consul"], &["del|kv", "**"], Database, "drop")
        .with(&["--prefix|--from-key|-recurse|--recurse"]),
    subcommand(&["curator", "curator_cli"], &["**", "delete*|delete-indices"], Database, "drop")
        .without(&["--dry-run"]),
    subcommand(&["curator_cli"], &["delete-indices|delete-snapshots|delete_indices"], Database, "drop")
        .without(&["--dry-run"]),
    // Tools of the servers.
    subcommand(&["dropdb"], &[], Database, "drop").without(&[TEST_NAMES]),
    subcommand(&["dropuser", "pg_dropcluster", "pg_resetwal", "pg_resetxlog"], &[], Database, "drop")
        .without(&["--help|--version"]),
    subcommand(&["pg_restore"], &[], Database, "restore").with(&["-c|--clean"]).without(&[TEST_NAMES, "-l|--list"]),
    subcommand(&["initdb", "pg_upgrade", "pg_rewind"], &[], Database, "restore")
        .without(&["--help|--version|--check|-c|--dry-run|-n"]),
    subcommand(&["pg_ctl", "pg_ctlcluster"], &[], Database, "stop").with(&["stop|kill|restart|promote"]),
    subcommand(&["mysqladmin", "mariadb-admin"], &["**", "drop"], Database, "drop").without(&[TEST_NAMES]),
    subcommand(
        &["mysqladmin", "mariadb-admin"],
        &["**", "shutdown|password|flush-*|kill|reset-*|stop-*"],
        Database,
        "stop",
    )
    .without(&["flush-logs"]),
    subcommand(&["mongorestore"], &[], Database, "restore").with(&["--drop"]),
    subcommand(&["influx", "influxd", "influx_inspect"], &["delete"], Database, "delete"),
    subcommand(&["influx"], &["bucket|org|user|auth|task|v1|restore", "delete|--full"], Database, "drop"),
    subcommand(&["neo4j-admin", "cypher-shell"], &["database|dbms", "load|restore|drop|delete"], Database, "restore"),
    subcommand(
        &["nodetool"],
        &["decommission|drain|removenode|clearsnapshot|assassinate|truncatehints|stopdaemon"],
        Database,
        "drop",
    ),
    subcommand(
        &["rabbitmqctl", "rabbitmqadmin"],
        &[
            "**",
            "reset|force_reset|purge_queue|delete_queue|delete_vhost|delete_user|stop_app|delete|\
             purge",
        ],
        Database,
        "delete",
    ),
    subcommand(
        &[
            "kafka-topics",
            "kafka-topics.sh",
            "kafka-consumer-groups",
            "kafka-consumer-groups.sh",
            "kcat",
            "kafka-delete-records",
            "kafka-delete-records.sh",
        ],
        &[],
        Database,
        "delete",
    )
    .with(&["--delete|--offset-json-file|--reset-offsets"])
    .without(&["--dry-run"]),
    subcommand(&["curl", "http", "https", "xh"], &[], Database, "delete").with(&[
        "DELETE|-XDELETE|--request=DELETE|delete",
        "*:9200*|*:9201*|*elastic*|*opensearch*|*:8983*|*:5984*|*:6333*|*:7700*|*:8108*|\
             *:8086*",
    ]),
    subcommand(&["curl", "http", "https", "xh"], &[], Database, "delete")
        .with(&["*/_delete_by_query*|*/_update_by_query*|*/collections?action=delete*|\
             *<delete><query>[*]*"]),
    subcommand(&["sqlite-utils"], &["drop-table|drop-view|reset-counts"], Database, "drop"),
    subcommand(
        &["pgbackrest", "barman", "wal-g"],
        &["restore|delete|stanza-delete|expire|recover"],
        Database,
        "restore",
    )
    .without(&["--dry-run"]),
    // Migrations that begin anew.
    subcommand(PRISMA, &["migrate", "reset"], Database, "reset").without(HARMLESS),
    subcommand(PRISMA, &["db", "push"], Database, "reset").with(&["--force-reset|--accept-data-loss"]),
    subcommand(PRISMA, &["db", "execute"], Database, "statement").without(&["--help"]),
    subcommand(
        RAILS,
        &[
            "**",
            "db:drop|db:drop:*|db:reset|db:reset:*|db:purge|db:purge:*|db:schema:load|\
             db:structure:load|db:migrate:reset|db:truncate_all|db:seed:replant|db:rollback:all|\
             db:setup",
        ],
        Database,
        "reset",
    )
    .without(HARMLESS),
    subcommand(RAILS, &["**", "db:rollback|db:migrate:down|db:rollback:*"], Database, "roll_back").without(HARMLESS),
    subcommand(RAILS, &["**", "db:migrate"], Database, "reset").with(&["VERSION=0"]),
    subcommand(
        PYTHON,
        &[
            "*manage.py|django|django-admin",
            "flush|reset_db|sqlreset|drop_test_database|truncate_all|clean_db|delete_all",
        ],
        Database,
        "reset",
    ),
    subcommand(&["manage.py", "django-admin"], &["flush|reset_db|truncate_all"], Database, "reset"),
    subcommand(PYTHON, &["*manage.py|django|django-admin", "migrate", "**", "zero"], Database, "reset")
        .without(&["--plan"]),
    subcommand(&["manage.py", "django-admin"], &["migrate", "**", "zero"], Database, "reset").without(&["--plan"]),
    subcommand(&["alembic"], &["downgrade"], Database, "roll_back").without(&["--sql|base"]),
    subcommand(&["alembic"], &["downgrade", "base"], Database, "reset").without(&["--sql"]),
    subcommand(&["flask"], &["db", "downgrade"], Database, "reset").with(&["base"]),
    subcommand(
        &["flask", "quart", "aerich", "piccolo", "yoyo"],
        &["**", "drop-db|drop_all|reset-db|init-db|rollback|clear|drop|downgrade|backwards"],
        Database,
        "reset",
    )
    .with(&["*drop*|*reset*|--all|all|clear|-1|base"]),
    subcommand(&["python", "python3"], &["alembic", "downgrade"], Database, "reset").with(&["base"]),
    subcommand(&["flyway"], &["clean"], Database, "reset"),
    subcommand(&["flyway"], &["undo|repair"], Database, "roll_back"),
    subcommand(
        &["mvn", "mvnw", "gradle", "gradlew"],
        &["**", "flyway:clean|flywayClean|liquibase:dropAll|dropAll|*:flywayClean"],
        Database,
        "reset",
    ),
    subcommand(&["liquibase"], &["**", "drop-all|dropAll|rollback*|clear-checksums"], Database, "reset")
        .without(&["rollback-sql|rollback-count-sql"]),
    subcommand(
        PHP,
        &[
            "**",
            "migrate:fresh|migrate:reset|migrate:refresh|db:wipe|doctrine:database:drop|\
             doctrine:schema:drop|d:d:d|doctrine:fixtures:load|doctrine:mongodb:schema:drop",
        ],
        Database,
        "reset",
    )
    .without(HARMLESS),
    subcommand(PHP, &["**", "migrate:rollback|schema:update|doctrine:schema:update"], Database, "roll_back")
        .without(&["--pretend|--dump-sql|--env=testing"]),
    subcommand(&["mix"], &["ecto.drop|ecto.reset|ecto.rollback|ecto.load"], Database, "reset")
        .with(&["ecto.drop|ecto.reset|--all|--to|ecto.load"])
        .without(HARMLESS),
    subcommand(&["dotnet", "ef", "dotnet-ef"], &["**", "database", "drop"], Database, "reset").without(HARMLESS),
    subcommand(&["dotnet", "ef", "dotnet-ef"], &["**", "database", "update", "0"], Database, "reset").without(HARMLESS),
    subcommand(&["diesel"], &["database", "reset|drop"], Database, "reset"),
    subcommand(&["diesel"], &["migration", "revert|redo"], Database, "reset").with(&["-a|--all"]),
    subcommand(&["sqlx"], &["database|db", "drop|reset"], Database, "reset"),
    subcommand(&["sea-orm-cli", "sea"], &["migrate", "fresh|reset|refresh"], Database, "reset"),
    subcommand(&["goose", "tern", "sql-migrate", "refinery", "soda"], &["**", "reset|down-to|drop"], Database, "reset"),
    subcommand(&["migrate", "golang-migrate", "dbmate", "geni", "shmig"], &["**", "drop"], Database, "reset"),
    subcommand(&["migrate", "golang-migrate"], &["**", "down"], Database, "reset")
        .with(&["-all|down"])
        .without(&["1|2|3"]),
    subcommand(&["atlas"], &["schema", "clean|apply"], Database, "reset")
        .with(&["clean|--auto-approve"])
        .without(&["--dry-run"]),
    subcommand(&["knex"], &["migrate:rollback"], Database, "reset").with(&["--all"]),
    subcommand(&["sequelize", "sequelize-cli"], &["db:drop|db:migrate:undo:all|db:seed:undo:all"], Database, "reset"),
    subcommand(
        &["typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm", "mikro-orm"],
        &["schema:drop|schema:fresh|migration:fresh"],
        Database,
        "reset",
    ),
    subcommand(
        &["typeorm", "typeorm-ts-node-commonjs", "mikro-orm"],
        &["schema:sync|schema:update"],
        Database,
        "roll_back",
    ),
    subcommand(&["drizzle-kit"], &["push|drop|push:*"], Database, "reset").with(&["--force|drop"]),
    subcommand(&["supabase"], &["db", "reset|push"], Database, "reset")
        .with(&["reset|--linked|--db-url|--include-all"]),
    subcommand(
        &["hasura", "nhost", "wasp", "keystone", "payload", "medusa", "strapi", "directus"],
        &["**", "reset|squash|delete|migrate:fresh|migrate:reset|clean|drop"],
        Database,
        "reset",
    )
    .without(&["build|lint|--help"]),
    subcommand(
        &["ace", "adonis"],
        &["migration:fresh|migration:reset|migration:refresh|db:wipe|db:truncate"],
        Database,
        "reset",
    ),
    subcommand(
        &["node"],
        &["*ace", "migration:fresh|migration:reset|migration:refresh|db:wipe|db:truncate"],
        Database,
        "reset",
    ),
    subcommand(&["convex"], &["import"], Database, "restore").with(&["--replace|--replace-all"]),
    subcommand(&["wp"], &["db", "reset|drop|clean|import"], Database, "reset"),
    subcommand(&["wp"], &["site", "empty|delete"], Database, "reset"),
    subcommand(&["drush"], &["sql:drop|sql-drop|site:install|si|sqlq"], Database, "reset")
        .with(&["sql:drop|sql-drop|site:install|si"]),
];

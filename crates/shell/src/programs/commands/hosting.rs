//! Commands that change what providers host: sites, apps, machines, buckets.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Cloud;

const HEROKU: &[&str] = &["heroku"];
const FLY: &[&str] = &["fly", "flyctl"];
const VERCEL: &[&str] = &["vercel", "vc", "now"];
const NETLIFY: &[&str] = &["netlify", "ntl", "netlify-cli"];
const WRANGLER: &[&str] = &["wrangler", "wrangler2"];
const FIREBASE: &[&str] = &["firebase", "firebase-tools"];
/// Providers whose commands are a resource and a verb.
const PROVIDERS: &[&str] = &[
    "doctl",
    "hcloud",
    "linode-cli",
    "linode",
    "vultr-cli",
    "vultr",
    "scw",
    "oci",
    "ibmcloud",
    "ovhcloud",
    "upctl",
    "openstack",
    "aliyun",
    "tccli",
    "yc",
    "exo",
    "civo",
    "equinix",
    "metal",
    "cloudflared",
    "flarectl",
    "gandi",
    "cf",
    "oci-cli",
    "pscale",
    "neonctl",
    "neon",
    "turso",
    "supabase",
    "railway",
    "render",
    "koyeb",
    "northflank",
    "platform",
    "upsun",
    "pantheon",
    "terminus",
    "atlas",
    "confluent",
    "rpk",
    "aiven",
    "avn",
    "upstash",
    "convex",
    "appwrite",
    "nhost",
    "deta",
    "stackit",
    "bq",
    "auth0",
    "okta",
    "stripe",
    "algolia",
    "newrelic",
    "datadog-ci",
    "govc",
    "bw",
    "infisical",
    "snow",
    "databricks",
    "sentry-cli",
    "launchdarkly",
    "ldcli",
];
const DRY: &[&str] = &["--dry-run|-n|--dryrun|--help|-h"];

pub(super) static ROWS: &[SubcommandDef] = &[
    subcommand(
        PROVIDERS,
        &[
            "**",
            "delete|destroy|rm|remove|terminate|purge|delete-*|*-delete|d|del|drop|undeploy|teardown|\
             cleanup",
        ],
        Cloud,
        "delete",
    )
    .without(&["--dry-run|--dryrun|--help|-h"]),
    subcommand(PROVIDERS, &["**", "deploy|up|push|promote"], Cloud, "deploy")
        .without(&["--dry-run|--help|-h", "run|link|functions"]),
    subcommand(
        PROVIDERS,
        &[
            "**",
            "poweroff|power-off|shutdown|reboot|rebuild|resize|reset|stop|restart|scale|rotate|\
             rollback|restore",
        ],
        Cloud,
        "change",
    )
    .without(&["--help|-h", "db"]),
    subcommand(&["bq"], &["rm"], Cloud, "delete").without(&["--help"]),
    subcommand(&["supabase"], &["secrets|functions|link|config", "set|unset|deploy|push|delete"], Cloud, "change"),
    subcommand(&["railway"], &["down|variables|redeploy"], Cloud, "change").with(&["down|redeploy|--set"]),
    // Heroku.
    subcommand(
        HEROKU,
        &["apps:destroy|destroy|apps:delete|addons:destroy|domains:remove|domains:clear|\
             pipelines:destroy|releases:rollback|rollback|access:remove|certs:remove|ps:stop|\
             ps:kill|ps:scale|scale|keys:clear|keys:remove|spaces:destroy|teams:*|apps:transfer"],
        Cloud,
        "delete",
    ),
    subcommand(
        HEROKU,
        &["pg:reset|pg:copy|pg:push|pg:pull|pg:promote|pg:unfollow|pg:upgrade|pg:kill|\
             pg:killall|pg:backups:restore|redis:*|pg:credentials:rotate|pg:credentials:destroy|\
             pg:detach"],
        Cloud,
        "delete",
    )
    .without(&["redis:info"]),
    subcommand(
        HEROKU,
        &["config:set|config:unset|config:edit|config:remove|access:add|collaborators:add|\
             authorizations:create|maintenance:on|buildpacks:set|stack:set|features:enable|\
             drains:*"],
        Cloud,
        "change",
    ),
    subcommand(
        HEROKU,
        &["run|run:detached|ps:exec|run:inside|container:release|container:push|\
             pipelines:promote|deploy|builds:create"],
        Cloud,
        "enter",
    ),
    // Fly.
    subcommand(FLY, &["**", "destroy|delete|remove|rm|detach|revoke"], Cloud, "delete").without(&["--help"]),
    subcommand(
        FLY,
        &[
            "scale|secrets|machine|machines|apps|volumes|regions|config|restart|suspend|\
             autoscale|tokens|orgs|redis|postgres|pg",
            "*",
        ],
        Cloud,
        "change",
    )
    .with(&["count|set|unset|import|stop|kill|restart|suspend|update|create|invite|vm|memory|\
             failover"])
    .without(&["list|show|status|--help"]),
    subcommand(FLY, &["deploy|launch"], Cloud, "deploy").without(&["--build-only|--help|--no-deploy"]),
    subcommand(FLY, &["ssh", "console|sftp"], Cloud, "enter"),
    // Vercel, Netlify.
    subcommand(VERCEL, &["remove|rm|rollback|promote|redeploy"], Cloud, "delete").without(&["--help"]),
    subcommand(
        VERCEL,
        &[
            "project|projects|domains|dns|alias|certs|secrets|env|teams|integration|blob|firewall",
            "rm|remove|del|add|buy|move|transfer-in|set|update",
        ],
        Cloud,
        "change",
    ),
    subcommand(VERCEL, &["deploy|--prod|."], Cloud, "deploy")
        .with(&["--prod|--production|--target=production|production"]),
    subcommand(VERCEL, &[], Cloud, "deploy")
        .with(&["--prod|--production|--target=production"])
        .without(&["build|pull|env|ls|list|logs|inspect"]),
    subcommand(
        NETLIFY,
        &["sites:delete|env:unset|addons:delete|unlink|\
             blobs:delete|api"],
        Cloud,
        "delete",
    ),
    subcommand(NETLIFY, &["env:set|env:import|env:clone"], Cloud, "secrets"),
    subcommand(NETLIFY, &["deploy"], Cloud, "deploy").with(&["--prod|-p|--prodIfUnlocked|--prod-if-unlocked"]),
    // Cloudflare.
    subcommand(WRANGLER, &["delete|rollback"], Cloud, "delete").without(DRY),
    subcommand(WRANGLER, &["**", "delete|destroy|remove|purge"], Cloud, "delete")
        .without(&["--dry-run|--help|--local"]),
    subcommand(WRANGLER, &["deploy|publish|versions|triggers"], Cloud, "deploy")
        .without(&["--dry-run|--help|list|view|upload"]),
    subcommand(WRANGLER, &["pages", "deploy|publish"], Cloud, "deploy").without(&["--help"]),
    subcommand(WRANGLER, &["secret|secrets|pages", "**", "put|bulk|secret"], Cloud, "change").without(&["list|--help"]),
    subcommand(WRANGLER, &["d1", "execute|migrations|time-travel|import"], Cloud, "change")
        .with(&["--remote|restore"])
        .without(&["list|select*|--command=select*"]),
    // Firebase.
    subcommand(
        FIREBASE,
        &["firestore:delete|database:remove|hosting:disable|functions:delete|\
             apphosting:backends:delete|extensions:uninstall|hosting:sites:delete|\
             hosting:channel:delete|remoteconfig:rollback|database:set|database:update|\
             auth:import"],
        Cloud,
        "delete",
    ),
    subcommand(FIREBASE, &["deploy"], Cloud, "deploy").without(&["--dry-run|--help"]),
    subcommand(
        FIREBASE,
        &["functions:secrets:set|functions:secrets:destroy|functions:config:set|\
             functions:config:unset|functions:secrets:prune"],
        Cloud,
        "change",
    ),
    subcommand(FIREBASE, &["use"], Cloud, "choose").with(&["*prod*"]),
    // Buckets.
    subcommand(&["s3cmd"], &["rb|expire|delpolicy|dellifecycle"], Cloud, "delete").without(&["-n|--dry-run"]),
    subcommand(&["s3cmd"], &["del|rm"], Cloud, "delete")
        .with(&["-r|--recursive|-f|--force|--rexclude"])
        .without(&["-n|--dry-run"]),
    subcommand(&["s3cmd"], &["sync"], Cloud, "delete").with(&["--delete-removed"]).without(&["-n|--dry-run"]),
    subcommand(&["s3cmd"], &["setacl|setpolicy|accesslog"], Cloud, "grant"),
    subcommand(&["s5cmd"], &["rm|rb|mv"], Cloud, "delete").without(&["--dry-run"]),
    subcommand(&["s5cmd"], &["sync"], Cloud, "delete").with(&["--delete"]).without(&["--dry-run"]),
    subcommand(
        &["rclone"],
        &["purge|delete|deletefile|rmdir|rmdirs|cleanup|sync|move|moveto|dedupe|bisync"],
        Cloud,
        "delete",
    )
    .without(&["-n|--dry-run|-i|--interactive|--help"]),
    subcommand(&["rclone"], &["config", "delete|create|update|password"], Cloud, "client_settings"),
    subcommand(&["mc", "mcli"], &["rb"], Cloud, "delete"),
    subcommand(&["mc", "mcli"], &["rm"], Cloud, "delete")
        .with(&["-r|--recursive|--force|--dangerous"])
        .without(&["--dry-run|--fake"]),
    subcommand(&["mc", "mcli"], &["mirror"], Cloud, "delete")
        .with(&["--remove|--overwrite"])
        .without(&["--dry-run|--fake"]),
    subcommand(
        &["mc", "mcli"],
        &[
            "policy|anonymous|admin|ilm|version|retention|legalhold",
            "set|set-json|user|policy|service|rm|add|clear|suspend|decommission",
        ],
        Cloud,
        "grant",
    ),
    subcommand(
        &["b2", "backblaze-b2"],
        &["delete-bucket|rm|delete-file-version|delete-key|cancel-all-unfinished-large-files|\
             update-bucket|hide-file"],
        Cloud,
        "delete",
    )
    .without(&["--dry-run|--dryRun"]),
    subcommand(&["b2", "backblaze-b2"], &["bucket|file|key", "delete|rm"], Cloud, "delete"),
    subcommand(&["swift"], &["delete|post"], Cloud, "delete").with(&["delete|-r|--read-acl"]),
    // Other deployments.
    subcommand(
        &[
            "surge",
            "gh-pages",
            "eas",
            "expo",
            "shopify",
            "kamal",
            "dokku",
            "cap",
            "capistrano",
            "mina",
            "dpl",
            "apex",
            "claudia",
            "ask",
        ],
        &["deploy|publish|submit|teardown|remove|app:destroy|apps:destroy|rollback|destroy|\
             redeploy|setup"],
        Cloud,
        "deploy",
    )
    .without(&["--dry-run|--help"]),
    // Backups.
    subcommand(&["borg"], &["delete|prune|compact|recreate"], Cloud, "delete_backup").without(DRY),
    subcommand(&["restic", "rustic"], &["forget|prune|rewrite|tag"], Cloud, "delete_backup").without(DRY),
    subcommand(
        &["kopia"],
        &["snapshot|policy|repository|blob|content", "delete|expire|gc|remove"],
        Cloud,
        "delete_backup",
    )
    .without(DRY),
    subcommand(&["duplicacy"], &["prune"], Cloud, "delete_backup").without(DRY),
    subcommand(&["bupstash"], &["rm|remove|gc"], Cloud, "delete_backup").without(DRY),
    subcommand(&["rdiff-backup"], &[], Cloud, "delete_backup").with(&["--remove-older-than|remove"]),
    subcommand(&["snapper"], &["delete|rm|cleanup"], Cloud, "delete_backup").without(DRY),
    subcommand(&["timeshift"], &[], Cloud, "delete_backup").with(&["--delete|--delete-all"]),
    subcommand(&["barman"], &["delete"], Cloud, "delete_backup").without(DRY),
    subcommand(&["pgbackrest"], &["expire|stanza-delete"], Cloud, "delete_backup").without(DRY),
    subcommand(&["dvc"], &["gc"], Cloud, "delete_backup").with(&["-c|--cloud"]),
    // Stores of secrets.
    subcommand(&["op"], &["vault|item|document|user|group", "delete|archive|rm|remove"], Cloud, "delete")
        .without(&["--help|-h"]),
    subcommand(
        &["doppler"],
        &["projects|environments|configs|secrets|service-tokens", "delete|revoke"],
        Cloud,
        "delete",
    )
    .without(&["--help|-h"]),
    subcommand(&["pass", "gopass"], &["rm|remove|delete"], Cloud, "delete").without(&["--help|-h"]),
    subcommand(&["akeyless", "conjur"], &["delete-*|policy|resource"], Cloud, "delete").with(&["delete*|--delete"]),
    // Clients that name the resource and the verb in one word.
    subcommand(&["govc"], &["*.destroy|*.rm|*.delete|*.remove"], Cloud, "delete").without(&["--help|-h"]),
    subcommand(&["twilio"], &["*:remove|*:delete"], Cloud, "delete").without(&["--help|-h"]),
    subcommand(&["sfdx", "sf"], &["*:delete|org|data", "**"], Cloud, "delete").with(&["delete|*:delete"]),
    // Registries of images.
    subcommand(&["skopeo", "crane", "gcrane"], &["delete"], Cloud, "delete").without(&["--help|-h"]),
    subcommand(&["regctl"], &["tag|manifest|image", "delete|rm"], Cloud, "delete").without(&["--help|-h"]),
    subcommand(&["oras"], &["manifest|blob", "delete"], Cloud, "delete").without(&["--help|-h"]),
    subcommand(&["harbor"], &["**", "delete"], Cloud, "delete").without(&["--help|-h"]),
    // Anything else at a hosted service.
    subcommand(&["curl", "http", "https", "xh", "wget"], &[], Cloud, "delete_hosted")
        .with(&["DELETE|-XDELETE|--request=DELETE|--method=DELETE|delete", "https://*"])
        .without(&["https://localhost*|https://127.*|https://[[]::1]*|https://*.localhost*|https://*.local/*"]),
    // The same by the providers' own addresses.
    subcommand(&["curl", "http", "https", "xh", "wget"], &[], Cloud, "delete").with(&[
        "DELETE|-XDELETE|--request=DELETE|--method=DELETE|delete",
        "*api.digitalocean.com*|*management.azure.com*|*.googleapis.com/*|\
             *api.cloudflare.com*|*api.heroku.com*|*api.vercel.com*|*api.netlify.com*|\
             *api.hetzner.cloud*|*api.linode.com*|*api.vultr.com*|*amazonaws.com*|\
             *api.machines.dev*|*api.fly.io*|*api.scaleway.com*|*api.supabase.com*|\
             *backboard.railway*|*api.render.com*|*api.github.com/repos*|*api.github.com/orgs*|\
             *gitlab.com/api*|*.algolia.net*|*.algolianet.com*|*api.stripe.com*|*api.twilio.com*|\
             *.auth0.com*|*.okta.com*|*api.datadoghq.*|*api.pagerduty.com*|*api.mongodb.com*|*cloud.mongodb.com*|\
             *api.planetscale.com*|*console.neon.tech*|*.elastic-cloud.com*|*registry.npmjs.org*",
    ]),
];

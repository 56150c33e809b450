//! `pintle-fleet policy`.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand, ValueEnum};
use jiff::tz::TimeZone;
use pintle_fleet::{BundleHome, BundleKey, BundleStage, BundleTask, FleetError, PintleProgram, UpdateResult};
use pintle_log::time_text;
use serde_json::{Value, json};

use crate::output::{print_line, print_note};

#[derive(Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// Set where bundles come from and who signs them, and fetch the first one.
    Add(AddArgs),
    /// Fetch the bundle of the source, check it, and switch to it if it is newer.
    Update(PlaceOptions),
    /// Show which bundle is in force, and how the last look at the source ended.
    Status(StatusArgs),
    /// Show what the bundle in shadow mode decides otherwise about the calls that this machine recorded.
    Compare(CompareArgs),
    /// Enforce the bundle that is in shadow mode.
    Enforce(PlaceOptions),
    /// Go back to the bundle that was enforced before, and accept only later versions than the present one.
    Rollback(RollbackArgs),
    /// Remove the bundles and the source, so that none is in force.
    Remove(PlaceOptions),
}

/// Whose bundle it is.
#[derive(Debug, Args)]
pub(super) struct PlaceOptions {
    /// Use the bundle of everyone on this machine, in `/etc/pintle`, instead of your own.
    #[arg(long, conflicts_with = "config_dir")]
    managed: bool,
    /// Directory of hooks whose bundle it is [default: `PINTLE_CONFIG_DIR`, otherwise `~/.config/pintle`].
    #[arg(long, value_name = "DIR")]
    config_dir: Option<PathBuf>,
    /// Program `pintle` that checks bundles [default: the one beside this program, otherwise the one on the `PATH`].
    #[arg(long, value_name = "FILE")]
    pintle: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// Source: a file, a directory, `https://…` or `git+https://…#BRANCH`. With `@sha256:DIGEST`, only this bundle is accepted.
    source: String,
    /// Public key that signs the bundles: as minisign prints it, or a file with it.
    #[arg(long, value_name = "KEY")]
    public_key: String,
    /// What happens to a new version.
    #[arg(long, value_name = "STAGE", value_enum, default_value_t = StageWord::Shadow)]
    stage: StageWord,
    #[command(flatten)]
    place: PlaceOptions,
}

/// What happens to a new version, as it is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum StageWord {
    /// Call its hooks and enforce nothing, until `policy enforce`.
    Shadow,
    /// Enforce it at once.
    Enforce,
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// Print one object for programs.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceOptions,
}

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    place: PlaceOptions,
    /// Options of `pintle diff`, behind `--`: `-- --since 30d --fail-on looser`.
    #[arg(last = true)]
    options: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct RollbackArgs {
    /// Give up the bundle in shadow mode instead. What is enforced stays.
    #[arg(long)]
    shadow: bool,
    #[command(flatten)]
    place: PlaceOptions,
}

impl PlaceOptions {
    fn home(&self) -> Result<BundleHome, FleetError> {
        if self.managed {
            return Ok(BundleHome::new(Path::new(pintle_files::MANAGED_DIR)));
        }
        let from_env = || pintle_files::config_dir_from_env().map(|(dir, _)| dir);
        let dir = self.config_dir.clone().or_else(from_env).or_else(pintle_files::default_config_dir);
        dir.map(|dir| BundleHome::new(&dir)).ok_or_else(|| {
            FleetError::invalid_input("the directory of your hooks is not known: there is no home directory")
                .help("name it with `--config-dir`, or use `--managed`")
        })
    }

    fn task(self) -> Result<BundleTask, FleetError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        Ok(BundleTask { home: self.home()?, pintle: PintleProgram::find(self.pintle)?, now_ms })
    }
}

impl PolicyCommand {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        let result = match self {
            Self::Status(args) => return args.execute(),
            Self::Compare(args) => return args.execute(),
            Self::Remove(place) => {
                let task = place.task()?;
                task.remove()?;
                print_line(&format!("no bundle of `{}` is in force", task.home.dir().display()))?;
                return Ok(true);
            }
            Self::Add(AddArgs { source, public_key, stage, place }) => {
                let key = BundleKey::load(&public_key)?;
                let stage = match stage {
                    StageWord::Shadow => BundleStage::Shadow,
                    StageWord::Enforce => BundleStage::Enforce,
                };
                place.task()?.add(&source, &key, stage).await?
            }
            Self::Update(place) => place.task()?.update().await?,
            Self::Enforce(place) => place.task()?.enforce()?,
            Self::Rollback(RollbackArgs { shadow, place }) => place.task()?.roll_back(shadow)?,
        };
        print_result(&result)?;
        Ok(true)
    }
}

fn print_result(result: &UpdateResult) -> Result<(), FleetError> {
    let at = |stage: &BundleStage| match stage {
        BundleStage::Enforce => "enforced",
        BundleStage::Shadow => "in shadow mode: its hooks are called, and nothing is enforced",
    };
    print_line(&match result {
        UpdateResult::Switched(name, version, stage) => format!("{name} version {version} is now {}", at(stage)),
        UpdateResult::Unchanged(name, version, stage) => {
            format!("nothing new: {name} version {version} is {}", at(stage))
        }
        UpdateResult::RolledBack(name, version) => {
            format!("{name} version {version} was rolled back here; a later version is accepted")
        }
    })?;
    if matches!(result, UpdateResult::Switched(_, _, BundleStage::Shadow)) {
        print_note(
            "`pintle-fleet policy compare` shows what it changes, and `pintle-fleet policy enforce` enforces it",
        );
    }
    Ok(())
}

impl CompareArgs {
    fn execute(self) -> Result<bool, FleetError> {
        let home = self.place.home()?;
        let find = |stage| Ok::<_, FleetError>(home.find_linked(stage)?.map(|bundle| bundle.files));
        let enforced = find(BundleStage::Enforce)?;
        let Some(shadowed) = find(BundleStage::Shadow)? else {
            return Err(FleetError::invalid_input("no bundle is in shadow mode")
                .help("`pintle-fleet policy status` shows what is in force"));
        };
        PintleProgram::find(self.place.pintle)?.compare(enforced.as_deref(), &shadowed, &self.options)
    }
}

impl StatusArgs {
    fn execute(self) -> Result<bool, FleetError> {
        let home = self.place.home()?;
        let state = home.load_state()?;
        let key = state.as_ref().and_then(|state| BundleKey::parse(&state.public_key));
        let zone = TimeZone::system();
        let mut is_good = true;
        let mut stages = serde_json::Map::new();
        for stage in [BundleStage::Enforce, BundleStage::Shadow] {
            let described = home.find_linked(stage).and_then(|bundle| {
                let Some(bundle) = bundle else { return Ok(None) };
                let key = key.as_ref().ok_or_else(|| FleetError::failure("the key that signed it is not known"))?;
                let (content, digest) = home.describe(&bundle, key)?;
                let since = bundle.since.and_then(|since| since.duration_since(UNIX_EPOCH).ok());
                let since_ms = since.and_then(|since| u64::try_from(since.as_millis()).ok());
                Ok(Some((content, digest, since_ms)))
            });
            let word = match stage {
                BundleStage::Enforce => "enforced",
                BundleStage::Shadow => "shadow",
            };
            let (text, value) = match described {
                Ok(None) => (String::from("none"), Value::Null),
                Ok(Some((content, digest, since_ms))) => {
                    let (name, version) = (content.name, content.version);
                    let since =
                        since_ms.map(|at_ms| format!(", since {}", time_text(at_ms, &zone))).unwrap_or_default();
                    let value = json!({"name": name, "version": version, "digest": digest, "since_ms": since_ms});
                    (format!("{name} version {version}, sha256:{digest}{since}"), value)
                }
                Err(error) => {
                    is_good = false;
                    (format!("NOT AS IT WAS SIGNED: {}", error.message), json!({"error": error.message}))
                }
            };
            if !self.json {
                print_line(&format!("{word:<9} {text}"))?;
            }
            stages.insert(word.to_owned(), value);
        }
        if self.json {
            stages.insert(String::from("state"), json!(state));
            print_line(&Value::Object(stages).to_string())?;
            return Ok(is_good);
        }
        let Some(state) = state else {
            print_note("there is no source; `pintle-fleet policy add SOURCE --public-key KEY` sets one");
            return Ok(is_good);
        };
        print_line(&format!("source    {} (stage of new versions: {})", state.source, state.stage.as_str()))?;
        if let Some(rolled_back) = state.rolled_back {
            print_line(&format!("          only versions after {rolled_back}, which was rolled back, are accepted"))?;
        }
        let looked = state.looked_ms.map_or(String::from("never"), |at_ms| time_text(at_ms, &zone));
        let ended = state.failure.map_or(String::new(), |failure| format!(", which failed: {}", failure.message));
        print_line(&format!("last look {looked}{ended}"))?;
        Ok(is_good)
    }
}

//! `--stdio` and `--http`: the hooks for hosts in other languages.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pintle_bridge::serving::interceptor::HookInterceptor;
use pintle_bridge::serving::protocol::{ErrorCode, RequestError};
use pintle_bridge::serving::{HostServer, ServedHooks};
use pintle_host::loader::{LayerDirs, TrustItemKind, state_dir};
use pintle_host::tape::proof::MachineSigner;
use pintle_host::tape::{HeaderRecord, Tape, TapeError};
use pintle_host::{Clock, HookCache, HookOverlay, LoadedRuntime, RuntimeBuilder, Severity, SystemClock};

use super::http::{self, HttpOptions};
use super::stdio;
use crate::error::{CliError, CliStatus};
use crate::options::{
    HookOptions, HookPaths, RedactionOptions, compile_own_chains, current_dir, defer_approval, load_hooks,
    machine_signer, session_names, start_builder, trust,
};
use crate::terminal::Terminal;

/// A session of a host that asks over HTTP and stays silent for so long is over: the host may be gone.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Args)]
pub(super) struct HostArgs {
    /// Serve one host: requests are lines of JSON on standard input, answers lines on standard output.
    #[arg(long, conflicts_with = "http")]
    pub(super) stdio: bool,
    #[command(flatten)]
    pub(super) http: HttpOptions,
    #[command(flatten)]
    sessions: SessionOptions,
}

/// The hooks of sessions, and where they are recorded.
#[derive(Debug, Args)]
pub(crate) struct SessionOptions {
    /// Record each session on a tape of its own in this directory.
    #[arg(long, value_name = "DIR")]
    tapes: Option<PathBuf>,
    #[command(flatten)]
    hooks: HookOptions,
    #[command(flatten)]
    redaction: RedactionOptions,
}

impl HostArgs {
    /// Serves until the host ends it.
    pub(super) fn serve(self, state_dir: Option<PathBuf>, terminal: &Terminal) -> Result<CliStatus, CliError> {
        let idle = (!self.stdio).then_some(IDLE);
        let server = self.sessions.start_server(idle, state_dir.clone(), terminal)?;
        match self.stdio {
            true => Ok(stdio::serve(&server, terminal)),
            false => http::serve(&server, self.http, state_dir, terminal),
        }
    }
}

impl SessionOptions {
    /// Loads the hooks. Those that do not load are an error: one of them may be a guard.
    pub(crate) fn start_server(
        self,
        idle: Option<Duration>,
        state_dir: Option<PathBuf>,
        terminal: &Terminal,
    ) -> Result<HostServer, CliError> {
        let (source, served) = self.load_source(state_dir, terminal)?;
        let cwd = current_dir().display().to_string();
        Ok(HostServer::new(served, cwd, idle, Box::new(move |session| source.load(session))))
    }

    /// Loads the hooks in the same way, as an interceptor.
    pub(crate) fn start_interceptor(self, terminal: &Terminal) -> Result<HookInterceptor, CliError> {
        let (source, _) = self.load_source(None, terminal)?;
        let cwd = current_dir().display().to_string();
        Ok(HookInterceptor::new(cwd, Box::new(move |session| source.load(session))))
    }

    fn load_source(
        self,
        state_dir: Option<PathBuf>,
        terminal: &Terminal,
    ) -> Result<(SessionHookLoader, ServedHooks), CliError> {
        let places = self.hooks.hook_paths(&[]);
        trust::require_trust(&places, &self.hooks.user, terminal)?;
        if let Some(dir) = &self.tapes {
            fs::create_dir_all(dir).map_err(|error| {
                CliError::failure(format!("cannot write to `{}`: {error}", dir.display()))
                    .help("name another directory with `--tapes DIR`")
            })?;
        }
        let (hooks, redacts) = (self.hooks, self.redaction.is_on());
        let source = SessionHookLoader {
            places,
            hooks,
            tapes: self.tapes,
            redacts,
            cache: Arc::default(),
            state_dir,
            terminal: terminal.clone(),
        };
        let built = load_hooks(source.builder()?, &source.places.paths, terminal)?;
        let served = source.select_hooks(&built)?;
        Ok((source, served))
    }
}

/// Where the hooks of sessions come from.
struct SessionHookLoader {
    places: HookPaths,
    hooks: HookOptions,
    tapes: Option<PathBuf>,
    redacts: bool,
    cache: Arc<HookCache>,
    /// The directory with the key that signs tapes.
    state_dir: Option<PathBuf>,
    /// Where it is told that a witness does not have a checkpoint.
    terminal: Terminal,
}

impl SessionHookLoader {
    fn builder(&self) -> Result<RuntimeBuilder, CliError> {
        let builder = start_builder(&self.places, &self.hooks.user)?;
        let builder = builder.redact_secrets(self.redacts).hook_cache(Arc::clone(&self.cache));
        Ok(builder.approver(defer_approval()))
    }

    /// Loads the hooks of a session.
    fn load(&self, session: &str) -> Result<ServedHooks, RequestError> {
        let refuse = |error: CliError| RequestError {
            code: ErrorCode::HooksNotLoaded,
            message: error.message,
            help: error.help,
        };
        let (tape, builder) = (self.start_tape(session)?, self.builder().map_err(refuse)?);
        let built = tape.iter().fold(builder, |builder, tape| builder.tape(Arc::clone(tape))).load();
        if let Some(error) = built.diagnostics.iter().find(|found| found.severity == Severity::Error) {
            let error = RequestError::new(ErrorCode::HooksNotLoaded, format!("cannot load the hooks: {error}"));
            return Err(error.help("fix or remove the hook; `pintle validate` shows everything that is wrong"));
        }
        let served = self.select_hooks(&built).map_err(refuse)?;
        if let Some(tape) = tape.filter(|_| !served.overlay.chains().is_empty()) {
            tape.record_hooks(served.overlay.chains());
        }
        Ok(served)
    }

    /// Selects the hooks of the agent of `--agent`.
    fn select_hooks(&self, built: &LoadedRuntime) -> Result<ServedHooks, CliError> {
        // Only the hooks of the agent are called, so only they need trust.
        trust::require_trusted_agents(built, |item| item.kind == TrustItemKind::Member)?;
        let agent = self.hooks.agent.select_agent(built.team.as_ref())?;
        let chains = agent.as_deref().map(|agent| compile_own_chains(built, agent)).unwrap_or_default();
        Ok(ServedHooks {
            runtime: Arc::clone(&built.runtime),
            overlay: Arc::new(HookOverlay::new(chains)),
            agent: agent.map_or_else(|| String::from("root"), |agent| agent.name.clone()),
        })
    }

    /// Who signs the tape of a session.
    fn make_signer(&self) -> Arc<MachineSigner> {
        let terminal = self.terminal.clone();
        let state = self.state_dir.clone().or_else(state_dir);
        let signer = machine_signer(state, || LayerDirs::find(PathBuf::new(), None, None));
        Arc::new(signer.with_error_report(move |error| terminal.print_note(error)))
    }

    /// Starts the tape of a session. Its file is named after the time, because the host chooses the ID of the session.
    fn start_tape(&self, session: &str) -> Result<Option<Arc<Tape>>, RequestError> {
        let Some(dir) = &self.tapes else { return Ok(None) };
        let clock = Arc::new(SystemClock::default());
        let started_ms = clock.unix_ms();
        for name in session_names(started_ms) {
            match Tape::create(dir.join(format!("{name}.jsonl")), HeaderRecord::new(session, started_ms), clock.clone())
            {
                Err(TapeError::Exists { .. }) => {}
                Err(error) => return Err(RequestError::new(ErrorCode::NoTape, error.to_string())),
                Ok(tape) => return Ok(Some(Arc::new(tape.with_checkpoints(self.make_signer())))),
            }
        }
        Err(RequestError::new(ErrorCode::NoTape, "too many sessions started in the same millisecond"))
    }
}

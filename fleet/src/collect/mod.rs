//! The collector: a server that stores what machines send, and that their hooks ask.

mod asks;
mod budgets;
mod notices;
mod receive;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::FleetError;
use crate::hook_protocol::{ASKS_PATH, BUDGETS_PATH};
use crate::protocol::BATCH_PATH;
use crate::store::StorePool;
use asks::AskReceiver;
use notices::AnswerNotices;
use receive::RequestReceiver;

/// The most connections of machines at once; others wait.
const MOST_CONNECTIONS: usize = 1_024;

/// How long a connection may take to agree on encryption, and to send the head of a request.
const HEAD_PATIENCE: Duration = Duration::from_secs(15);

/// How long to wait if the system has no more connections.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The certificate of a collector and its key.
#[derive(Clone)]
pub struct CollectorTls(Arc<ServerConfig>);

impl CollectorTls {
    /// Loads both from files in PEM.
    ///
    /// # Errors
    /// When a file cannot be read, or they do not belong together.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, FleetError> {
        let help = "name the certificate with its chain and its private key, both in PEM";
        let unreadable = |path: &Path, reason: &dyn std::fmt::Display| {
            FleetError::invalid_input(format!("cannot use `{}` for TLS: {reason}", path.display())).help(help)
        };
        let read = |path: &Path| pintle_files::read(path).map_err(|error| unreadable(path, &error));
        let chain = CertificateDer::pem_slice_iter(&read(certificate)?)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| unreadable(certificate, &error))?;
        // The error of a key can quote it.
        let private = PrivateKeyDer::from_pem_slice(&read(key)?)
            .map_err(|_| unreadable(key, &"it does not hold a private key in PEM"))?;
        let built = ServerConfig::builder_with_provider(crate::crypto_provider())
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
        Ok(Self(Arc::new(built.map_err(|error| unreadable(certificate, &error))?)))
    }
}

impl std::fmt::Debug for CollectorTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CollectorTls(..)")
    }
}

/// What a collector may be told.
#[derive(Debug)]
pub struct CollectorOptions {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The certificate; `None` for a server without encryption.
    pub tls: Option<CollectorTls>,
    /// The most bytes of a batch.
    pub most_body_bytes: usize,
}

/// A collector that listens.
pub struct RunningCollector {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    address: SocketAddr,
    notices: AnswerNotices,
}

impl RunningCollector {
    /// Starts to listen. `report` is called with texts for the operator.
    ///
    /// # Errors
    /// When the store does not answer, or the address cannot be used.
    pub async fn start(
        pool: StorePool,
        options: CollectorOptions,
        report: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, FleetError> {
        pool.check_health().await?;
        let unusable = |error: std::io::Error| {
            FleetError::failure(format!("cannot listen on {}: {error}", options.listen))
                .help("choose another address with `--listen`")
        };
        let listener = TcpListener::bind(options.listen).await.map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        let notices = AnswerNotices::new(pool.address().clone());
        let receiver = Arc::new(RequestReceiver::new(pool, options.most_body_bytes, report));
        let asks = AskReceiver::new(Arc::clone(&receiver), notices.clone());
        let router = Router::new()
            .route(BATCH_PATH, post(receive::receive_batch))
            .route(&format!("{BUDGETS_PATH}/{{name}}/take"), post(budgets::take_budget))
            .route("/healthz", get(receive::report_health))
            .with_state(receiver)
            .nest(ASKS_PATH, asks::routes(asks))
            // The receiver has its own limit, and needs the length before the body.
            .layer(DefaultBodyLimit::disable());
        Ok(Self { listener, tls: options.tls.map(|tls| TlsAcceptor::from(tls.0)), router, address, notices })
    }

    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for machines on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", if self.tls.is_some() { "https" } else { "http" }, self.address)
    }

    /// Serves until it is dropped. A batch that is not stored by then is sent again by its machine.
    pub async fn serve(self) {
        tokio::join!(self.notices.follow(), self.accept());
    }

    async fn accept(&self) {
        let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        loop {
            // The semaphore is never closed.
            let permit = Arc::clone(&permits).acquire_owned().await;
            let Ok((stream, _)) = self.listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let (tls, router) = (self.tls.clone(), self.router.clone());
            tokio::spawn(async move {
                serve_connection(stream, tls, router).await;
                drop(permit);
            });
        }
    }
}

/// What goes wrong here is seen by the machine, which sends again.
async fn serve_connection(stream: TcpStream, tls: Option<TlsAcceptor>, router: Router) {
    let _ = stream.set_nodelay(true);
    match tls {
        None => serve_requests(stream, router).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_PATIENCE, tls.accept(stream)).await {
                serve_requests(stream, router).await;
            }
        }
    }
}

async fn serve_requests(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, router: Router) {
    let mut server = http1::Builder::new();
    // Who has sent all may close that direction, and still is answered.
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE).half_close(true);
    let _ = server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)).await;
}

//! Encrypted connections to the database.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use crate::FleetError;

/// Makes encrypted connections, and checks certificates as the system does.
#[derive(Clone)]
pub(super) struct StoreTls(Arc<ClientConfig>);

impl StoreTls {
    pub(super) fn new() -> Result<Self, FleetError> {
        let built = ClientConfig::builder_with_provider(crate::crypto_provider())
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier);
        let built = built.map_err(|error| {
            FleetError::failure(format!("the system's certificates cannot be used: {error}"))
                .help("name a file with certificates in `SSL_CERT_FILE`")
        })?;
        Ok(Self(Arc::new(built.with_no_client_auth())))
    }
}

/// The connection that is made next.
pub(super) struct NamedConnector {
    config: Arc<ClientConfig>,
    domain: String,
}

impl<S> MakeTlsConnect<S> for StoreTls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = StoreStream<S>;
    type TlsConnect = NamedConnector;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<NamedConnector> {
        Ok(NamedConnector { config: Arc::clone(&self.0), domain: domain.to_owned() })
    }
}

impl<S> TlsConnect<S> for NamedConnector
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = StoreStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<StoreStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.domain).map_err(io::Error::other)?;
            Ok(StoreStream(TlsConnector::from(self.config).connect(name, stream).await?))
        })
    }
}

/// An encrypted connection.
pub(super) struct StoreStream<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for StoreStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for StoreStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for StoreStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

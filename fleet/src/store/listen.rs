//! Listening to notices of a store.

use std::future::poll_fn;

use tokio::sync::mpsc::unbounded_channel;
use tokio_postgres::AsyncMessage;

use super::{StoreAddress, statement_error};
use crate::FleetError;

impl StoreAddress {
    /// Listens to the notices of answers until the connection ends, and tells when it begins to.
    ///
    /// # Errors
    /// When the store cannot be listened to.
    pub(crate) async fn listen(&self, on_start: impl Fn(), on_notice: impl Fn(&str)) -> Result<(), FleetError> {
        let (client, mut connection) = self.open_connection().await?;
        let (sender, mut notices) = unbounded_channel();
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if let AsyncMessage::Notification(notice) = message {
                    // Who has ended needs no notices.
                    let _ = sender.send(notice.payload().to_owned());
                }
            }
        });
        client.batch_execute("LISTEN pintle_fleet_answers").await.map_err(|error| statement_error(&error))?;
        on_start();
        while let Some(notice) = notices.recv().await {
            on_notice(&notice);
        }
        Ok(())
    }
}

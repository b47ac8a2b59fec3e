//! A service whose answers are counted.

use std::sync::Arc;

use tokio::sync::broadcast;

use crate::access::Grant;
use crate::metrics::Metrics;
use crate::service::{Reply, Service};
use waywarden_v2x_service_protocol::verdict::VerdictEvent;
use waywarden_v2x_service_protocol::{Request, Status};

/// A service, and what counts each answer by its operation and status.
#[derive(Debug)]
pub struct MeasuredService<S> {
    service: Arc<S>,
    metrics: Arc<Metrics>,
}

impl<S: Service> MeasuredService<S> {
    /// Counts the answers of a service.
    #[must_use]
    pub fn new(service: Arc<S>, metrics: Arc<Metrics>) -> Self {
        Self { service, metrics }
    }
}

impl<S: Service> Service for MeasuredService<S> {
    fn submit(&self, grant: &Grant, request: Request, reply: Reply) {
        let name = request.operation.kind().name();
        let metrics = Arc::clone(&self.metrics);
        let counted = reply.observed(move |response| {
            let refused = response.body.as_ref().err();
            metrics.answered(name, refused.map_or(Status::Ok, |refused| refused.status));
        });
        self.service.submit(grant, request, counted);
    }

    fn subscribe(&self) -> broadcast::Receiver<VerdictEvent> {
        self.service.subscribe()
    }

    fn metrics(&self) -> String {
        self.metrics.text()
    }
}

//! The sockets of the service, and who may do what at them.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use waywarden_v2x_service::access::{Access, Grant};
use waywarden_v2x_service::config::{Config, HttpSection, SocketsSection, group_id};
use waywarden_v2x_service::metrics::Metrics;
use waywarden_v2x_service::server::http::{HttpSettings, TokenGrants, serve_http};
use waywarden_v2x_service::server::{
    Listeners, PassedSockets, ServiceLimits, ServiceServer, Sockets, Stop,
};
use waywarden_v2x_service::service::Service;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use waywarden_command_line::exit::Failure;

/// Interval at which the number of connections goes into the metrics.
const COUNTED: Duration = Duration::from_secs(1);

/// The sockets, open.
pub(super) struct Front {
    /// The sockets of the service's protocol, if any is configured.
    listeners: Option<Listeners>,
    limits: ServiceLimits,
    http: Option<(TcpListener, SocketAddr)>,
    settings: HttpSettings,
    access: Arc<Access>,
    addresses: Vec<String>,
}

impl Front {
    /// Opens the sockets that the configuration names.
    pub(super) fn open(config: &Config, access: Access) -> Result<Self, Failure> {
        let sockets = &config.sockets;
        let is_given = sockets.stream.is_some() || sockets.datagram.is_some();
        let is_given = is_given || sockets.tcp.is_some();
        let mut passed = sockets.systemd.then(PassedSockets::from_env);
        let listeners = is_given.then(|| listeners(sockets, passed.as_mut()));
        let listeners = listeners.transpose()?;
        let section = config.http.as_ref();
        let http = section
            .map(|http| listen(http, passed.as_mut()))
            .transpose()?;
        if let Some(passed) = &passed {
            passed.check_taken().map_err(|error| refused(&error))?;
        }
        let usual = HttpSettings::default();
        let settings = HttpSettings {
            sign_psid: section.and_then(|http| http.sign_psid),
            sign_types: section.map_or_else(BTreeMap::new, |http| http.sign_types.clone()),
            without_token: without_token(section, http.as_ref().map(|(_, address)| *address))?,
            connections: section.map_or(usual.connections, |http| http.connections),
            shutdown: config.service.shutdown,
            ..usual
        };
        let tcp = listeners.as_ref().and_then(Listeners::tcp_address);
        let mut addresses: Vec<String> = [&sockets.stream, &sockets.datagram]
            .into_iter()
            .flatten()
            .map(|path| path.display().to_string())
            .collect();
        addresses.extend(tcp.map(|address| format!("tcp://{address}")));
        let web = http.as_ref();
        addresses.extend(web.map(|(_, address)| format!("http://{address}")));
        Ok(Self {
            listeners,
            limits: limits(config),
            http,
            settings,
            access: Arc::new(access),
            addresses,
        })
    }

    /// The applications that are signed for without a token.
    pub(super) fn signed_without_token(&self) -> impl Iterator<Item = u64> {
        let grant = &self.settings.without_token;
        grant.sign.iter().map(|Psid(number)| *number)
    }

    /// Returns the addresses at which clients can connect.
    pub(super) fn addresses(&self) -> &[String] {
        &self.addresses
    }

    /// Serves until `stopped` says so, and answers the requests under way.
    pub(super) async fn serve(
        self,
        service: Arc<dyn Service>,
        metrics: Arc<Metrics>,
        stopped: watch::Receiver<bool>,
    ) -> Result<(), Failure> {
        let access = Arc::clone(&self.access);
        let tokens = TokenGrants::new(move |token| access.grant_of_token(token));
        let (http_service, http_stopped) = (Arc::clone(&service), stopped.clone());
        let http = async {
            let Some((listener, address)) = self.http else {
                return Ok(());
            };
            let failed = |error| Failure::file(address, &error);
            let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
            let settings = self.settings;
            let (service, counted) = (http_service, metrics.sockets());
            serve_http(listener, service, tokens, settings, counted, http_stopped).await;
            Ok(())
        };
        let counted = metrics.sockets();
        let server = ServiceServer::counting_in(counted, service, self.access, self.limits);
        let server = server.map_err(|error| Failure::new(format_args!("[sockets] {error}")))?;
        let own = async {
            match self.listeners {
                Some(listeners) => serve_own(&server, listeners, &metrics, stopped).await,
                None => Ok(()),
            }
        };
        let (own, http) = tokio::join!(own, http);
        own.and(http)
    }
}

/// The grant of HTTP clients without a token. The address is that of the open socket,
/// which systemd may have passed.
fn without_token(
    section: Option<&HttpSection>,
    address: Option<SocketAddr>,
) -> Result<Grant, Failure> {
    let Some((section, address)) = section.zip(address) else {
        return Ok(Grant::default());
    };
    section.check(address).map_err(Failure::new)?;
    Ok(Grant {
        sign: section.sign_without_token.clone(),
        ..Grant::default()
    })
}

/// Serves the service's own protocol.
async fn serve_own(
    server: &Arc<ServiceServer>,
    listeners: Listeners,
    metrics: &Metrics,
    mut stopped: watch::Receiver<bool>,
) -> Result<(), Failure> {
    let (stop, stop_seen) = Stop::new();
    let mut serving = std::pin::pin!(server.serve(listeners, stop_seen));
    let statistics = server.statistics();
    let mut ticks = tokio::time::interval(COUNTED);
    let mut is_stopping = false;
    let served = loop {
        tokio::select! {
            served = &mut serving => break served,
            _ = stopped.wait_for(|is_stopped| *is_stopped), if !is_stopping => {
                is_stopping = true;
                stop.stop();
            }
            _ = ticks.tick() => {
                metrics.set_connections(statistics.connections_open.read());
            }
        }
    };
    served.map_err(|error| Failure::new(format_args!("[sockets]: {error}")))
}

/// Finds why the sockets could not be opened; those that systemd opens are not looked at. TCP ports
/// are bound for a moment; no file of a socket is made.
pub(super) fn check(config: &Config) -> Result<(), Failure> {
    if config.sockets.systemd {
        return Ok(());
    }
    let mut failures = Vec::new();
    match sockets(&config.sockets) {
        Err(failure) => failures.push(failure),
        Ok(sockets) => failures.extend(sockets.check_files().iter().map(refused)),
    }
    let tcp = SocketsSection {
        stream: None,
        datagram: None,
        ..config.sockets.clone()
    };
    // Both at once, as they would be served.
    let tcp = tcp.tcp.is_some().then(|| listeners(&tcp, None));
    let tcp = tcp.transpose();
    let http = config.http.as_ref().map(|http| listen(http, None));
    let http = http.transpose();
    failures.extend(tcp.err());
    failures.extend(http.err());
    Failure::if_any(failures)
}

fn refused(error: &impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("[sockets] {error}"))
}

fn listeners(
    section: &SocketsSection,
    passed: Option<&mut PassedSockets>,
) -> Result<Listeners, Failure> {
    let sockets = sockets(section)?;
    let opened = match passed {
        Some(passed) => Listeners::take(&sockets, passed),
        None => Listeners::open(&sockets),
    };
    opened.map_err(|error| refused(&error))
}

fn sockets(section: &SocketsSection) -> Result<Sockets, Failure> {
    let group = section.group.as_deref().map(group_id).transpose();
    Ok(Sockets {
        stream: section.stream.clone(),
        datagram: section.datagram.clone(),
        mode: section.mode.0,
        group: group.map_err(|error| refused(&error))?,
        tcp: section.tcp,
        remote: section.tcp_remote,
    })
}

fn limits(config: &Config) -> ServiceLimits {
    let section = &config.sockets;
    ServiceLimits {
        connections: section.connections,
        connections_of_user: section.connections_per_user,
        connections_ungranted: section.connections_without_grant,
        requests_of_connection: section.requests,
        // At most 4 GiB: a computer that has them counts so far.
        request_bytes: usize::try_from(section.request_memory).unwrap_or(usize::MAX),
        datagrams: section.datagram_requests,
        datagrams_of_user: section.datagram_requests_per_user,
        write_timeout: section.write_timeout,
        frame_timeout: section.frame_timeout,
        idle_timeout: section.idle_timeout,
        shutdown: config.service.shutdown,
        ..ServiceLimits::default()
    }
}

/// Opens the socket of HTTP, which is without encryption.
fn listen(
    http: &HttpSection,
    passed: Option<&mut PassedSockets>,
) -> Result<(TcpListener, SocketAddr), Failure> {
    let address = http.address;
    let failed = |error| Failure::file(format_args!("[http] address {address}"), &error);
    if let Some(passed) = passed {
        let listener = passed.tcp_listener("http", http.remote);
        let listener = listener.map_err(|error| Failure::new(format_args!("[http] {error}")))?;
        let address = listener.local_addr().map_err(failed)?;
        return Ok((listener, address));
    }
    if !address.ip().is_loopback() && !http.remote {
        return Err(Failure::new(format_args!(
            "[http] address: {address} can be reached from other computers, and HTTP is without \
             encryption; give a loopback address, or remote = true"
        )));
    }
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

//! `waywarden pki serve`: the enrolment and the authorization authority of a PKI over HTTP.

mod loading;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(unix)]
use waywarden_host::memory;
use waywarden_v2x_pki::enrolment::RequestHashOf;
use waywarden_v2x_pki_service::Renewable;
use waywarden_v2x_pki_service::server::{
    PkiServer, PkiServerLimits, PublicDocument, RateLimit, Stop,
};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use self::loading::Loader;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::index::{TRUST, show_id};
use waywarden_pki_folder::passphrase::PassphraseSource;
use waywarden_v2x_input::time;

/// The longest list that is served.
const LIST_MAX: u64 = 16 << 20;

/// The most requests of one address each second.
const RATE_MAX: i64 = 1_000_000;

#[cfg(unix)]
const NOT_LOCKED: &str = "keys may be written to swap space: the limit of locked memory cannot be \
                          lifted; start with `ulimit -l unlimited` or LimitMEMLOCK=infinity, or \
                          have no swap space";

const EXAMPLES: &str = "\
Examples:
  waywarden pki serve my-pki
  waywarden pki serve my-pki --listen 127.0.0.1:8102 --role ea --passphrase-file secret.txt
  waywarden pki serve my-pki --role aa --ea http://127.0.0.1:8102";

/// Authorities to serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Served {
    /// The enrolment authority.
    Ea,
    /// The authorization authority.
    Aa,
    Both,
}

/// Serve a PKI to stations: enrolment and authorization of ETSI TS 102 941 over HTTP.
///
/// Registered stations (`pki register`) ask for an enrolment credential at /enrolment, and with it
/// for authorization tickets at /authorization. GET /certificates, /getctl/HASHEDID8 and
/// /getcrl/HASHEDID8 return what anyone may have. Requests are limited in size, rate and time.
///
/// A certificate is in pki.sqlite before it leaves. Prints the address, then runs until SIGTERM or
/// ^C; requests under way are answered first. The log goes to standard error and has no secrets.
/// The memory of the process, with its keys, is in no core dump and, where it can be locked, in no
/// swap space.
///
/// SIGHUP loads the authorities again, such as after `pki renew`, and no request is lost: those
/// that are encrypted to the authorities before are answered by these, for ten minutes. If a file
/// cannot be read, the log names it, and nothing changes.
///
/// Exit code 0 after a signal to end, 2 if it could not serve.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Serve {
    /// The folder of the PKI.
    dir: PathBuf,
    /// The address and port; port 0 is any free one. Beyond this computer it is as safe as what
    /// stands before it.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The authorities to serve.
    #[arg(long, value_enum, default_value = "both")]
    role: Served,
    /// URL of the enrolment authority, if it is not in this process; not with --role ea.
    #[arg(long, value_name = "URL")]
    ea: Option<String>,
    /// Number of requests of one address that are answered each second; three times as many at
    /// once.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=RATE_MAX))]
    rate: u32,
    /// The bytes of a request that its response names by their hash. TS 102 941 speaks of the
    /// signed data; the stations that were tried expect the hash of the message. Ours take either.
    #[arg(long, value_enum, value_name = "BYTES", default_value = "message")]
    request_hash: HashedBytes,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Bytes of a request that are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum HashedBytes {
    /// The whole message, encrypted.
    Message,
    /// The signed data, before it is encrypted.
    SignedData,
}

impl From<HashedBytes> for RequestHashOf {
    fn from(bytes: HashedBytes) -> Self {
        match bytes {
            HashedBytes::Message => Self::Message,
            HashedBytes::SignedData => Self::SignedData,
        }
    }
}

impl Serve {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        if self.ea.is_some() && self.role == Served::Ea {
            return Err(Failure::new(
                "--ea: the enrolment authority asks no other one; leave --ea out, or serve --role \
                 aa",
            ));
        }
        // Also where a program calls this without the command line around it.
        #[cfg(unix)]
        {
            memory::protect_memory().map_err(Failure::new)?;
            if !memory::is_memory_locked() {
                log(NOT_LOCKED);
            }
        }
        let loader = Loader::new(self.clone());
        let load = move || loader.load().map_err(|failure| failure.lines().to_vec());
        let authorities = Renewable::new(Box::new(load)).map_err(Failure::all)?;
        let listening = |error: io::Error| match error.kind() {
            io::ErrorKind::AddrInUse => Failure::new(format_args!(
                "{}: {error}; give --listen another port, or port 0 for any free one",
                self.listen
            )),
            _ => Failure::file(self.listen, &error),
        };
        let listener = TcpListener::bind(self.listen).map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;
        // Signals alone end it: the handle is kept.
        let (_stop, stopped) = Stop::new();
        let limits = PkiServerLimits {
            rate: RateLimit {
                burst: 3 * self.rate,
                per_second: self.rate,
            },
            ..PkiServerLimits::default()
        };
        let server = PkiServer::new(listener, Arc::new(authorities), limits);
        // Before anyone knows that it listens: no signal comes too early.
        let server = server.and_then(PkiServer::with_signals);
        let server = server.map_err(Failure::new)?;
        let mut out = io::stdout();
        writeln!(out, "listening on http://{address}")?;
        out.flush()?;
        server.serve(stopped).map_err(Failure::new)?;
        writeln!(out, "ended")?;
        Ok(Answer::Yes)
    }
}

/// Returns what anyone may have: certificates of when it was loaded, lists of now.
fn document(folder: &Path, certificates: &[u8], document: PublicDocument) -> Option<Vec<u8>> {
    let list = |id: HashedId8, end: &str| {
        let path = folder.join(TRUST).join(format!("{}.{end}", show_id(id)));
        // What a link leads to is nothing that anyone may have.
        if !path.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        let read = File::open(path)
            .ok()?
            .take(LIST_MAX + 1)
            .read_to_end(&mut bytes);
        (read.ok()? as u64 <= LIST_MAX).then_some(bytes)
    };
    match document {
        PublicDocument::TrustList(id) => list(id, "ctl"),
        PublicDocument::RevocationList(id) => list(id, "crl"),
        PublicDocument::Certificates => Some(certificates.to_vec()),
    }
}

fn log(line: &str) {
    // The peer chooses a part of it. A log that is closed is no reason to end.
    let line = format!("{} {}\n", time::show(time::now()), plain(line));
    let _ = io::stderr().write_all(line.as_bytes());
}

//! `--check-config`: what would be served.

use std::io::Write as _;

use waywarden_v2x_service::access::{AccessRule, ClientCredential, Grant};
use waywarden_v2x_service::config::{Config, RecordingSection, TimeSourceName};
use waywarden_v2x_service::privileges::Target;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::front;
use super::materials::{self, Loaded};
use crate::used::UsedCertificates;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::permission::show_psid;
use waywarden_v2x_input::time;

/// Finds why a start would be refused, or could not record, in the order of a start: addresses are
/// tried with the rights that the process has, folders of recordings and what reloads read with
/// those of `target`. No file is made.
pub(super) fn start(config: &Config, target: Option<&Target>) -> Result<(), Failure> {
    let mut failures: Vec<Failure> = front::check(config).err().into_iter().collect();
    match target.map_or(Ok(()), Target::become_it) {
        // The rights of root would say nothing of the folders.
        Err(error) => failures.push(Failure::new(error)),
        Ok(()) => {
            failures.extend(config.recording.iter().filter_map(unwritable));
            let used = config.pseudonyms.used.iter();
            failures.extend(used.filter_map(|path| {
                let failure = UsedCertificates::check(path).err()?;
                Some(failure.prefixed("[pseudonyms] used: "))
            }));
            let again = target.map(|target| materials::load_as_user(config, target, time::now()));
            failures.extend(again.and_then(Result::err));
        }
    }
    Failure::if_any(failures)
}

fn unwritable(section: &RecordingSection) -> Option<Failure> {
    let settings = section.settings();
    let error = settings.check_directory().err()?;
    Some(Failure::new(format_args!(
        "[[recording]] directory {}: {error}; make it, and let the service's user write to it",
        settings.directory.display()
    )))
}

/// Says of grants that have no effect, for want of a certificate that permits the application.
pub(super) fn idle_grants(config: &Config, rules: &[AccessRule], loaded: &Loaded) -> Vec<String> {
    let signers = &loaded.materials.signers;
    let is_idle = |psid: &Psid| !signers.iter().any(|one| one.signs(*psid));
    let why = "no certificate of [[signer]] permits it";
    let rules = rules.iter().flat_map(|AccessRule { client, grant }| {
        let idle = grant.sign.iter().filter(|psid| is_idle(psid));
        idle.map(move |psid| {
            let (who, psid) = (shown(client), show_psid(*psid));
            format!("[[access]] of {who}: sign {psid}: {why}")
        })
    });
    let http = config.http.as_ref().and_then(|http| http.sign_psid);
    let http = http.filter(is_idle);
    let http = http.map(|psid| format!("[http] sign_psid {}: {why}", show_psid(psid)));
    rules.chain(http).collect()
}

/// Says of each application for which clients sign without a token.
pub(super) fn open_grants(config: &Config) -> impl Iterator<Item = String> {
    let open = config.http.iter().flat_map(|http| &http.sign_without_token);
    open.map(|psid| {
        let psid = show_psid(*psid);
        format!("[http] sign_without_token: every process of this computer may sign {psid}")
    })
}

fn shown(client: &ClientCredential) -> String {
    match client {
        ClientCredential::Uid(uid) => format!("user {uid}"),
        ClientCredential::Gid(gid) => format!("group {gid}"),
        ClientCredential::Token(_) => "a token".to_owned(),
    }
}

/// Prints what a configuration would serve, a thing a line.
pub(super) fn print(config: &Config, rules: &[AccessRule], loaded: &Loaded) -> Result<(), Failure> {
    let mut lines = sockets(config);
    lines.extend((rules.iter()).map(|rule| {
        format!(
            "access of {}: {}",
            shown(&rule.client),
            granted(&rule.grant)
        )
    }));
    lines.push(format!("materials: {}", loaded.materials.summary()));
    let source = match config.time.source {
        TimeSourceName::System => "the system's clock".to_owned(),
        TimeSourceName::Gpsd => format!("gpsd at {}", config.time.gpsd),
    };
    lines.push(format!("time: {source}"));
    lines.push(format!("policy: {}", config.verification.policy));
    for one in &config.recording {
        lines.push(format!(
            "recording: {}/{}",
            one.directory.display(),
            one.prefix
        ));
    }
    lines.extend(loaded.notes.iter().map(|note| format!("note: {note}")));
    let mut out = std::io::stdout().lock();
    for line in lines {
        writeln!(out, "{}", plain(&line))?;
    }
    out.flush()?;
    Ok(())
}

/// Returns the addresses at which clients could connect.
pub(super) fn sockets(config: &Config) -> Vec<String> {
    let sockets = &config.sockets;
    let paths = [
        ("stream", &sockets.stream),
        ("datagrams", &sockets.datagram),
    ];
    let paths = paths.into_iter().filter_map(|(kind, path)| {
        let path = path.as_ref()?;
        Some(format!("{kind}: {}", path.display()))
    });
    let tcp = sockets.tcp.map(|address| format!("TCP: {address}"));
    let http = config.http.as_ref();
    let http = http.map(|http| format!("HTTP: http://{}", http.address));
    paths.chain(tcp).chain(http).collect()
}

fn granted(grant: &Grant) -> String {
    let sign = grant
        .sign
        .iter()
        .map(|psid| format!("sign {}", show_psid(*psid)));
    let decrypt = grant.decrypt.then(|| "decrypt".to_owned());
    let all: Vec<String> = sign.chain(decrypt).collect();
    all.join(", ")
}

//! `--check-config`: what would be served.

use std::io::Write as _;

use waywarden_v2x_service::access::{ClientCredential, Grant, Rule};
use waywarden_v2x_service::config::{Config, TimeSourceName};

use super::materials::Loaded;
use crate::exit::Failure;
use crate::pki::permission::show_psid;
use crate::terminal::plain;

/// Prints what a configuration would serve, a thing a line.
pub(super) fn print(config: &Config, rules: &[Rule], loaded: &Loaded) -> Result<(), Failure> {
    let mut lines = sockets(config);
    lines.extend(rules.iter().map(|Rule { client, grant }| {
        let who = match client {
            ClientCredential::Uid(uid) => format!("user {uid}"),
            ClientCredential::Gid(gid) => format!("group {gid}"),
            ClientCredential::Token(_) => "a token".to_owned(),
        };
        format!("access of {who}: {}", granted(grant))
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

/// Where clients could connect.
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

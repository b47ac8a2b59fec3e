//! ECUs whose roles and suites take more memory than their board has.

use waywarden_boards::{MemoryNeed, NeedKind};
use waywarden_vehicle_file::{
    AuthenticationProtocol, CryptoEngine, EcuIndex, KeySuite, SourceLocation, VehicleFile,
};
use waywarden_vehicle_resources::Resources;

use super::LowerError;
use super::board::board;

/// Returns a warning for each memory of an ECU of the car that is too small for what the ECU does,
/// where both are known. An ECU with an image is not among them: its image is linked with the
/// memory of a part.
///
/// # Errors
/// [`LowerError::NotLoaded`] for a board that is not among the resources.
pub(super) fn warnings(
    file: &VehicleFile,
    resources: &Resources,
) -> Result<Vec<(SourceLocation, String)>, LowerError> {
    let mut warnings = Vec::new();
    for (at, ecu) in file.ecus.iter().enumerate() {
        if ecu.firmware.is_some() {
            continue;
        }
        let board = board(&ecu.board.value, resources)?;
        let needs = needs(file, EcuIndex(at), ecu.crypto);
        for short in board.lacks(needs) {
            let (name, memory) = (&ecu.name.value, short.memory());
            let remedy = match MemoryNeed::of(NeedKind::Suite, &short.most) {
                Some(_) => "another suite, or a board",
                None => "a board",
            };
            let warning = format!(
                "the software of ECU {name:?} takes {} bytes of {memory} as it is built here for a \
                 Cortex-M, most of them for {}, and board {:?} has {}; choose {remedy} with more \
                 memory, see `waywarden boards --memory`",
                short.needed,
                short.most,
                board.name(),
                short.has
            );
            warnings.push((file.source.place(&ecu.board.span), warning));
        }
    }
    Ok(warnings)
}

/// Returns what an ECU needs: of its roles and, where a core computes them, of its suites.
fn needs(file: &VehicleFile, ecu: EcuIndex, crypto: CryptoEngine) -> Vec<&'static MemoryNeed> {
    let mut roles = Vec::new();
    let mut suites = Vec::new();
    for authentication in &file.authentications {
        let protocol = &authentication.protocol;
        let mut streams = authentication.streams.iter();
        let sends = streams.any(|&stream| file.stream(stream).sender == ecu);
        // Not behind a gateway that has checked them: tags end there.
        let checks = file.checks(authentication).any(|check| check.ecu == ecu);
        let announces = matches!(
            protocol,
            AuthenticationProtocol::Secoc(secoc)
                if secoc.master.as_ref().is_some_and(|master| master.ecu == ecu)
        );
        if sends || checks || announces {
            roles.push(match protocol {
                AuthenticationProtocol::Secoc(_) => "secoc",
                AuthenticationProtocol::Paired { .. }
                | AuthenticationProtocol::Published { .. } => "vatican-leia",
            });
        }
    }
    for group in &file.groups {
        let is_member = group.members.iter().any(|member| member.ecu == ecu);
        let role = match group.orchestrator.ecu == ecu {
            true => "group-orchestrator",
            false if is_member => "group-member",
            false => continue,
        };
        roles.push(role);
        suites.push(match group.suite {
            KeySuite::FourQ => "fourq",
            KeySuite::P256 => "p256",
        });
    }
    for lasan in &file.lasan {
        let is_member = lasan.members.iter().any(|member| member.ecu == ecu);
        let role = match lasan.security_module.ecu == ecu {
            true => "lasan-module",
            false if is_member => "lasan-ecu",
            false => continue,
        };
        roles.push(role);
        suites.push(lasan.suite);
    }
    if crypto == CryptoEngine::Module {
        suites.clear();
    }
    let roles = roles.into_iter().map(|name| (NeedKind::Role, name));
    let suites = suites.into_iter().map(|name| (NeedKind::Suite, name));
    let needs = roles.chain(suites);
    needs
        .filter_map(|(kind, name)| MemoryNeed::of(kind, name))
        .collect()
}

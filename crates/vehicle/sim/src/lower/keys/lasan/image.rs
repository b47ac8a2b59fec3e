//! The part of an ECU image in a network, as values for its record.

use std::sync::Arc;

use waywarden_firmware_link::{
    EcuRecord, GrantedKeyRecord, KEYS_MAX, KNOWN_MAX, LASAN_PARTIES_MAX, LasanPart, LasanParties,
    LasanRecord, List, PERMISSIONS_MAX,
};
use waywarden_lasan::{
    AddressSet, AnyLasanSuite, Credentials, LasanProfile, LasanSuite, Party, PartyDirectory,
    StreamId,
};
use waywarden_work::Duration;

use super::known::{Parts, ProvisionedIdentity};
use super::{Network, Planned};
use waywarden_vehicle_file::{BoardSource, EcuIndex, KeyParty, Lasan, VehicleFile, WorkshopWork};

/// The suites that there are images of.
const SUITES: [&str; 3] = ["fourq", "p256", "ml-kem-768+ml-dsa-44"];

/// The part of an image in a network.
pub(in crate::lower) struct NetworkImage {
    /// The network, by its place in the vehicle file.
    pub(in crate::lower) network: usize,
    parts: Arc<Parts>,
    /// The name of its suite.
    pub(in crate::lower) suite: &'static str,
    party: KeyParty,
    ecus: AddressSet,
    requests: Vec<StreamId>,
    overlap: Duration,
    boots: Vec<Planned>,
    /// The first epoch and the time from one to the next; none of an ECU.
    epochs: Option<(Duration, Option<Duration>)>,
}

impl Network<'_> {
    /// Returns the part of an image in the network; none if it has none.
    ///
    /// # Errors
    /// The part that an image cannot have, in words.
    pub(in crate::lower) fn image(
        &self,
        file: &VehicleFile,
        index: EcuIndex,
    ) -> Result<Option<NetworkImage>, String> {
        let lasan = self.lasan;
        let Some(party) = lasan.parties().find(|party| party.ecu == index) else {
            return Ok(None);
        };
        let is_module = *party == lasan.security_module;
        check(file, lasan, (index, is_module))?;
        if is_module {
            has_room(lasan, self.keys.len())?;
        }
        let sent = self.keys.iter().filter(|key| key.sender == index);
        Ok(Some(NetworkImage {
            network: self.at,
            parts: self.parts.clone(),
            suite: lasan.suite,
            party: *party,
            ecus: lasan.members.iter().map(|member| member.address).collect(),
            requests: sent.map(|key| StreamId::of(key.id)).collect(),
            overlap: self.change_over().overlap,
            boots: self.boots(file, index, is_module),
            epochs: is_module.then_some((lasan.start, lasan.renewal)),
        }))
    }
}

/// Refuses a security module for more than its image has room for.
fn has_room(lasan: &Lasan, keys: usize) -> Result<(), String> {
    let (name, ecus) = (&lasan.name.value, lasan.members.len());
    for (found, room, what) in [
        (ecus, LASAN_PARTIES_MAX - 1, "members"),
        (keys, PERMISSIONS_MAX, "keys to grant"),
    ] {
        if found > room {
            return Err(format!(
                "`{name}` has {found} {what}, and the image of its security module has room for \
                 {room}: leave some out, or `firmware`"
            ));
        }
    }
    Ok(())
}

/// Refuses what an image has no part in yet.
fn check(
    file: &VehicleFile,
    lasan: &Lasan,
    (index, is_module): (EcuIndex, bool),
) -> Result<(), String> {
    let name = &lasan.name.value;
    if !SUITES.contains(&lasan.suite) {
        let suites = SUITES.join(", ");
        return Err(format!(
            "`{name}` has the suite {}, and there are images of: {suites}",
            lasan.suite
        ));
    }
    if !matches!(
        lasan.profile,
        LasanProfile::Hardened | LasanProfile::Compact
    ) {
        return Err(format!(
            "`{name}` is as published, with its weaknesses: write `profile = \"hardened\"`"
        ));
    }
    let own = |line: &waywarden_vehicle_file::ProtectedStream| {
        let stream = file.stream(line.stream);
        let receives = stream.receivers.iter().any(|one| one.ecu == index);
        (stream.sender == index || receives).then(|| stream.name.value.clone())
    };
    if let Some(stream) = lasan.protected.iter().find_map(own) {
        return Err(format!(
            "`{name}` protects {stream} itself, and images have keys for SecOC: name the stream in \
             an `[[authentication]]` with `granted_by` instead"
        ));
    }
    let is_changed = lasan.changes.iter().any(|change| {
        is_module || change.member.ecu == index && change.work == WorkshopWork::Replace
    });
    if is_changed {
        return Err(format!(
            "a workshop changes the ECUs of `{name}`, and images have those of their record: leave \
             the changes out, or `firmware`"
        ));
    }
    let board = &file.ecu(index).board.value;
    if matches!(board, BoardSource::BuiltIn(name) if name == "ideal") {
        return Err(format!(
            "the waits of `{name}` follow from the boards, and its board computes in no time: \
             write `board = \"m4f-emulated\"` beside `firmware`"
        ));
    }
    Ok(())
}

impl NetworkImage {
    /// Returns the record of the `at`th boot, counted from 0, of an ECU with these streams and
    /// keys.
    ///
    /// # Errors
    /// The number or length that is too large, in words.
    pub(in crate::lower) fn record(
        &self,
        at: usize,
        ecu: EcuRecord,
        keys: &[GrantedKeyRecord],
    ) -> Result<LasanRecord, String> {
        let full = |what: &str, count: usize| {
            format!("it has {count} {what}, and an image has room for {KEYS_MAX}: leave some out")
        };
        // The file plans every boot.
        let planned = &self.boots[at.min(self.boots.len() - 1)];
        let ProvisionedIdentity { known, secret } =
            self.parts
                .booted(self.party.address, planned.version, planned.at);
        let parties = self.parties(&known).map_err(|_| {
            format!(
                "the keys and credentials that it knows take more than {KNOWN_MAX} bytes, which an \
                 image has room for: write `credentials = \"digests\"`"
            )
        })?;
        let part = match self.epochs {
            Some((_, renewal)) => LasanPart::Module {
                start: planned.start,
                renewal,
            },
            None => LasanPart::Ecu {
                requests: List::from_slice(&self.requests)
                    .map_err(|_| full("keys to ask for", self.requests.len()))?,
                keys: List::from_slice(keys).map_err(|_| full("keys", keys.len()))?,
                overlap: self.overlap,
            },
        };
        let suite = AnyLasanSuite::named(self.suite).map(|suite| suite.identifier());
        Ok(LasanRecord {
            ecu,
            suite: suite.unwrap_or_default(),
            address: self.party.address,
            secret,
            parties,
            part,
        })
    }

    /// Returns what the party knows: the security module all ECUs, an ECU the module and itself.
    fn parties(
        &self,
        known: &impl PartyDirectory,
    ) -> Result<LasanParties, waywarden_firmware_link::MessageError> {
        let settings = *known.settings();
        let mut parties = LasanParties::new(settings, self.ecus, known.authority())?;
        let is_module = self.epochs.is_some();
        for party in (0..).map_while(|index| known.party(index)) {
            let is_own = party.address == self.party.address;
            if !is_own && !is_module && party.address != settings.security_module {
                continue;
            }
            // Others show their certificates, and their credentials too.
            let has_key = is_own || settings.credentials != Credentials::Certificates;
            parties.add(&Party {
                key: if has_key { party.key } else { &[] },
                credential: if is_own { party.credential } else { &[] },
                ..party
            })?;
        }
        for permission in known.permissions().iter().filter(|_| is_module) {
            parties.permit(*permission)?;
        }
        Ok(parties)
    }
}

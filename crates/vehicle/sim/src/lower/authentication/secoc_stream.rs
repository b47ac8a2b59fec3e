//! SecOC streams as their ends have them, under identifiers of 11 or 29 bits.

use waywarden_can::{Id, StandardId};
use waywarden_can_auth::key_store::KeyId;
use waywarden_can_auth::secoc::{
    SecocCarrier, SecocProfile, SecocReceiver, SecocSender, SecocStream, SeparateReceiver,
    SeparateSender, SeparateStream,
};
use waywarden_can_auth::stream::{AnyReceiver, AnySender};
use waywarden_vehicle_file::{
    Authentication, AuthenticationProtocol, FrameFormat, Protection, StreamIndex, VehicleFile,
};

/// A stream, by where its freshness and code travel.
#[derive(Clone, Copy)]
pub(super) enum SecuredStream {
    /// In the frame of the message.
    Together(SecocStream),
    /// In a PDU of their own.
    Separate(SeparateStream),
}

impl SecuredStream {
    /// Makes the stream that the file describes.
    pub(super) fn new(
        file: &VehicleFile,
        table: &Authentication,
        index: StreamIndex,
        profile: SecocProfile,
    ) -> Option<Self> {
        match table.cryptographic_id(index) {
            Some(id) => separate(file, table, (index, id), profile).map(Self::Separate),
            None => together(file, table, index, profile).map(Self::Together),
        }
    }

    pub(super) fn profile(&self) -> SecocProfile {
        match self {
            Self::Together(stream) => stream.profile(),
            Self::Separate(stream) => stream.profile(),
        }
    }

    /// Makes its sending end, as under fresh keys.
    pub(super) fn sender(self) -> AnySender {
        match self {
            Self::Together(stream) => AnySender::Secoc(SecocSender::under_fresh_key(stream)),
            Self::Separate(stream) => {
                AnySender::SeparateSecoc(SeparateSender::under_fresh_key(stream))
            }
        }
    }

    /// Makes its receiving end, as under fresh keys.
    pub(super) fn receiver(self) -> AnyReceiver {
        match self {
            Self::Together(stream) => AnyReceiver::Secoc(SecocReceiver::under_fresh_key(stream)),
            Self::Separate(stream) => {
                AnyReceiver::SeparateSecoc(SeparateReceiver::under_fresh_key(stream))
            }
        }
    }
}

/// Makes a stream. Without a data id in the file it has the low 16 bits of its identifier; each
/// stream has a key of its own, so two may have the same.
fn together(
    file: &VehicleFile,
    table: &Authentication,
    index: StreamIndex,
    profile: SecocProfile,
) -> Option<SecocStream> {
    let own = file.stream(index);
    let id = internal_id(file, index)?;
    let layout = table.layout(index, own);
    let data_id = data_id(table, index, own.id.value);
    let key = KeyId(key_name(file, index)?.raw());
    let stream = SecocStream::new(profile, layout, id, key).ok()?;
    Some(stream.with_frame_id(own.id.value).with_data_id(data_id))
}

/// Makes a stream whose freshness and code have a PDU of their own.
fn separate(
    file: &VehicleFile,
    table: &Authentication,
    (index, cryptographic_id): (StreamIndex, Id),
    profile: SecocProfile,
) -> Option<SeparateStream> {
    let own = file.stream(index);
    let id = internal_id(file, index)?;
    let carrier = match own.format {
        FrameFormat::Classic => SecocCarrier::Classic,
        FrameFormat::Fd { .. } => SecocCarrier::Fd,
    };
    let ids = (id, cryptographic_id);
    let key = KeyId(key_name(file, index)?.raw());
    let stream = SeparateStream::new(profile, (carrier, own.length), ids, key).ok()?;
    let stream = stream.with_frame_id(own.id.value);
    Some(stream.with_data_id(data_id(table, index, own.id.value)))
}

/// Returns the data id of a stream: the file's, or the low 16 bits of its identifier.
fn data_id(table: &Authentication, index: StreamIndex, id: Id) -> u16 {
    table.data_id(index).unwrap_or(match id {
        Id::Standard(id) => id.raw(),
        Id::Extended(id) => id.raw() as u16,
    })
}

/// Returns the identifier by which the ends of a SecOC stream call it inside ECUs: its own, or for
/// one of 29 bits one of 11 that nothing in the vehicle has. No frame has it.
pub(super) fn internal_id(file: &VehicleFile, stream: StreamIndex) -> Option<StandardId> {
    match file.stream(stream).id.value {
        Id::Standard(id) => Some(id),
        Id::Extended(_) => key_name(file, stream),
    }
}

/// Returns the name of a stream's keys inside ECUs: its identifier, or one of 11 bits that nothing
/// in the vehicle has if that has 29, or if a stream before it has the same on another bus: an ECU
/// may be on both.
pub(super) fn key_name(file: &VehicleFile, stream: StreamIndex) -> Option<StandardId> {
    if let Some(own) = unique(file, stream.0) {
        return Some(own);
    }
    let mut taken: Vec<Id> = file.streams.iter().map(|one| one.id.value).collect();
    for table in &file.authentications {
        taken.extend(table.asking.iter().map(|(_, id)| Id::Standard(*id)));
        if let AuthenticationProtocol::Secoc(secoc) = &table.protocol {
            taken.extend(secoc.master.iter().map(|master| Id::Standard(master.id)));
            taken.extend(secoc.cryptographic_ids.iter().map(|(_, id)| *id));
        }
    }
    let before = file.streams[..stream.0].iter().enumerate();
    let before = before.filter(|(at, one)| {
        let is_protected = !matches!(one.protection, Protection::None | Protection::Granted);
        is_protected && unique(file, *at).is_none()
    });
    let free = (0..=StandardId::MAX).rev();
    let mut free = free.filter_map(|raw| StandardId::new(raw).ok());
    let is_free = |id: &StandardId| !taken.contains(&Id::Standard(*id));
    free.by_ref().filter(is_free).nth(before.count())
}

/// Returns the identifier of a stream if it has 11 bits and no stream before it has the same.
fn unique(file: &VehicleFile, at: usize) -> Option<StandardId> {
    let id = file.streams[at].id.value;
    let is_first = file.streams[..at].iter().all(|one| one.id.value != id);
    match id {
        Id::Standard(own) if is_first => Some(own),
        _ => None,
    }
}

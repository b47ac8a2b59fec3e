//! `waywarden pki misbehaviour read`: the contents of a report.

use std::io::Write;
use std::path::PathBuf;

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::envelope::EnvelopeKeys;
use waywarden_pki_folder::permission::show_psid;
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_input::{records, time};
use waywarden_v2x_misbehaviour_report::layout::{
    AidSpecificReport, AsrBsm, SaeJ3287Data, SaeJ3287Mbr, V2xPduStream,
};
use waywarden_v2x_misbehaviour_report::{ObservationKind, Shown, shows};
use waywarden_v2x_wire::coer::{NestedEncoding, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data, SignedData, SignerIdentifier,
};

use super::{observation, report_bytes};

const EXAMPLES: &str = "\
Examples:
  waywarden pki misbehaviour read bad.mbr --pki us-pki --as ma
  waywarden pki misbehaviour read plain.mbr            # neither signed nor encrypted";

/// Show a misbehaviour report: decrypted, with its observations and the embedded messages.
///
/// An observation is compared with the message that it is about. No signature is verified:
/// `decide` does that.
///
/// Exit code 0 if it was read, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Read {
    /// The file with the report.
    report: PathBuf,
    #[command(flatten)]
    identity: CredentialIdentity,
}

impl Read {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let bytes = report_bytes(&self.report)?;
        let name = self.report.display();
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::new(format_args!("{name}: no misbehaviour report: {error}"))
        };
        let mut out = super::super::stdout();
        match parse(&bytes).map_err(|error| wrong(&error))? {
            SaeJ3287Data::Plaintext(report) => {
                writeln!(out, "form         neither signed nor encrypted")?;
                print(&mut out, &report)?;
            }
            SaeJ3287Data::Signed(NestedEncoding::Encoded(data)) => {
                writeln!(out, "form         signed")?;
                signed(&mut out, data).map_err(|why| wrong(&why))?;
            }
            SaeJ3287Data::SignedThenEncrypted(NestedEncoding::Encoded(data)) => {
                let data = self.decrypted(data)?;
                writeln!(out, "form         signed, then encrypted")?;
                signed(&mut out, &data).map_err(|why| wrong(&why))?;
            }
            _ => {}
        }
        out.flush()?;
        Ok(Answer::Yes)
    }

    fn decrypted(&self, data: &[u8]) -> Result<Vec<u8>, Failure> {
        let name = self.report.display();
        if !self.identity.is_given() {
            return Err(Failure::new(format_args!(
                "{name}: is encrypted; give the authority's key with --pki DIR --as NAME, or \
                 --certificate FILE --key FILE"
            )));
        }
        let mut keys = EnvelopeKeys::new(None).map_err(Failure::new)?;
        keys.add_identity(&self.identity, &mut self.identity.passphrases())?;
        let data = keys.open(data);
        let data = data.map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
        Ok(data.to_vec())
    }
}

/// Prints a signed report.
fn signed(out: &mut dyn Write, data: &[u8]) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let data: Ieee1609Dot2Data<'_> = parse(data).map_err(|error| text(&error))?;
    let Ieee1609Dot2Content::Signed(data) = data.content else {
        return Err("what was encrypted is not signed".to_owned());
    };
    let payload = data.tbs_data.payload.data.as_ref();
    let payload = payload.ok_or("it has no payload")?.view();
    let payload = payload.map_err(|error| text(&error))?;
    let Ieee1609Dot2Content::Unsecured(payload) = payload.content else {
        return Err("the payload is secured itself".to_owned());
    };
    let psid = show_psid(data.tbs_data.header_info.psid);
    let report = parse::<SaeJ3287Mbr<'_>>(payload).map_err(|error| text(&error))?;
    let printed = writeln!(out, "application  {psid}")
        .and_then(|()| writeln!(out, "reporter     {}", signer(&data)))
        .and_then(|()| print(out, &report));
    printed.map_err(|error| text(&error))
}

/// Returns the HashedId8 of a signer's certificate.
fn signer(data: &SignedData<'_>) -> String {
    let id = match &data.signer {
        SignerIdentifier::Digest(id) => Some(*id),
        _ => certificate(data).and_then(|view| id_of(&view)),
    };
    id.map_or_else(|| "itself".to_owned(), |id| records::show(&id.0))
}

fn certificate<'m>(data: &SignedData<'m>) -> Option<Certificate<'m>> {
    match &data.signer {
        SignerIdentifier::Certificate(list) => list.iter().next()?.ok(),
        _ => None,
    }
}

fn print(out: &mut dyn Write, report: &SaeJ3287Mbr<'_>) -> std::io::Result<()> {
    writeln!(out, "time         {}", time::show(report.generation_time))?;
    let place = &report.observation_location;
    let degrees = |tenths: i32| f64::from(tenths) / 1e7;
    writeln!(
        out,
        "place        {:.7}, {:.7}",
        degrees(place.latitude.0),
        degrees(place.longitude.0)
    )?;
    match &report.report {
        AidSpecificReport::Bsm(content) => bsm(out, content),
        AidSpecificReport::Other { aid, content } => writeln!(
            out,
            "about        {}: {} bytes, not read",
            show_psid(*aid),
            content.len()
        ),
    }
}

fn bsm(out: &mut dyn Write, content: &AsrBsm<'_>) -> std::io::Result<()> {
    writeln!(out, "about        BSM")?;
    let streams: Vec<V2xPduStream<'_>> = content.v2x_pdu_evidence.iter().flatten().collect();
    for group in content.observations.iter().flatten() {
        for one in group.observations.iter().flatten() {
            let kind = ObservationKind::of(group.target, one.id);
            let shown = match (kind, streams.first()) {
                (Some(kind), Some(stream)) => comparison(kind, stream),
                _ => "its meaning is not public",
            };
            let name = observation(group.target, one.id);
            writeln!(out, "observation  {name}: {shown}")?;
        }
    }
    for stream in &streams {
        for (at, pdu) in stream.pdus.iter().flatten().enumerate() {
            let subject = match at == usize::from(stream.subject) {
                true => ", the subject",
                false => "",
            };
            let what = message(pdu.0);
            writeln!(out, "message {:<4} {what}{subject}", at + 1)?;
        }
    }
    Ok(())
}

/// Compares an observation with the subject of a stream.
fn comparison(kind: ObservationKind, stream: &V2xPduStream<'_>) -> &'static str {
    let data = stream
        .subject()
        .map(|pdu| parse::<Ieee1609Dot2Data<'_>>(pdu.0));
    let Some(Ok(Ieee1609Dot2Data {
        content: Ieee1609Dot2Content::Signed(data),
        ..
    })) = data
    else {
        return "the message is not signed";
    };
    let beside = stream.certificate.as_ref().and_then(|one| one.view().ok());
    let Some(own) = certificate(&data).or(beside) else {
        return "not compared: the report has no certificate of the signer";
    };
    match shows(kind, &data, &own, &CountryBorders::new()) {
        Shown::Yes => "the message shows it",
        Shown::No => "the message contradicts it",
        Shown::Unknown => "the message alone cannot tell",
    }
}

/// Describes an embedded message.
fn message(bytes: &[u8]) -> String {
    let data: Ieee1609Dot2Data<'_> = match parse(bytes) {
        Ok(data) => data,
        Err(error) => return format!("{} bytes: {error}", bytes.len()),
    };
    let Ieee1609Dot2Content::Signed(data) = data.content else {
        return format!("{} bytes, not signed", bytes.len());
    };
    let header = &data.tbs_data.header_info;
    let made = header.generation_time;
    let made = made.map_or_else(|| "without a time".to_owned(), time::show);
    format!(
        "{}, {made}, {} bytes, signed by {}",
        show_psid(header.psid),
        bytes.len(),
        signer(&data)
    )
}

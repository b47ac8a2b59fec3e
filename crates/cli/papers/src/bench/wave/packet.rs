//! Lengths of the fields of a signed CAM.

use waywarden_papers::Amount;
use waywarden_papers::wave::{CAM_BYTES, Field, WaveQuantity};
use waywarden_v2x_wire::coer::{length, parse};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, SignedData};

use super::Measured;
use super::laboratory::{Bench, failed};
use waywarden_command_line::exit::Failure;

/// Measures the first message of a station, with its certificate, and the second, with the digest.
pub(super) fn measure(bench: &mut Bench) -> Result<Measured, Failure> {
    let mut station = bench.station()?;
    let mut measured = Vec::new();
    for has_certificate in [true, false] {
        bench.advance();
        let (message, _) = bench.sign(&mut station, CAM_BYTES[0])?;
        for (field, bytes) in fields(&message)? {
            let quantity = WaveQuantity::Packet {
                field,
                has_certificate,
            };
            measured.push((quantity, Amount::Number(bytes as f64)));
        }
    }
    Ok(measured)
}

fn fields(message: &[u8]) -> Result<[(Field, usize); 6], Failure> {
    let data: Ieee1609Dot2Data<'_> = parse(message).map_err(failed)?;
    let Ieee1609Dot2Content::Signed(signed) = &data.content else {
        return Err(failed("a message that is not signed"));
    };
    let payload = CAM_BYTES[0] as usize;
    let [whole, header, signer, signature] = lengths(signed)?;
    let begin = message.len().saturating_sub(whole + signer + signature);
    let around = whole.saturating_sub(header + payload);
    Ok([
        (Field::Begin, begin),
        (Field::PayloadHeader, around),
        (Field::Payload, payload),
        (Field::Header, header),
        (Field::Signer, signer),
        (Field::Signature, signature),
    ])
}

/// Of all that is signed, of the header in it, of the signer and of the signature.
fn lengths(signed: &SignedData<'_>) -> Result<[usize; 4], Failure> {
    Ok([
        length(&signed.tbs_data).map_err(failed)?,
        length(&signed.tbs_data.header_info).map_err(failed)?,
        length(&signed.signer).map_err(failed)?,
        length(&signed.signature).map_err(failed)?,
    ])
}

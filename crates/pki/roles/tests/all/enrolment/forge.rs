//! Messages put together by hand, layer by layer, from the structures of the standard: what a role
//! would never send.

use waywarden_ecverify::Curve;
use waywarden_v2x_keys::ecies::mac1;
use waywarden_v2x_keys::{KeyHandle, Nonce, NonceForm};
use waywarden_v2x_security::Verified;
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_signing::{
    Credential, DecryptionKeys, PayloadToSign, Recipient, Seed, SignerForm, SigningOptions,
    UnsignedMessage, decrypt_with_key, encrypt_under, encrypt_with_key, sign_for_oneself,
    sign_unchecked,
};
use waywarden_v2x_wire::coer::{NestedEncoding, Raw, parse};
use waywarden_v2x_wire::etsi102941::{
    DataVersion1, EcSignature, EtsiTs102941Data, EtsiTs102941DataContent, InnerAtRequest,
    InnerEcRequest, SharedAtRequest,
};
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedData, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, SignedData, Version3,
};

use super::world::World;
use crate::support::{NOW, written};

/// The key under which forged requests are encrypted.
pub(super) const KEY: [u8; 16] = [0x5A; 16];

/// The header that all messages have.
pub(super) fn header() -> HeaderInfo<'static> {
    HeaderInfo {
        generation_time: Some(NOW),
        ..HeaderInfo::new(CERTIFICATE_REQUEST)
    }
}

#[derive(Clone, Copy)]
pub(super) enum By<'b> {
    OwnKey(KeyHandle),
    Credential(&'b Credential),
    /// With the certificate in the message.
    Whole(&'b Credential),
}

/// Signs anything.
pub(super) fn signed(
    world: &mut World,
    by: By<'_>,
    header: HeaderInfo<'_>,
    payload: PayloadToSign<'_>,
) -> Vec<u8> {
    let nonce = world.seeds.next();
    let message = UnsignedMessage { payload, header };
    let options = |signer| SigningOptions {
        signer,
        form: NonceForm::XOnly,
        nonce: Nonce::Hedged { entropy: &nonce },
    };
    let store = &mut world.store;
    match by {
        By::OwnKey(key) => sign_for_oneself(store, key, &message, &options(SignerForm::Digest)),
        By::Credential(one) => sign_unchecked(store, one, &message, &options(SignerForm::Digest)),
        By::Whole(one) => sign_unchecked(store, one, &message, &options(SignerForm::Certificate)),
    }
    .unwrap()
}

/// Encrypts to the holder of a certificate.
pub(super) fn sealed(world: &mut World, to: &Verified, data: &[u8]) -> Vec<u8> {
    let recipient = Recipient::certificate(&to.view().unwrap()).unwrap();
    let seed = Seed::new(*world.seeds.next());
    encrypt_with_key(&mut world.store, &[recipient], &KEY, data, &seed).unwrap()
}

/// Encrypts to the enrolment authority.
pub(super) fn sealed_to_ea(world: &mut World, data: &[u8]) -> Vec<u8> {
    let ea = world.ea_certificate();
    sealed(world, &ea, data)
}

/// Encrypts under the key of a request.
pub(super) fn sealed_under(world: &mut World, key: &[u8; 16], data: &[u8]) -> Vec<u8> {
    encrypt_under(key, data, &Seed::new(*world.seeds.next())).unwrap()
}

/// Opens what is encrypted to an authority; returns the key, too.
pub(super) fn opened(
    world: &mut World,
    to: &Verified,
    key: KeyHandle,
    message: &[u8],
) -> (Vec<u8>, [u8; 16]) {
    let recipient = Recipient::certificate(&to.view().unwrap()).unwrap();
    let keys = DecryptionKeys::new().with_private_key(recipient, key);
    let opened = decrypt_with_key(&mut world.store, &keys, message).unwrap();
    (opened.data.to_vec(), *opened.key)
}

/// Opens what is encrypted under a request's key.
pub(super) fn opened_under(world: &mut World, key: &[u8; 16], message: &[u8]) -> Vec<u8> {
    let keys = DecryptionKeys::new().with_symmetric_key(key).unwrap();
    let opened = decrypt_with_key(&mut world.store, &keys, message).unwrap();
    opened.data.to_vec()
}

/// Opens an enrolment request; returns the signed request and its key.
pub(super) fn opened_by_ea(world: &mut World, message: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let (ea, key) = (world.ea_certificate(), world.ea_key);
    opened(world, &ea, key, message)
}

/// Opens an authorization request; returns the request and its key.
pub(super) fn opened_by_aa(world: &mut World, message: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let (aa, key) = (world.aa_certificate(), world.aa_key);
    opened(world, &aa, key, message)
}

/// Reads signed data.
pub(super) fn signed_data(bytes: &[u8]) -> SignedData<'_> {
    let data: Ieee1609Dot2Data<'_> = parse(bytes).unwrap();
    match data.content {
        Ieee1609Dot2Content::Signed(signed) => signed,
        other => panic!("{other:?}"),
    }
}

/// Returns the octets in signed data.
pub(super) fn payload<'m>(signed: &SignedData<'m>) -> &'m [u8] {
    let data = signed.tbs_data.payload.data.unwrap().view().unwrap();
    match data.content {
        Ieee1609Dot2Content::Unsecured(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

/// Reads what a message carries.
pub(super) fn content(payload: &[u8]) -> EtsiTs102941DataContent<'_> {
    parse::<EtsiTs102941Data<'_>>(payload).unwrap().content
}

/// Writes what a message carries.
pub(super) fn message(content: EtsiTs102941DataContent<'_>) -> Vec<u8> {
    written(&EtsiTs102941Data {
        version: DataVersion1,
        content,
    })
}

/// The signed request of an enrolment: the proof of possession in it, and what that carries.
pub(super) fn possession(outer: &[u8]) -> Vec<u8> {
    let EtsiTs102941DataContent::EnrolmentRequest(inner) = content(payload(&signed_data(outer)))
    else {
        panic!("another content");
    };
    written(&inner)
}

/// Signatures of an enrolment request.
#[derive(Clone, Copy)]
pub(super) struct Enrolment<'e> {
    /// Signer of the proof of possession.
    pub(super) possession: By<'e>,
    pub(super) possession_header: HeaderInfo<'e>,
    /// Signer of the request.
    pub(super) signer: By<'e>,
    pub(super) header: HeaderInfo<'e>,
}

impl<'e> Enrolment<'e> {
    /// Signed as it should be.
    pub(super) fn by(possession: KeyHandle, signer: By<'e>) -> Self {
        Self {
            possession: By::OwnKey(possession),
            possession_header: header(),
            signer,
            header: header(),
        }
    }

    /// Makes the signed request of what it carries.
    pub(super) fn signed(&self, world: &mut World, inner: &[u8]) -> Vec<u8> {
        let payload = PayloadToSign::Data(inner);
        let own = signed(world, self.possession, self.possession_header, payload);
        let own: Ieee1609Dot2Data<'_> = parse(&own).unwrap();
        let own = NestedEncoding::Value(&own);
        let payload = message(EtsiTs102941DataContent::EnrolmentRequest(own));
        signed(
            world,
            self.signer,
            self.header,
            PayloadToSign::Data(&payload),
        )
    }

    /// Makes the message of it.
    pub(super) fn sealed(&self, world: &mut World, inner: &[u8]) -> Vec<u8> {
        let signed = self.signed(world, inner);
        sealed_to_ea(world, &signed)
    }
}

/// Takes what a request asks for, changes it, and writes it again.
pub(super) fn changed_enrolment(
    world: &mut World,
    request: &[u8],
    change: impl for<'r> FnOnce(&mut InnerEcRequest<'r>),
) -> Vec<u8> {
    let (outer, _) = opened_by_ea(world, request);
    let possession = possession(&outer);
    let mut inner: InnerEcRequest<'_> = parse(payload(&signed_data(&possession))).unwrap();
    change(&mut inner);
    written(&inner)
}

/// Signatures of an authorization request.
#[derive(Clone, Copy)]
pub(super) struct Authorization<'a> {
    /// The enrolment credential's.
    pub(super) credential: By<'a>,
    pub(super) credential_header: HeaderInfo<'a>,
    /// Hash that the credential signs in place of the request's.
    pub(super) signs: Option<[u8; 32]>,
    /// The holder to whom that signature is encrypted; `None`: it is not.
    pub(super) encrypted_to: Option<&'a Verified>,
    /// The key that proves possession, if one does.
    pub(super) possession: Option<By<'a>>,
    pub(super) possession_header: HeaderInfo<'a>,
}

impl<'a> Authorization<'a> {
    /// Signed as it should be, without privacy.
    pub(super) fn by(credential: &'a Credential, possession: KeyHandle) -> Self {
        Self {
            credential: By::Credential(credential),
            credential_header: header(),
            signs: None,
            encrypted_to: None,
            possession: Some(By::OwnKey(possession)),
            possession_header: header(),
        }
    }

    /// Makes the message of a request of the station's, changed; its signatures are made again.
    pub(super) fn sealed(
        &self,
        world: &mut World,
        request: &[u8],
        change: impl for<'r> FnOnce(&mut InnerAtRequest<'r>, &mut SharedAtRequest<'r>),
    ) -> Vec<u8> {
        let (data, _) = opened_by_aa(world, request);
        let data = signed_data(&data);
        let EtsiTs102941DataContent::AuthorizationRequest(mut inner) = content(payload(&data))
        else {
            panic!("another content");
        };
        let mut shared = *inner.shared;
        change(&mut inner, &mut shared);
        let bytes = written(&shared);
        let signature = self.ec_signature(world, &bytes);
        let signature: Ieee1609Dot2Data<'_> = parse(&signature).unwrap();
        let signature = NestedEncoding::Value(&signature);
        let payload = message(EtsiTs102941DataContent::AuthorizationRequest(
            InnerAtRequest {
                shared: parse::<Raw<'_, SharedAtRequest<'_>>>(&bytes).unwrap(),
                ec_signature: match self.encrypted_to {
                    Some(_) => EcSignature::Encrypted(signature),
                    None => EcSignature::Plain(signature),
                },
                ..inner
            },
        ));
        let data = match self.possession {
            Some(by) => signed(
                world,
                by,
                self.possession_header,
                PayloadToSign::Data(&payload),
            ),
            None => written(&Ieee1609Dot2Data {
                version: Version3,
                content: Ieee1609Dot2Content::Unsecured(&payload),
            }),
        };
        let aa = world.aa_certificate();
        sealed(world, &aa, &data)
    }

    fn ec_signature(&self, world: &mut World, shared: &[u8]) -> Vec<u8> {
        let mut digest = [0; 32];
        digest.copy_from_slice(hash(HashFunction::Sha256, shared).as_bytes());
        let digest = self.signs.unwrap_or(digest);
        let payload = PayloadToSign::Hash(HashedData::Sha256(&digest));
        let signature = signed(world, self.credential, self.credential_header, payload);
        match self.encrypted_to {
            Some(to) => sealed(world, to, &signature),
            None => signature,
        }
    }
}

/// The tag of a verification key on P-256, by hand: its alternative, the form of the point, and x.
pub(super) fn key_tag(world: &World, hmac_key: &[u8; 32], key: KeyHandle) -> [u8; 16] {
    use waywarden_v2x_keys::KeyStore as _;
    let public = world.store.public_key(key).unwrap();
    assert_eq!(public.curve(), Curve::P256);
    let uncompressed = public.uncompressed();
    let waywarden_ecverify::EncodedPoint::Uncompressed { x, y } = uncompressed else {
        panic!("{uncompressed:?}");
    };
    let form = 0x82 + (y[31] & 1);
    mac1(hmac_key, &[&[0x80, form][..], x].concat())
}

//! The first phase: everything but signatures is held against the rules. Nothing changes.

use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_ecverify::{EncodedPoint, Job, Signature as EcdsaSignature, Verdict, verify_many};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, SignedData, SignerIdentifier, Time64,
};

use crate::chain::{self, Chain, HolderKey, Link, signed_digest, signed_digest_as_is};
use crate::circumstances::Circumstances;
use crate::hash::{Digest, HashFunction, hash};
use crate::key::{sender, signature_on};
use crate::knowledge::Knowledge;
use crate::list::check_list;
use crate::profile::SecurityProfile;
use crate::replay::{SignatureKey, Stream};
use crate::result::{Reason, Refusal, ResultCode};
use crate::rules::{check_internal, check_local, check_presence, check_relevance, replayed};
use crate::signed::Signed;
use crate::store::{CHAIN_MAX, Verified};

/// How many jobs a message has at the most.
pub const JOBS_MAX: usize = 2 * (CHAIN_MAX as usize + 1);

/// A signature that has to be verified.
#[derive(Debug)]
struct Step<'m> {
    digest: Digest,
    /// The same of the bytes as they came, where they are not canonical: either may be signed.
    as_is: Option<Digest>,
    signature: EcdsaSignature<'m>,
    /// Whose it has to be: the place among the keys.
    key: usize,
    /// Of which certificate it is; `None`: of the message.
    certificate: Option<HashedId8>,
}

/// A message of which only signatures are left to verify.
#[derive(Debug)]
pub struct Prepared<'m> {
    /// The message.
    data: SignedData<'m>,
    profile: SecurityProfile,
    pub(crate) now: Time64,
    pub(crate) chain: Chain<'m>,
    /// That of the top of the chain, then those of the links down to the signer's.
    pub(crate) keys: Vec<HolderKey<'m>>,
    steps: Vec<Step<'m>>,
}

impl<'m> Prepared<'m> {
    /// Returns the signatures to verify: those of the chain's certificates, then the message's own.
    /// Where bytes did not come in canonical form there are two jobs for a signature, of which one
    /// has to be valid. At most [`JOBS_MAX`].
    pub fn jobs(&self) -> impl Iterator<Item = Job<'_>> {
        let sender = sender(self.signer());
        self.steps.iter().flat_map(move |step| {
            let key = &self.keys[step.key];
            let digests = [Some(&step.digest), step.as_is.as_ref()];
            digests.into_iter().flatten().map(move |digest| Job {
                curve: key.curve(),
                digest: digest.as_bytes(),
                signature: step.signature,
                key: key.job_key(),
                sender: step.certificate.is_none().then_some(sender),
            })
        })
    }

    /// Finds the signatures that a message with this chain has.
    fn of(
        data: SignedData<'m>,
        chain: Chain<'m>,
        profile: SecurityProfile,
        circumstances: &Circumstances<'_>,
    ) -> Result<Self, Refusal> {
        let (keys, mut steps) = certificates(&chain)?;
        steps.push(message_step(
            &data,
            &chain,
            keys.len() - 1,
            &keys,
            circumstances,
        )?);
        Ok(Self {
            data,
            profile,
            now: circumstances.now,
            chain,
            keys,
            steps,
        })
    }

    /// Does the jobs.
    pub(crate) fn verdicts(&self) -> Vec<Verdict> {
        let jobs: Vec<Job<'_>> = self.jobs().collect();
        let mut verdicts = alloc::vec![Verdict::Valid; jobs.len()];
        verify_many(&jobs, &mut verdicts);
        verdicts
    }

    /// Finds the first signature that no job found valid.
    pub(crate) fn judge(&self, verdicts: &[Verdict]) -> Result<(), Refusal> {
        let mut verdicts = verdicts.iter();
        for step in &self.steps {
            let first = verdicts.next();
            let second = step.as_is.and_then(|_| verdicts.next());
            let is_valid = |verdict: Option<&Verdict>| verdict.is_some_and(|one| one.is_valid());
            if is_valid(first) || is_valid(second) {
                continue;
            }
            return Err(Refusal {
                code: ResultCode::CryptoVerificationFailure,
                certificate: step.certificate,
                field: "signature",
                reason: match first {
                    Some(Verdict::Refused(refusal)) => Reason::Signature(*refusal),
                    _ => Reason::Words("not verified"),
                },
            });
        }
        Ok(())
    }

    /// Returns the signed data.
    #[must_use]
    pub fn data(&self) -> &SignedData<'m> {
        &self.data
    }

    /// Returns by what the signer's certificate is called.
    #[must_use]
    pub fn signer(&self) -> HashedId8 {
        self.chain.signer().0
    }

    /// Returns the profile that it was held against.
    #[must_use]
    pub fn profile(&self) -> &SecurityProfile {
        &self.profile
    }

    /// Returns what was signed, by which the message is known again whatever form its signature
    /// takes.
    pub(crate) fn digest(&self) -> &Digest {
        // The message's own step is last; there is always one.
        &self.steps[self.steps.len() - 1].digest
    }

    /// Returns by what its signature is known again, with the bytes that it may be over: of two
    /// messages of one signer with the same digest and the same key both signatures are valid, or
    /// neither is.
    pub(crate) fn signature_key(&self) -> SignatureKey {
        use EncodedPoint::{CompressedY0, CompressedY1, Fill, Uncompressed, XOnly};
        let step = &self.steps[self.steps.len() - 1];
        let (form, x, y): (u8, &[u8], &[u8]) = match step.signature.r {
            XOnly(x) => (0, x, &[]),
            Fill => (1, &[], &[]),
            CompressedY0(x) => (2, x, &[]),
            CompressedY1(x) => (3, x, &[]),
            Uncompressed { x, y } => (4, x, y),
        };
        let as_is = step.as_is.as_ref().map_or(&[][..], Digest::as_bytes);
        let parts = [&[form], x, y, step.signature.s, as_is].concat();
        hash(HashFunction::Sha256, &parts).id_8().0
    }

    /// Returns among which messages it would be a replay.
    pub(crate) fn stream(&self) -> Stream {
        Stream {
            signer: self.signer(),
            psid: self.data.tbs_data.header_info.psid,
        }
    }

    /// Returns when it was made, or else when it came.
    pub(crate) fn made(&self) -> Time64 {
        let header = &self.data.tbs_data.header_info;
        header.generation_time.unwrap_or(self.now)
    }
}

impl Knowledge {
    /// Reads a message, builds its chain and holds all but signatures against the rules.
    ///
    /// Bounded: a chain has at most [`CHAIN_MAX`] certificates, and only
    /// the keys of implicit ones above others are computed here. Variable time; all of it is
    /// public.
    ///
    /// # Errors
    /// The first rule that does not hold.
    pub(crate) fn prepare<'m>(
        &self,
        message: &'m [u8],
        circumstances: &Circumstances<'_>,
    ) -> Result<Prepared<'m>, Refusal> {
        let data = signed_data(message)?;
        let header = &data.tbs_data.header_info;
        let profile = *self.profiles.of(header.psid);
        check_presence(header, &profile)?;
        let chain = self.chain(&data)?;
        check_local(&data, &chain, &profile, circumstances)?;
        check_internal(&data, circumstances)?;
        chain::check(&chain)?;
        self.check_revocation(&chain, &profile, circumstances.now)?;
        self.check_consistency(&data, &chain, &profile, circumstances.now)?;
        check_relevance(header, &chain, &profile, circumstances)?;
        check_list(&data, &profile, circumstances.now)?;
        let prepared = Prepared::of(data, chain, profile, circumstances)?;
        // Cheap, and true only where every signature is known to be valid: what says the same
        // under another signature is told a replay after that was verified.
        if profile.checks_replay && prepared.chain.links.is_empty() {
            let (stream, made) = (prepared.stream(), prepared.made());
            let known = self.replays.signature(stream, made, prepared.digest());
            if known.is_some_and(|known| known == prepared.signature_key()) {
                return Err(replayed());
            }
        }
        Ok(prepared)
    }

    /// Verifies the signatures of a message and of its chain, and nothing else: whether the message
    /// is whole, though it may be too old, out of place or not permitted. It changes nothing.
    ///
    /// # Errors
    /// What cannot be read, a chain that cannot be built, and the first signature that is not
    /// valid.
    pub(crate) fn verify_signatures(
        &self,
        message: &[u8],
        external_data: Option<&[u8]>,
    ) -> Result<(), Refusal> {
        let data = signed_data(message)?;
        let chain = self.chain(&data)?;
        let circumstances = Circumstances {
            external_data,
            ..Circumstances::at(Time64(0))
        };
        let prepared = Prepared::of(data, chain, SecurityProfile::DEFAULT, &circumstances)?;
        prepared.judge(&prepared.verdicts())
    }

    fn chain<'m>(&self, data: &SignedData<'m>) -> Result<Chain<'m>, Refusal> {
        match data.signer {
            SignerIdentifier::Digest(id) => match self.store.find(id) {
                Some(top) => Ok(Chain {
                    links: Vec::new(),
                    top: Arc::clone(top),
                }),
                None => Err(Refusal {
                    code: ResultCode::ParsingCertificateNotFound,
                    certificate: None,
                    field: "signer",
                    reason: Reason::Missing(id),
                }),
            },
            SignerIdentifier::Certificate(certificates) => {
                let mut certificates = certificates.iter().flatten();
                match certificates.next() {
                    Some(first) => chain::build(Link::new(first)?, certificates, &self.store),
                    None => Err(Refusal::message(
                        ResultCode::ParsingCertificateNotFound,
                        "signer",
                        "a list of no certificates",
                    )),
                }
            }
            SignerIdentifier::OwnKey(_) => Err(Refusal::message(
                ResultCode::InconsistentInputParameters,
                "signer",
                "signed with a key of its own, as only requests for certificates are",
            )),
        }
    }
}

fn signed_data(message: &[u8]) -> Result<SignedData<'_>, Refusal> {
    let data: Ieee1609Dot2Data<'_> = parse(message)?;
    match data.content {
        Ieee1609Dot2Content::Signed(data) => Ok(data),
        _ => Err(Refusal::message(
            ResultCode::InconsistentInputParameters,
            "content",
            "not signed data",
        )),
    }
}

/// Finds the keys of a chain from the top down, and the signatures of its explicit certificates.
fn certificates<'m>(chain: &Chain<'m>) -> Result<(Vec<HolderKey<'m>>, Vec<Step<'m>>), Refusal> {
    let mut keys = alloc::vec![HolderKey::Known(Arc::clone(&chain.top))];
    let mut steps = Vec::new();
    for (at, link) in chain.links.iter().enumerate().rev() {
        let view;
        let issuer = match chain.links.get(at + 1) {
            Some(above) => &above.certificate,
            None => {
                view = chain.top.view()?;
                &view
            }
        };
        let issuer_key = keys.len() - 1;
        let key = HolderKey::of(link, issuer, &keys[issuer_key])?;
        if let Some(own) = &link.certificate.signature {
            let Some(signature) = signature_on(keys[issuer_key].curve(), own) else {
                return Err(link.refuse(
                    ResultCode::CryptoVerificationFailure,
                    "signature",
                    "of another curve than the issuer's key",
                ));
            };
            steps.push(Step {
                digest: signed_digest(link, Some(issuer))?,
                as_is: signed_digest_as_is(link, Some(issuer))?,
                signature,
                key: issuer_key,
                certificate: Some(link.id()),
            });
        }
        keys.push(key);
    }
    Ok((keys, steps))
}

/// The message's own signature.
fn message_step<'m>(
    data: &SignedData<'m>,
    chain: &Chain<'m>,
    key: usize,
    keys: &[HolderKey<'m>],
    circumstances: &Circumstances<'_>,
) -> Result<Step<'m>, Refusal> {
    let view;
    let (signer, known) = match chain.links.first() {
        Some(link) => (&link.certificate, &link.digest),
        None => {
            view = chain.top.view()?;
            (&view, chain.top.digest())
        }
    };
    let curve = keys[key].curve();
    let signed = Signed::of(data, curve, circumstances.external_data)?;
    Ok(Step {
        digest: signed.canonical(signer, known)?,
        as_is: signed.as_is(signer),
        signature: signed.signature,
        key,
        certificate: None,
    })
}

/// Returns a certificate of a message as one that was verified.
pub(crate) fn verified(
    link: &Link<'_>,
    key: HolderKey<'_>,
    issuer: Arc<Verified>,
) -> Result<Arc<Verified>, Refusal> {
    let signer = key.into_signer(link)?;
    let certificate = Verified::new(&link.certificate, link.digest, signer, Some(issuer));
    Ok(Arc::new(certificate))
}

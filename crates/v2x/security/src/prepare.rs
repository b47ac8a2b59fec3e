//! The first phase: what is cheap to check is checked, and the signatures are listed. Nothing
//! changes.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, SignedData, SignerIdentifier,
};

use crate::chain::{self, Chain, KnownCertificates, Link};
use crate::consistency::check_periods;
use crate::context::ReceptionContext;
use crate::prepared::Prepared;
use crate::profile::SecurityProfile;
use crate::result::{Reason, Refusal, ResultCode};
use crate::revoked::Unexpanded;
use crate::rules::{
    check_internal, check_local, check_message_profile, check_presence, check_relevance, replayed,
};
use crate::start::check_start;
use crate::state::ReceiverState;
use crate::store::Verified;

impl ReceiverState {
    /// Reads a message, builds its chain and checks what does not depend on signatures.
    ///
    /// Bounded by [`Limits`](crate::Limits): linear in the message, and what certificates in it say
    /// beyond their times is not compared before their signatures have verified. Variable time; all
    /// of it is public.
    ///
    /// # Errors
    /// The first rule that does not hold.
    pub(crate) fn prepare<'m>(
        &self,
        message: &'m [u8],
        context: &ReceptionContext<'_>,
        provisional: Option<&BTreeMap<HashedId8, Arc<Verified>>>,
    ) -> Result<Prepared<'m>, Refusal> {
        let data = self.read(message, context)?;
        let header = &data.tbs_data.header_info;
        let profile = *self.profiles.of(header.psid);
        check_presence(header, &profile)?;
        check_message_profile(&data, &profile)?;
        let chain = self.chain(&data, provisional)?;
        check_local(&data, &chain, &profile, context)?;
        check_internal(&data, context)?;
        check_periods(&chain)?;
        self.check_revocation(&chain, &profile, (context.now, Unexpanded::Passed))?;
        self.check_consistency(&data, &chain, context.now)?;
        check_relevance(header, &chain, &profile, context)?;
        let prepared = Prepared::of(data, chain, profile, context, &self.limits)?;
        self.check_known_replay(&prepared)?;
        Ok(prepared)
    }

    /// A message is no copy of one that was accepted, as far as its signature tells before it is
    /// verified. Cheap, and true only where every signature is known to be valid: what says the
    /// same under another signature is called a replay after that was verified.
    pub(crate) fn check_known_replay(&self, prepared: &Prepared<'_>) -> Result<(), Refusal> {
        if !prepared.profile().checks_replay || !prepared.chain.links.is_empty() {
            return Ok(());
        }
        let header = &prepared.data().tbs_data.header_info;
        check_start(header, prepared.profile(), self.start)?;
        let (stream, made) = (prepared.stream(), prepared.made());
        let known = self.replays.signature(stream, made, prepared.digest());
        match known.is_some_and(|known| prepared.signature_key().follows_from(known)) {
            true => Err(replayed()),
            false => Ok(()),
        }
    }

    /// Finds the signatures of a message and of its chain, and checks no rule beyond what that
    /// takes.
    ///
    /// # Errors
    /// What cannot be read, and a chain that cannot be built.
    pub(crate) fn prepare_signatures<'m>(
        &self,
        message: &'m [u8],
        context: &ReceptionContext<'_>,
    ) -> Result<Prepared<'m>, Refusal> {
        let data = self.read(message, context)?;
        let chain = self.chain(&data, None)?;
        let profile = SecurityProfile::DEFAULT;
        Prepared::of(data, chain, profile, context, &self.limits)
    }

    fn read<'m>(
        &self,
        message: &'m [u8],
        context: &ReceptionContext<'_>,
    ) -> Result<SignedData<'m>, Refusal> {
        self.limits.check(message, context.source, &self.profiles)?;
        signed_data(message)
    }

    fn chain<'m>(
        &self,
        data: &SignedData<'m>,
        provisional: Option<&BTreeMap<HashedId8, Arc<Verified>>>,
    ) -> Result<Chain<'m>, Refusal> {
        let known = KnownCertificates {
            store: &self.store,
            provisional,
        };
        match data.signer {
            SignerIdentifier::Digest(id) => match known.find(id) {
                Some(top) => Ok(Chain {
                    links: Vec::new(),
                    top: Arc::clone(top),
                    presented: None,
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
                    Some(first) => {
                        chain::build(Link::new(first)?, certificates, &known, &self.limits)
                    }
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

//! Full and failing storage of the authority.

use waywarden_v2x_pki::enrolment::{
    AnswerRecord, AnswerStore, MemoryRegistry, RecordError, RegisteredStation, RequestRefusal,
    StationRegistry, StationStatus, StorageFailure,
};
use waywarden_v2x_wire::etsi102941::EnrolmentResponseCode as Code;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::good;
use crate::enrolment::world::{STATION, World};
use crate::support::NOW;

#[test]
fn full_memory_refuses_new_requests_and_keeps_the_old() {
    let mut world = World::new("full");
    world.registry = MemoryRegistry::new(1);
    use waywarden_v2x_keys::KeyStore as _;
    world.registry.register(RegisteredStation {
        canonical_id: STATION.to_vec(),
        key: world.store.public_key(world.canonical).unwrap(),
        profile: waywarden_v2x_pki::enrolment::StationProfile::new(Vec::new()),
        status: StationStatus::Active,
    });
    let (one, two) = (good(&mut world), good(&mut world));
    world.answer_enrolment(&one.request, NOW).outcome.unwrap();
    let answer = world.answer_enrolment(&two.request, NOW);
    assert_eq!(answer.outcome.unwrap_err(), RequestRefusal::Full);
    assert_eq!(
        answer.response, None,
        "a certificate that is not recorded does not leave"
    );
    let again = world.answer_enrolment(&one.request, NOW);
    assert_eq!(again.outcome.unwrap_err(), RequestRefusal::Replayed);
}

/// A registry whose storage fails when it records, or always.
struct Failing {
    inner: MemoryRegistry,
    reads: bool,
}

fn failure() -> StorageFailure {
    StorageFailure("no space left".to_owned())
}

impl AnswerStore for Failing {
    fn answer(&self, hash: &[u8; 32]) -> Result<Option<Vec<u8>>, StorageFailure> {
        self.inner.answer(hash)
    }

    fn forgotten_until(&self) -> Result<Option<Time64>, StorageFailure> {
        self.inner.forgotten_until()
    }

    fn record(&mut self, _: &AnswerRecord<'_>) -> Result<(), RecordError> {
        Err(RecordError::Storage(failure()))
    }
}

impl StationRegistry for Failing {
    fn station(&self, canonical_id: &[u8]) -> Result<Option<RegisteredStation>, StorageFailure> {
        match self.reads {
            true => self.inner.station(canonical_id),
            false => Err(failure()),
        }
    }

    fn credential(
        &self,
        id: HashedId8,
    ) -> Result<Option<(RegisteredStation, Vec<u8>)>, StorageFailure> {
        self.inner.credential(id)
    }

    fn tickets(&self, id: &[u8], start: Time64, end: Time64) -> Result<u32, StorageFailure> {
        self.inner.tickets(id, start, end)
    }
}

#[test]
fn failing_storage_lets_no_certificate_out() {
    let mut world = World::new("failing");
    let good = good(&mut world);
    for reads in [true, false] {
        let inner = std::mem::take(&mut world.registry);
        let mut failing = Failing { inner, reads };
        let World {
            ea, store, seeds, ..
        } = &mut world;
        let answer = ea.answer_enrolment(store, &mut failing, &good.request, NOW, seeds);
        let refusal = answer.outcome.unwrap_err();
        assert_eq!(refusal, RequestRefusal::Storage(failure()));
        assert_eq!(refusal.enrolment_code(), Code::DeniedRequest);
        // What was refused before anything was issued may be answered.
        assert_eq!(answer.response.is_none(), reads);
        world.registry = failing.inner;
    }
}

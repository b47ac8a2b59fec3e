//! The trust store: what lists make trusted, withdraw and revoke, and which lists are refused.

mod lists;
mod refusals;
mod sequence;

use waywarden_testkit_v2x::world::now;
use waywarden_v2x_security::Verifier;
use waywarden_v2x_security::trust::{TrustState, TrustStore, Withdrawal};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

fn state_of(store: &TrustStore, id: HashedId8, now: Time64) -> Option<TrustState> {
    let report = store.install(&mut Verifier::default(), now);
    let mut found = report.certificates.iter().filter(|one| one.id == id);
    let state = found.next().map(|one| one.state);
    assert!(found.next().is_none(), "listed twice");
    state
}

/// Returns a store restored from the documents of another, as after a restart.
fn restored(store: &TrustStore) -> TrustStore {
    let mut again = TrustStore::new();
    for document in store.documents() {
        again.restore(&document).unwrap();
    }
    for one in store.withdrawals() {
        again.restore_withdrawal(Withdrawal::clone(one));
    }
    let reports = [store, &again].map(|one| one.install(&mut Verifier::default(), now()));
    assert_eq!(reports[0], reports[1]);
    again
}

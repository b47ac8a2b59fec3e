//! The node that the library of an image makes of a record, on this machine.

use waywarden_can::MessageHandle;
use waywarden_can::node::{Boot, BusState, Input, Node, Output, Ports};
use waywarden_firmware_ecu::{Board, Start, node};
use waywarden_firmware_group_keys as group_keys;
use waywarden_firmware_lasan::{
    ECUS, Grants, HANDSHAKES, HELD, LasanStart, PERMISSIONS, Places, roles,
};
use waywarden_firmware_link::{
    Answer, EcuRecord, GroupRecord, LasanRecord, Link, PairedRecord, Record, Request, Status,
};
use waywarden_firmware_paired as paired;
use waywarden_firmware_secoc as secoc;
use waywarden_group_keys::GroupSuite;
use waywarden_key_suites::{FourQ, P256};
use waywarden_lasan::{
    AuthenticationSuite, EcdheEcdsa, EcuArrays, FourQSchnorrQ, LasanSuite as _, ModuleArrays,
    ModuleMessages,
};
use waywarden_work::Instant;

/// The node of a record.
///
/// The statics of an image are on the heap here, never freed: they point to each other.
pub struct RecordNode<'a>(Box<dyn Node + 'a>);

impl RecordNode<'static> {
    /// Makes the node of a boot. What it reports goes nowhere.
    ///
    /// # Panics
    /// If no library takes the record, or its suite is neither of FourQ nor of P-256.
    #[must_use]
    pub fn new(boot: &Boot<'_>, record: &[u8]) -> Self {
        if let Ok(record) = EcuRecord::decode(record) {
            return of_secoc(started(boot, record));
        }
        if let Ok(record) = PairedRecord::decode(record) {
            return of_paired(started(boot, record));
        }
        if let Ok(record) = GroupRecord::decode(record) {
            return match record.suite {
                suite if suite == FourQ.identifier() => of_group(started(boot, record), FourQ),
                _ => of_group(started(boot, record), P256),
            };
        }
        const FOURQ: usize = <FourQSchnorrQ as AuthenticationSuite>::MESSAGE_MAX;
        const FOURQ_KEY: usize = <FourQSchnorrQ as AuthenticationSuite>::SIZES.public_key;
        const ECDSA: usize = <EcdheEcdsa as AuthenticationSuite>::MESSAGE_MAX;
        const ECDSA_KEY: usize = <EcdheEcdsa as AuthenticationSuite>::SIZES.public_key;
        match LasanRecord::decode(record) {
            Ok(record) if record.suite == FourQSchnorrQ.identifier() => {
                let (start, board) = started(boot, record);
                lasan_node::<FourQSchnorrQ, FOURQ, FOURQ_KEY>(start, board)
            }
            Ok(record) => {
                let (start, board) = started(boot, record);
                lasan_node::<EcdheEcdsa, ECDSA, ECDSA_KEY>(start, board)
            }
            Err(error) => panic!("the record: {error}"),
        }
    }
}

impl Node for RecordNode<'_> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.0.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.0.poll(now, room)
    }
}

/// Makes the node of an ECU under a security module, or of the module, of a boot. `M` is the length
/// of the longest message of its suite, `K` that of a public key.
///
/// # Panics
/// As [`roles`].
pub fn lasan_node<'a, S, const M: usize, const K: usize>(
    start: &'a LasanStart,
    board: &'a Board<impl Link>,
) -> RecordNode<'a>
where
    S: AuthenticationSuite + Default,
{
    let messages = kept(ModuleMessages::<M, HANDSHAKES>::new());
    let module = ModuleArrays::<S, ECUS, HANDSHAKES, PERMISSIONS>::new(messages);
    let places = Places {
        ecu: kept(EcuArrays::<M, K, HELD>::new()).storage(),
        module: kept(module).storage(),
        keys: kept(secoc::Keys::new()),
        grants: kept(Grants::new()),
    };
    let roles = kept(roles(start, S::default(), places, board)).as_mut_slice();
    let streams = &start.record.ecu.streams;
    RecordNode(Box::new(node(&start.boot(), streams, roles, board)))
}

type Started<R> = (&'static Start<R>, &'static Board<NoSimulation>);

fn of_secoc((start, board): Started<EcuRecord>) -> RecordNode<'static> {
    let roles = kept(secoc::role(start, kept(secoc::Keys::new()), board)).as_mut_slice();
    let streams = &start.record.streams;
    RecordNode(Box::new(node(&start.boot(), streams, roles, board)))
}

fn of_paired((start, board): Started<PairedRecord>) -> RecordNode<'static> {
    let (keys, ends) = (kept(paired::Keys::new()), kept(paired::Ends::new()));
    let roles = kept(paired::role(start, keys, ends, board)).as_mut_slice();
    let streams = &start.record.streams;
    RecordNode(Box::new(node(&start.boot(), streams, roles, board)))
}

fn of_group<S: GroupSuite + Copy + 'static>(
    (start, board): Started<GroupRecord>,
    suite: S,
) -> RecordNode<'static> {
    let directory = kept(group_keys::directory(start, &suite));
    let (keys, memory) = (kept(secoc::Keys::new()), kept(group_keys::memory(start)));
    let in_use = &*kept(group_keys::KeysInUse::new());
    let own = (in_use, board);
    let agreement = kept(group_keys::agreement(start, suite, directory, memory, own));
    let messages = kept(group_keys::messages(start, keys, in_use, board));
    let roles = group_keys::roles(agreement, messages.as_mut());
    RecordNode(Box::new(group_keys::node(start, roles, board)))
}

fn started<R: 'static>(boot: &Boot<'_>, record: R) -> Started<R> {
    let status = Status {
        now: boot.now,
        is_sent: true,
        state: BusState::Active,
        has_frame: false,
    };
    let start = kept(Start {
        status,
        picoseconds: 0,
        seed: boot.seed,
        retained: boot.retained.iter().copied().collect(),
        record,
    });
    (start, kept(Board::new(NoSimulation(status), start)))
}

fn kept<'a, T>(value: T) -> &'a mut T {
    Box::leak(Box::new(value))
}

/// A link without a simulation at its end: reports go nowhere, and messages get no names.
struct NoSimulation(Status);

impl Link for NoSimulation {
    fn exchange(&mut self, request: &Request<'_>) -> Answer<'_> {
        match request {
            Request::Released { .. } => Answer::Named(MessageHandle::NONE),
            _ => Answer::Status(self.0),
        }
    }

    fn instructions(&mut self) -> u64 {
        0
    }
}

//! Cryptography on a hardware security module: times worked out by hand, and what holds by seed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use waywarden_boards::Board;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Task, Ticket, Token};
use waywarden_can::{Frame, Id};
use waywarden_work::{Algorithm, Duration, Instant, Operation, OperationKind};

use super::{bus, classic_500k, ecu, run, seeds};
use crate::clock::Time;
use crate::config::{Config, EcuConfig, EcuFault, EcuFaultKind};
use crate::controller::{PortConfig, TransmitOrder};
use crate::cpu::ProcessingUnit;
use crate::random::Random;

const SIGN: Operation = Operation::new(OperationKind::Sign, Algorithm::P256, 0);
const TAG: Operation = Operation::new(OperationKind::Tag, Algorithm::Aes128Cmac, 16);
/// An operation that the module does not offer.
const HASH: Operation = Operation::new(OperationKind::Hash, Algorithm::Sha256, 64);

/// A call takes 1 us, a tag 4 us and 1 us for each 16 bytes, a signature 100 us; on a core a tag
/// takes 20 us and a signature 1 ms; driver calls 10 us.
fn board(uses_module: bool) -> Arc<Board> {
    board_with(uses_module, "")
}

fn board_with(uses_module: bool, engines: &str) -> Arc<Board> {
    let mut text = format!(
        "title = 't'\n[characteristics]\narchitecture = 'a'\ncores = 1\n\
         clock = '1 MHz'\nassumed = 'x'\n\
         [security_module]\nname = 'HSM'\narchitecture = 'b'\nclock = '1 MHz'\nassumed = 'x'\n\
         {engines}\n[security_module.call]\nduration = '1 us'\nassumed = 'x'\n\
         [[security_module.figure]]\noperation = 'tag'\nalgorithm = 'aes-128-cmac'\n\
         cycles = 4\ncycles_per_unit = 1\nunit = '16 bytes'\nassumed = 'x'\n\
         [[security_module.figure]]\noperation = 'sign'\nalgorithm = 'p256'\n\
         duration = '100 us'\nassumed = 'x'\n"
    );
    for (operation, algorithm, micros) in [
        ("tag", "aes-128-cmac", 20),
        ("sign", "p256", 1_000),
        ("hash", "sha-256", 30),
        ("frame-send", "can-standard", 10),
        ("frame-receive", "can-standard", 10),
    ] {
        text += &format!(
            "[[figure]]\noperation = '{operation}'\nalgorithm = '{algorithm}'\n\
             duration = '{micros} us'\nassumed = 'x'\n"
        );
    }
    let board = Board::parse("hsm", &text).unwrap_or_else(|error| panic!("{error}"));
    Arc::new(match uses_module {
        true => board.with_module_in_use().unwrap(),
        false => board,
    })
}

type Done = Arc<Mutex<Vec<(u32, u64)>>>;

/// Asks for work at given times and writes down when each is done, in microseconds.
struct Asker {
    plan: VecDeque<(u64, Output)>,
    now: Instant,
    done: Done,
}

impl Node for Asker {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        if let Input::Done(Ticket(ticket)) = input {
            self.done
                .lock()
                .unwrap()
                .push((ticket, now.as_nanos() / 1_000));
        }
    }

    fn poll(&mut self, now: Instant, _room: Ports) -> Output {
        let at = |micros: u64| Instant::ZERO + Duration::from_micros(micros);
        match self.plan.front() {
            Some(&(micros, _)) if at(micros) <= now => self
                .plan
                .pop_front()
                .map_or(Output::Idle(None), |one| one.1),
            next => Output::Idle(next.map(|&(micros, _)| at(micros))),
        }
    }
}

fn work(ticket: u32, operation: Operation) -> Output {
    Output::Work {
        ticket: Ticket(ticket),
        task: Task::Crypto,
        operation,
    }
}

fn transmit(token: u32, id: u16, data: &[u8]) -> Output {
    Output::Transmit {
        port: Port(0),
        token: Token(token),
        frame: Frame::classic(Id::standard(id).unwrap(), data).unwrap(),
    }
}

fn asker(board: Arc<Board>, plan: &[(u64, Output)], done: &Done) -> EcuConfig {
    let (plan, done) = (VecDeque::from(plan.to_vec()), done.clone());
    let mut config = ecu("a", "ideal", vec![PortConfig::on(0)], move |_| {
        Box::new(Asker {
            plan: plan.clone(),
            now: Instant::ZERO,
            done: done.clone(),
        })
    });
    config.board = board;
    config
}

fn one_bus(ecus: Vec<EcuConfig>) -> Config {
    Config {
        seed: 1,
        buses: vec![bus("can", classic_500k())],
        ecus,
    }
}

/// Runs one ECU for 20 ms; returns when each ticket was done, in microseconds.
fn answered(board: Arc<Board>, plan: &[(u64, Output)]) -> Vec<(u32, u64)> {
    let done = Done::default();
    run(one_bus(vec![asker(board, plan, &done)]), 20_000_000);
    std::mem::take(&mut done.lock().unwrap())
}

#[test]
fn a_tag_waits_at_most_for_the_running_command_and_not_for_the_queue_of_signatures() {
    let plan = [
        (0, work(1, SIGN)),
        (0, work(2, SIGN)),
        (0, work(3, SIGN)),
        (50, work(4, TAG)),
    ];
    // Calls end at 1, 2 and 3; the first signature runs from 1 to 101. The tag's call ends at 51.
    let expected = [(1, 101), (4, 106), (2, 206), (3, 306)];
    assert_eq!(answered(board(true), &plan), expected);
    // On the core the tag pre-empts at once, and the signatures take their milliseconds.
    let expected = [(4, 70), (1, 1_020), (2, 2_020), (3, 3_020)];
    assert_eq!(answered(board(false), &plan), expected);
}

#[test]
fn a_longer_message_takes_the_module_longer() {
    let long = Operation { bytes: 17, ..TAG };
    let plan = [(0, work(1, long)), (0, work(2, TAG))];
    assert_eq!(answered(board(true), &plan), [(1, 7), (2, 12)]);
}

#[test]
fn what_the_module_does_not_offer_is_computed_on_a_core_meanwhile() {
    let plan = [(0, work(1, SIGN)), (5, work(2, HASH)), (10, work(3, SIGN))];
    // The call for the second signature is as urgent as the hash, and came later: from 35 to 36.
    let expected = [(2, 35), (1, 101), (3, 201)];
    assert_eq!(answered(board(true), &plan), expected);
}

#[test]
fn engines_work_side_by_side_and_each_completes_its_command() {
    let engines = "engines = [{ name = 'AES', algorithms = ['aes-128-cmac'] }, \
                   { name = 'PKA', algorithms = ['p256'] }]";
    let plan = [
        (0, work(1, SIGN)),
        (0, work(2, SIGN)),
        (50, work(3, TAG)),
        (51, work(4, TAG)),
    ];
    let expected = [(3, 56), (4, 61), (1, 101), (2, 201)];
    assert_eq!(answered(board_with(true, engines), &plan), expected);
}

#[test]
fn tasks_of_the_core_are_not_delayed_by_what_the_module_computes() {
    let plan = [
        (0, work(1, SIGN)),
        (50, transmit(1, 0x100, &[1])),
        (60, transmit(2, 0x101, &[1])),
    ];
    let left_queue = |board| {
        let mut config = asker(board, &plan, &Done::default());
        // Priorities as no integrator would choose them: on a core the frames would wait.
        config.priorities.crypto = 9;
        let recording = run(one_bus(vec![config, listener()]), 20_000_000);
        let queued = |serial| recording.delivery(serial).queued.unwrap().as_picos() / 1_000_000;
        [queued(1), queued(2)]
    };
    assert_eq!(left_queue(board(true)), [60, 70]);
    assert_eq!(left_queue(board(false)), [1_010, 1_020]);
}

#[test]
fn slices_of_the_module_are_its_own_and_calls_are_the_cores() {
    let done = Done::default();
    let plan = [(0, work(1, SIGN)), (2, work(2, TAG))];
    let recording = run(one_bus(vec![asker(board(true), &plan, &done)]), 1_000_000);
    let micros = |time: Time| time.as_picos() / 1_000_000;
    let slices = recording.slices.iter().map(|(_, slice)| {
        let kind = slice.operation.kind;
        (slice.unit, kind, micros(slice.from), micros(slice.to))
    });
    let (core, module) = (ProcessingUnit::Core(0), ProcessingUnit::SecurityModule(0));
    let expected = [
        (core, OperationKind::ModuleCall, 0, 1),
        (core, OperationKind::ModuleCall, 2, 3),
        (module, OperationKind::Sign, 1, 101),
        (module, OperationKind::Tag, 101, 106),
    ];
    assert_eq!(slices.collect::<Vec<_>>(), expected);
}

#[test]
fn a_reset_drops_the_commands_of_the_module() {
    let done = Done::default();
    let plan = [(0, work(1, SIGN)), (0, work(2, SIGN))];
    let mut config = asker(board(true), &plan, &done);
    let [from, until] = [50_000, 60_000].map(Time::from_nanos);
    let kind = EcuFaultKind::Reset;
    config.faults = vec![EcuFault { from, until, kind }];
    run(one_bus(vec![config]), 20_000_000);
    // The same plan again on the clock of the second boot, and nothing of the first.
    assert_eq!(*done.lock().unwrap(), [(1, 101), (2, 201)]);
}

fn listener() -> EcuConfig {
    asker(board(false), &[], &Done::default())
}

/// Sends messages of several streams when their tags are there, while signatures and hashes are
/// computed; a stream's messages are numbered.
struct Streams {
    random: Random,
    /// By ticket: the stream and the number of a message, or none.
    asked: BTreeMap<u32, Option<(u16, u8)>>,
    next: [u8; 3],
    due: Instant,
    ready: VecDeque<Output>,
    answers: Arc<Mutex<(u32, u32)>>,
}

const STREAM_MESSAGES: u8 = 40;

impl Streams {
    fn ask(&mut self) {
        let stream = self.random.below(3) as usize;
        let ticket = self.answers.lock().unwrap().0;
        let bytes = 8 + 8 * stream as u32;
        let (operation, message) = match self.random.below(4) {
            0 => (SIGN, None),
            1 => (HASH, None),
            _ if self.next[stream] == STREAM_MESSAGES => return,
            _ => {
                self.next[stream] += 1;
                let message = (stream as u16, self.next[stream]);
                (Operation { bytes, ..TAG }, Some(message))
            }
        };
        self.asked.insert(ticket, message);
        self.answers.lock().unwrap().0 += 1;
        self.ready.push_back(work(ticket, operation));
    }
}

impl Node for Streams {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        if let Input::Done(Ticket(ticket)) = input {
            let asked = self
                .asked
                .remove(&ticket)
                .expect("a ticket is answered once");
            self.answers.lock().unwrap().1 += 1;
            if let Some((stream, number)) = asked {
                let token = u32::from(stream) * 1_000 + u32::from(number);
                self.ready
                    .push_back(transmit(token, 0x100 + stream, &[number]));
            }
        }
        if now >= self.due && self.answers.lock().unwrap().0 < 200 {
            (0..1 + self.random.below(3)).for_each(|_| self.ask());
            self.due = now + Duration::from_micros(50 + self.random.below(400));
        }
    }

    fn poll(&mut self, _now: Instant, room: Ports) -> Output {
        let waits = matches!(self.ready.front(), Some(Output::Transmit { .. }));
        if (!waits || room.contains(Port(0)))
            && let Some(next) = self.ready.pop_front()
        {
            return next;
        }
        Output::Idle((self.answers.lock().unwrap().0 < 200).then_some(self.due))
    }
}

#[test]
fn module_and_core_never_reorder_the_frames_of_a_stream_and_every_result_comes() {
    for seed in 0..seeds() {
        let mut random = Random::new(seed);
        let answers = Arc::new(Mutex::new((0, 0)));
        let (inner, node) = (answers.clone(), random.stream("streams", 0));
        let port = PortConfig {
            order: TransmitOrder::Fifo,
            transmit_queue: 64,
            ..PortConfig::on(0)
        };
        let mut config = ecu("a", "ideal", vec![port], move |_| {
            Box::new(Streams {
                random: node.clone(),
                asked: BTreeMap::new(),
                next: [0; 3],
                due: Instant::ZERO,
                ready: VecDeque::new(),
                answers: inner.clone(),
            })
        });
        config.board = board(random.chance(0.8));
        config.cores = 1;
        let priorities = &mut config.priorities;
        for priority in [&mut priorities.receive, &mut priorities.send] {
            *priority = random.below(4) as u8;
        }
        let recording = run(one_bus(vec![config, listener()]), 500_000_000);
        let (asked, answered) = *answers.lock().unwrap();
        assert_eq!((asked, answered), (asked.max(200), asked), "seed {seed}");
        let mut last: BTreeMap<u32, u8> = BTreeMap::new();
        for delivery in recording.deliveries.values() {
            assert_eq!(delivery.sent.len(), 1, "seed {seed}: {:?}", delivery.frame);
        }
        let mut sent: Vec<_> = recording.deliveries.values().collect();
        sent.sort_by_key(|delivery| delivery.sent[0]);
        for delivery in sent {
            let number = delivery.frame.data()[0];
            let before = last
                .insert(delivery.frame.arbitration_key(), number)
                .unwrap_or(0);
            assert_eq!(number, before + 1, "seed {seed}: {:?}", delivery.frame);
        }
    }
}

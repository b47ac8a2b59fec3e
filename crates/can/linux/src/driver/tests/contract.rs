//! Rules that hold when everything goes well, in the order of the contract's clauses.

use super::*;

#[test]
fn a_node_is_polled_to_rest_after_each_input_and_before_the_first() {
    let bus = bus();
    let (link, mut other) = (bus.attach(2), bus.attach(8));
    let mut driver = driver(&bus, vec![link]);
    step(&mut driver);
    assert!(matches!(driver.node.notices[..], [(_, ProbeNotice::Rest)]));
    for byte in 0..3 {
        other.send(&frame(0x10, byte)).unwrap();
        bus.carry();
    }
    // The probe itself checks that no two inputs follow each other.
    step(&mut driver);
    let notices: Vec<ProbeNotice> = (0..3)
        .map(|byte| ProbeNotice::Frame(Port(0), frame(0x10, byte)))
        .collect();
    assert_eq!(driver.node.notices(), notices);
    assert_eq!(driver.statistics().received, 3);
}

#[test]
fn the_clock_never_goes_back() {
    let bus = bus();
    let (link, mut other) = (bus.attach(2), bus.attach(8));
    let mut driver = driver(&bus, vec![link]);
    driver.node_mut().answering = true;
    for byte in 0..50 {
        other.send(&frame(0x10, byte)).unwrap();
        steps(&mut driver, 4);
    }
    let times: Vec<Instant> = driver.node.notices.iter().map(|&(now, _)| now).collect();
    assert!(times.is_sorted());
    assert!(times.len() > 100);
}

#[test]
fn each_frame_is_answered_once_when_it_was_really_sent() {
    let bus = bus();
    let link = bus.attach(8);
    let controller = link.handle();
    let mut driver = driver(&bus, vec![link]);
    bus.hold(true);
    let token = driver.node_mut().send(0, frame(0x10, 1));
    steps(&mut driver, 5);
    // The controller has it; that is not enough.
    assert_eq!(controller.holds(), 1);
    assert_eq!(driver.node.notices(), []);
    bus.hold(false);
    steps(&mut driver, 5);
    assert_eq!(driver.node.notices(), [ProbeNotice::Sent(Port(0), token)]);
}

#[test]
fn echoes_answer_their_tokens_though_frames_look_alike() {
    let bus = bus();
    let mut driver = driver(&bus, vec![bus.attach(8)]).with_depth(Depth {
        frames: 32,
        in_flight: 8,
    });
    let sent: Vec<ProbeNotice> = [1, 1, 2, 1, 2, 2]
        .map(|byte| driver.node_mut().send(0, frame(0x10, byte)))
        .map(|token| ProbeNotice::Sent(Port(0), token))
        .to_vec();
    steps(&mut driver, 20);
    assert_eq!(driver.node.notices(), sent);
    assert_eq!(driver.statistics().sent, 6);
    assert_eq!(driver.statistics().stray_echoes, 0);
}

#[test]
fn own_frames_are_not_handed_back_and_others_alike_are() {
    let bus = bus();
    let (link, mut other) = (bus.attach(8), bus.attach(8));
    let mut driver = driver(&bus, vec![link]);
    let same = frame(0x10, 1);
    other.send(&same).unwrap();
    let token = driver.node_mut().send(0, same);
    steps(&mut driver, 10);
    let mut notices = driver.node.notices();
    notices.sort_by_key(|notice| matches!(notice, ProbeNotice::Frame(..)));
    assert_eq!(
        notices,
        [
            ProbeNotice::Sent(Port(0), token),
            ProbeNotice::Frame(Port(0), same)
        ]
    );
}

#[test]
fn room_ends_where_the_queue_is_full_and_one_port_does_not_block_another() {
    let bus = bus();
    let second = super::bus();
    let links = vec![bus.attach(2), second.attach(2)];
    let mut driver = driver(&bus, links).with_depth(Depth {
        frames: 4,
        in_flight: 2,
    });
    bus.hold(true);
    for byte in 0..10 {
        driver.node_mut().send(0, frame(0x10, byte));
    }
    let elsewhere = driver.node_mut().send(1, frame(0x20, 0));
    step(&mut driver);
    assert!(!driver.node.room.contains(Port(0)));
    assert!(driver.node.room.contains(Port(1)));
    assert_eq!(driver.node.frames.len(), 6, "four of ten have left");
    while second.carry() {}
    step(&mut driver);
    assert_eq!(
        driver.node.notices(),
        [ProbeNotice::Sent(Port(1), elsewhere)]
    );
    bus.hold(false);
    steps(&mut driver, 40);
    assert_eq!(driver.statistics().sent, 11);
    assert!(driver.node.frames.is_empty());
}

#[test]
fn a_frame_on_a_port_without_room_is_an_error() {
    let bus = bus();
    let mut driver = driver(&bus, vec![bus.attach(1)]);
    driver.node_mut().outputs.push_back(Output::Transmit {
        port: Port(1),
        token: Token(0),
        frame: frame(1, 1),
    });
    match driver.step(Some(Duration::ZERO)) {
        Err(DriverError::NoRoom(port)) => assert_eq!(port, Port(1)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn work_is_answered_at_once_and_after_the_node_has_come_to_rest() {
    let bus = bus();
    let mut driver = driver(&bus, vec![bus.attach(1)]);
    let operation = Operation::new(OperationKind::Hash, Algorithm::Sha256, 64);
    for ticket in 0..3 {
        driver.node_mut().outputs.push_back(Output::Work {
            ticket: Ticket(ticket),
            task: Task::Crypto,
            operation,
        });
    }
    let before = bus.now();
    driver.step(Some(Duration::ZERO)).unwrap();
    assert_eq!(bus.now(), before);
    let done: Vec<ProbeNotice> = (0..3)
        .map(|ticket| ProbeNotice::Done(Ticket(ticket)))
        .collect();
    assert_eq!(driver.node.notices(), done);
}

/// A store that notes what it is asked, or fails.
#[derive(Debug)]
struct Watched {
    kept: Rc<RefCell<Vec<(Slot, Retained)>>>,
    fails: bool,
}

impl RetainedStore for Watched {
    fn load(&mut self) -> Result<Vec<(Slot, Retained)>, StoreError> {
        Ok(self.kept.borrow().clone())
    }

    fn keep(&mut self, slot: Slot, value: &Retained) -> Result<(), StoreError> {
        if self.fails {
            let path = "full-disk".into();
            return Err(StoreError::Busy { path });
        }
        self.kept.borrow_mut().push((slot, *value));
        Ok(())
    }
}

#[test]
fn retained_comes_after_the_store_has_it_and_never_if_it_fails() {
    for fails in [false, true] {
        let bus = bus();
        let kept = Rc::default();
        let store = Watched {
            kept: Rc::clone(&kept),
            fails,
        };
        let make = |_: Boot<'_>| Probe::default();
        let mut driver =
            Driver::new(bus.host(), vec![bus.attach(1)], store, [1; 32], make).unwrap();
        driver.node_mut().outputs.push_back(Output::Retain {
            slot: Slot(4),
            value: [9; 32],
        });
        let stepped = driver.step(Some(Duration::ZERO));
        assert_eq!(stepped.is_err(), fails);
        if fails {
            assert_eq!(driver.node.notices(), []);
            assert!(kept.borrow().is_empty());
        } else {
            assert_eq!(driver.node.notices(), [ProbeNotice::Retained(Slot(4))]);
            assert_eq!(*kept.borrow(), [(Slot(4), [9; 32])]);
        }
    }
}

#[test]
fn a_timeout_comes_never_early_and_a_later_deadline_replaces_it() {
    let bus = bus();
    let mut driver = driver(&bus, vec![bus.attach(1)]);
    let mut random = Random::new(1);
    for round in 0..500 {
        // The second deadline replaces the first.
        driver.node_mut().next_deadline = Some(bus.now() + Duration::from_nanos(random.below(77)));
        driver.rest(&mut 0).unwrap();
        let next_deadline = bus.now() + Duration::from_nanos(random.below(3_000_000));
        driver.node_mut().next_deadline = Some(next_deadline);
        driver.node.notices.clear();
        while driver.node.notices().is_empty() && bus.now() <= next_deadline + FRAME_TIME {
            step(&mut driver);
        }
        assert_eq!(
            driver.node.notices(),
            [ProbeNotice::Timeout],
            "round {round}"
        );
        let heard = |&&(_, notice): &&(Instant, ProbeNotice)| notice == ProbeNotice::Timeout;
        let (at, _) = *driver.node.notices.iter().find(heard).unwrap();
        assert!(
            at >= next_deadline,
            "round {round}: {at:?} before {next_deadline:?}"
        );
        assert!(at.since(next_deadline) <= FRAME_TIME, "round {round}");
        // One deadline, one timeout.
        driver.node.notices.clear();
        steps(&mut driver, 3);
        assert_eq!(driver.node.notices(), []);
    }
}

#[test]
fn waiting_ends_at_the_wish_though_the_caller_would_wait_longer() {
    let bus = bus();
    let mut driver = driver(&bus, vec![bus.attach(1)]);
    driver.node_mut().next_deadline = Some(Instant::ZERO + Duration::from_millis(3));
    driver.step(None).unwrap();
    assert_eq!(bus.now(), Instant::ZERO + Duration::from_millis(3));
    assert_eq!(driver.node.notices(), [ProbeNotice::Timeout]);
}

#[test]
fn a_boot_has_the_clock_the_seed_and_what_was_retained() {
    let bus = bus();
    let mut store = Volatile::default();
    store.keep(Slot(2), &[5; 32]).unwrap();
    bus.pass(Duration::from_millis(8));
    let boots = RefCell::new(Vec::new());
    let note = |boot: Boot<'_>| {
        let retained = boot.retained.to_vec();
        boots.borrow_mut().push((boot.now, boot.seed, retained));
        Probe::default()
    };
    let mut driver = Driver::new(bus.host(), vec![bus.attach(1)], store, [1; 32], note).unwrap();
    driver.node_mut().outputs.push_back(Output::Retain {
        slot: Slot(0),
        value: [6; 32],
    });
    driver.step(Some(Duration::from_millis(1))).unwrap();
    driver.reboot([2; 32], note).unwrap();
    let at = |ms| Instant::ZERO + Duration::from_millis(ms);
    let later = vec![(Slot(0), [6; 32]), (Slot(2), [5; 32])];
    assert_eq!(
        *boots.borrow(),
        [
            (at(8), [1; 32], vec![(Slot(2), [5; 32])]),
            (at(9), [2; 32], later),
        ]
    );
}

#[test]
fn after_a_reset_nothing_of_the_old_node_reaches_the_new_one() {
    let bus = bus();
    let mut driver = driver(&bus, vec![bus.attach(8)]);
    bus.hold(true);
    driver.node_mut().next_deadline = Some(Instant::ZERO + Duration::from_millis(1));
    for byte in 0..5 {
        driver.node_mut().send(0, frame(0x10, byte));
    }
    step(&mut driver);
    driver.reboot([8; 32], |_| Probe::default()).unwrap();
    bus.hold(false);
    // The same token, the same frame.
    let token = driver.node_mut().send(0, frame(0x10, 0));
    steps(&mut driver, 40);
    assert_eq!(driver.node.notices(), [ProbeNotice::Sent(Port(0), token)]);
}

#[test]
fn two_nodes_talk() {
    const COUNT: u8 = 100;
    let bus = bus();
    let mut client = driver(&bus, vec![bus.attach(2)]);
    let mut server = driver(&bus, vec![bus.attach(2)]);
    server.node_mut().answering = true;
    for byte in 0..COUNT {
        client.node_mut().send(0, frame(0x100, byte));
    }
    for _ in 0..2_000 {
        step(&mut client);
        step(&mut server);
    }
    let answers: Vec<ProbeNotice> = (0..COUNT)
        .map(|byte| ProbeNotice::Frame(Port(0), frame(0x101, byte)))
        .collect();
    let notices = client.node.notices();
    let received = notices
        .iter()
        .filter(|notice| matches!(notice, ProbeNotice::Frame(..)));
    assert_eq!(received.copied().collect::<Vec<_>>(), answers);
    assert_eq!(notices.len(), 2 * usize::from(COUNT));
    let total = DriverStatistics {
        received: COUNT.into(),
        sent: COUNT.into(),
        ..DriverStatistics::default()
    };
    assert_eq!(client.statistics(), total);
    assert_eq!(server.statistics(), total);
}

#[test]
fn it_runs_until_the_condition_holds() {
    let bus = bus();
    let mut driver = driver(&bus, vec![bus.attach(2)]);
    for byte in 0..7 {
        driver.node_mut().send(0, frame(0x10, byte));
    }
    let give_up = Instant::ZERO + Duration::from_millis(1_000);
    driver
        .run_until(|node| node.notices().len() == 7 || bus.now() > give_up)
        .unwrap();
    assert_eq!(driver.node.notices().len(), 7);
    let before = bus.now();
    driver.run_until(|_| true).unwrap();
    assert_eq!(bus.now(), before);
}

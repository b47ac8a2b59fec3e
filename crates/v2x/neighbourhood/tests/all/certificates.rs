//! Certificates that stations ask each other for, and send: with frames lost, stations that join
//! late and restart, and pseudonyms that change.

mod sent_messages;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use waywarden_testkit::{Random, each_seed, number};
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, run};
use waywarden_v2x_neighbourhood::{
    Actor, Command, EthernetFrame, Laboratory, NeighbourhoodEvent, StationFix, StationMoment,
    Timings,
};
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;

use self::sent_messages::SentMessages;
use crate::road::{Plan, laboratory, settings};

/// A station that loses frames, and may start again with all knowledge lost.
struct Unreliable {
    station: Box<dyn Actor>,
    loss_percent: u64,
    random: Random,
    restart: Option<(Duration, Box<dyn Actor>)>,
}

impl Unreliable {
    fn restart_if_due(&mut self, now: StationMoment) {
        if let Some((_, station)) = self.restart.take_if(|(due, _)| now.elapsed >= *due) {
            self.station = station;
        }
    }
}

impl Actor for Unreliable {
    fn receive(
        &mut self,
        frame: &EthernetFrame,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        self.restart_if_due(now);
        if self.random.below(100) >= self.loss_percent {
            self.station.receive(frame, now, events);
        }
    }

    fn work(&mut self, now: StationMoment, events: &mut dyn FnMut(NeighbourhoodEvent)) -> bool {
        self.station.work(now, events)
    }

    fn phase(&self) -> Duration {
        self.station.phase()
    }

    fn step(
        &mut self,
        fix: &StationFix,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        self.restart_if_due(now);
        self.station.step(fix, now, events);
    }

    fn command(&mut self, command: Command, fix: &StationFix) -> Result<(), String> {
        self.station.command(command, fix)
    }

    fn timings(&self) -> Option<&Timings> {
        self.station.timings()
    }

    fn udp_port(&self) -> u16 {
        self.station.udp_port()
    }

    fn take_udp_port(&mut self, port: u16) {
        self.station.take_udp_port(port);
    }
}

/// Behaviour of a station in a run.
#[derive(Clone, Copy)]
struct Behaviour {
    joins: Duration,
    restarts: Option<Duration>,
    speed: f64,
    angle: f64,
    change: ChangeRules,
    loss_percent: u64,
}

impl Behaviour {
    fn station(
        &self,
        joins: Duration,
        laboratory: &Arc<Mutex<Laboratory>>,
        random: &mut Random,
    ) -> PlacedStation {
        let plan = Plan {
            joins,
            speed: self.speed,
            ..Plan::new(
                settings(MessageService::CamOverGeoNetworking, self.change),
                self.angle,
            )
        };
        plan.place(laboratory, random)
    }

    fn place(&self, laboratory: &Arc<Mutex<Laboratory>>, random: &mut Random) -> PlacedStation {
        let PlacedStation { actor, position } = self.station(self.joins, laboratory, random);
        let restart = self.restarts.map(|due| {
            let again = self.station(due, laboratory, random);
            (due, again.actor)
        });
        PlacedStation {
            actor: Box::new(Unreliable {
                station: actor,
                loss_percent: self.loss_percent,
                random: Random::new(random.u64()),
                restart,
            }),
            position,
        }
    }
}

fn drive(behaviours: &[Behaviour], random: &mut Random, duration: Duration) -> SentMessages {
    let laboratory = laboratory(random, 1);
    let places = behaviours.iter().map(|one| one.place(&laboratory, random));
    let mut places: Vec<PlacedStation> = places.collect();
    let restarts = behaviours.iter().enumerate();
    let restarts = restarts.filter_map(|(at, one)| Some((at, one.restarts?)));
    let mut sent_messages = SentMessages::new(restarts.collect::<BTreeMap<_, _>>());
    run(&mut places, duration, &mut |happened| {
        sent_messages.take(&happened);
    });
    sent_messages
}

fn milliseconds(random: &mut Random, below: u64) -> Duration {
    Duration::from_millis(random.below(below))
}

/// A station of a run at random.
fn any_behaviour(random: &mut Random, loss_percent: u64) -> Behaviour {
    let changes = ChangeRules {
        period_us: Some(1_500_000 + random.below(2_000_000)),
        distance_m: None,
        spread: 0.2,
        silence_us: 200_000,
        lock_max_us: 0,
    };
    Behaviour {
        joins: milliseconds(random, 2_000),
        restarts: random
            .once_in(3)
            .then(|| Duration::from_millis(2_000) + milliseconds(random, 1_500)),
        speed: 5.0 + random.below(40) as f64,
        angle: random.below(628) as f64 / 100.0,
        change: match random.once_in(3) {
            true => changes,
            false => ChangeRules::ON_DEMAND,
        },
        loss_percent,
    }
}

/// For each CAM of each run: it asks for no certificate that its station had, and it carries its
/// own certificate exactly when the rules say so \[TS 103 097 §7.1.1\]: in the first CAM of a
/// ticket, a second after the last one, and after a request for it or a CAM of an unknown ticket.
#[test]
fn stations_ask_for_what_they_lack_and_send_their_own_when_the_rules_say() {
    const DURATION: Duration = Duration::from_secs(5);
    let requests = each_seed(8, |seed| {
        let mut random = Random::new(seed);
        let loss_percent = [0, 10, 30, 50][(seed % 4) as usize];
        let stations = 3 + random.index(4);
        let behaviours: Vec<_> = (0..stations)
            .map(|_| any_behaviour(&mut random, loss_percent))
            .collect();
        let sent_messages = drive(&behaviours, &mut random, DURATION);
        sent_messages.report(&format!("{loss_percent} % lost"));
        assert_eq!(sent_messages.needless, [] as [String; 0]);
        assert_eq!(sent_messages.against_the_rule, [] as [String; 0]);
        assert!(
            sent_messages.waits.len() >= stations,
            "{}",
            sent_messages.waits.len()
        );
        if loss_percent == 0 {
            let open = sent_messages.longest_open();
            assert!(open <= Duration::from_millis(1_500), "{open:?}");
        }
        sent_messages.requests
    });
    assert!(requests.iter().sum::<u64>() > 0, "no station asked");
}

/// Stations that come into each other's reach, most of them at once, verify each other soon. The
/// counts are those of `WAYWARDEN_STATIONS` stations in `WAYWARDEN_SECONDS`.
#[test]
fn stations_in_reach_verify_each_other_within_three_seconds() {
    let stations = number("WAYWARDEN_STATIONS").unwrap_or(10);
    let seconds = number("WAYWARDEN_SECONDS").unwrap_or(6);
    let ledgers = [0, 30].map(|loss_percent| {
        let mut random = Random::new(80);
        let behaviours: Vec<_> = (0..stations)
            .map(|at| Behaviour {
                // Four of five are there at the beginning.
                joins: match at % 5 {
                    0 => milliseconds(&mut random, seconds * 750),
                    _ => milliseconds(&mut random, 500),
                },
                restarts: None,
                speed: 8.0 + random.below(18) as f64,
                angle: random.below(628) as f64 / 100.0,
                change: ChangeRules::ON_DEMAND,
                loss_percent,
            })
            .collect();
        let sent_messages = drive(&behaviours, &mut random, Duration::from_secs(seconds));
        sent_messages.report(&format!("{stations} stations, {loss_percent} % lost"));
        sent_messages
    });
    for (sent_messages, longest_ms) in ledgers.iter().zip([700, 3_000]) {
        assert!(sent_messages.waits.len() as u64 >= stations * (stations - 1) * 9 / 10);
        let (_, longest) = sent_messages.waits_ms();
        assert!(longest <= longest_ms, "{longest} ms");
        assert_eq!(
            sent_messages.needless.len(),
            0,
            "of {}",
            sent_messages.requests
        );
    }
}

//! Two senders with one identifier: what identifiers are there to prevent.

use waywarden_can::node::BusState;

use super::*;

#[test]
fn identical_frames_merge_into_one() {
    let frame = plain_frame();
    let mut parties = [
        BusParty::sender(frame),
        BusParty::sender(frame),
        BusParty::receiver(),
    ];
    let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "0 1 starts 555#5555555A",
            "75 2 receives 555#5555555A",
            "76 0 has sent",
            "76 1 has sent",
        ],
        79,
    );
    // They do not acknowledge each other.
    let mut alone = [BusParty::sender(frame), BusParty::sender(frame)];
    let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut alone);
    assert_eq!(episode.end, bits(&classic_timing(), 85));
    assert!(
        alone
            .iter()
            .all(|party| party.counters.tec() == 8 && party.transmit.is_some())
    );
}

#[test]
fn different_data_is_a_bit_error_for_the_recessive_sender() {
    let other = frame(0x555, &[0x55, 0x55, 0x51, 0x5A]);
    let mut parties = [
        BusParty::sender(plain_frame()),
        BusParty::sender(other),
        BusParty::receiver(),
    ];
    let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "0 1 starts 555#5555515A",
            // The third byte is 35 to 42: 01010101 against 01010001.
            "40 0 bit error in DATA",
            "40 0 TEC 8 REC 0",
            "41 0 active flag",
            // The other one's next recessive bit is 42; its zeros 39 to 41 were its own.
            "42 1 bit error in DATA",
            "42 1 TEC 8 REC 0",
            "43 1 active flag",
            // Six zeros from 39: 44.
            "44 2 stuff error in DATA",
            "44 2 TEC 0 REC 1",
            "45 2 active flag",
        ],
        // Flags up to 50, delimiter 51 to 58, intermission 59 to 61.
        62,
    );
}

/// The bus-off attack as Cho and Shin published it (2016): the attacker is an unmodified controller
/// that sends the victim's identifier at the same instant, with an all-dominant data field.
#[test]
fn the_published_bus_off_attack_needs_only_frames() {
    let attack = frame(0x555, &[0; 4]);
    let mut victim = BusParty::sender(plain_frame());
    let mut attacker = BusParty::receiver();
    let mut other = BusParty::receiver();
    let mut attempts = 0;
    let mut history = Vec::new();
    while victim.counters.state() != BusState::Off {
        attacker.transmit = Some(attack);
        let mut parties = [victim.clone(), attacker.clone(), other.clone()];
        run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
        [victim, attacker, other] = parties;
        // Six bits that a passive flag takes longer than the frame, eight of suspension.
        assert!(victim.hold_bits() <= 6 + 8);
        victim.idle(14);
        attacker.idle(14);
        attempts += 1;
        history.push((victim.counters.tec(), attacker.counters.tec()));
        assert!(attempts < 100, "{history:?}");
    }
    // Phase 1, both active: both flags are seen, both count 8 up to 128.
    assert_eq!(history[..3], [(8, 8), (16, 16), (24, 24)]);
    assert_eq!(history[15], (128, 128));
    // Phase 2, both passive: the victim's flag no longer stops the attacker's frame, which is sent
    // and acknowledged. The victim counts on, the attacker comes back.
    assert_eq!(history[16], (136, 127));
    assert_eq!(history[17], (144, 126));
    assert_eq!(attempts, 32);
    assert_eq!(history[31], (256, 112));
    assert_eq!(attacker.counters.state(), BusState::Active);
    assert_eq!(
        other.counters.rec(),
        0,
        "the others saw 16 good frames after 16 errors"
    );
}

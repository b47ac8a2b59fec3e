//! The recommendation among candidates, with its reason.

use waywarden_vehicle_file::formatting::{count, percent};

use super::candidate::Candidate;
use super::guess::{forged_messages, guessed, mean_time};
use super::row::CandidateRow;

/// Returns the number of the row that is recommended: of those that protect something the one that
/// fits, whose codes are not guessed, that leaves the bus as it is, at the lowest load; else the
/// one that comes nearest. None if no row protects a message.
pub(super) fn best(rows: &[CandidateRow], risk: f64) -> Option<usize> {
    let secured = rows.iter().enumerate();
    let secured = secured.filter(|(_, row)| row.candidate.secoc().is_some());
    let best = secured.min_by_key(|(_, row)| key(row, risk))?;
    Some(best.0)
}

/// Values that are compared, less is better, as exact as they are shown: misses, then codes that
/// are guessed, then new controllers on the bus, then load, latency and the length of the code.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    unmet: usize,
    is_guessed: bool,
    /// The longer until the first guess the better, where codes are guessed.
    hours_less: u64,
    is_announcement_guessed: bool,
    becomes_can_fd: bool,
    load: u64,
    bound: u64,
    bits_less: u8,
}

fn key(row: &CandidateRow, risk: f64) -> Key {
    let own = &row.figures;
    let guess = own.guess.as_ref();
    let is_guessed = row.guessed_in_a_year() > risk;
    let mean = guess.map_or(0.0, |guess| guess.mean_seconds);
    let parts = |share: f64| (share * 1e3).round() as u64;
    let announcement = guess.and_then(|guess| guess.announcement_in_a_year);
    Key {
        unmet: row.misses() + (own.to_protect - own.protected),
        is_guessed,
        hours_less: match is_guessed {
            true => u64::MAX - (mean / 3_600.0) as u64,
            false => 0,
        },
        is_announcement_guessed: announcement.is_some_and(|one| one > risk),
        becomes_can_fd: own.messages.iter().any(|one| one.becomes_can_fd),
        load: parts(own.load),
        bound: own.bound.as_ref().map_or(u64::MAX, |one| parts(one.share)),
        bits_less: u8::MAX - guess.map_or(0, |guess| guess.code_bits),
    }
}

/// Says which row is recommended, why, and what it costs.
pub(super) fn conclusion(rows: &[CandidateRow], best: Option<usize>, risk: f64) -> String {
    let without = rows.first().filter(|row| row.candidate.secoc().is_none());
    let mut text = String::new();
    if let Some(row) = without {
        text += &already(row);
    }
    if rows.iter().any(|row| row.figures.bounds_leave_out_keys) {
        text += "Bounds leave out the traffic of the file's own keys ([[keys]], [[lasan]]): judge \
                 by the simulated latency, which may be above its bound. ";
    }
    let Some(row) = best.and_then(|at| rows.get(at)) else {
        return text + "No candidate protects a message: the reasons are below.";
    };
    let own = &row.figures;
    let candidate = row.candidate;
    text += &match row.fits {
        true => format!("SecOC fits. Recommended: {candidate}. "),
        false => format!("SecOC does not fit as asked. Nearest: {candidate}. "),
    };
    text += &match own.protected == own.to_protect {
        true => format!("It protects {}", all(own.to_protect)),
        false => format!(
            "It protects {} of {} messages",
            own.protected, own.to_protect
        ),
    };
    text += &match against(row).as_slice() {
        [] => ", and no message misses a deadline that it met before, or one by more".to_owned(),
        all => format!(", but {}", all.join("; ")),
    };
    text += &format!(
        ". The busiest bus ({}) is loaded by {}",
        own.busiest_bus,
        percent(own.load)
    );
    let loads = [Candidate::None, Candidate::NoneOnFd].map(|bare| {
        let mut rows = rows.iter().filter(|row| row.candidate == bare);
        rows.next().map(|row| percent(row.figures.load))
    });
    let becomes_fd = own.messages.iter().any(|one| one.becomes_can_fd);
    text += &match loads {
        [Some(none), Some(on_fd)] if becomes_fd => {
            format!(", by {none} without codes, and by {on_fd} without codes on CAN FD. ")
        }
        [Some(none), _] => format!(", and by {none} without codes. "),
        [None, _] => ". ".to_owned(),
    };
    text += &reason(rows, row, risk);
    text + &guessing(row, risk)
}

/// Says how probable it is that an attacker guesses a code.
fn guessing(row: &CandidateRow, risk: f64) -> String {
    let Some(guess) = &row.figures.guess else {
        return String::new();
    };
    let limit = guessed(risk);
    let mut text = format!(
        "An attacker that sends {} a second guesses a code within a year with \
         a probability of {}, after {} on average",
        forged_messages(guess.per_second),
        guessed(guess.in_a_year),
        mean_time(guess.mean_seconds),
    );
    text += &match guess.in_a_year > risk {
        false => format!(" (accepted: {limit})."),
        true => format!(
            " (accepted: {limit}): no candidate that does as well otherwise has codes that are \
             harder to guess. Limit the failed codes that a receiver accepts, or shorten payloads or take \
             CAN FD for longer codes."
        ),
    };
    if let Some(announcement) = guess.announcement_in_a_year.filter(|one| *one > risk) {
        text += &format!(
            " An announcement of freshness, whose code has 28 bits at most, is guessed with a \
             probability of {}: one that is accepted stops receivers for good, so limit those, \
             too, or take a profile that announces none.",
            guessed(announcement)
        );
    }
    text
}

/// Says by what the recommended row is ahead of the next one.
fn reason(rows: &[CandidateRow], best: &CandidateRow, risk: f64) -> String {
    let others = rows.iter().filter(|row| row.candidate.secoc().is_some());
    let others = others.filter(|row| row.number != best.number);
    let Some(next) = others.min_by_key(|row| key(row, risk)) else {
        return String::new();
    };
    let (own, other) = (key(best, risk), key(next, risk));
    let ahead = if own.unmet != other.unmet {
        "more messages stay without a code, miss a deadline or are lost"
    } else if own.is_guessed != other.is_guessed || own.hours_less != other.hours_less {
        "codes are easier to guess"
    } else if own.is_announcement_guessed != other.is_announcement_guessed {
        "announcements of freshness are easier to guess"
    } else if own.becomes_can_fd != other.becomes_can_fd {
        "all nodes need CAN FD controllers"
    } else if own.load != other.load {
        "the load is higher"
    } else if own.bound != other.bound {
        "the worst bound takes more of its deadline"
    } else if own.bits_less != other.bits_less {
        "the code is shorter"
    } else {
        "the figures are the same"
    };
    let next = next.candidate;
    format!("The reason: with the next one, {next}, {ahead}. ")
}

/// Says what a row misses or loses that the same bus does not without codes.
fn against(row: &CandidateRow) -> Vec<String> {
    let lost = &row.figures.missed.refused_or_lost;
    let refusable = &row.figures.missed.may_be_refused;
    let instances = count(row.figures.refused_or_lost, "instance");
    let requirement = |all: &[String]| match all.len() {
        1 => "1 requirement is".to_owned(),
        number => format!("{number} requirements are"),
    };
    let all = [
        (
            &row.newly_missed,
            format!("{} newly missed", deadlines(row.newly_missed.len())),
        ),
        (
            &row.missed_by_more_text,
            format!(
                "{} missed by more",
                deadlines(row.missed_by_more_text.len())
            ),
        ),
        (
            lost,
            format!(
                "{instances} of {} {} refused or lost",
                count(lost.len() as u64, "message"),
                if row.figures.refused_or_lost == 1 {
                    "is"
                } else {
                    "are"
                }
            ),
        ),
        (
            refusable,
            format!(
                "{} may be refused by analysis, because a code in a frame of its own may come \
                 later than a receiver waits, or first",
                count(refusable.len() as u64, "message")
            ),
        ),
        (
            &row.requirements_newly_missed_text,
            format!(
                "{} newly missed",
                requirement(&row.requirements_newly_missed_text)
            ),
        ),
        (
            &row.requirements_missed_by_more_text,
            format!(
                "{} missed by more",
                requirement(&row.requirements_missed_by_more_text)
            ),
        ),
    ];
    let all = all.into_iter().filter(|(names, _)| !names.is_empty());
    all.map(|(names, what)| format!("{what} ({})", named(names)))
        .collect()
}

fn deadlines(number: usize) -> String {
    match number {
        1 => "1 deadline is".to_owned(),
        number => format!("{number} deadlines are"),
    }
}

/// Names the first of a list, and counts the others.
fn named(all: &[String]) -> String {
    const NAMED_MAX: usize = 3;
    let first: Vec<&str> = all.iter().take(NAMED_MAX).map(String::as_str).collect();
    match all.len().saturating_sub(NAMED_MAX) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn all(messages: usize) -> String {
    match messages {
        1 => "the message".to_owned(),
        number => format!("all {number} messages"),
    }
}

/// Says what the bus misses without any codes.
fn already(row: &CandidateRow) -> String {
    let missed = &row.figures.missed;
    let mut text = String::new();
    let lost = missed.refused_or_lost.iter();
    let lost = lost.filter(|one| !missed.simulated.contains(one));
    let late: Vec<String> = missed.simulated.iter().chain(lost).cloned().collect();
    if !late.is_empty() {
        let number = match late.len() {
            1 => "1 message is".to_owned(),
            number => format!("{number} messages are"),
        };
        let (names, load) = (named(&late), percent(row.figures.load));
        text += &match row.figures.is_overloaded {
            true => format!(
                "The bus is overloaded without codes: {number} late or lost in the simulation \
                 ({names}), at a load of {load}. "
            ),
            false => format!(
                "{number} late or lost already without codes in the simulation ({names}), at a \
                 load of {load}. "
            ),
        };
    } else if !missed.by_bound.is_empty() {
        text += &format!(
            "Without codes {} may miss a deadline already, by analysis. ",
            count(missed.by_bound.len() as u64, "message")
        );
    }
    text
}

//! Rules that are asked of every printed number, whether it fits or not: what it rests on.

use super::super::model::{self, GkeBus, GkeScheme, log2_up};
use super::super::quantity::{ExchangePart, GkeQuantity};
use super::super::study::exact_classic;
use super::{Meaning, Question, Rule, label};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Amount, PaperError, Unit};

/// Every rule, in the order their findings are told.
pub(super) const NOTES: &[Rule] = &[
    input,
    repeated,
    total_rest,
    bit_rates,
    cipher_that_fits,
    ceiling,
    orchestration_counts,
    key_field,
    frame_range,
    rate_from_the_frame,
    share_at_that_rate,
    spread,
];

/// A board's figure is an input.
fn input(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let is = matches!(question.of, GkeQuantity::Operation { .. });
    Ok(is.then(|| "an input: the board's figure is this number".to_owned()))
}

/// A step whose cost the paper prints twice.
fn repeated(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Step { step, .. } = question.of else {
        return Ok(None);
    };
    let off = (question.formula / question.number() - 1.0) * 100.0;
    let computed = step.message_bytes().is_none() && question.meaning == Meaning::Repeated;
    let shown = computed && off.abs() > 1e-9 && question.fits(question.formula);
    Ok(shown.then(|| format!("the board's figure is {off:+.1} % off this run")))
}

/// A measured total that its measured steps nearly add up to.
fn total_rest(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let rest = question.number() - question.formula;
    let shown = question.meaning == Meaning::Total && question.fits(question.formula);
    Ok(shown.then(|| {
        format!(
            "the steps, the slower board's in stages 1 and 2, leave {rest:+.3} {} of the total",
            question.unit.name()
        )
    }))
}

/// A message's time: at which bit rates do frame and driver take that long?
fn bit_rates(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Step { place, step, .. } = question.of else {
        return Ok(None);
    };
    let Some(bytes) = step.message_bytes() else {
        return Ok(None);
    };
    let run = question.study.data.run_at(place)?;
    let times = question.study.wire_times(run)?;
    let us = |time| short(Amount::Time(time).in_unit(Unit::Microseconds));
    let megabits = |rate: u32| short(f64::from(rate) / 1e6);
    Ok(Some(format!(
        "at {} and {} Mbit/s, which fit the run's two frame times best, a frame of {bytes} bytes \
         takes {} us, the drivers {} us",
        megabits(times.rates.0),
        megabits(times.rates.1),
        us(times.frames[usize::from(bytes > 32)]),
        us(question.study.driver(&run.boards)?),
    )))
}

/// A two-party total on a board without a measured cipher: whose cipher does it leave room for?
fn cipher_that_fits(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::TwoParty { boards, .. } = question.of else {
        return Ok(None);
    };
    let study = question.study;
    let measured = |name: &str| {
        study
            .data
            .run
            .iter()
            .any(|run| run.boards.iter().any(|b| b == name))
    };
    if boards.iter().any(|board| measured(board)) {
        return Ok(None);
    }
    let cost = |board: &str| {
        let (encrypt, decrypt) = study.cipher(board)?;
        Ok::<_, PaperError>(Amount::Time(encrypt + decrypt).in_unit(question.unit))
    };
    let own = cost(&boards[0])?;
    let left = question.number() - (question.formula - own);
    let mut fits = Vec::new();
    for board in study.board_names().filter(|board| measured(board)) {
        let cipher = cost(board)?;
        let fit = question.fits(question.formula - own + cipher);
        let word = if fit { "fit" } else { "do not" };
        fits.push(format!("{cipher:.3} of {} {word}", label(board)));
    }
    Ok(Some(format!(
        "no table measures AES on {}; all else leaves {left:.3} {} for it: {}",
        label(&boards[0]),
        question.unit.name(),
        fits.join(", "),
    )))
}

/// A tree whose depth is no whole logarithm.
fn ceiling(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Group {
        scheme: scheme @ (GkeScheme::Without | GkeScheme::Main),
        n,
        board,
        suite,
        bus,
        part: ExchangePart::Exchanges,
    } = question.of
    else {
        return Ok(None);
    };
    let leaves = match scheme {
        GkeScheme::Without => n + 1,
        _ => *n,
    };
    if leaves.is_power_of_two() {
        return Ok(None);
    }
    let time = question.study.group(*scheme, *n, board, *suite, *bus)?;
    let all = question.study.costs(board, *suite)?.all_stages();
    let seconds = |time| Amount::Time(time).in_unit(question.unit);
    let (depth, exact) = (log2_up(u64::from(leaves)), f64::from(leaves).log2());
    let unrounded = seconds(time.exchanges()) - seconds(all) * (f64::from(depth) - exact);
    let holds = if question.fits(unrounded) {
        "fit as well"
    } else {
        "not fit"
    };
    Ok(Some(format!(
        "with log2 {leaves} = {exact:.2} rounded up to {depth}; unrounded it would be {} {} and \
         {holds}",
        short(unrounded),
        question.unit.name(),
    )))
}

/// A total that fits only with the orchestrator's part.
fn orchestration_counts(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Group {
        scheme,
        n,
        board,
        suite,
        bus,
        part: ExchangePart::Total,
    } = question.of
    else {
        return Ok(None);
    };
    let time = question.study.group(*scheme, *n, board, *suite, *bus)?;
    let [exchanges, orchestration] = [time.exchanges(), time.orchestration()]
        .map(|time| Amount::Time(time).in_unit(question.unit));
    let alone = match question.fits(exchanges) {
        true => "T_gkex alone fits too",
        false => "T_gkex alone would not fit",
    };
    Ok(Some(format!(
        "T_gkex {} + T_SoECU {}; {alone}",
        short(exchanges),
        short(orchestration),
    )))
}

/// A count of frames that tells how long the group key's field is.
fn key_field(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Frames {
        scheme: GkeScheme::Symmetric,
        n,
        bus: GkeBus::Can,
    } = question.of
    else {
        return Ok(None);
    };
    let exchange = model::frames(GkeScheme::TwoParty, 2, GkeBus::Can) as f64;
    let signature = model::frames_of(GkeBus::Can, 64) as f64;
    let rest = question.number() / f64::from(*n) - exchange - signature;
    let short_key = exchange + signature + model::frames_of(GkeBus::Can, 16) as f64;
    Ok(Some(format!(
        "{} frames an ECU less {} of the exchange and {} of the signature leave {}, {} bytes, for \
         the group secret; one of 16 bytes would make it {} n",
        short(question.number() / f64::from(*n)),
        short(exchange),
        short(signature),
        short(rest),
        short(rest * 8.0),
        short(short_key),
    )))
}

/// A mean frame time between bounds.
fn frame_range(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::ClassicFrame { bit_rate } = question.of else {
        return Ok(None);
    };
    let (mean, least) = exact_classic(*bit_rate)?;
    let us = |time| short(Amount::Time(time).in_unit(Unit::Microseconds));
    Ok(Some(format!(
        "random frames take {} us with their intermission, a frame without stuff bits {} us",
        us(mean),
        us(least),
    )))
}

/// A frame rate, held against the paper's own time of a frame and the bit model.
fn rate_from_the_frame(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::FrameRate { bit_rate } = question.of else {
        return Ok(None);
    };
    let stated = question.study.stated_classic(*bit_rate)?;
    let (mean, least) = exact_classic(*bit_rate)?;
    let rate = |time: waywarden_work::Duration| short((1e9 / time.as_nanos() as f64).round());
    Ok(Some(format!(
        "the paper's frame lasts {} us at this bit rate: {} frames a second; exact frames make {}, \
         and without any stuff bit {}",
        short(Amount::Time(stated).in_unit(Unit::Microseconds)),
        rate(stated),
        rate(mean),
        rate(least),
    )))
}

/// A share of a stated frame rate, held against the rate that follows from the paper's frame.
fn share_at_that_rate(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::FrameShare {
        scheme,
        n,
        bus,
        frames_per_second,
    } = question.of
    else {
        return Ok(None);
    };
    let mut claims = question.study.data.claim.iter();
    let rate = claims.find(|claim| {
        let numbers = claim
            .printed
            .iter()
            .map(waywarden_paper_tables::Printed::value);
        matches!(claim.of, GkeQuantity::FrameRate { .. })
            && numbers
                .into_iter()
                .any(|number| number == f64::from(*frames_per_second))
    });
    let Some(rate) = rate else {
        return Ok(None);
    };
    let derived = question.study.formula(&rate.of)?.in_unit(rate.unit);
    let frames = model::frames(*scheme, *n, *bus) as f64;
    Ok(Some(format!(
        "{} of {frames_per_second} frames; of the {} that follow from the paper's frame time it \
         would be {} %",
        short(frames),
        short(derived.round()),
        short(100.0 * frames / derived),
    )))
}

/// A ratio over five operations.
fn spread(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let ratios = question.study.speed_ups(question.of)?;
    let least = ratios.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let most = ratios.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let ends = least.zip(most).filter(|_| question.fits(question.formula));
    Ok(ends.map(|(least, most)| {
        format!(
            "from {:.2} ({}) to {:.2} ({})",
            least.1, least.0, most.1, most.0
        )
    }))
}

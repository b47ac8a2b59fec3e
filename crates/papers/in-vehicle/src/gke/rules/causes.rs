//! Rules that are asked where a printed number and the formula differ.

use super::super::data::Form;
use super::super::model::{self, GkeBus, GkeScheme};
use super::super::quantity::{Aggregation, ExchangePart, GkeQuantity, GkeSuite};
use super::super::study::{run_costs, run_frames, share};
use super::{Meaning, Question, Rule, label};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Amount, PaperError};

/// Every rule, in the order their findings are told.
pub(super) const CAUSES: &[Rule] = &[
    view_of_a_run,
    other_column,
    other_exchange,
    ratio_of_printed_totals,
    linear_bound,
    bus_readings,
    other_part,
    load_readings,
    exceptions,
];

/// The largest share by which a number may miss another and be taken for it.
const SAME: f64 = 0.001;

/// Group sizes that [GKE Figure 15] covers.
const SIZES: std::ops::RangeInclusive<u32> = 2..=32;

/// A measured total of two unlike boards: whose steps does it add up?
fn view_of_a_run(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Run { place, seen_by } = question.of else {
        return Ok(None);
    };
    let run = question.study.data.run_at(place)?;
    let (own, peer) = (run_costs(run, *seen_by)?, run_costs(run, 1 - seen_by)?);
    let (slower, frames) = (own.slower(&peer), run_frames(run)?);
    let column = &run.columns[*seen_by];
    let views = [
        (
            format!("{column}'s own column"),
            model::two_party(&own, &own, &frames),
        ),
        (
            "the slower board in all three stages".to_owned(),
            model::two_party(&slower, &slower, &frames),
        ),
        (
            format!("the slower board in stages 1 and 2 with {column} alone in stage 3"),
            model::two_party(&own, &peer, &frames),
        ),
    ];
    let views = views.map(|(name, time)| (name, Amount::Time(time).in_unit(question.unit)));
    let rest = |value: f64| question.number() - value;
    let nearest = views
        .iter()
        .min_by(|a, b| rest(a.1).abs().total_cmp(&rest(b.1).abs()));
    let sums = views.each_ref().map(|(name, value)| {
        let unit = question.unit.name();
        format!("{name} adds up to {value:.2} {unit}")
    });
    Ok(nearest.map(|(name, value)| {
        format!(
            "{}; nearest is {name}, which leaves {:.2} {} ({} %) that no step of {place} shows",
            sums.join(", "),
            rest(*value),
            question.unit.name(),
            short(rest(*value).abs() / question.number() * 100.0),
        )
    }))
}

/// A step whose formula takes the figure of the other of two like boards.
fn other_column(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Step {
        place,
        seen_by,
        step,
    } = question.of
    else {
        return Ok(None);
    };
    let run = question.study.data.run_at(place)?;
    let (_, other) = run.printed(*step, 1 - seen_by)?;
    let same = run.boards[0] == run.boards[1] && other.is_exactly(question.formula);
    Ok(same.then(|| {
        let [own, peer] = [*seen_by, 1 - seen_by].map(|at| &run.columns[at]);
        format!(
            "{peer}, the same kind of board, has {} for what takes {own} {}; one board has one \
             figure, the slower of the two",
            other.text(),
            question.text(),
        )
    }))
}

/// A two-party total that another pair of boards, another curve or a measured run gives.
fn other_exchange(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::TwoParty { boards, suite, bus } = question.of else {
        return Ok(None);
    };
    let study = question.study;
    let mut others = Vec::new();
    for board in study.board_names() {
        for other in GkeSuite::ALL {
            let pair = [board.to_owned(), board.to_owned()];
            if (&pair, other) != (boards, *suite) {
                let time = study.two_party(&pair, other, *bus)?;
                others.push((format!("{other} on two {} by formula", label(board)), time));
            }
        }
    }
    for run in &study.data.run {
        for (seen_by, column) in run.columns.iter().enumerate() {
            let own = run_costs(run, seen_by)?;
            let time = model::two_party(&own, &run_costs(run, 1 - seen_by)?, &run_frames(run)?);
            others.push((
                format!("the FourQ steps of {} for {column}", run.place),
                time,
            ));
        }
    }
    let values = others
        .into_iter()
        .map(|(name, time)| (name, Amount::Time(time).in_unit(question.unit)));
    let distance = |value: f64| (value / question.number() - 1.0).abs();
    let nearest = values.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    Ok(nearest
        .filter(|(_, value)| distance(*value) <= SAME)
        .map(|(name, value)| {
            format!(
                "{} is the number of another exchange: {name} come to {value:.2}; {suite} takes \
                 {} here",
                question.text(),
                short(question.formula),
            )
        }))
}

/// A ratio of two totals, the first of which is itself printed with another value.
fn ratio_of_printed_totals(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Ratio { over, under } = question.of else {
        return Ok(None);
    };
    let study = question.study;
    let claimed = |of: &GkeQuantity| study.data.claim.iter().find(|claim| claim.of == *of);
    let Some((claim, dividend)) =
        claimed(over).and_then(|claim| claim.printed.first().map(|first| (claim, first)))
    else {
        return Ok(None);
    };
    let computed = study.formula(over)?.in_unit(claim.unit);
    if claim.form.holds(&claim.printed, computed) {
        return Ok(None);
    }
    let mut divisors = Vec::new();
    if let Some((claim, divisor)) =
        claimed(under).and_then(|claim| claim.printed.first().map(|first| (claim, first)))
    {
        divisors.push((claim.place.clone(), divisor));
    }
    if let GkeQuantity::Run { place, .. } = &**under {
        let run = study.data.run_at(place)?;
        let columns = run.columns.iter().zip(&run.total);
        divisors.extend(columns.map(|(column, total)| (format!("{place}, {column}"), total)));
    }
    let quotients = divisors.into_iter().map(|(name, divisor)| {
        let quotient = dividend.value() / divisor.value();
        let fits = match question.fits(quotient) {
            true => "would fit",
            false => "would not",
        };
        format!(
            "over {} ({name}) it is {quotient:.2}, which {fits}",
            divisor.text()
        )
    });
    Ok(Some(format!(
        "it rests on the printed {}, where {} belongs; {}",
        dividend.text(),
        short(computed),
        quotients.collect::<Vec<_>>().join(", "),
    )))
}

/// A count linear in n where the tree has one exchange less.
fn linear_bound(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Frames { scheme, n, bus } = question.of else {
        return Ok(None);
    };
    let factor = question.number() / f64::from(*n);
    let excess = |n: u32| factor * f64::from(n) - model::frames(*scheme, n, *bus) as f64;
    let constant = SIZES.clone().all(|size| excess(size) == excess(*n));
    let exchange = model::frames(GkeScheme::TwoParty, 2, *bus) as f64;
    if !constant || excess(*n) <= 0.0 {
        return Ok(None);
    }
    Ok(Some(format!(
        "{} n is a bound: for every n from {} to {} it counts {} frames more than are sent, {} \
         exchange of {} frames; for n = {n} there are {} exchanges, {} n - {}",
        short(factor),
        SIZES.start(),
        SIZES.end(),
        short(excess(*n)),
        short(excess(*n) / exchange),
        short(exchange),
        short(model::frames(*scheme, *n, *bus) as f64 / exchange),
        short(factor / exchange),
        short(excess(*n) / exchange),
    )))
}

/// A bus time: which bus, or which difference between buses, is meant?
fn bus_readings(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Group {
        scheme,
        n,
        board,
        suite,
        part: part @ (ExchangePart::ExchangeBus | ExchangePart::Bus),
        ..
    } = question.of
    else {
        return Ok(None);
    };
    let time = |bus| {
        let time = question.study.group(*scheme, *n, board, *suite, bus)?;
        Ok::<_, PaperError>(Amount::Time(part.of(&time)).in_unit(question.unit))
    };
    let (classic, fd) = (time(GkeBus::Can)?, time(GkeBus::CanFd)?);
    let readings = [
        ("on CAN", classic),
        ("on CAN FD", fd),
        ("saved by CAN FD", classic - fd),
    ];
    let words = readings.map(|(name, value)| {
        let holds = if question.fits(value) {
            "holds"
        } else {
            "does not hold"
        };
        format!(
            "{name} it is {} {} and {holds}",
            short(value),
            question.unit.name()
        )
    });
    Ok(Some(format!("of three readings, {}", words.join(", "))))
}

/// A time that is printed under the name of another part of the same run.
fn other_part(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Group {
        scheme,
        n,
        board,
        suite,
        bus,
        part,
    } = question.of
    else {
        return Ok(None);
    };
    // A bound is met by too many parts to tell anything.
    if !matches!(question.meaning, Meaning::As(Form::About | Form::Exact)) {
        return Ok(None);
    }
    let time = question.study.group(*scheme, *n, board, *suite, *bus)?;
    let others = ExchangePart::ALL.into_iter().filter(|other| other != part);
    let mut values =
        others.map(|other| (other, Amount::Time(other.of(&time)).in_unit(question.unit)));
    let found = values.find(|(_, value)| question.fits(*value));
    Ok(found.map(|(other, value)| {
        format!(
            "{} is {}: {} {}",
            question.text(),
            other.name(),
            short(value),
            question.unit.name(),
        )
    }))
}

/// A bus load: which frames over which time?
fn load_readings(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::Load {
        scheme,
        n,
        board,
        suite,
        bus,
    } = question.of
    else {
        return Ok(None);
    };
    let time = question.study.group(*scheme, *n, board, *suite, *bus)?;
    let frames = [ExchangePart::Bus, ExchangePart::ExchangeBus];
    let spans = [
        ExchangePart::Total,
        ExchangePart::Exchanges,
        ExchangePart::Computation,
    ];
    let pairs = frames
        .into_iter()
        .flat_map(|part| spans.map(|span| (part, span)));
    let readings: Vec<(String, f64)> = pairs
        .map(|(part, span)| {
            let name = format!("{} over {}", part.name(), span.name());
            (name, 100.0 * share(part.of(&time), span.of(&time)))
        })
        .collect();
    let distance = |value: f64| (value - question.number()).abs();
    let nearest = readings
        .iter()
        .min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    let fits = readings
        .iter()
        .filter(|(_, load)| question.fits(*load))
        .count();
    let ms = |part: ExchangePart| part.of(&time).as_nanos() as f64 / 1e6;
    Ok(nearest.map(|(name, load)| {
        format!(
            "frames take {} of {} ms; of {} readings {fits} give the printed number, and {name} \
             comes nearest with {} %",
            short(ms(ExchangePart::Bus)),
            short(ms(ExchangePart::Total)),
            readings.len(),
            short(*load),
        )
    }))
}

/// A claim about all operations that some do not meet.
fn exceptions(question: &Question<'_>) -> Result<Option<String>, PaperError> {
    let GkeQuantity::SpeedUp {
        over: Aggregation::Least,
        ..
    } = question.of
    else {
        return Ok(None);
    };
    let ratios = question.study.speed_ups(question.of)?;
    let exceptions: Vec<String> = ratios
        .iter()
        .filter(|(_, ratio)| !question.fits(*ratio))
        .map(|(operation, ratio)| format!("{operation} ({ratio:.2})"))
        .collect();
    let mean = ratios.iter().map(|(_, ratio)| ratio).sum::<f64>() / ratios.len() as f64;
    let holds = if question.fits(mean) {
        "does"
    } else {
        "does not either"
    };
    Ok(Some(format!(
        "not reached by {} of {} operations: {}; the mean of {mean:.2} {holds}",
        exceptions.len(),
        ratios.len(),
        exceptions.join(", "),
    )))
}

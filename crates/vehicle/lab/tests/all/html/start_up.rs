//! The start-up plot: a bar for each thing that is to be there, as long as the run took for it.

use waywarden_vehicle_file::formatting::span;

use super::{Tag, run, tags};

/// An authenticated stream, a plain one, and a group that agrees on keys.
const CAR: &str = "[vehicle]\nname = 'car'\nduration = '1s'\nseed = 3\n\
    [[bus]]\nname = 'a'\nbitrate = '500k'\n\
    [[ecu]]\nname = 'tx'\nports = ['a']\naddress = 1\n\
    [[ecu]]\nname = 'rx'\nports = ['a']\naddress = 2\n\
    [[ecu]]\nname = 'gateway'\nports = ['a']\naddress = 3\n\
    [[stream]]\nname = 'Speed'\nid = 0x100\nsender = 'tx'\nreceivers = ['rx']\nlength = 4\n\
    period = '10ms'\n\
    [[authentication]]\nname = 'tags'\nprotect = ['Speed']\nscheme = 'secoc'\n\
    profile = 'production'\nmaster = 'gateway'\nkey_store = 'software'\n\
    [[keys]]\nscheme = 'tree-with-orchestrator'\nname = 'ring'\nsuite = 'fourq'\norchestrator = 'gateway'\n\
    members = ['tx', 'rx']\n\
    [require]\nstartup = '500ms'\nauthentic_within = '1ms'\n";

/// Returns names, figures and bars of the plot: each bar as a share of the width.
fn rows(tags: &[Tag]) -> Vec<(String, String, f64, bool)> {
    let plot = tags
        .iter()
        .skip_while(|tag| !tag.text.starts_with("Time from power-on"));
    let plot: Vec<&Tag> = plot.take_while(|tag| tag.name != "h2").collect();
    let mut rows: Vec<(String, String, f64, bool)> = Vec::new();
    for tag in plot {
        let text = tag.text.trim().to_owned();
        match tag.name.as_str() {
            "text" if tag.has_class("name") => rows.push((text, String::new(), 0.0, false)),
            "text" if tag.has_class("value") => {
                let row = rows.last_mut().unwrap();
                (row.1, row.3) = (text, tag.has_class("bad"));
            }
            "rect" if !tag.has_class("bound") => {
                rows.last_mut().unwrap().2 += tag.percent("width");
            }
            _ => {}
        }
    }
    rows
}

#[test]
fn each_milestone_is_as_long_as_it_took_and_says_what_is_required() {
    let (_, report, outcome, text) = run(CAR);
    let rows = rows(&tags(&text));
    let names: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
    let expected = ["Streams of a", "Key of group ring", "First message of tags"];
    assert_eq!(names, expected);
    let up = outcome.measure.start_up().unwrap().as_picos() as f64 * 1e-9;
    let key = report.groups[0].start_up_ms.unwrap();
    let authentic = report.first_authentic[0].power_on_ms.unwrap();
    let figures = [
        format!("{} of 500 ms", span(up)),
        span(key),
        format!("{} of 1 ms", span(authentic)),
    ];
    for (row, figure) in rows.iter().zip(&figures) {
        assert_eq!(row.1, *figure);
    }
    assert_eq!([rows[0].3, rows[1].3, rows[2].3], [false, false, true]);
    for (row, ms) in rows.iter().zip([up, key, authentic]) {
        let share = row.2 / rows[1].2;
        assert!((share - ms / key).abs() < 0.001, "{}: {share}", row.0);
    }
}

#[test]
fn what_never_came_is_said_without_a_bar() {
    let (.., text) = run(&CAR.replace("duration = '1s'", "duration = '2ms'"));
    let rows = rows(&tags(&text));
    let never = rows
        .iter()
        .filter(|row| row.1.starts_with("not by the end"));
    assert!(never.clone().count() > 0);
    never.for_each(|row| assert!(row.2 == 0.0 && row.3, "{row:?}"));
}

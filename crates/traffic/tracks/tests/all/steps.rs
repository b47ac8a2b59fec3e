//! Floating car data as a stream of time steps.

use waywarden_vehicle_tracks::fcd::TimeSteps;

use crate::formats::{GPX, SUMO, SUMO_CSV};

#[test]
fn time_steps_come_one_by_one_with_empty_ones() {
    for text in [SUMO, SUMO_CSV] {
        let mut steps = TimeSteps::new(text.as_bytes()).unwrap();
        let sizes: Vec<_> = steps
            .by_ref()
            .map(|step| step.map(|step| (step.time_s, step.vehicles.len())).unwrap())
            .collect();
        assert_eq!(sizes, [(0.0, 0), (0.1, 1), (0.2, 2)]);
        assert!(steps.name(0).unwrap().starts_with('a'));
        assert_eq!((steps.name(1), steps.name(2)), (Some("c"), None));
    }
    assert!(TimeSteps::new(GPX.as_bytes()).is_err());
}

#[test]
fn a_fault_ends_the_stream_after_what_came_before() {
    let broken = SUMO.replace("y=\"48.2\"", "y=\"north\"");
    let mut steps = TimeSteps::new(broken.as_bytes()).unwrap();
    assert!(steps.next().unwrap().is_ok() && steps.next().unwrap().is_ok());
    let error = steps.next().unwrap().unwrap_err();
    assert!(
        error.to_string().contains("line 9: y=\"north\": a number"),
        "{error}"
    );
    assert!(steps.next().is_none());
}

#[test]
fn time_goes_on_in_csv_too() {
    let back = format!("{SUMO_CSV}0.10;1;2;3;4;a\n");
    let last = TimeSteps::new(back.as_bytes()).unwrap().last().unwrap();
    assert!(last.unwrap_err().to_string().contains("follows on 0.2 s"));
}

#[test]
fn a_vehicle_stands_once_in_a_time_step_and_has_a_name() {
    let twice = SUMO_CSV.to_owned() + "0.30;1;2;3;4;a\n0.30;1;2;3;4;a\n";
    let error = TimeSteps::new(twice.as_bytes()).unwrap().last().unwrap();
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("\"a\" stands twice in a time step"),
        "{error}"
    );
    let xml = "<fcd-export><timestep time=\"0\"><vehicle id=\"a\" x=\"1\" y=\"2\"/>\
               <vehicle id=\"a\" x=\"1\" y=\"2\"/></timestep></fcd-export>";
    let error = TimeSteps::new(xml.as_bytes()).unwrap().last().unwrap();
    assert!(error.unwrap_err().to_string().contains("stands twice"));
    let nameless = "timestep_time;vehicle_id;vehicle_x;vehicle_y\n0;;1;2\n";
    let error = TimeSteps::new(nameless.as_bytes()).unwrap().last().unwrap();
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "line 2: the row has no vehicle_id");
}

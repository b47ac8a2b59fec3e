//! Tests of an ECU's processor: tasks, priorities and the engines of its security module.

use super::*;
use waywarden_work::Algorithm;

const SIGN: Operation = Operation::new(OperationKind::Sign, Algorithm::FourQ, 0);
const TAG: Operation = Operation::new(OperationKind::Tag, Algorithm::Aes128Cmac, 1);

fn at(nanos: u64) -> Time {
    Time::from_nanos(nanos)
}

fn request((task, operation): (Task, Operation), nanos: u64) -> Request {
    Request {
        task,
        operation,
        priority: Priorities::default().of(task, operation),
        cost: Picoseconds::new(nanos * 1_000),
    }
}

fn run(cpu: &mut Cpu<char>) -> (Vec<(char, u64)>, Vec<TimeSlice>) {
    let (mut done, mut slices) = (Vec::new(), Vec::new());
    while let Some(now) = cpu.next_completion() {
        while let Some(job) = cpu.take_finished(now, &mut slices) {
            done.push((job, now.as_picos() / 1_000));
        }
    }
    (done, slices)
}

fn submit(cpu: &mut Cpu<char>, now: u64, task: Task, nanos: u64, job: char) -> Vec<TimeSlice> {
    submit_job(cpu, now, (task, SIGN), nanos, job)
}

fn submit_job(
    cpu: &mut Cpu<char>,
    now: u64,
    what: (Task, Operation),
    nanos: u64,
    job: char,
) -> Vec<TimeSlice> {
    let mut slices = Vec::new();
    cpu.submit(at(now), request(what, nanos), job, &mut slices)
        .unwrap();
    slices
}

#[test]
fn a_tag_pre_empts_a_signature_and_waits_for_the_tag_before_it() {
    let mut cpu = Cpu::new(1);
    submit(&mut cpu, 0, Task::Crypto, 100, 's');
    let tag = (Task::Crypto, TAG);
    let cut = submit_job(&mut cpu, 10, tag, 5, 't');
    assert_eq!((cut[0].to, cut[0].finished), (at(10), false));
    submit_job(&mut cpu, 12, tag, 5, 'u');
    submit(&mut cpu, 13, Task::Send, 1, 'f');
    let done = [('f', 14), ('t', 16), ('u', 21), ('s', 111)];
    assert_eq!(run(&mut cpu).0, done);
}

#[test]
fn a_receive_call_pre_empts_a_signature_and_the_signature_resumes() {
    let mut cpu = Cpu::new(1);
    submit(&mut cpu, 0, Task::Crypto, 100, 'c');
    let cut = submit(&mut cpu, 40, Task::Receive, 10, 'r');
    assert_eq!(
        (cut[0].from, cut[0].to, cut[0].finished),
        (at(0), at(40), false)
    );
    let (done, slices) = run(&mut cpu);
    assert_eq!(done, [('r', 50), ('c', 110)]);
    assert_eq!((slices[1].from, slices[1].to), (at(50), at(110)));
}

#[test]
fn equals_run_in_the_order_they_came_even_after_a_pre_emption() {
    let mut cpu = Cpu::new(1);
    submit(&mut cpu, 0, Task::Crypto, 10, 'a');
    submit(&mut cpu, 0, Task::Crypto, 10, 'b');
    submit(&mut cpu, 5, Task::Send, 10, 's');
    assert_eq!(run(&mut cpu).0, [('s', 15), ('a', 20), ('b', 30)]);
}

#[test]
fn two_cores_run_two_jobs_and_the_third_waits() {
    let mut cpu = Cpu::new(2);
    for job in ['a', 'b', 'c'] {
        submit(&mut cpu, 0, Task::Crypto, 10, job);
    }
    assert_eq!(run(&mut cpu).0, [('a', 10), ('b', 10), ('c', 20)]);
}

#[test]
fn jobs_that_end_together_end_in_the_order_they_came() {
    let mut cpu = Cpu::new(3);
    submit(&mut cpu, 0, Task::Crypto, 5, 'c');
    for job in ['1', '2', '3'] {
        submit(&mut cpu, 2, Task::Send, 10, job);
    }
    // The third one took the core of the crypto job, which is the first of all.
    let done: Vec<char> = run(&mut cpu).0.into_iter().map(|(job, _)| job).collect();
    assert_eq!(done, ['1', '2', '3', 'c']);
}

#[test]
fn a_node_that_asks_without_bound_is_refused() {
    let mut cpu = Cpu::new(1);
    let mut slices = Vec::new();
    let sign = request((Task::Crypto, SIGN), 1);
    let mut submit = |job| cpu.submit(at(0), sign, job, &mut slices);
    assert!((0..=JOBS_MAX).all(|_| submit('x').is_ok()));
    assert!(submit('y').is_err());
}

#[test]
fn a_module_completes_its_command_and_takes_the_tag_before_the_signature_that_came_first() {
    let mut module = Cpu::engine(0);
    submit(&mut module, 0, Task::Crypto, 100, 's');
    submit(&mut module, 5, Task::Crypto, 100, 'z');
    let tag = (Task::Crypto, TAG);
    for (now, job) in [(10, 't'), (12, 'u')] {
        assert_eq!(submit_job(&mut module, now, tag, 5, job), []);
    }
    let (done, slices) = run(&mut module);
    assert_eq!(done, [('s', 100), ('t', 105), ('u', 110), ('z', 210)]);
    let whole =
        |slice: &TimeSlice| slice.finished && slice.unit == ProcessingUnit::SecurityModule(0);
    assert!(slices.iter().all(whole), "{slices:?}");
}

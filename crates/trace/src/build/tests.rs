use super::*;
use crate::read::Trace;

/// Returns the names and actions of a stream's events, with the computation before each.
fn events(stream: &[u8]) -> Vec<(String, String, u64)> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), stream).expect("a file");
    let trace = Trace::open(file.path()).expect("a trace");
    let mut events = trace.ranks()[0].events();
    let mut seen = Vec::new();
    while let Some(event) = events.next().expect("a sound stream") {
        let action = format!("{:?}", event.action().expect("a valid action"));
        seen.push((event.name().to_owned(), action, event.before()));
    }
    seen
}

#[test]
fn requests_take_the_lowest_free_slot_and_computation_precedes_the_next_call() {
    let mut builder = Builder::new(1, 4, 8);
    for _ in 0..2 {
        let receive = builder.receive(CallForm::Immediate, Some(0), None, 64).expect("a request");
        let send = builder.send(CallForm::Immediate, 3, 5, 64).expect("a request");
        assert_eq!((receive, send), (Slot(0), Slot(1)));
        builder.compute(40);
        builder.compute(2);
        builder.wait(&[receive, send]);
    }
    assert_eq!(builder.calls(), 6);
    let events = events(&builder.finish(&Metadata::default()));
    let names: Vec<&str> = events.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["MPI_Irecv", "MPI_Isend", "MPI_Waitall"].repeat(2));
    assert_eq!(events.iter().map(|(.., before)| *before).collect::<Vec<_>>(), [0, 0, 42, 0, 0, 42]);
    assert!(events[0].1.contains("from: Relative(-1)") && events[1].1.contains("to: Relative(2)"));
    assert_eq!(events[..3], events[3..]);
}

#[test]
fn a_killed_stream_has_no_end() {
    let mut builder = Builder::new(0, 1, 8);
    builder.collective("MPI_Barrier", Collective::Barrier, None, 8, &Data::Nothing, &Data::Nothing);
    let stream = builder.finish_killed();
    assert_eq!(events(&stream).len(), 1);
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &stream).expect("a file");
    assert!(!Trace::open(file.path()).expect("a trace").is_complete());
}

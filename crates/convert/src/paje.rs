//! Paje, a format of text that describes itself: `ViTE`, `PajeNG` and others read it.
//!
//! The format: "Paje trace file" by B. de Oliveira Stein, J. Chassin de Kergommeaux and G. Mounié. Every line is an event; events of each
//! number are defined at the beginning. Ranks and helpers are containers below that of the program, with two kinds of states (the call, and what is done in
//! it), links for messages, and a variable of the program: how many messages are under way.

use std::fmt;
use std::path::Path;

use panto_timeline::{Message, Timeline};
use panto_units::Time;

use crate::Exported;
use crate::error::Result;
use crate::moments::{MOST, Moment, Parcel, Tracks, for_each};
use crate::output::Output;
use crate::text::{EARLY, MOST_DIGITS, Seconds, note, plain, word};
use crate::underway::UnderWay;

/// Definitions of events: name, number, and fields with their types.
const EVENTS: [(&str, u32, &str); 12] = [
    ("PajeDefineContainerType", 0, "Alias string,Type string,Name string"),
    ("PajeDefineStateType", 1, "Alias string,Type string,Name string"),
    (
        "PajeDefineLinkType",
        2,
        "Alias string,Type string,StartContainerType string,EndContainerType string,Name string",
    ),
    ("PajeDefineVariableType", 3, "Alias string,Type string,Name string,Color color"),
    ("PajeDefineEntityValue", 4, "Alias string,Type string,Name string,Color color"),
    ("PajeCreateContainer", 5, "Time date,Alias string,Type string,Container string,Name string"),
    ("PajeDestroyContainer", 6, "Time date,Type string,Name string"),
    ("PajePushState", 7, "Time date,Type string,Container string,Value string"),
    ("PajePopState", 8, "Time date,Type string,Container string"),
    (
        "PajeStartLink",
        9,
        "Time date,Type string,Container string,StartContainer string,Value string,Key string,Bytes string",
    ),
    ("PajeEndLink", 10, "Time date,Type string,Container string,EndContainer string,Value string,Key string"),
    ("PajeSetVariable", 11, "Time date,Type string,Container string,Value double"),
];

/// What a rank does, with colours that can be told apart without colour vision (Okabe and Ito, 2008).
const STATES: [(&str, &str); 5] = [
    ("compute", "0.000000 0.447059 0.698039"),
    ("message", "0.901961 0.623529 0.000000"),
    ("combine", "0.000000 0.619608 0.450980"),
    ("access", "0.800000 0.474510 0.654902"),
    ("wait", "0.941176 0.894118 0.258824"),
];

/// For calls.
const GREY: &str = "0.600000 0.600000 0.600000";

/// Writes a timeline in the order of time. Times are exact.
pub fn write(timeline: &Timeline, target: &Path) -> Result<Exported> {
    let tracks = Tracks::new(timeline.about());
    let lanes = timeline.about().lanes.iter().map(|lane| plain(lane)).collect();
    let out = Output::create(target)?;
    let mut writing = Writing { out, lanes, under_way: UnderWay::default(), events: 0 };
    writing.definitions(timeline)?;
    writing.containers(&tracks)?;
    for_each(timeline, MOST, |at, line, moment| writing.moment(at, line, moment))?;
    let end = timeline.span().map_or(Time::ZERO, |span| *span.end());
    writing.destroy(&tracks, end)?;
    let notes = note(writing.under_way.early, EARLY).into_iter().collect();
    Output::finish([writing.out])?;
    Ok(Exported { ranks: timeline.ranks(), operations: writing.events, notes })
}

struct Writing {
    out: Output,
    /// What messages are for.
    lanes: Vec<String>,
    under_way: UnderWay,
    events: u64,
}

impl Writing {
    fn definitions(&mut self, timeline: &Timeline) -> Result<()> {
        for (name, number, fields) in EVENTS {
            self.out.text(format_args!("%EventDef {name} {number}\n"))?;
            for field in fields.split(',') {
                self.out.text(format_args!("%  {field}\n"))?;
            }
            self.out.text(format_args!("%EndEventDef\n"))?;
        }
        self.out.text(format_args!(
            "0 P 0 Program\n0 R P Rank\n1 C R Call\n1 S R State\n2 L P R R Message\n\
             3 U P \"Messages under way\" \"0.000000 0.000000 0.000000\"\n"
        ))?;
        for (name, colour) in STATES {
            self.out.text(format_args!("4 {name} S {name} \"{colour}\"\n"))?;
        }
        for (number, call) in timeline.about().calls.iter().enumerate() {
            let name = plain(call);
            self.out.text(format_args!("4 c{number} C \"{name}\" \"{GREY}\"\n"))?;
        }
        Ok(())
    }

    fn containers(&mut self, tracks: &Tracks) -> Result<()> {
        let start = Seconds(Time::ZERO, MOST_DIGITS);
        self.out.text(format_args!("5 {start} p P 0 program\n"))?;
        for line in tracks.order() {
            self.out.text(format_args!("5 {start} r{line} R p \"{}\"\n", tracks.name(line)))?;
        }
        self.out.text(format_args!("11 {start} U p 0\n"))
    }

    fn destroy(&mut self, tracks: &Tracks, end: Time) -> Result<()> {
        let end = Seconds(end, MOST_DIGITS);
        for line in tracks.order() {
            self.out.text(format_args!("6 {end} R r{line}\n"))?;
        }
        self.out.text(format_args!("6 {end} P p\n"))
    }

    fn moment(&mut self, at: Time, line: u32, moment: Moment<'_>) -> Result<()> {
        self.events += 1;
        let time = Seconds(at, MOST_DIGITS);
        match moment {
            Moment::Enter(call) => self.out.text(format_args!("7 {time} C r{line} c{call}\n")),
            Moment::Leave(_) => self.out.text(format_args!("8 {time} C r{line}\n")),
            Moment::Begin(state) => self.out.text(format_args!("7 {time} S r{line} {}\n", word(state.what))),
            Moment::End(_) => self.out.text(format_args!("8 {time} S r{line}\n")),
            Moment::Sent(parcel) => self.sent(at, parcel),
            Moment::Received(parcel) => self.received(at, parcel),
        }
    }

    fn sent(&mut self, at: Time, parcel: &Parcel) -> Result<()> {
        self.under_way.sent(&parcel.message);
        let (time, Message { from, lane, bytes, .. }) = (Seconds(at, MOST_DIGITS), parcel.message);
        let lane = &self.lanes[usize::from(lane)];
        self.out.text(format_args!("9 {time} L p r{from} \"{lane}\" {} {bytes}\n", Key(parcel)))?;
        self.out.text(format_args!("11 {time} U p {}\n", self.under_way.messages))
    }

    fn received(&mut self, at: Time, parcel: &Parcel) -> Result<()> {
        self.under_way.received(&parcel.message);
        let (time, Message { to, lane, .. }) = (Seconds(at, MOST_DIGITS), parcel.message);
        let lane = &self.lanes[usize::from(lane)];
        self.out.text(format_args!("10 {time} L p r{to} \"{lane}\" {}\n", Key(parcel)))?;
        self.out.text(format_args!("11 {time} U p {}\n", self.under_way.messages))
    }
}

/// What ties the two ends of a message together, and tells it from all others.
struct Key<'a>(&'a Parcel);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { from, to, bytes, class, sent, arrived, received, .. } = self.0.message;
        let [sent, arrived, received] = [sent, arrived, received].map(Time::as_picos);
        write!(f, "{from}_{to}_{class}_{bytes}_{sent:x}_{arrived:x}_{received:x}_{}", self.0.twin)
    }
}

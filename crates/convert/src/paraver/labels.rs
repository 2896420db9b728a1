//! Names and colours for the numbers in a trace (`.pcf`), and names of rows (`.row`).

use std::fmt::Write as _;

use panto_timeline::StateKind;

use crate::error::Result;
use crate::output::Output;
use crate::picl::collective;
use crate::text::plain;
use crate::timeline_events::Tracks;

/// States with the numbers that BSC's own tracer uses, their names and colours (RGB).
const STATES: [(u32, &str, [u8; 3]); 6] = [
    (0, "Idle", [117, 195, 255]),
    (RUNNING, "Running", [0, 0, 255]),
    (WAITING, "Waiting a message", [255, 0, 0]),
    (ACCESS, "I/O and remote memory", [172, 174, 41]),
    (OVERHEAD, "Overhead of messages", [255, 144, 26]),
    (COMBINE, "Data copy and reduction", [66, 160, 66]),
];

const RUNNING: u32 = 1;
const WAITING: u32 = 3;
const ACCESS: u32 = 12;
const OVERHEAD: u32 = 24;
const COMBINE: u32 = 28;

/// Event types with the numbers that BSC's own tracer uses.
const TYPES: [(u32, &str); 2] =
    [(OTHERS, "MPI Point-to-point and other calls"), (COLLECTIVES, "MPI Collective Comm")];

const OTHERS: u32 = 50_000_001;
const COLLECTIVES: u32 = 50_000_002;

/// Returns the number of a state.
pub fn number(what: StateKind) -> u32 {
    match what {
        StateKind::Compute => RUNNING,
        StateKind::Message => OVERHEAD,
        StateKind::Combine => COMBINE,
        StateKind::Access => ACCESS,
        StateKind::Wait(_) => WAITING,
    }
}

/// Returns the event type of a call.
pub fn kind(call: &str) -> u32 {
    if collective(call).is_some() { COLLECTIVES } else { OTHERS }
}

/// Returns the `.pcf` file: names and colours of states, names of calls.
pub fn config(calls: &[String]) -> String {
    let mut text = String::from(
        "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n\
         DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\nSTATES\n",
    );
    for (number, name, _) in STATES {
        let _ = writeln!(text, "{number}    {name}");
    }
    text += "\nSTATES_COLOR\n";
    for (number, _, [red, green, blue]) in STATES {
        let _ = writeln!(text, "{number}    {{{red},{green},{blue}}}");
    }
    for (number, name) in TYPES {
        let _ = writeln!(text, "\nEVENT_TYPE\n9    {number}    {name}\nVALUES\n0    End");
        for (value, call) in (1..).zip(calls).filter(|(_, call)| kind(call) == number) {
            let _ = writeln!(text, "{value}    {}", plain(call));
        }
    }
    text
}

/// Writes the `.row` file: names of CPUs, of the node, and of threads.
pub fn rows(tracks: &Tracks, out: &mut Output) -> Result<()> {
    let lines = tracks.order();
    out.text(format_args!("LEVEL CPU SIZE {}\n", lines.len()))?;
    for cpu in 1..=lines.len() {
        out.text(format_args!("CPU {cpu}\n"))?;
    }
    out.text(format_args!("\nLEVEL NODE SIZE 1\nmachine\n\nLEVEL THREAD SIZE {}\n", lines.len()))?;
    for line in lines {
        out.text(format_args!("{}\n", tracks.name(line)))?;
    }
    Ok(())
}

//! A plain ping-pong without the measuring loop, to compare its figures with: `cargo run --release
//! -p panto-transport --example pingpong [sizes]`.

use panto_transport::threads::{Endpoint, Pin, Threads};
use panto_transport::{Error, Selector, SendMode, Transport, World};

/// Round trips per batch, and number of batches.
const TRIPS: usize = 1000;
const BATCHES: usize = 60;

fn main() -> Result<(), Error> {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    for size in if sizes.is_empty() { vec![8, 1024, 65_536, 1 << 20] } else { sizes } {
        let world = Threads { pin: Pin::Always, ..Threads::default() };
        let mut nanos = world.run(2, |transport| batches(transport, size))?.swap_remove(0);
        nanos.sort_by(f64::total_cmp);
        println!("{size:>8} B  median {:.1} ns  min {:.1} ns one way", nanos[BATCHES / 2], nanos[0]);
    }
    Ok(())
}

fn batches(transport: &Endpoint, size: usize) -> Result<Vec<f64>, Error> {
    let (mut sent, mut received) = (vec![1; size], vec![0; size]);
    let trips = if size > 10_000 { TRIPS / 10 } else { TRIPS };
    (0..BATCHES)
        .map(|_| {
            let start = transport.now();
            for _ in 0..trips {
                trip(transport, &sent, &mut received)?;
                // The received buffer is sent next: bytes that were not written since would not
                // have to be transferred.
                std::mem::swap(&mut sent, &mut received);
            }
            Ok(transport.now().since(start).as_nanos() / (2 * trips) as f64)
        })
        .collect()
}

fn trip(transport: &Endpoint, sent: &[u8], received: &mut [u8]) -> Result<(), Error> {
    let partner = 1 - transport.rank();
    if transport.rank() == 0 {
        transport.send(SendMode::Standard, sent, partner, 1)?;
        return transport.receive(received, Selector::new(partner, 1)).map(drop);
    }
    transport.receive(received, Selector::new(partner, 1))?;
    transport.send(SendMode::Standard, sent, partner, 1)
}

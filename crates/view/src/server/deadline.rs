//! A connection that must be done by a moment, however slowly its client sends or reads.

use std::io::{ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection with a deadline for all reading and writing together.
pub struct Deadline<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl<'a> Deadline<'a> {
    /// Starts the time of a connection.
    pub fn new(stream: &'a TcpStream, time: Duration) -> Self {
        Self { stream, end: Instant::now() + time }
    }

    fn left(&self) -> Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Deadline<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Deadline<'_> {
    fn write(&mut self, buffer: &[u8]) -> Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Each byte arrives within any time limit of a single read; all of them do not.
    #[test]
    fn a_client_that_sends_byte_by_byte_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut client = TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
        let (stream, _) = listener.accept().expect("a client");
        let mut limited = Deadline::new(&stream, Duration::from_millis(300));
        let slow = std::thread::spawn(move || {
            while client.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let mut buffer = [0];
        let error = loop {
            match limited.read(&mut buffer) {
                Ok(1) => {}
                Ok(_) => panic!("the client is still there"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock), "{error}");
        let written = limited.write(b"x").expect_err("its time is over");
        assert_eq!(written.kind(), ErrorKind::TimedOut);
        drop(stream);
        slow.join().expect("it ends with the connection");
    }
}

//! A TAP interface of a host: frames that the host sends are read from a file, frames written to
//! the file arrive at the host.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Creates `eth0` in the network namespace of a process. Reads are non-blocking.
pub fn eth0(host: u32) -> io::Result<File> {
    // A thread can enter another network namespace, and leaves it by ending.
    std::thread::spawn(move || {
        enter(host)?;
        let file =
            OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
        name(&file)?;
        Ok(file)
    })
    .join()
    .expect("nothing panics there")
}

/// Moves the calling thread into the network namespace of a process.
fn enter(host: u32) -> io::Result<()> {
    let network = File::open(format!("/proc/{host}/ns/net"))?;
    move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?;
    Ok(())
}

/// Attaches the file to a new interface for Ethernet frames without extra headers.
fn name(file: &File) -> io::Result<()> {
    // SAFETY: `ifreq` is a plain C structure, for which all zeros are valid: no name, no flags.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(c"eth0".to_bytes()) {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the descriptor is open, and TUNSETIFF reads an `ifreq`, which `request` is; it
    // outlives the call.
    match unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw const request) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

//! The network interface of a host whose other end is a file of ours: what the host sends is read from it, what is written to it
//! comes to the host.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

/// Makes `eth0` in the network of this process. Reading waits for nothing: it fails where there is no frame.
pub fn eth0(host: u32) -> io::Result<File> {
    // A thread can go into another network and leaves it by ending.
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

/// The calling thread goes into the network of a process.
fn enter(host: u32) -> io::Result<()> {
    let network = File::open(format!("/proc/{host}/ns/net"))?;
    // SAFETY: the file is open, and the call changes nothing but which network this thread is in.
    match unsafe { libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets the file be the other end of a new interface for Ethernet frames, without headers of its own.
fn name(file: &File) -> io::Result<()> {
    // SAFETY: all zeros are a request: no name, no flags.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(c"eth0".to_bytes()) {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the file is open, and the request is one of the kind that this call takes and outlives it.
    match unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw const request) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

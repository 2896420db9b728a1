//! Opening an address in the desktop's browser without telling the other users of the host: every
//! user sees the arguments of all processes, so the browser is given a file that only its owner can
//! read, and which leads to the address.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file that leads a browser to an address, until it is dropped.
pub struct Redirect {
    path: PathBuf,
}

impl Redirect {
    /// Opens an address in the desktop's browser. The file is in the home folder if there is one,
    /// because packaged browsers cannot read other places.
    pub fn open(url: &str) -> std::io::Result<Self> {
        let home = std::env::home_dir().ok_or(std::io::ErrorKind::NotFound.into());
        let redirect =
            home.and_then(|home| Self::new(&home, url)).or_else(|_| Self::new(&std::env::temp_dir(), url))?;
        let mut command = Command::new("xdg-open");
        command.arg(&redirect.path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn()?;
        Ok(redirect)
    }

    /// Creates the file; one of this name that is there already is not used.
    fn new(folder: &Path, url: &str) -> std::io::Result<Self> {
        let path = folder.join(format!("panto-view-{}.html", std::process::id()));
        let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let redirect = Self { path };
        writeln!(
            file,
            "<!doctype html><meta charset=\"utf-8\"><title>Panto</title>\
             <meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">Open the timeline</a>"
        )?;
        Ok(redirect)
    }
}

impl Drop for Redirect {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_address_is_in_a_file_of_its_owner() {
        let folder = tempfile::tempdir().expect("a folder");
        let redirect = Redirect::new(folder.path(), "http://127.0.0.1:1/secret/").expect("it is writable");
        let path = redirect.path.clone();
        let mode = path.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(std::fs::read_to_string(&path).expect("text").contains("url=http://127.0.0.1:1/secret/\""));
        assert!(Redirect::new(folder.path(), "http://127.0.0.1:2/").is_err(), "the file of another one");
        drop(redirect);
        assert!(!path.exists());
    }
}

//! Reads model files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest model file in bytes: a map of a million ranks fits.
pub const MAX_BYTES: u64 = 16 << 20;

/// Reads the text of a file; the error is a message.
pub fn read_text(path: &Path) -> Result<String, String> {
    let name = path.display();
    let cannot = |error: std::io::Error| format!("cannot read {name}: {error}");
    let file = File::open(path).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.is_dir() {
        return Err(format!("{name} is a directory, expected a file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("{name} is larger than 16MiB, the limit for model files"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.split(|byte| *byte == b'\n').count();
        format!("{name}:{line}: invalid UTF-8")
    })
}

//! Files, as far as they can be models.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// No model is larger, not even one with a map of a million ranks.
pub const LARGEST: u64 = 16 << 20;

/// The text of a file, or what is wrong with it.
pub fn read_text(path: &Path) -> Result<String, String> {
    let name = path.display();
    let cannot = |error: std::io::Error| format!("cannot read {name}: {error}");
    let file = File::open(path).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.is_dir() {
        return Err(format!("{name} is a directory, expected a file"));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{name} is larger than 16MiB, and no model file is"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let sound = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = sound.split(|byte| *byte == b'\n').count();
        format!("{name}:{line}: this is not text in UTF-8")
    })
}

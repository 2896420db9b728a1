//! Who else can write where the traced program loads code from.
//!
//! The dynamic linker opens the tracer by its path in every process of the program, long after it
//! was unpacked. A user who can change a folder of that path until then runs code as the victim. So
//! the directory of the ranks' files belongs to the user alone ([`create_private`],
//! [`check_private`]), and the library is put there only if no other user can rename a folder above
//! it ([`exposure`]).

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// The mode of directories that only their owner may use.
const PRIVATE: u32 = 0o700;
/// The mode bits that let the group, and that let everybody write.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
/// The sticky bit: entries of a directory are renamed and removed by their owners only.
const STICKY: u32 = 0o1000;
/// The superuser.
const ROOT: u32 = 0;
/// What the kernel shows for users that a user namespace does not map: in a container without
/// privileges, the owner of the host's folders.
const UNMAPPED: u32 = 65_534;

/// Creates a directory that only this user may use. Fails if anything of that name exists.
pub(crate) fn create_private(directory: &Path) -> io::Result<()> {
    DirBuilder::new().mode(PRIVATE).create(directory)
}

/// Returns why a directory of the ranks' files that exists is not one that this user created.
pub(crate) fn check_private(directory: &Path) -> io::Result<Option<String>> {
    let about = fs::symlink_metadata(directory)?;
    Ok(if about.is_symlink() {
        Some("is a symbolic link".into())
    } else if !about.is_dir() {
        Some("is not a directory".into())
    } else {
        others_can_write(&about, &User::current(), false)
    })
}

/// Returns which folder above a directory, or the directory itself, lets other users replace what
/// is in it.
pub(crate) fn exposure(directory: &Path) -> Option<String> {
    let real = directory.canonicalize().ok()?;
    let user = User::current();
    real.ancestors().find_map(|folder| {
        let reason = others_can_write(&fs::metadata(folder).ok()?, &user, true)?;
        Some(format!("{} {reason}", folder.display()))
    })
}

/// The user that this process runs as.
struct User {
    id: u32,
    group: u32,
}

impl User {
    fn current() -> Self {
        Self { id: rustix::process::geteuid().as_raw(), group: rustix::process::getegid().as_raw() }
    }

    /// Returns whether a group has this user as its only member, by the convention of Linux
    /// distributions: its number is the user's.
    fn is_alone_in(&self, group: u32) -> bool {
        group == self.group && group == self.id
    }
}

/// Returns how another user can create or rename files in a directory. A folder that is only on the
/// way may be the system's.
fn others_can_write(about: &Metadata, user: &User, may_be_the_systems: bool) -> Option<String> {
    let owner = about.uid();
    let is_the_systems = may_be_the_systems && [ROOT, UNMAPPED].contains(&owner);
    if owner != user.id && !is_the_systems {
        return Some(format!("belongs to user {owner}, and panto runs as user {}", user.id));
    }
    let is_sticky = may_be_the_systems && about.mode() & STICKY != 0;
    if is_sticky {
        return None;
    }
    if about.mode() & OTHERS_WRITE != 0 {
        return Some("can be written by every user".into());
    }
    let by_group = about.mode() & GROUP_WRITES != 0 && !user.is_alone_in(about.gid());
    by_group.then(|| format!("can be written by group {}", about.gid()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn folders() -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let inner = parent.path().join("inner");
        create_private(&inner).unwrap();
        (parent, inner)
    }

    #[test]
    fn directories_are_private_and_new() {
        let (_parent, inner) = folders();
        assert_eq!(fs::metadata(&inner).unwrap().mode() & 0o777, 0o700);
        assert_eq!(create_private(&inner).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(check_private(&inner).unwrap(), None);
    }

    #[test]
    fn directories_of_others_are_recognised() {
        let (parent, inner) = folders();
        let problem = |path: &Path| check_private(path).unwrap().unwrap();
        set_mode(&inner, 0o1777);
        assert!(problem(&inner).contains("every user"));
        let link = parent.path().join("link");
        symlink(&inner, &link).unwrap();
        assert!(problem(&link).contains("symbolic link"));
        if rustix::process::geteuid().is_root() {
            set_mode(&inner, 0o700);
            std::os::unix::fs::chown(&inner, Some(1234), None).unwrap();
            assert!(problem(&inner).contains("user 1234"));
        } else {
            eprintln!("skipped: only root can give a directory to another user");
        }
    }

    #[test]
    fn folders_above_count_unless_they_are_sticky() {
        let (parent, inner) = folders();
        assert_eq!(exposure(&inner), None);
        set_mode(parent.path(), 0o777);
        let problem = exposure(&inner).unwrap();
        assert!(problem.contains("every user") && !problem.contains("inner"), "{problem}");
        set_mode(parent.path(), 0o1777);
        assert_eq!(exposure(&inner), None);
    }

    #[test]
    fn the_group_of_one_user_is_no_exposure() {
        let (parent, inner) = folders();
        set_mode(parent.path(), 0o770);
        let about = fs::metadata(parent.path()).unwrap();
        let user = User { id: about.uid(), group: about.gid() };
        assert_eq!(others_can_write(&about, &user, true).is_none(), about.uid() == about.gid());
        let shared = User { id: about.uid(), group: about.gid() + 1 };
        assert!(others_can_write(&about, &shared, true).unwrap().contains("by group"));
        drop(inner);
    }
}

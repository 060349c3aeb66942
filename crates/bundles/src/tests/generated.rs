//! Random zip files: whatever they contain, nothing is ever written outside the target folder.

use super::zips::{Member, write_zip};
use super::{Sandbox, go_on, with_server};
use crate::Bundle;

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(most).unwrap()).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const PARTS: [&str; 16] = [
    "..",
    ".",
    "",
    "a",
    "A",
    "b",
    "index.js",
    "manifest.json",
    "con",
    "c:",
    "\\..",
    "..\\",
    "\0",
    "é",
    "e\u{301}",
    "x ",
];
const MODES: [u32; 6] = [0o100_644, 0o100_755, 0o040_755, 0o120_777, 0o020_666, 0];

fn random_member(random: &mut Random) -> Member {
    let parts: Vec<&str> = (0..=random.below(4)).map(|_| random.pick(&PARTS)).collect();
    let end = random.pick(&["", "", "/"]);
    let content = vec![b'x'; random.below(300)];
    let name = format!("{}{end}", parts.join("/"));
    let member =
        if random.below(2) == 0 { Member::file(&name, content) } else { Member::stored(&name, content) };
    member.with_mode(random.pick(&MODES))
}

#[test]
fn nothing_is_written_outside_the_target() {
    let mut random = Random(0x5eed);
    let mut unpacked = 0;
    for round in 0..600 {
        let sandbox = Sandbox::new();
        let members: Vec<Member> = (0..random.below(4)).map(|_| random_member(&mut random)).collect();
        let mut zip = write_zip(&with_server(&members));
        if round % 3 == 0 {
            // A changed byte anywhere.
            let at = random.below(zip.len());
            zip[at] ^= 1 << random.below(8);
        }
        let Ok(bundle) = Bundle::open(&sandbox.write("a.mcpb", &zip)) else {
            assert!(sandbox.list().is_empty());
            continue;
        };
        let Ok(installed) = bundle.unpack(&sandbox.target(), &mut go_on) else {
            assert_eq!(sandbox.list(), ["bundles"]);
            continue;
        };
        unpacked += 1;
        let folder = installed.folder().strip_prefix(sandbox.root.path()).unwrap();
        let folder = folder.to_str().unwrap().replace('\\', "/");
        for path in sandbox.list() {
            assert!(path.starts_with(&folder) || folder.starts_with(&path), "{path}");
        }
    }
    assert!(unpacked > 100, "{unpacked}");
}

//! Bundles for tests: zip files that aren't compressed.

use std::path::Path;

use serde_json::{Value, json};

/// A manifest of a bundle for the program `server/run` in it, which gets `args`.
pub fn binary_manifest(name: &str, version: &str, args: &[&str]) -> Value {
    json!({
        "manifest_version": "0.3",
        "name": name,
        "version": version,
        "description": "Watches the tide.",
        "author": { "name": "Harbour Works" },
        "server": {
            "type": "binary",
            "entry_point": "server/run",
            "mcp_config": { "command": "${__dirname}/server/run", "args": args },
        },
    })
}

/// Writes a bundle with a manifest and files.
///
/// # Panics
///
/// If it can't be written, or is larger than a zip file of old can be.
pub fn write_bundle(path: &Path, manifest: &Value, files: &[(&str, &[u8])]) {
    let manifest = manifest.to_string();
    let (mut zip, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for (name, content) in [("manifest.json", manifest.as_bytes())].iter().chain(files) {
        let offset = to_u32(zip.len());
        let size = to_u32(content.len());
        let name_bytes = u16::try_from(name.len()).expect("names are short");
        // UTF-8 names, no compression, and a time that is the same for all.
        let mut facts = b"\x00\x08\x00\x00\x00\x00\x21\x5b".to_vec();
        facts.extend(crc32fast::hash(content).to_le_bytes());
        facts.extend(size.to_le_bytes());
        facts.extend(size.to_le_bytes());
        facts.extend(name_bytes.to_le_bytes());
        zip.extend(b"PK\x03\x04\x14\0");
        zip.extend(&facts);
        zip.extend([0, 0]);
        zip.extend(name.as_bytes());
        zip.extend(*content);
        // Made on Unix, a file with the mode 644.
        directory.extend(b"PK\x01\x02\x1e\x03\x14\0");
        directory.extend(&facts);
        directory.extend([0; 8]);
        directory.extend((0o100_644_u32 << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
        count += 1;
    }
    let (start, bytes) = (to_u32(zip.len()), to_u32(directory.len()));
    zip.extend(directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend(count.to_le_bytes());
    zip.extend(count.to_le_bytes());
    zip.extend(bytes.to_le_bytes());
    zip.extend(start.to_le_bytes());
    zip.extend([0, 0]);
    std::fs::write(path, zip).expect("the bundle can be written");
}

fn to_u32(length: usize) -> u32 {
    u32::try_from(length).expect("bundles of tests are small")
}

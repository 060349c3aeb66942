//! Saves the content of a result as files: pictures, sound, other binary data, structured data, or its text.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::content::decode_base64;
use mooring_faults::{Exit, Fault};

/// One part of a result that can be saved to a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// The file name from the resource's URI, without folders.
    pub name: Option<String>,
    /// The file extension for the MIME type.
    pub ending: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

/// The parts of a tool's result that are not text. If there are none, the structured data or the text of the
/// result.
pub fn parts_of(result: &Value) -> Result<Vec<Part>, Fault> {
    let blocks: Vec<&Value> = result.get("content").and_then(Value::as_array).into_iter().flatten().collect();
    let mut parts = Vec::new();
    for block in &blocks {
        parts.extend(to_part(block)?);
    }
    if !parts.is_empty() {
        return Ok(parts);
    }
    if let Some(structured) = result.get("structuredContent") {
        let bytes = serde_json::to_vec_pretty(structured).map_err(anyhow::Error::from)?;
        return Ok(vec![Part { name: None, ending: "json", bytes }]);
    }
    let texts = texts(result);
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![Part { name: None, ending: "txt", bytes: texts.join("\n").into_bytes() }])
}

/// The texts of a tool's result, unchanged.
pub fn texts(result: &Value) -> Vec<&str> {
    let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks
        .filter_map(|block| match block.get("type").and_then(Value::as_str) {
            Some("text") => block.get("text")?.as_str(),
            Some("resource") => block.get("resource")?.get("text")?.as_str(),
            _ => None,
        })
        .collect()
}

fn to_part(block: &Value) -> Result<Option<Part>, Fault> {
    let (holder, member) = match block.get("type").and_then(Value::as_str) {
        Some("image" | "audio") => (block, "data"),
        Some("resource") => (block.get("resource").unwrap_or(&Value::Null), "blob"),
        _ => return Ok(None),
    };
    let text = |name: &str| holder.get(name).and_then(Value::as_str);
    let Some(data) = text(member) else { return Ok(None) };
    let bytes = decode_base64(data)
        .ok_or_else(|| Fault::new(Exit::ServerError, "malformed", "the content is no base64"))?;
    let name =
        text("uri").and_then(|uri| uri.split(['?', '#']).next()?.rsplit('/').next()).map(to_plain_name);
    Ok(Some(Part {
        name: name.filter(|name| !name.is_empty()),
        ending: file_extension(text("mimeType")),
        bytes,
    }))
}

/// Removes all characters except letters, digits, dots, dashes and underscores, and leading dots. The name
/// then can't be hidden or lead to another folder.
fn to_plain_name(name: &str) -> String {
    let plain = name.chars().filter(|it| it.is_alphanumeric() || ".-_".contains(*it)).take(100);
    plain.collect::<String>().trim_start_matches('.').to_owned()
}

fn file_extension(kind: Option<&str>) -> &'static str {
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "image/png" => "png",
        "image/jpeg" | "image/jpg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "application/zip" => "zip",
        "text/html" => "html",
        "text/csv" => "csv",
        kind if kind.starts_with("text/") => "txt",
        _ => "bin",
    }
}

/// Writes a single part to a file, or all parts to a folder, and returns the paths. Existing files are only
/// replaced with `force`.
pub fn save_parts(parts: &[Part], place: &Path, force: bool) -> Result<Vec<PathBuf>, Fault> {
    let text = place.to_string_lossy();
    let is_folder = place.is_dir() || text.ends_with(std::path::is_separator);
    if parts.is_empty() {
        return Err(Fault::new(Exit::ServerError, "empty", "the result holds nothing to save"));
    }
    if !is_folder {
        let [part] = parts else {
            return Err(Fault::usage(format!(
                "the result has {} parts, and {text} is one file",
                parts.len()
            ))
            .next(format!("Name a folder: --output {text}/")));
        };
        write_file(place, &part.bytes, force)?;
        return Ok(vec![place.to_owned()]);
    }
    std::fs::create_dir_all(place)
        .map_err(|error| Fault::usage(format!("the folder can’t be made: {text}: {error}")))?;
    let mut written: Vec<PathBuf> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let named = part.name.as_ref().map(|name| place.join(name)).filter(|path| !written.contains(path));
        let path = named.unwrap_or_else(|| place.join(format!("{}.{}", number + 1, part.ending)));
        write_file(&path, &part.bytes, force)?;
        written.push(path);
    }
    Ok(written)
}

/// Writes a file. An existing file is only replaced with `force` (RES-12).
pub fn write_file(file: &Path, bytes: &[u8], force: bool) -> Result<(), Fault> {
    let mut options = std::fs::File::options();
    options.write(true);
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let written = options.open(file).and_then(|mut opened| opened.write_all(bytes));
    written.map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            return already_exists(file);
        }
        Fault::usage(format!("the file can’t be written: {}: {error}", file.display()))
    })
}

/// The error for a file that exists already.
pub fn already_exists(file: &Path) -> Fault {
    Fault::usage(format!("the file already exists: {}", file.display()))
        .next("Choose another one, or replace it with --force.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(parts: &[Part]) -> Vec<(Option<&str>, &str, usize)> {
        parts.iter().map(|part| (part.name.as_deref(), part.ending, part.bytes.len())).collect()
    }

    #[test]
    fn bytes_come_first_then_structure_then_text() {
        let text = json!({ "type": "text", "text": "a" });
        let image = json!({ "type": "image", "mimeType": "image/png", "data": "aGFyYm91cg==" });
        let blob = json!({ "type": "resource", "resource":
            { "uri": "x://a/../.guide v2.pdf?x", "mimeType": "application/pdf", "blob": "aGFyYm91cg" } });
        let of = |value: Value| parts_of(&value).unwrap();
        let both = of(json!({ "content": [text, image, blob], "structuredContent": {} }));
        assert_eq!(names(&both), [(None, "png", 7), (Some("guidev2.pdf"), "pdf", 7)]);
        assert_eq!(of(json!({ "content": [text], "structuredContent": { "b": 1 } }))[0].ending, "json");
        assert_eq!(names(&of(json!({ "content": [text, text] }))), [(None, "txt", 3)]);
        assert!(of(json!({ "content": [] })).is_empty());
        let broken = json!({ "content": [{ "type": "image", "data": "not base64!" }] });
        assert_eq!(parts_of(&broken).unwrap_err().exit, Exit::ServerError);
    }

    #[test]
    fn parts_go_into_one_file_or_a_folder_and_replace_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let part =
            |name: Option<&str>| Part { name: name.map(str::to_owned), ending: "png", bytes: vec![1, 2] };
        let file = folder.path().join("a.png");
        assert_eq!(save_parts(&[part(None)], &file, false).unwrap(), std::slice::from_ref(&file));
        assert!(save_parts(&[part(None)], &file, false).unwrap_err().message.contains("already exists"));
        save_parts(&[part(None)], &file, true).unwrap();
        let two = [part(Some("b.png")), part(Some("b.png"))];
        assert!(save_parts(&two, &folder.path().join("c"), false).unwrap_err().message.contains("2 parts"));
        let inside = folder.path().join("new/");
        let written = save_parts(&two, &inside, false).unwrap();
        assert_eq!(written, [inside.join("b.png"), inside.join("2.png")]);
    }
}

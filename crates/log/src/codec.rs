//! Encodes records as bytes. A batch is one frame: its length, its CRC-32 and its records. Therefore a file
//! contains a batch completely or not at all, even after a crash. Numbers have a variable length.

use crate::record::{Direction, LogKind, LogRecord, LogStatus};
use bytes::Bytes;
use std::sync::Arc;

/// Bytes before a frame's records.
const HEADER: usize = 8;

/// The frame of these records. `None` if they are too large for one frame.
pub(crate) fn encode_batch(records: &[LogRecord]) -> Option<Vec<u8>> {
    let mut out = vec![0; HEADER];
    for record in records {
        put_record(&mut out, record);
    }
    let payload = out.get(HEADER..)?;
    let (length, crc32) = (u32::try_from(payload.len()).ok()?, crc32fast::hash(payload));
    let header = length.to_le_bytes().into_iter().chain(crc32.to_le_bytes());
    for (place, byte) in out.iter_mut().zip(header) {
        *place = byte;
    }
    Some(out)
}

/// Decodes the complete frames at the start of `bytes`. Returns their records and their length. Later bytes
/// belong to a frame that is still being written, or that was never completed.
pub(crate) fn decode_batches(bytes: &[u8]) -> (Vec<LogRecord>, usize) {
    let (mut records, mut rest) = (Vec::new(), bytes);
    while let Some((batch, behind)) = decode_frame(rest) {
        records.extend(batch);
        rest = behind;
    }
    (records, bytes.len() - rest.len())
}

fn decode_frame(bytes: &[u8]) -> Option<(Vec<LogRecord>, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (crc32, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (payload, rest) = rest.split_at_checked(length)?;
    // Bytes that were erased or never reached the disk are zeros.
    if payload.is_empty() || crc32fast::hash(payload) != u32::from_le_bytes(*crc32) {
        return None;
    }
    let (mut fields, mut records) = (Fields(payload), Vec::new());
    while !fields.0.is_empty() {
        records.push(fields.read_record()?);
    }
    Some((records, rest))
}

fn put_record(out: &mut Vec<u8>, record: &LogRecord) {
    put_number(out, record.at_us);
    put_number(out, record.kind as i64);
    put_number(out, record.direction as i64);
    put_number(out, record.status as i64);
    put_number(out, record.connection);
    put_number(out, record.size);
    for number in [record.server_id, record.duration_us, record.call] {
        put_number(out, i64::from(number.is_some()));
        if let Some(number) = number {
            put_number(out, number);
        }
    }
    put_bytes(out, Some(record.source.as_bytes()));
    for name in [&record.method, &record.rpc_id, &record.subject, &record.app] {
        put_bytes(out, name.as_ref().map(|name| name.as_bytes()));
    }
    put_bytes(out, Some(&record.body));
}

/// Writes seven bits per byte, the lowest first. The lowest bit of the number is its sign.
fn put_number(out: &mut Vec<u8>, number: i64) {
    let mut rest = (number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned();
    loop {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            return out.push(low & 0x7f);
        }
        out.push(low | 0x80);
    }
}

/// Writes the length plus one and the bytes, or 0 for `None`.
fn put_bytes(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    let length = bytes.map_or(0, |bytes| i64::try_from(bytes.len()).unwrap_or(i64::MAX - 1) + 1);
    put_number(out, length);
    out.extend_from_slice(bytes.unwrap_or_default());
}

/// The unread rest of a frame.
struct Fields<'f>(&'f [u8]);

impl<'f> Fields<'f> {
    fn read_record(&mut self) -> Option<LogRecord> {
        Some(LogRecord {
            at_us: self.read_number()?,
            kind: LogKind::from_code(self.read_number()?)?,
            direction: Direction::from_code(self.read_number()?)?,
            status: LogStatus::from_code(self.read_number()?)?,
            connection: self.read_number()?,
            size: self.read_number()?,
            server_id: self.read_optional_number()?,
            duration_us: self.read_optional_number()?,
            call: self.read_optional_number()?,
            source: self.read_name()??,
            method: self.read_name()?,
            rpc_id: self.read_name()?,
            subject: self.read_name()?,
            app: self.read_name()?,
            body: Bytes::copy_from_slice(self.read_bytes()??),
        })
    }

    fn read_number(&mut self) -> Option<i64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
            }
        }
        None
    }

    #[expect(clippy::option_option, reason = "none: it is cut off; some of none: there is nothing")]
    fn read_optional_number(&mut self) -> Option<Option<i64>> {
        if self.read_number()? == 0 { Some(None) } else { self.read_number().map(Some) }
    }

    #[expect(clippy::option_option, reason = "none: it is cut off; some of none: there is nothing")]
    fn read_bytes(&mut self) -> Option<Option<&'f [u8]>> {
        let Some(length) = usize::try_from(self.read_number()?).ok()?.checked_sub(1) else {
            return Some(None);
        };
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Some(bytes))
    }

    #[expect(clippy::option_option, reason = "none: it is cut off; some of none: there is nothing")]
    fn read_name(&mut self) -> Option<Option<Arc<str>>> {
        let Some(bytes) = self.read_bytes()? else { return Some(None) };
        Some(Some(std::str::from_utf8(bytes).ok()?.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<LogRecord> {
        let full = LogRecord {
            at_us: i64::MAX,
            server_id: Some(0),
            source: "日本".into(),
            connection: i64::MIN,
            kind: LogKind::Auth,
            direction: Direction::ToApp,
            method: Some("tools/call".into()),
            rpc_id: Some("\"1\"".into()),
            subject: Some("".into()),
            status: LogStatus::TimedOut,
            duration_us: Some(-1),
            size: 64,
            app: Some("app".into()),
            call: Some(63),
            body: vec![0xff; 300].into(),
        };
        vec![LogRecord::sample_frame(""), full, LogRecord::sample_frame("b")]
    }

    #[test]
    fn records_come_back_as_they_were() {
        let (first, second) = (records(), vec![LogRecord::sample_frame("second")]);
        let mut bytes = encode_batch(&first).unwrap();
        let one = bytes.len();
        bytes.extend(encode_batch(&second).unwrap());
        assert_eq!(decode_batches(&bytes), ([first.clone(), second].concat(), bytes.len()));
        // As long as the second batch is incomplete, only the first one is read.
        for end in one..bytes.len() {
            assert_eq!(decode_batches(&bytes[..end]), (first.clone(), one), "{end}");
        }
    }

    #[test]
    fn a_batch_with_another_byte_is_no_batch() {
        let bytes = encode_batch(&records()).unwrap();
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_eq!(decode_batches(&other), (vec![], 0), "{at}");
        }
        assert_eq!(decode_batches(&[0; 64]), (vec![], 0));
        // Complete frames that are not records.
        for payload in [&[0xff; 40][..], &[0, 7], &[0, 99, 0, 0, 0, 0]] {
            let mut frame = u32::try_from(payload.len()).unwrap().to_le_bytes().to_vec();
            frame.extend(crc32fast::hash(payload).to_le_bytes());
            frame.extend(payload);
            assert_eq!(decode_batches(&frame), (vec![], 0));
        }
    }
}

//! A fog horn, computed sample by sample and wrapped as a WAV file.

use std::f32::consts::TAU;

/// Samples per second.
const RATE: u32 = 16_000;

/// A mono 16-bit WAV of a horn at `pitch` hertz for `seconds`, with soft edges.
pub(crate) fn horn(pitch: f32, seconds: f32) -> Vec<u8> {
    let count = frames(seconds);
    let mut samples = Vec::with_capacity(count * 2);
    for index in 0..count {
        let at = position(index);
        let edge = (at / 0.08).min((seconds - at) / 0.25).clamp(0.0, 1.0);
        let sway = 1.0 + 0.004 * (TAU * 5.0 * at).sin();
        // A horn is a stack of harmonics; the odd ones give it the reedy sound.
        let tone = [(1.0, 0.5), (2.0, 0.18), (3.0, 0.22), (5.0, 0.1)]
            .into_iter()
            .map(|(multiple, loudness)| loudness * (TAU * pitch * multiple * sway * at).sin())
            .sum::<f32>();
        samples.extend_from_slice(&level(tone * edge * 0.8).to_le_bytes());
    }
    wrap(&samples)
}

fn wrap(samples: &[u8]) -> Vec<u8> {
    let size = u32::try_from(samples.len()).unwrap_or(u32::MAX - 36);
    let mut file = Vec::with_capacity(samples.len() + 44);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(size + 36).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16_u32.to_le_bytes());
    file.extend_from_slice(&1_u16.to_le_bytes()); // PCM
    file.extend_from_slice(&1_u16.to_le_bytes()); // one channel
    file.extend_from_slice(&RATE.to_le_bytes());
    file.extend_from_slice(&(RATE * 2).to_le_bytes());
    file.extend_from_slice(&2_u16.to_le_bytes());
    file.extend_from_slice(&16_u16.to_le_bytes());
    file.extend_from_slice(b"data");
    file.extend_from_slice(&size.to_le_bytes());
    file.extend_from_slice(samples);
    file
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "at most ten seconds, so a few hundred thousand frames"
)]
fn frames(seconds: f32) -> usize {
    (seconds.clamp(0.0, 10.0) * RATE as f32) as usize
}

#[expect(clippy::cast_precision_loss, reason = "indices stay far below the 24 bits that f32 holds exactly")]
fn position(index: usize) -> f32 {
    index as f32 / RATE as f32
}

#[expect(clippy::cast_possible_truncation, reason = "the value is clamped to the range of i16 first")]
fn level(value: f32) -> i16 {
    (value.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16
}

#[cfg(test)]
mod tests {
    use super::horn;

    #[test]
    fn a_horn_is_a_wav_file_of_the_length_asked_for() {
        let file = horn(146.8, 0.5);
        assert_eq!(&file[..4], b"RIFF");
        assert_eq!(&file[8..16], b"WAVEfmt ");
        assert_eq!(file.len(), 44 + 8_000 * 2);
    }

    #[test]
    fn a_horn_begins_and_ends_in_silence() {
        let file = horn(146.8, 0.5);
        assert_eq!(&file[44..46], &[0, 0]);
        let last = i16::from_le_bytes([file[file.len() - 2], file[file.len() - 1]]);
        assert!(last.abs() < 40, "last sample: {last}");
    }
}

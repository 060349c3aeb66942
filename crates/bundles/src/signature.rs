//! The signature of a bundle: a detached PKCS#7 message (RFC 5652) over the zip file.
//!
//! Verified are the hash of the content and the signature by the certificate in the message. Whether the certificate's
//! issuer is to be trusted is not: systems have no list of issuers for bundles, and most bundles that are signed at
//! all name themselves as the issuer.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P384_SHA256_ASN1, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
    VerificationAlgorithm,
};
use mooring_base::digest::hex;
use mooring_words::{Sentence, say};
use sha2::{Digest as _, Sha256};
use x509_cert::Certificate;
use x509_cert::der::asn1::{AnyRef, ObjectIdentifier};
use x509_cert::der::{Decode as _, Encode as _, Reader as _, SliceReader, Tag};
use x509_cert::ext::pkix::SubjectKeyIdentifier;
use x509_cert::name::Name;

use crate::error::BundleError;

const SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");
const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
const SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const RSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
/// `[0]` with parts.
const FIRST_TAG: u8 = 0xa0;
const SET_TAG: u8 = 0x31;
/// Maximum length of a name that is shown, in characters.
const MAX_NAME: usize = 120;

/// Whether a bundle is signed. A broken signature is an error of [`Bundle::open`](crate::Bundle::open).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleSignature {
    /// There is no signature. This is normal.
    Unsigned,
    /// The signature matches the file. The signer made its own certificate, so the name is only a claim.
    SelfSigned(BundleSigner),
    /// The signature matches the file. Someone else issued the certificate; whether to trust them was not checked.
    Signed(BundleSigner),
    /// There is a signature of a kind that Mooring can't verify, for this reason.
    Unverified(Sentence),
}

/// The certificate of a bundle's signer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleSigner {
    /// The signer's name, at most 120 characters.
    pub name: String,
    /// The issuer's name, at most 120 characters.
    pub issuer: String,
    /// The SHA-256 of the certificate, in hexadecimal digits.
    pub fingerprint: String,
    /// The beginning of its validity, in milliseconds since the Unix epoch.
    pub valid_from_ms: i64,
    /// The end of its validity, in milliseconds since the Unix epoch.
    pub valid_until_ms: i64,
}

impl BundleSignature {
    /// The state as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Unsigned => say!("The bundle isn’t signed."),
            Self::SelfSigned(signer) => say!(
                "The bundle is signed by “{name}” with a certificate of their own, so the name isn’t verified.",
                name = &*signer.name
            ),
            Self::Signed(signer) => say!(
                "The bundle is signed by “{name}”. The certificate is from “{issuer}”, which Mooring doesn’t verify.",
                name = &*signer.name,
                issuer = &*signer.issuer
            ),
            Self::Unverified(reason) => {
                say!("The bundle has a signature that Mooring can’t verify: {reason}", reason)
            }
        }
    }
}

/// The parts of a PKCS#7 message that matter here.
struct Message<'a> {
    certificates: Vec<(Certificate, &'a [u8])>,
    signer_id: AnyRef<'a>,
    digest_algorithm: ObjectIdentifier,
    /// The signed attributes as they are in the message, with their tag.
    attributes: Option<&'a [u8]>,
    signature_algorithm: ObjectIdentifier,
    signature: &'a [u8],
}

/// Verifies a message. `digests` are the SHA-256 that its content may have.
pub(crate) fn verify_signature(message: &[u8], digests: &[[u8; 32]]) -> Result<BundleSignature, BundleError> {
    let unreadable = |_| BundleError::broken_signature(say!("it can’t be read as PKCS#7"));
    let message = read_message(message).map_err(unreadable)?;
    let Some((certificate, der)) =
        message.certificates.iter().find(|(it, _)| is_of_signer(it, message.signer_id))
    else {
        return Err(BundleError::broken_signature(say!("the signer’s certificate isn’t in it")));
    };
    if message.digest_algorithm != SHA256 {
        return Ok(BundleSignature::Unverified(say!("it doesn’t use SHA-256")));
    }
    let Some(attributes) = message.attributes else {
        return Ok(BundleSignature::Unverified(say!("it has no signed attributes")));
    };
    let digest = find_digest(attributes).map_err(unreadable)?;
    if !digests.iter().any(|it| Some(&it[..]) == digest) {
        return Err(BundleError::broken_signature(say!("the file isn’t the one that was signed")));
    }
    let Some(algorithm) = find_algorithm(&message, certificate) else {
        return Ok(BundleSignature::Unverified(say!("its algorithm isn’t RSA or ECDSA with SHA-256")));
    };
    // Signed is the set of attributes, with the tag of a set (RFC 5652 §5.4).
    let mut signed = attributes.to_vec();
    if let Some(tag) = signed.first_mut() {
        *tag = SET_TAG;
    }
    let key = certificate.tbs_certificate().subject_public_key_info().subject_public_key.raw_bytes();
    if UnparsedPublicKey::new(algorithm, key).verify(&signed, message.signature).is_err() {
        return Err(BundleError::broken_signature(say!("it wasn’t made with the key of its certificate")));
    }
    let signer = describe_signer(certificate, der);
    let own = certificate.tbs_certificate();
    Ok(if own.issuer() == own.subject() {
        BundleSignature::SelfSigned(signer)
    } else {
        BundleSignature::Signed(signer)
    })
}

/// Reads `ContentInfo`, `SignedData` and the first `SignerInfo` (RFC 5652 §3 and §5).
fn read_message(message: &[u8]) -> x509_cert::der::Result<Message<'_>> {
    let mut outer = SliceReader::new(message)?;
    let content_info = AnyRef::decode(&mut outer)?;
    let mut content_info = open_value(content_info, Tag::Sequence)?;
    if ObjectIdentifier::decode(&mut content_info)? != SIGNED_DATA {
        return Err(Tag::Sequence.value_error().into());
    }
    let mut content = SliceReader::new(AnyRef::decode(&mut content_info)?.value())?;
    let mut data = open_value(AnyRef::decode(&mut content)?, Tag::Sequence)?;
    // Its version, the digest algorithms and the content, which is elsewhere.
    for _ in 0..3 {
        AnyRef::decode(&mut data)?;
    }
    let mut certificates = Vec::new();
    let mut signers = None;
    while !data.is_finished() {
        let first = data.peek_byte();
        let part = AnyRef::decode(&mut data)?;
        if first == Some(FIRST_TAG) {
            let mut list = SliceReader::new(part.value())?;
            while !list.is_finished() {
                let der = list.tlv_bytes()?;
                certificates.push((Certificate::from_der(der)?, der));
            }
        } else if first == Some(SET_TAG) {
            signers = Some(part);
        }
    }
    let signers = signers.ok_or_else(|| Tag::Set.value_error())?;
    let mut signers = SliceReader::new(signers.value())?;
    let mut signer = open_value(AnyRef::decode(&mut signers)?, Tag::Sequence)?;
    AnyRef::decode(&mut signer)?;
    let signer_id = AnyRef::decode(&mut signer)?;
    let digest_algorithm = read_algorithm(&mut signer)?;
    let has_attributes = signer.peek_byte() == Some(FIRST_TAG);
    let attributes = if has_attributes { Some(signer.tlv_bytes()?) } else { None };
    let signature_algorithm = read_algorithm(&mut signer)?;
    let signature = AnyRef::decode(&mut signer)?.value();
    Ok(Message { certificates, signer_id, digest_algorithm, attributes, signature_algorithm, signature })
}

/// A reader of the parts of a value with this tag.
fn open_value(value: AnyRef<'_>, tag: Tag) -> x509_cert::der::Result<SliceReader<'_>> {
    use x509_cert::der::Tagged as _;
    value.tag().assert_eq(tag)?;
    SliceReader::new(value.value())
}

fn read_algorithm(reader: &mut SliceReader<'_>) -> x509_cert::der::Result<ObjectIdentifier> {
    let mut algorithm = open_value(AnyRef::decode(reader)?, Tag::Sequence)?;
    ObjectIdentifier::decode(&mut algorithm)
}

/// Whether a certificate is the signer's: by issuer and serial number, or by the key's identifier.
fn is_of_signer(certificate: &Certificate, signer_id: AnyRef<'_>) -> bool {
    use x509_cert::der::Tagged as _;
    let own = certificate.tbs_certificate();
    if signer_id.tag() == Tag::Sequence {
        let (Ok(issuer), Ok(serial)) = (own.issuer().to_der(), own.serial_number().to_der()) else {
            return false;
        };
        return signer_id.value() == [issuer, serial].concat();
    }
    let identifier = own.get_extension::<SubjectKeyIdentifier>().ok().flatten();
    identifier.is_some_and(|(_, identifier)| identifier.0.as_bytes() == signer_id.value())
}

/// The hash of the content among the signed attributes.
fn find_digest(attributes: &[u8]) -> x509_cert::der::Result<Option<&[u8]>> {
    let mut attributes = SliceReader::new(AnyRef::from_der(attributes)?.value())?;
    while !attributes.is_finished() {
        let mut attribute = open_value(AnyRef::decode(&mut attributes)?, Tag::Sequence)?;
        if ObjectIdentifier::decode(&mut attribute)? == MESSAGE_DIGEST {
            let mut values = open_value(AnyRef::decode(&mut attribute)?, Tag::Set)?;
            return Ok(Some(AnyRef::decode(&mut values)?.value()));
        }
    }
    Ok(None)
}

/// The algorithm of a signature. `None` for one that isn't verified.
fn find_algorithm(
    message: &Message<'_>,
    certificate: &Certificate,
) -> Option<&'static dyn VerificationAlgorithm> {
    let key = &certificate.tbs_certificate().subject_public_key_info().algorithm;
    let curve = key.parameters.as_ref().and_then(|it| it.decode_as::<ObjectIdentifier>().ok());
    match message.signature_algorithm {
        RSA | RSA_WITH_SHA256 if key.oid == RSA => Some(&RSA_PKCS1_2048_8192_SHA256),
        ECDSA_WITH_SHA256 if curve == Some(P256) => Some(&ECDSA_P256_SHA256_ASN1),
        ECDSA_WITH_SHA256 if curve == Some(P384) => Some(&ECDSA_P384_SHA256_ASN1),
        _ => None,
    }
}

fn describe_signer(certificate: &Certificate, der: &[u8]) -> BundleSigner {
    let own = certificate.tbs_certificate();
    let milliseconds = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    BundleSigner {
        name: short_name(own.subject()),
        issuer: short_name(own.issuer()),
        fingerprint: hex(&Sha256::digest(der)),
        valid_from_ms: milliseconds(own.validity().not_before.to_unix_duration()),
        valid_until_ms: milliseconds(own.validity().not_after.to_unix_duration()),
    }
}

/// The common name, or the organization, or the whole name, on one line.
fn short_name(name: &Name) -> String {
    let common = name.common_name().ok().flatten().map(String::from);
    let named = common.or_else(|| name.organization().ok().flatten().map(String::from));
    let text = named.unwrap_or_else(|| name.to_string());
    let text: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_NAME).collect();
    text.trim().to_owned()
}

//! Signatures: of the official tool, made here in each of its ways, and broken ones.

use mooring_base::digest::hex;
use rcgen::{
    CertificateParams, DnType, Issuer, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519,
    PKCS_RSA_SHA256, SignatureAlgorithm, SigningKey as _,
};
use sha2::{Digest as _, Sha256};
use x509_cert::Certificate;
use x509_cert::der::{Decode as _, Encode as _};

use super::zips::write_zip;
use super::{Sandbox, go_on, with_server};
use crate::{Bundle, BundleError, BundleErrorCode, BundleSignature};

const OFFICIAL: &[u8] = include_bytes!("bundles/signed-by-tool-2.1.2.mcpb");
const RSA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01";
const ECDSA_WITH_SHA256: &[u8] = b"\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02";
const ED25519: &[u8] = b"\x06\x03\x2b\x65\x70";
const SHA256: &[u8] = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01";
const DATA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";
const SIGNED_DATA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
const CONTENT_TYPE: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x09\x03";
const MESSAGE_DIGEST: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x09\x04";

fn open(bytes: &[u8]) -> Result<Bundle, BundleError> {
    let sandbox = Sandbox::new();
    Bundle::open(&sandbox.write("a.mcpb", bytes))
}

#[track_caller]
fn check_broken(bytes: &[u8], reason: &str) {
    let error = open(bytes).unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::BrokenSignature, "{error}");
    assert!(error.to_string().contains(reason), "{error}");
}

/// A value in DER.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = u16::try_from(content.len()).unwrap();
    let mut value = match length {
        0..128 => vec![tag, u8::try_from(length).unwrap()],
        128..256 => vec![tag, 0x81, u8::try_from(length).unwrap()],
        _ => [&[tag, 0x82][..], &length.to_be_bytes()].concat(),
    };
    value.extend(content);
    value
}

/// Who signs.
struct Signer {
    key: KeyPair,
    certificate: Vec<u8>,
    algorithm: &'static [u8],
}

impl Signer {
    fn new(kind: &'static SignatureAlgorithm, algorithm: &'static [u8]) -> Self {
        let key = KeyPair::generate_for(kind).unwrap();
        let certificate = named("Harbour Works").self_signed(&key).unwrap().der().to_vec();
        Self { key, certificate, algorithm }
    }

    /// A PKCS#7 message for this content.
    fn sign(&self, content: &[u8]) -> Vec<u8> {
        let digest = Sha256::digest(content);
        let attributes = [
            der(0x30, &[CONTENT_TYPE, &der(0x31, &[DATA])]),
            der(0x30, &[MESSAGE_DIGEST, &der(0x31, &[&der(0x04, &[&digest])])]),
        ]
        .concat();
        let signature = self.key.sign(&der(0x31, &[&attributes])).unwrap();
        let certificate = Certificate::from_der(&self.certificate).unwrap();
        let own = certificate.tbs_certificate();
        let issuer = [own.issuer().to_der().unwrap(), own.serial_number().to_der().unwrap()].concat();
        let hash = der(0x30, &[SHA256]);
        let version = [0x02, 1, 1];
        let signer = der(
            0x30,
            &[
                &version,
                &der(0x30, &[&issuer]),
                &hash,
                &der(0xa0, &[&attributes]),
                &der(0x30, &[self.algorithm]),
                &der(0x04, &[&signature]),
            ],
        );
        let data = der(
            0x30,
            &[
                &version,
                &der(0x31, &[&hash]),
                &der(0x30, &[DATA]),
                &der(0xa0, &[&self.certificate]),
                &der(0x31, &[&signer]),
            ],
        );
        der(0x30, &[SIGNED_DATA, &der(0xa0, &[&data])])
    }
}

fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.use_authority_key_identifier_extension = false;
    params.not_after = rcgen::date_time_ymd(2040, 1, 1);
    params
}

fn block(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_le_bytes();
    [b"MCPB_SIG_V1", &length[..], message, b"MCPB_SIG_END"].concat()
}

fn plain() -> Vec<u8> {
    write_zip(&with_server(&[]))
}

/// A zip file whose last record counts this many bytes of a comment.
fn with_comment_length(mut zip: Vec<u8>, length: usize) -> Vec<u8> {
    let at = zip.len() - 2;
    zip.splice(at.., u16::try_from(length).unwrap().to_le_bytes());
    zip
}

#[test]
fn the_official_tools_signature_is_verified() {
    let bundle = open(OFFICIAL).unwrap();
    let BundleSignature::SelfSigned(signer) = bundle.signature() else { panic!("{:?}", bundle.signature()) };
    assert_eq!((&*signer.name, &*signer.issuer), ("Harbour Works", "Harbour Works"));
    assert_eq!(signer.fingerprint.len(), 64);
    assert!(signer.valid_from_ms < signer.valid_until_ms);
    assert_eq!(bundle.sha256(), hex(&Sha256::digest(OFFICIAL)));
    let said = bundle.signature().sentence().to_string();
    assert!(said.contains("“Harbour Works” with a certificate of their own"), "{said}");
    let sandbox = Sandbox::new();
    let installed = bundle.unpack(&sandbox.target(), &mut go_on).unwrap();
    assert!(installed.folder().join("server/index.js").is_file());
    // Without its signature, it is as it was.
    let end = OFFICIAL.windows(11).position(|part| part == b"MCPB_SIG_V1").unwrap();
    assert_eq!(*open(&OFFICIAL[..end]).unwrap().signature(), BundleSignature::Unsigned);
}

#[test]
fn each_way_to_sign_is_verified() {
    for (kind, algorithm) in [(&PKCS_ECDSA_P256_SHA256, ECDSA_WITH_SHA256), (&PKCS_RSA_SHA256, RSA)] {
        let signer = Signer::new(kind, algorithm);
        let zip = plain();
        // Signatures of ECDSA differ in length, so the counted one is tried until it has the same.
        let appended = [zip.clone(), block(&signer.sign(&zip))].concat();
        let own = block(&signer.sign(&zip));
        let counted_later = [with_comment_length(zip.clone(), own.len()), own].concat();
        let counted_first = (0..200).find_map(|_| {
            let length = block(&signer.sign(&zip)).len();
            let counted = with_comment_length(zip.clone(), length);
            let own = block(&signer.sign(&counted));
            (own.len() == length).then(|| [counted, own].concat())
        });
        for bundle in [appended, counted_later, counted_first.unwrap()] {
            let opened = open(&bundle).unwrap();
            let found = opened.signature();
            assert!(matches!(found, BundleSignature::SelfSigned(signer) if signer.name == "Harbour Works"));
            // Everything in front of the signature is signed, but for the length of the comment.
            for at in (0..zip.len() - 2).step_by(7) {
                let mut changed = bundle.clone();
                changed[at] ^= 1;
                open(&changed).unwrap_err();
            }
        }
    }
}

#[test]
fn an_issuer_of_the_certificate_is_named() {
    let authority = Issuer::new(named("Quay Authority"), KeyPair::generate().unwrap());
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
    let certificate = named("Harbour Works").signed_by(&key, &authority).unwrap().der().to_vec();
    let signer = Signer { key, certificate, algorithm: ECDSA_WITH_SHA256 };
    let bundle = open(&[plain(), block(&signer.sign(&plain()))].concat()).unwrap();
    let BundleSignature::Signed(found) = bundle.signature() else { panic!("{:?}", bundle.signature()) };
    assert_eq!((&*found.name, &*found.issuer), ("Harbour Works", "Quay Authority"));
    let said = bundle.signature().sentence().to_string();
    assert!(said.contains("from “Quay Authority”, which Mooring doesn’t verify"), "{said}");
}

#[test]
fn a_signature_of_another_kind_is_named_unverified() {
    for (kind, algorithm) in [(&PKCS_ED25519, ED25519), (&PKCS_ECDSA_P384_SHA384, ED25519)] {
        let signer = Signer::new(kind, algorithm);
        let bundle = open(&[plain(), block(&signer.sign(&plain()))].concat()).unwrap();
        assert!(matches!(bundle.signature(), BundleSignature::Unverified(_)), "{:?}", bundle.signature());
    }
    assert_eq!(open(&plain()).unwrap().signature().sentence().to_string(), "The bundle isn’t signed.");
}

#[test]
fn a_broken_signature_is_fatal() {
    let signer = Signer::new(&PKCS_ECDSA_P256_SHA256, ECDSA_WITH_SHA256);
    let (zip, message) = (plain(), signer.sign(&plain()));
    let good = [zip.clone(), block(&message)].concat();
    open(&good).unwrap();
    let other = signer.sign(b"another file");
    check_broken(&[zip.clone(), block(&other)].concat(), "the file isn’t the one that was signed");
    let stranger = Signer {
        certificate: signer.certificate.clone(),
        ..Signer::new(&PKCS_ECDSA_P256_SHA256, ECDSA_WITH_SHA256)
    };
    check_broken(&[zip.clone(), block(&stranger.sign(&zip))].concat(), "wasn’t made with the key");
    check_broken(&[zip.clone(), block(b"no DER")].concat(), "can’t be read as PKCS#7");
    check_broken(&[zip.clone(), block(&[])].concat(), "can’t be read as PKCS#7");
    check_broken(&[good.clone(), b"more".to_vec()].concat(), "its length is wrong, or something follows it");
    check_broken(&[zip.clone(), b"MCPB_SIG_END".to_vec()].concat(), "its beginning is missing");
    check_broken(
        &[zip.clone(), b"gap".to_vec(), block(&message)].concat(),
        "doesn’t begin where the zip file ends",
    );
    for end in zip.len() + 11..good.len() {
        check_broken(&good[..end], "");
    }
    let mut long = block(&message);
    long[14] = 0xff;
    check_broken(&[zip.clone(), long].concat(), "it is cut off");
    for at in 0..message.len() {
        let mut changed = message.clone();
        changed[at] ^= 1;
        // Some bytes of the certificate and the names of algorithms don't matter.
        if let Err(error) = open(&[zip.clone(), block(&changed)].concat()) {
            assert_eq!(error.code(), BundleErrorCode::BrokenSignature);
        }
    }
}

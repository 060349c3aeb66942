//! Certificates of authorities that are trusted in addition to the system's.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mooring_words::{Sentence, say};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use sha2::{Digest as _, Sha256};
use x509_cert::Certificate as X509;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::BasicConstraints;
use x509_cert::name::Name;

/// The largest file that certificates are read from, in bytes.
const MAX_FILE_BYTES: usize = 1024 * 1024;
/// The most certificates in a file.
const MAX_CERTIFICATES: usize = 500;
/// The longest name that is shown, in characters.
const MAX_NAME: usize = 120;

/// The certificate of an authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    der: Vec<u8>,
    name: String,
    issuer: String,
    ends_ms: i64,
}

impl Certificate {
    fn from_der(der: &[u8]) -> Result<Self, Sentence> {
        let unreadable =
            |error: &dyn ToString| say!("a certificate can’t be read: {error}", error = error.to_string());
        let read = X509::from_der(der).map_err(|error| unreadable(&error))?;
        let read = read.tbs_certificate();
        let (name, issuer) = (short_name(read.subject()), short_name(read.issuer()));
        let constraints = read.get_extension::<BasicConstraints>().map_err(|error| unreadable(&error))?;
        // A certificate without this extension may be an authority's, because version 1 doesn't have it (RFC
        // 5280 §4.2.1.9).
        if constraints.is_some_and(|(_, constraints)| !constraints.ca) {
            return Err(say!("the certificate of “{name}” isn’t an authority’s", name));
        }
        reqwest::Certificate::from_der(der).map_err(|error| unreadable(&error))?;
        let ends_ms =
            i64::try_from(read.validity().not_after.to_unix_duration().as_millis()).unwrap_or(i64::MAX);
        Ok(Self { der: der.to_vec(), name, issuer, ends_ms })
    }

    /// Decodes a certificate from the output of [`Self::encode`].
    pub fn decode(text: &str) -> Result<Self, Sentence> {
        let der = BASE64_STANDARD.decode(text);
        Self::from_der(
            &der.map_err(|error| say!("a certificate can’t be read: {error}", error = error.to_string()))?,
        )
    }

    /// The certificate in DER, as base64.
    pub fn encode(&self) -> String {
        BASE64_STANDARD.encode(&self.der)
    }

    /// The authority's common name, or another of its names.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The issuer's name. It equals [`Self::name`] if the authority issued the certificate itself.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The end of the certificate's validity, in milliseconds since the Unix epoch.
    pub fn ends_ms(&self) -> i64 {
        self.ends_ms
    }

    /// The SHA-256 of the certificate's DER, in hexadecimal pairs with colons, as `openssl x509 -fingerprint
    /// -sha256` prints it.
    pub fn fingerprint(&self) -> String {
        let pairs: Vec<_> = Sha256::digest(&self.der).iter().map(|byte| format!("{byte:02X}")).collect();
        pairs.join(":")
    }

    pub(crate) fn to_client_certificate(&self) -> reqwest::Result<reqwest::Certificate> {
        reqwest::Certificate::from_der(&self.der)
    }
}

/// Reads the authorities' certificates from a file. It is PEM with any number of certificates, or DER.
pub fn read_certificates(file: &[u8]) -> Result<Vec<Certificate>, Sentence> {
    if file.len() > MAX_FILE_BYTES {
        return Err(say!("the file is larger than 1 MiB"));
    }
    if file.first() == Some(&0x30) {
        return Ok(vec![Certificate::from_der(file)?]);
    }
    let mut found: Vec<Certificate> = Vec::new();
    for der in CertificateDer::pem_slice_iter(file) {
        let der =
            der.map_err(|error| say!("the file can’t be read as PEM: {error}", error = error.to_string()))?;
        let certificate = Certificate::from_der(&der)?;
        if !found.contains(&certificate) {
            found.push(certificate);
        }
        if found.len() > MAX_CERTIFICATES {
            return Err(say!("the file has more than {most} certificates", most = MAX_CERTIFICATES));
        }
    }
    if found.is_empty() { Err(say!("the file contains no certificate")) } else { Ok(found) }
}

/// The name of the issuer in the certificate with this DER.
pub fn issuer_name(der: &[u8]) -> Option<String> {
    let name = short_name(X509::from_der(der).ok()?.tbs_certificate().issuer());
    (!name.is_empty()).then_some(name)
}

/// The common name, or the organization, or the whole name, on one line.
fn short_name(name: &Name) -> String {
    let common = name.common_name().ok().flatten().map(String::from);
    let named = common.or_else(|| name.organization().ok().flatten().map(String::from));
    let text = named.unwrap_or_else(|| name.to_string());
    let text: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_NAME).collect();
    text.trim().to_owned()
}

/// Explains why a server's certificate is invalid. `words` is the TLS library's message. `None` if the
/// message is about something else.
pub fn certificate_problem(words: &str) -> Option<Sentence> {
    let problem = words.strip_prefix("invalid peer certificate: ")?;
    let is = |starts: &[&str]| starts.iter().any(|start| problem.starts_with(start));
    Some(if is(&["UnknownIssuer"]) {
        say!("this computer doesn’t know the authority that issued it")
    } else if is(&["certificate expired", "Expired"]) {
        say!("it has expired")
    } else if is(&["certificate not valid yet", "NotValidYet"]) {
        say!("it isn’t valid yet; check this computer’s clock")
    } else if is(&["certificate not valid for name", "NotValidForName"]) {
        say!("it is for a different host name")
    } else if is(&["Revoked"]) {
        say!("it was revoked")
    } else if problem.contains("CaUsedAsEndEntity") {
        say!("it is the certificate of an authority, which can’t be a server’s")
    } else {
        // The innermost of nested names is the reason.
        let word = problem.rsplit('(').next().unwrap_or(problem).trim_end_matches(')');
        say!("it can’t be used ({word})", word)
    })
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair};

    use super::*;

    fn authority(names: &[(DnType, &str)]) -> rcgen::Certificate {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = rcgen::DistinguishedName::new();
        for (kind, name) in names {
            params.distinguished_name.push(kind.clone(), *name);
        }
        params.not_after = rcgen::date_time_ymd(2031, 5, 6);
        params.self_signed(&KeyPair::generate().unwrap()).unwrap()
    }

    #[test]
    fn a_file_of_authorities_is_read_and_kept() {
        let one =
            authority(&[(DnType::CommonName, "Harbour\n Root 漢"), (DnType::OrganizationName, "Harbour")]);
        let two = authority(&[(DnType::OrganizationName, "Quay Ltd")]);
        let file = format!("# ours\n{}\nbetween\n{}{}", one.pem(), two.pem(), one.pem());
        let found = read_certificates(file.as_bytes()).unwrap();
        let names: Vec<_> = found.iter().map(Certificate::name).collect();
        assert_eq!(names, ["Harbour Root 漢", "Quay Ltd"]);
        assert_eq!(found[0].issuer(), "Harbour Root 漢");
        assert_eq!(found[0].ends_ms(), 1_935_792_000_000);
        assert_eq!(found[0].fingerprint().len(), 95);
        assert_eq!(read_certificates(one.der()).unwrap(), found[..1]);
        assert_eq!(Certificate::decode(&found[1].encode()).unwrap(), found[1]);
        assert_eq!(issuer_name(two.der()).as_deref(), Some("Quay Ltd"));
    }

    #[test]
    fn what_is_no_authoritys_certificate_is_refused() {
        let mut leaf = CertificateParams::new(vec!["mcp.test".to_owned()]).unwrap();
        leaf.is_ca = IsCa::ExplicitNoCa;
        leaf.distinguished_name.push(DnType::CommonName, "mcp.test");
        let key = KeyPair::generate().unwrap();
        let leaf = leaf.self_signed(&key).unwrap();
        let said = read_certificates(leaf.pem().as_bytes()).unwrap_err().to_string();
        assert_eq!(said, "the certificate of “mcp.test” isn’t an authority’s");
        for file in ["", "no PEM at all", &key.serialize_pem()] {
            let said = read_certificates(file.as_bytes()).unwrap_err().to_string();
            assert_eq!(said, "the file contains no certificate");
        }
        let whole = authority(&[(DnType::CommonName, "x")]);
        for end in 0..whole.der().len() {
            read_certificates(&whole.der()[..end]).unwrap_err();
            Certificate::decode(&BASE64_STANDARD.encode(&whole.der()[..end])).unwrap_err();
        }
        let half = &whole.pem().into_bytes()[..200];
        read_certificates(half).unwrap_err();
    }

    #[test]
    fn words_of_the_tls_library_become_plain_ones() {
        let said = |words: &str| certificate_problem(words).map(|said| said.to_string());
        for (words, meaning) in [
            (
                "Other(OtherError(CaUsedAsEndEntity))",
                "it is the certificate of an authority, which can’t be a server’s",
            ),
            ("Other(OtherError(UnsupportedCertVersion))", "it can’t be used (UnsupportedCertVersion)"),
            ("BadEncoding", "it can’t be used (BadEncoding)"),
            ("certificate expired: verification time 5 (UNIX)", "it has expired"),
            ("UnknownIssuer", "this computer doesn’t know the authority that issued it"),
        ] {
            assert_eq!(said(&format!("invalid peer certificate: {words}")).as_deref(), Some(meaning));
        }
        assert_eq!(said("connection reset"), None);
    }
}

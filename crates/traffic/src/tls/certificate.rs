//! The certificate of a server: the user's, or one that is made for whatever name or address a client asks for, under a test
//! authority whose key follows from the seed. The dates hold from 2020 to 2049, whatever time a board has.

use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use p256::SecretKey;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{DerSignature, SigningKey as Key};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};
use sha2::{Digest, Sha256};

use super::der::{self, BIT_STRING, BOOLEAN, INTEGER, OCTET_STRING, SEQUENCE, UTC_TIME, UTF8_STRING, tagged};
use super::provider::{public_point, secret_from};
use super::random::Random;

const MOST_FILE_BYTES: u64 = 1 << 20;
const AUTHORITY: &str = "Airwire test authority";
const VALIDITY: [&[u8]; 2] = [b"200101000000Z", b"491231235959Z"];
/// Object identifiers, encoded: RFC 5480 (id-ecPublicKey, secp256r1), RFC 5758 (ecdsa-with-SHA256), RFC 5280.
const EC_PUBLIC_KEY: &[u8] = &[0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1];
const SECP256R1: &[u8] = &[0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7];
const ECDSA_SHA256: &[u8] = &[0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2];
const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1D, 0x13];
const SUBJECT_ALTERNATIVE_NAME: &[u8] = &[0x55, 0x1D, 0x11];

/// Where a server has its certificate from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// Made under the test authority of this seed.
    Made(u64),
    /// A user's: the chain, and the key as 32 bytes.
    Given { chain: Vec<Vec<u8>>, key: [u8; 32] },
}

impl Origin {
    /// A user's file in PEM with the server's certificate first, those that signed it, and the key.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub(super) fn open(path: &str) -> Result<Self, String> {
        let unreadable = |error: std::io::Error| format!("{path} cannot be read: {error}");
        let found = fs::metadata(Path::new(path)).map_err(unreadable)?;
        if !found.is_file() || found.len() > MOST_FILE_BYTES {
            return Err(format!("{path} is no file of at most {MOST_FILE_BYTES} bytes"));
        }
        let pem = fs::read(path).map_err(unreadable)?;
        let chain = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|_| format!("{path} is no PEM"))?;
        let key = PrivateKeyDer::from_pem_slice(&pem).ok().and_then(|key| secret_of(&key));
        match key {
            _ if chain.is_empty() => {
                Err(format!("{path} has no certificate; it takes certificate and key in PEM"))
            }
            None => Err(format!(
                "{path} has no P-256 key; make one with openssl ecparam -name prime256v1 -genkey"
            )),
            Some(key) => {
                let chain = chain.iter().map(|one| one.to_vec()).collect();
                Ok(Self::Given { chain, key: key.to_bytes().into() })
            }
        }
    }

    /// The chain and the key for a client that asks for a name, or only knows an address.
    pub(super) fn certified(&self, name: Option<&str>, address: IpAddr) -> Option<Arc<CertifiedKey>> {
        let (chain, key) = match self {
            Self::Given { chain, key } => (chain.clone(), SecretKey::from_slice(key).ok()?),
            Self::Made(seed) => {
                let [authority, server] = ["authority", "server"].map(|whose| made_key(*seed, whose));
                let alternative = match name {
                    Some(name) => tagged(0x82, &[name.as_bytes()]),
                    None => match address {
                        IpAddr::V4(address) => tagged(0x87, &[&address.octets()]),
                        IpAddr::V6(address) => tagged(0x87, &[&address.octets()]),
                    },
                };
                let name = name.map_or_else(|| address.to_string(), str::to_owned);
                let leaf = signed(&name, &server, &authority, &server_extensions(&alternative));
                (vec![leaf, signed(AUTHORITY, &authority, &authority, &authority_extensions())], server)
            }
        };
        let chain = chain.into_iter().map(CertificateDer::from).collect();
        Some(Arc::new(CertifiedKey::new(chain, Arc::new(EcdsaKey(Arc::new(Key::from(&key)))))))
    }
}

fn secret_of(key: &PrivateKeyDer<'_>) -> Option<SecretKey> {
    use p256::pkcs8::DecodePrivateKey;
    match key {
        PrivateKeyDer::Pkcs8(key) => SecretKey::from_pkcs8_der(key.secret_pkcs8_der()).ok(),
        PrivateKeyDer::Sec1(key) => SecretKey::from_sec1_der(key.secret_sec1_der()).ok(),
        _ => None,
    }
}

fn made_key(seed: u64, whose: &str) -> SecretKey {
    let mut random = Random::named(seed, &format!("tls/key/{whose}"));
    let fill = |bytes: &mut [u8]| {
        random.fill(bytes);
        true
    };
    secret_from(fill).expect("the numbers have no end")
}

/// A certificate (RFC 5280, section 4.1) of a name and its key, signed by the authority.
fn signed(name: &str, key: &SecretKey, authority: &SecretKey, extensions: &[u8]) -> Vec<u8> {
    let algorithm = der::sequence(&[&der::object(ECDSA_SHA256)]);
    // A serial number is positive and different for each name.
    let mut serial: [u8; 8] = Sha256::digest(name)[..8].try_into().expect("a digest has 32 bytes");
    serial[0] = serial[0] & 0x3F | 0x40;
    let validity = VALIDITY.map(|time| tagged(UTC_TIME, &[time])).concat();
    let curve = der::sequence(&[&der::object(EC_PUBLIC_KEY), &der::object(SECP256R1)]);
    let point = tagged(BIT_STRING, &[&[0], &public_point(key)]);
    let body = der::sequence(&[
        &tagged(0xA0, &[&tagged(INTEGER, &[&[2]])]),
        &tagged(INTEGER, &[&serial]),
        &algorithm,
        &distinguished(AUTHORITY),
        &tagged(SEQUENCE, &[&validity]),
        &distinguished(name),
        &der::sequence(&[&curve, &point]),
        &tagged(0xA3, &[&der::sequence(&[extensions])]),
    ]);
    let signature: DerSignature = Key::from(authority).sign(&body);
    der::sequence(&[&body, &algorithm, &tagged(BIT_STRING, &[&[0], signature.as_bytes()])])
}

fn distinguished(name: &str) -> Vec<u8> {
    let pair = der::sequence(&[&der::object(COMMON_NAME), &tagged(UTF8_STRING, &[name.as_bytes()])]);
    der::sequence(&[&tagged(der::SET, &[&pair])])
}

fn server_extensions(alternative: &[u8]) -> Vec<u8> {
    let names = tagged(OCTET_STRING, &[&der::sequence(&[alternative])]);
    der::sequence(&[&der::object(SUBJECT_ALTERNATIVE_NAME), &names])
}

fn authority_extensions() -> Vec<u8> {
    let yes = tagged(BOOLEAN, &[&[0xFF]]);
    let constraints = tagged(OCTET_STRING, &[&der::sequence(&[&yes])]);
    der::sequence(&[&der::object(BASIC_CONSTRAINTS), &yes, &constraints])
}

/// The key of a certificate; its signatures have no chance in them (RFC 6979).
#[derive(Debug, Clone)]
struct EcdsaKey(Arc<Key>);

impl SigningKey for EcdsaKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered
            .contains(&SignatureScheme::ECDSA_NISTP256_SHA256)
            .then(|| Box::new(self.clone()) as Box<dyn Signer>)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for EcdsaKey {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let signature: DerSignature = self.0.sign(message);
        Ok(signature.as_bytes().to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP256_SHA256
    }
}

//! The cryptography below rustls, from RustCrypto: P-256, AES-128-GCM and SHA-256, which every TLS stack for microcontrollers
//! has. Nothing in it draws a random number of its own, so that a run can be repeated byte for byte.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use p256::{PublicKey, SecretKey};
use rustls::crypto::tls12::PrfUsingHmac;
use rustls::crypto::tls13::HkdfUsingHmac;
use rustls::crypto::{
    ActiveKeyExchange, CipherSuiteCommon, CryptoProvider, GetRandomFailed, KeyExchangeAlgorithm, KeyProvider,
    SecureRandom, SharedSecret, SupportedKxGroup, WebPkiSupportedAlgorithms, hash, hmac as mac,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::SigningKey;
use rustls::{
    CipherSuite, Error, NamedGroup, PeerMisbehaved, SignatureScheme, SupportedCipherSuite, Tls12CipherSuite,
    Tls13CipherSuite,
};
use sha2::{Digest, Sha256};

use super::random;
use super::record::Aes128Gcm;

/// Records under one key (RFC 8446, section 5.5, with a margin).
const MOST_RECORDS: u64 = 1 << 23;

/// What rustls is made to use.
pub(super) fn provider() -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        cipher_suites: vec![SupportedCipherSuite::Tls13(&TLS13), SupportedCipherSuite::Tls12(&TLS12)],
        kx_groups: vec![&P256],
        signature_verification_algorithms: WebPkiSupportedAlgorithms { all: &[], mapping: &[] },
        secure_random: &Lent,
        key_provider: &Lent,
    })
}

static TLS13: Tls13CipherSuite = Tls13CipherSuite {
    common: CipherSuiteCommon {
        suite: CipherSuite::TLS13_AES_128_GCM_SHA256,
        hash_provider: &Sha,
        confidentiality_limit: MOST_RECORDS,
    },
    hkdf_provider: &HkdfUsingHmac(&Sha),
    aead_alg: &Aes128Gcm,
    quic: None,
};

static TLS12: Tls12CipherSuite = Tls12CipherSuite {
    common: CipherSuiteCommon {
        suite: CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        hash_provider: &Sha,
        confidentiality_limit: MOST_RECORDS,
    },
    kx: KeyExchangeAlgorithm::ECDHE,
    sign: &[SignatureScheme::ECDSA_NISTP256_SHA256],
    aead_alg: &Aes128Gcm,
    prf_provider: &PrfUsingHmac(&Sha),
};

/// Random numbers of the connection that is at work.
#[derive(Debug)]
struct Lent;

impl SecureRandom for Lent {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        if random::fill_from_lent(bytes) { Ok(()) } else { Err(GetRandomFailed) }
    }
}

/// Keys are made by who resolves the certificate.
impl KeyProvider for Lent {
    fn load_private_key(&self, _: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        Err(Error::General("keys come with their certificate".to_owned()))
    }
}

struct Sha;

impl hash::Hash for Sha {
    fn start(&self) -> Box<dyn hash::Context> {
        Box::new(Hashing(Sha256::new()))
    }

    fn hash(&self, data: &[u8]) -> hash::Output {
        hash::Output::new(&Sha256::digest(data))
    }

    fn output_len(&self) -> usize {
        32
    }

    fn algorithm(&self) -> hash::HashAlgorithm {
        hash::HashAlgorithm::SHA256
    }
}

struct Hashing(Sha256);

impl hash::Context for Hashing {
    fn fork_finish(&self) -> hash::Output {
        hash::Output::new(&self.0.clone().finalize())
    }

    fn fork(&self) -> Box<dyn hash::Context> {
        Box::new(Self(self.0.clone()))
    }

    fn finish(self: Box<Self>) -> hash::Output {
        hash::Output::new(&self.0.finalize())
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl mac::Hmac for Sha {
    fn with_key(&self, key: &[u8]) -> Box<dyn mac::Key> {
        Box::new(MacKey(Hmac::new_from_slice(key).expect("HMAC takes keys of every length")))
    }

    fn hash_output_len(&self) -> usize {
        32
    }
}

struct MacKey(Hmac<Sha256>);

impl mac::Key for MacKey {
    fn sign_concat(&self, first: &[u8], middle: &[&[u8]], last: &[u8]) -> mac::Tag {
        let mut mac = self.0.clone();
        mac.update(first);
        middle.iter().for_each(|piece| mac.update(piece));
        mac.update(last);
        mac::Tag::new(&mac.finalize().into_bytes())
    }

    fn tag_len(&self) -> usize {
        32
    }
}

#[derive(Debug)]
struct P256;

impl SupportedKxGroup for P256 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let secret = secret_from(random::fill_from_lent).ok_or(Error::FailedToGetRandomBytes)?;
        Ok(Box::new(Exchange { public: public_point(&secret), secret }))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

struct Exchange {
    secret: SecretKey,
    public: Vec<u8>,
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer = PublicKey::from_sec1_bytes(peer).map_err(|_| PeerMisbehaved::InvalidKeyShare)?;
        Ok(SharedSecret::from(&self.secret.diffie_hellman(&peer).raw_secret_bytes()[..]))
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

/// The first number in a stream of random bytes that is a key; nearly every one is.
pub(super) fn secret_from(mut fill: impl FnMut(&mut [u8]) -> bool) -> Option<SecretKey> {
    let mut bytes = [0; 32];
    while fill(&mut bytes) {
        if let Ok(secret) = SecretKey::from_slice(&bytes) {
            return Some(secret);
        }
    }
    None
}

/// The point of a key, uncompressed (SEC 1, section 2.3.3).
pub(super) fn public_point(secret: &SecretKey) -> Vec<u8> {
    secret.public_key().to_sec1_bytes().to_vec()
}

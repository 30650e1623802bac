//! Records of TLS 1.2 and 1.3 under AES-128-GCM (RFC 5288; RFC 8446, section 5.2).

use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{AeadInOut, KeyInit};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter,
    MessageEncrypter, NONCE_LEN, Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload,
    Tls12AeadAlgorithm, Tls13AeadAlgorithm, UnsupportedOperationError, make_tls12_aad, make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

const KEY_BYTES: usize = 16;
const TAG_BYTES: usize = 16;
/// Of a nonce of TLS 1.2 the first bytes are part of the key, and the others stand before each record.
const SALT_BYTES: usize = 4;
const EXPLICIT_BYTES: usize = 8;

pub(super) struct Aes128Gcm;

impl Tls13AeadAlgorithm for Aes128Gcm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Tls13 { cipher: Cipher::new(&key), iv })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Tls13 { cipher: Cipher::new(&key), iv })
    }

    fn key_len(&self) -> usize {
        KEY_BYTES
    }

    fn extract_keys(&self, _: AeadKey, _: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Err(UnsupportedOperationError)
    }
}

impl Tls12AeadAlgorithm for Aes128Gcm {
    fn encrypter(&self, key: AeadKey, salt: &[u8], explicit: &[u8]) -> Box<dyn MessageEncrypter> {
        let mut iv = [0; NONCE_LEN];
        iv[..SALT_BYTES].copy_from_slice(salt);
        iv[SALT_BYTES..].copy_from_slice(explicit);
        Box::new(Tls12Out { cipher: Cipher::new(&key), iv: Iv::new(iv) })
    }

    fn decrypter(&self, key: AeadKey, salt: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Tls12In { cipher: Cipher::new(&key), salt: salt.to_vec() })
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: KEY_BYTES, fixed_iv_len: SALT_BYTES, explicit_nonce_len: EXPLICIT_BYTES }
    }

    fn extract_keys(
        &self,
        _: AeadKey,
        _: &[u8],
        _: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Err(UnsupportedOperationError)
    }
}

struct Cipher(aes_gcm::Aes128Gcm);

impl Cipher {
    fn new(key: &AeadKey) -> Self {
        Self(aes_gcm::Aes128Gcm::new_from_slice(key.as_ref()).expect("rustls keeps to the length of the key"))
    }

    /// Encrypts in place; the tag.
    fn seal(&self, nonce: [u8; NONCE_LEN], aad: &[u8], bytes: &mut [u8]) -> Result<[u8; TAG_BYTES], Error> {
        let tag = self.0.encrypt_inout_detached(&nonce.into(), aad, InOutBuf::from(bytes));
        tag.map(Into::into).map_err(|_| Error::EncryptError)
    }

    /// Decrypts in place what is followed by its tag; the length of what it was.
    fn open(&self, nonce: [u8; NONCE_LEN], aad: &[u8], bytes: &mut [u8]) -> Result<usize, Error> {
        let length = bytes.len().checked_sub(TAG_BYTES).ok_or(Error::DecryptError)?;
        let (text, tag) = bytes.split_at_mut(length);
        let tag: [u8; TAG_BYTES] = (&*tag).try_into().map_err(|_| Error::DecryptError)?;
        let opened = self.0.decrypt_inout_detached(&nonce.into(), aad, InOutBuf::from(text), &tag.into());
        opened.map(|()| length).map_err(|_| Error::DecryptError)
    }
}

struct Tls13 {
    cipher: Cipher,
    iv: Iv,
}

impl MessageEncrypter for Tls13 {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        number: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let length = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(length);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&message.typ.to_array());
        let tag =
            self.cipher.seal(Nonce::new(&self.iv, number).0, &make_tls13_aad(length), payload.as_mut())?;
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, bytes: usize) -> usize {
        bytes + 1 + TAG_BYTES
    }
}

impl MessageDecrypter for Tls13 {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let aad = make_tls13_aad(message.payload.len());
        let length = self.cipher.open(Nonce::new(&self.iv, number).0, &aad, &mut message.payload)?;
        message.payload.truncate(length);
        message.into_tls13_unpadded_message()
    }
}

struct Tls12Out {
    cipher: Cipher,
    iv: Iv,
}

impl MessageEncrypter for Tls12Out {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        number: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(message.payload.len()));
        let nonce = Nonce::new(&self.iv, number).0;
        let aad = make_tls12_aad(number, message.typ, message.version, message.payload.len());
        payload.extend_from_slice(&nonce[SALT_BYTES..]);
        payload.extend_from_chunks(&message.payload);
        let tag = self.cipher.seal(nonce, &aad, &mut payload.as_mut()[EXPLICIT_BYTES..])?;
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(message.typ, message.version, payload))
    }

    fn encrypted_payload_len(&self, bytes: usize) -> usize {
        EXPLICIT_BYTES + bytes + TAG_BYTES
    }
}

struct Tls12In {
    cipher: Cipher,
    salt: Vec<u8>,
}

impl MessageDecrypter for Tls12In {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let overhead = EXPLICIT_BYTES + TAG_BYTES;
        let length = message.payload.len().checked_sub(overhead).ok_or(Error::DecryptError)?;
        let mut nonce = [0; NONCE_LEN];
        nonce[..SALT_BYTES].copy_from_slice(&self.salt);
        nonce[SALT_BYTES..].copy_from_slice(&message.payload[..EXPLICIT_BYTES]);
        let aad = make_tls12_aad(number, message.typ, message.version, length);
        self.cipher.open(nonce, &aad, &mut message.payload[EXPLICIT_BYTES..])?;
        message.payload.copy_within(EXPLICIT_BYTES..EXPLICIT_BYTES + length, 0);
        message.payload.truncate(length);
        Ok(message.into_plain_message())
    }
}

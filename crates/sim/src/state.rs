//! Arrays in saved states: serde itself knows none of more than 32 elements. For `#[serde(with = "sim::state::array")]` and,
//! where the array lies in a box, `boxed_array`.

/// An array of any length.
pub mod array {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::{Serialize, Serializer};

    /// Writes it like a slice.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer, T: Serialize, const N: usize>(
        array: &[T; N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        array.as_slice().serialize(serializer)
    }

    /// Reads it.
    ///
    /// # Errors
    /// When there are more or fewer elements.
    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize>(
        deserializer: D,
    ) -> Result<[T; N], D::Error> {
        let elements = Vec::<T>::deserialize(deserializer)?;
        let count = elements.len();
        elements.try_into().map_err(|_| D::Error::custom(format!("{count} elements in place of {N}")))
    }
}

/// The same in a box.
pub mod boxed_array {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::{Serialize, Serializer};

    /// Writes it like a slice.
    ///
    /// # Errors
    /// Those of the serializer.
    #[expect(clippy::borrowed_box, reason = "serde hands over the field as it is")]
    pub fn serialize<S: Serializer, T: Serialize, const N: usize>(
        array: &Box<[T; N]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        array.as_slice().serialize(serializer)
    }

    /// Reads it.
    ///
    /// # Errors
    /// When there are more or fewer elements.
    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize>(
        deserializer: D,
    ) -> Result<Box<[T; N]>, D::Error> {
        let elements = Vec::<T>::deserialize(deserializer)?.into_boxed_slice();
        let count = elements.len();
        elements.try_into().map_err(|_| D::Error::custom(format!("{count} elements in place of {N}")))
    }
}

//! The numbers and names by which drivers ask the WLAN firmware.

/// Requests by number.
pub(crate) mod ioctl {
    pub(crate) const UP: u32 = 2;
    pub(crate) const DOWN: u32 = 3;
    /// In units of 500 kbit/s.
    pub(crate) const GET_RATE: u32 = 12;
    pub(crate) const GET_INFRASTRUCTURE: u32 = 19;
    pub(crate) const GET_BSSID: u32 = 23;
    pub(crate) const GET_SSID: u32 = 25;
    pub(crate) const SET_SSID: u32 = 26;
    pub(crate) const GET_CHANNEL: u32 = 29;
    pub(crate) const SET_CHANNEL: u32 = 30;
    /// Why the radio is off, a bit each.
    pub(crate) const GET_RADIO: u32 = 37;
    pub(crate) const DISASSOCIATE: u32 = 52;
    pub(crate) const GET_PM: u32 = 85;
    pub(crate) const SET_PM: u32 = 86;
    /// The chip is an access point and no station.
    pub(crate) const SET_AP: u32 = 118;
    pub(crate) const GET_RSSI: u32 = 127;
    pub(crate) const SET_WSEC: u32 = 134;
    pub(crate) const GET_STATIONS: u32 = 159;
    pub(crate) const SET_WPA_AUTH: u32 = 165;
    pub(crate) const GET_VARIABLE: u32 = 262;
    pub(crate) const SET_VARIABLE: u32 = 263;
    pub(crate) const SET_PASSPHRASE: u32 = 268;
    /// Those that are kept and answered, and have no effect on what the model does: infrastructure, authentication, passive
    /// scan, and country, antenna, DTIM period, gmode, and band.
    const KEPT: &[u32] = &[20, 22, 49, 64, 78, 110, 142, 162];

    /// The request by which a value is set, where it is kept: the number of the question is one less, as in brcmfmac's table of
    /// commands (`fwil.h`), and some drivers ask by the same.
    pub(crate) fn setter(command: u32) -> Option<u32> {
        let set_by = |setter: &u32| KEPT.contains(setter) || *setter == SET_AP;
        [command, command.saturating_add(1)].into_iter().find(set_by)
    }
}

/// Variables that are kept and read back, and have no effect on what the model does.
pub(crate) const KEPT_VARIABLES: &[&str] = &[
    "2g_mrate",
    "allmulti",
    "ampdu_ba_wsize",
    "ampdu_mpdu",
    "ampdu_rx_factor",
    "apsta",
    "arp_ol",
    "arpoe",
    "assoc_listen",
    "bcn_li_bcn",
    "bcn_li_dtim",
    "bcn_timeout",
    "bsscfg:sup_wpa",
    "bsscfg:wpa_auth",
    "bsscfg:sup_wpa2_eapver",
    "bsscfg:sup_wpa_tmo",
    "bus:txglom",
    "mcast_list",
    "mfp",
    "mpc",
    "ndoe",
    "pm2_sleep_ret",
    "roam_off",
    "sup_wpa",
    "tlv",
    "wlfc_mode",
];

/// WPA3 with a password, among the bits of SET_WPA_AUTH.
pub(crate) const AUTH_SAE: u32 = 0x4_0000;

/// Four bytes at the beginning.
pub(crate) fn number(data: &[u8]) -> u32 {
    let mut bytes = [0; 4];
    for (to, from) in bytes.iter_mut().zip(data) {
        *to = *from;
    }
    u32::from_le_bytes(bytes)
}

/// The name of a variable and what follows it.
pub(crate) fn variable(data: &[u8]) -> Option<(&str, &[u8])> {
    let end = data.iter().position(|byte| *byte == 0)?;
    Some((std::str::from_utf8(&data[..end]).ok()?, &data[end + 1..]))
}

/// A name as networks have it: its length in four bytes, and up to 32 bytes.
pub(crate) fn ssid(data: &[u8]) -> Vec<u8> {
    let length = number(data).min(32) as usize;
    let name = data.get(4..).unwrap_or_default();
    name[..length.min(name.len())].to_vec()
}

/// Which of several access points the variable `join` means; nothing where any of the name will do. Its value is a name (36 bytes),
/// how to look for it (20 bytes), and then an address.
pub(crate) fn joined_bssid(value: &[u8]) -> Option<[u8; 6]> {
    const ADDRESS: usize = 36 + 20;
    let bssid: [u8; 6] = value.get(ADDRESS..ADDRESS + 6)?.try_into().ok()?;
    (bssid != [0xff; 6] && bssid != [0; 6]).then_some(bssid)
}

/// The number that the results of a scan are to carry, and the name that is scanned for, which is empty for any. Behind the version
/// (four bytes) and the action (two) stand that number (two), the name's length (four) and the name.
pub(crate) fn scan(value: &[u8]) -> (u16, &[u8]) {
    const NAME: usize = 12;
    let behind = |at: usize| value.get(at..).unwrap_or_default();
    let length = usize::try_from(number(behind(8))).unwrap_or(usize::MAX);
    (number(behind(6)) as u16, behind(NAME).get(..length).unwrap_or_default())
}

/// A key: its length in two bytes, flags in two, and its bytes.
pub(crate) fn passphrase(data: &[u8], header_bytes: usize) -> Vec<u8> {
    let length = usize::from(number(data) as u16);
    let key = data.get(header_bytes..).unwrap_or_default();
    key[..length.min(key.len())].to_vec()
}

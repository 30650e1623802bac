"""Images that others have published: where they are looked for, and which builds of them.

None is in the repository; README.md says where each is published.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("AIRWIRE_IMAGES") or REPOSITORY.parent / "shared" / "images")
"""AIRWIRE_IMAGES, or ``images`` beside the captures."""

SHA256 = {
    "ariadne_debug1284_w5100.hex": "2a2a0ee4d0e4dbc730f7bbb9704fd77e1d40132e4d19f2da6d329195bcb22ee3",
    "arduino_pico_fan.uf2": "294f06af28fd510e7fd6ea518b9a8083e3586bc1d5eaa42b1784ac8a82fb6455",
    "blink.uf2": "e65f1fd7875cabcaee27516200caaf64034fe0223d937515bd9f52ca971e1dee",
    "circuitpython-9.2.1.uf2": "b23e50784711101d6fd9958778f5541ea0781e9eb317dfe1d775959e80512bd6",
    "circuitpython-picow-8.0.3.uf2": "6cf9d7fe593fe10b8d0f6477e8e6837f3d7335049bc0ea568495c37eb7fc0abb",
    "dma_channel_irq.uf2": "d61da878452948f660c7e5707fce4981fb1c60db0e43bbf2abc4f2e6cbc010d4",
    "dynamic_W5500.hex": "dcbd39d6f72cb5290810af95efca8862a2f6a565f3b900c5c4483fc1d11c035e",
    "embassy_blinky.elf": "7ac6e12b6c6576d1470af6b267468dcc971524cd0b81724f95178a662be39d8a",
    "embassy_multicore.elf": "2b0b1623e9388cbc4fa87ed45f7d5089d51d2ae9a72a5f304e0a7e681d7fe347",
    "embassy_usb_serial.elf": "8d50a6a82ccd9b27e7c6a271f43e6efc6f056808eb461aafb39da75a9d9d1d7f",
    "embassy_wifi_blinky.elf": "24a191c46294c47acb4b2ad6665c8ca46a5b511c62d768a2cba340c05f3e5e67",
    "flipper_http_pico_c++.uf2": "b2433d714063ac78b07de7d761f998129fdfb7302195d22fbd92129d32783dcf",
    "freertos_mutex.uf2": "09f88bbf7b88273d4d0f3d27d6a8e69d0c5440b37dd2ba3a258233ea2455d647",
    "freertos_semaphores.elf": "729ead53d2cbc609b541793e6da2e22139e7a0f2af075c910de0685ad2dc4437",
    "hello_48MHz.uf2": "002f27e34f9981fc3de7f1d6bfcd08e98f669a1d3fd5ba9e98ae538ec7bf2c6f",
    "hello_adc.uf2": "3a22f7a272000c2b3557b626f00af26c917167bdcdf6d59b9dfa5a089a8b5046",
    "hello_divider.uf2": "ee8d7e4250d00766655f89f97e4774f8875ed5b42af95e3906bf3bca90ee3f82",
    "hello_dma.uf2": "f30859a2f4d01beced94f9d48f1d64127815cdbe2c2af9150179ac65e450b021",
    "hello_gpio_irq.uf2": "61065d2e5ed56552daa7c94d765f94ebb25ca8e0d4df288fce1eae9a1f1a463d",
    "hello_interp.uf2": "f7bae9d15241ce75920393b5e93621a96152fbfb622b50b731708066e5a6b23a",
    "hello_multicore.uf2": "ec4ab34aaa582ab337a88624a653211c924c5de17df578828663ea1fe6d2b418",
    "hello_pio.uf2": "e1cf7133bfad011f5247f962e774e2053288f332b965ad30c1b31f103884de12",
    "hello_pwm.uf2": "8f8bb4926c5db40b36cc9baf89372027ccf2b5e68d0e7614200f47bc94b23960",
    "hello_rtc.uf2": "4bd717ae0f0fcf153140cfebdb5777608b5ee4cd9c9d31d9fc0be57ff35ee2aa",
    "hello_timer.uf2": "7bad497f75fa56849330cda721dcece4fb1bae2705336a142a7db7cce25772ff",
    "hello_uart.uf2": "e74dcbd7f5a67e2d272e80311e66ef7a4e0576ff809580d14314649eee306fd1",
    "hello_usb.uf2": "9f0d0a224d1e73ea3779237095a7e7a1e7dda97fe65058c6947cffc01bd6439e",
    "hello_watchdog.uf2": "73f9dce1ee54c37b9590565eac762718f8af487622da32ccd325034cb156e31b",
    "micropython-picow-v1.20.0.uf2": "4785e8317a611b780b5166f76575f71ca3e818449415a7b30e54a1afc9e6fb00",
    "micropython-picow-v1.21.0.uf2": "1c7deb8409da29974e8cfb06d3798fd137ea682ca0785e5aec84bdbf0c017c96",
    "micropython-picow-v1.22.1.uf2": "d8649b983f4bebbd18ece25c45c30e9e23296e7514f541b6c2e6af68cb9f4148",
    "micropython-picow-v1.24.1.uf2": "bf869821b59a13de3f7fa0c3cc1592f9af4bd41ce571d919c2577d47b6ce540e",
    "micropython-v1.19.1.uf2": "958ad98a21a036a529c0b17bad1e0223e80cdd4b089cd5596d14966760ab3c3f",
    "micropython-v1.20.0.uf2": "d9d97d8b495da476006125e73dc203a428ce7b6be27a5a76eda1dd85b2efe99d",
    "micropython-v1.21.0.uf2": "a1166281fd87886e5d755e577e8eaf207881e20dac1d76f82161f37133547be3",
    "multicore_fifo_irqs.uf2": "429bef031dcbc043280d497aef1c33af4011586d24e99e1a8bbf0d6b81898199",
    "onboard_temperature.uf2": "1fc30eb870ec4e162f316ef4e0bc552fc58033ca99f66e04038bdcd4e790c5be",
    "optiboot_atmega328_fat.hex": "cbacd90f4af49d7127f5f38b80646ce8154e0c42a4756bd31080045681e2ad8d",
    "picoprobe.uf2": "430119537b899611fa716b2e5e101473c4de292d9798f79f0862bd1857ca31a2",
    "picow_blink.uf2": "80936901390783e358a296ea6a302c32d41cfcbe1eff77edca6530fbb3209146",
    "picow_webserver.uf2": "d5e7fd911d74bec01a95761bb0561d28ff6987e760d61588ff25e81678355112",
    "pio_blink.uf2": "5022a656355abdeebe8baf5bbdc2b03de9f41cf0152d06d61b5eaca686947959",
    "pio_uart_tx.uf2": "680f105b0ccf574fa625bfef0408192ce26740653557b3dc877d27c6a6092163",
    "pwm_led_fade.uf2": "5b83fe5201bf5849d3b6594b21945a9bddb7c245f3ddaf5638a850ac5d0abe68",
    "rtc_alarm.uf2": "e36a98f3f83ef76ae0ff8c215a9988cec8e154adb82b463ef44f7ef08097bc32",
    "timer_lowlevel.uf2": "35d366c63442c13fc20ff0988f737ea1653aa50b0d357c91180100c74be00509",
    "tinyusb_hid_composite.uf2": "105614ee1ddb93fed2e95f2be9febd814cb29c16f7602e2293654baab92c5706",
    "unique_board_id.uf2": "9024f7221cd5ab871d7d4555b7feb22b9c9ba171dbad8a4cc056b7afc045657f",
    "zephyr_usb_console.uf2": "391789743efe7476d03cbfe498151d37581a00a7625289218250e5e9771bb508",
}


def public_image(name: str) -> Path:
    """Where an image is; skips the test where it is absent, or another of that name."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {FOLDER} (AIRWIRE_IMAGES); tests/parity/README.md says where it is published")
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256[name]:
        pytest.skip(f"{path} is another build than tests/parity/README.md names")
    return path


def built_image(name: str) -> Path:
    """Where somebody's own build of a sketch or program is that README.md tells; skips the test where it is absent.

    It has no SHA-256 here: compilers and versions of a core differ, and what the tests ask of it holds for every sound
    build.
    """
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {FOLDER} (AIRWIRE_IMAGES); tests/parity/README.md says what it is built of")
    return path

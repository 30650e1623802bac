/* The network interface of frames, without lwIP behind it: what it tells lwIP of a frame that does not leave, and where
 * a frame comes to lie. Functions of lwIP that it calls stand here, as far as they matter. */
#include <string.h>

#include "expect.h"
#include "frames.h"
#include "lwip/etharp.h"
#include "lwip/pbuf.h"
#include "netif_frames.h"
#include "network_settings.h"
#include "watch.h"

const volatile uint32_t setting_mac_last = 0x50;

static struct {
    bool leaves;
    size_t written, sends, headroom;
    const uint8_t *buffer;
} chip;
static struct netif interface;
static struct pbuf received;
static size_t inputs;

bool frames_open(void) { return true; }
void frames_acknowledge(void) {}
size_t frames_next(void) { return inputs ? 0 : 60; }
bool frames_are_known(void) { return false; }
bool frames_read(uint8_t *buffer, size_t headroom, size_t count) {
    EXPECT_EQUAL(count, 60);
    chip.buffer = buffer;
    chip.headroom = headroom;
    return true;
}
void frames_finish(void) {}
void frames_settle(void) {}
bool frames_has_room(size_t bytes) { return bytes <= FRAMES_MOST_BYTES; }
void frames_write(const uint8_t *bytes, size_t count, bool is_last) {
    (void)bytes;
    (void)is_last;
    chip.written += count;
}
bool frames_send(void) {
    chip.sends++;
    return chip.leaves;
}
bool frames_has_link(void) { return true; }
bool frames_knows_link(void) { return true; }
bool watch_has_pin(void) { return false; }
bool watch_is_calling(void) { return false; }

struct pbuf *pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type) {
    static uint8_t payload[1536];
    (void)layer;
    (void)type;
    received = (struct pbuf){.payload = payload, .len = length, .tot_len = length};
    return &received;
}
u8_t pbuf_free(struct pbuf *frame) {
    (void)frame;
    return 1;
}
err_t etharp_output(struct netif *netif, struct pbuf *packet, const ip4_addr_t *address) {
    (void)netif;
    (void)packet;
    (void)address;
    return ERR_OK;
}
err_t etharp_request(struct netif *netif, const ip4_addr_t *address) {
    (void)netif;
    (void)address;
    return ERR_OK;
}
void netif_set_link_up(struct netif *netif) { netif->flags |= NETIF_FLAG_LINK_UP; }
void netif_set_link_down(struct netif *netif) { netif->flags &= (u8_t)~NETIF_FLAG_LINK_UP; }

static err_t input(struct pbuf *frame, struct netif *netif) {
    (void)frame;
    (void)netif;
    inputs++;
    return ERR_OK;
}

static err_t send_a_frame(bool leaves) {
    static uint8_t bytes[ETH_PAD_SIZE + 100];
    struct pbuf frame = {.payload = bytes, .len = sizeof bytes, .tot_len = sizeof bytes};
    memset(&chip, 0, sizeof chip);
    chip.leaves = leaves;
    return interface.linkoutput(&interface, &frame);
}

static void a_frame_that_leaves_is_told_as_sent(void) {
    EXPECT_EQUAL(send_a_frame(true), ERR_OK);
    EXPECT_EQUAL(chip.written, 100);
    EXPECT_EQUAL(chip.sends, 1);
}

static void a_frame_that_does_not_leave_is_an_error_of_the_interface(void) {
    EXPECT_EQUAL(send_a_frame(false), ERR_IF);
    EXPECT_EQUAL(chip.sends, 1);
}

static void a_frame_comes_behind_the_pad_which_is_its_headroom(void) {
    interface.input = input;
    EXPECT(!netif_frames_receive(&interface, 1) || inputs == 1);
    EXPECT_EQUAL(inputs, 1);
    EXPECT(chip.buffer == received.payload);
    EXPECT_EQUAL(chip.headroom, ETH_PAD_SIZE);
}

int main(void) {
    EXPECT_EQUAL(netif_frames_init(&interface), ERR_OK);
    netif_frames_look_at_link(&interface);
    a_frame_that_leaves_is_told_as_sent();
    a_frame_that_does_not_leave_is_an_error_of_the_interface();
    a_frame_comes_behind_the_pad_which_is_its_headroom();
    return expect_result();
}

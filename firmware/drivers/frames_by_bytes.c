/* The board's WIZnet chip as frames.h has it, in the way of drivers that keep nothing: each byte of a register is a
 * transaction of its own, sizes are read until two readings agree, pointers are read anew for each frame, and the end
 * of a frame's sending is waited for. For the bench, which shows by it what that costs (images_avr.cmake). */
#include "frames.h"

#include "wiznet_bus.h"
#include "wiznet_command.h"
#include "wiznet_frames.h"
#include "wiznet_memory.h"

#define LENGTH_BYTES 2u
#define LEAST_BYTES 60u
#define SIZE_LOOKS 16u
#define SEND_LOOKS 4096u

static uint16_t read_pointer, left, write_pointer, written;
static uint32_t faults;

static uint16_t read_word(uint32_t offset) {
    uint8_t high = wiznet_sn_at_read8(&board_wiznet, 0, offset);
    return (uint16_t)((unsigned)high << 8 | wiznet_sn_at_read8(&board_wiznet, 0, offset + 1u));
}

static void write_word(uint32_t offset, uint16_t value) {
    wiznet_sn_at_write8(&board_wiznet, 0, offset, (uint8_t)(value >> 8));
    wiznet_sn_at_write8(&board_wiznet, 0, offset + 1u, (uint8_t)value);
}

bool frames_open(void) { return wiznet_frames_open(&board_wiznet); }

void frames_acknowledge(void) { wiznet_frames_acknowledge(&board_wiznet); }

static uint16_t received(void) {
    uint16_t size = read_word(SN_OFFSET(&board_wiznet, Sn_RX_RSR));
    for (unsigned look = 0; size && look < SIZE_LOOKS; look++) {
        uint16_t again = read_word(SN_OFFSET(&board_wiznet, Sn_RX_RSR));
        if (again == size) {
            break;
        }
        size = again;
    }
    return size;
}

size_t frames_next(void) {
    uint16_t size = received();
    if (!size) {
        return 0;
    }
    uint8_t length[LENGTH_BYTES];
    read_pointer = read_word(SN_OFFSET(&board_wiznet, Sn_RX_RD));
    wiznet_memory_read(&board_wiznet, 0, read_pointer, length, LENGTH_BYTES);
    uint16_t bytes = (uint16_t)((unsigned)length[0] << 8 | length[1]);
    if (bytes <= LENGTH_BYTES || bytes > size || bytes > LENGTH_BYTES + FRAMES_MOST_BYTES) {
        faults++;
        wiznet_frames_open(&board_wiznet);
        return 0;
    }
    read_pointer = (uint16_t)(read_pointer + LENGTH_BYTES);
    left = (uint16_t)(bytes - LENGTH_BYTES);
    return left;
}

bool frames_are_known(void) { return false; }

bool frames_read(uint8_t *buffer, size_t headroom, size_t count) {
    count = count < left ? count : left;
    wiznet_memory_read(&board_wiznet, 0, read_pointer, buffer + headroom, count);
    read_pointer = (uint16_t)(read_pointer + count);
    left = (uint16_t)(left - count);
    return true;
}

void frames_finish(void) {
    write_word(SN_OFFSET(&board_wiznet, Sn_RX_RD), (uint16_t)(read_pointer + left));
    wiznet_command(&board_wiznet, 0, CR_RECV);
    left = 0;
}

void frames_settle(void) {}

bool frames_has_room(size_t bytes) { return wiznet_frames_has_room(&board_wiznet, bytes); }

void frames_write(const uint8_t *bytes, size_t count, bool is_last) {
    if (!written) {
        write_pointer = read_word(SN_OFFSET(&board_wiznet, Sn_TX_WR));
    }
    size_t all = written + count, zeros = is_last && all < LEAST_BYTES ? LEAST_BYTES - all : 0;
    wiznet_memory_write_filled(&board_wiznet, 0, (uint16_t)(write_pointer + written), bytes, count, zeros);
    written = (uint16_t)(all + zeros);
}

bool frames_send(void) {
    write_word(SN_OFFSET(&board_wiznet, Sn_TX_WR), (uint16_t)(write_pointer + written));
    written = 0;
    bool is_sent = wiznet_command(&board_wiznet, 0, CR_SEND);
    for (unsigned look = 0; is_sent && look < SEND_LOOKS; look++) {
        if (wiznet_sn_read8(&board_wiznet, 0, Sn_IR) & IR_SENDOK) {
            wiznet_sn_write8(&board_wiznet, 0, Sn_IRCLR, IR_SENDOK);
            return true;
        }
    }
    faults++;
    wiznet_frames_open(&board_wiznet);
    return false;
}

uint32_t frames_faults(void) { return faults; }

/* The part of Linux's Bluetooth interface that the lab's programs use: socket
 * addresses, the management ("mgmt") socket and the ATT protocol's numbers.
 * Needs neither libbluetooth nor its headers. */
#ifndef LAB_BLUETOOTH_H
#define LAB_BLUETOOTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { BTPROTO_HCI = 1 };
enum { HCI_CHANNEL_USER = 1, HCI_CHANNEL_CONTROL = 3 };
enum { HCI_NO_DEVICE = 0xffff };
enum { CID_ATT = 4, CID_LE_SIGNALLING = 5, CID_SMP = 6 };

struct sockaddr_hci {
    sa_family_t family;
    uint16_t device;
    uint16_t channel;
};

/* --- bytes ---------------------------------------------------------------- */

static inline uint16_t get16(const void *from)
{
    const uint8_t *bytes = from;
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline void put16(void *to, uint16_t value)
{
    uint8_t *bytes = to;
    bytes[0] = value & 0xff;
    bytes[1] = value >> 8;
}

/* Reads "53797269-614D-..." into 16 bytes, least significant first. */
bool parse_uuid(const char *text, uint8_t uuid[16]);

/* Reads "00:AA:01:00:00:00" into 6 bytes, least significant first. */
bool parse_address(const char *text, uint8_t address[6]);

/* The address as text, in one of a few static buffers. */
const char *address_text(const uint8_t address[6]);

/* --- mgmt ----------------------------------------------------------------- */

enum mgmt_opcode { MGMT_SET_POWERED = 0x0005 };

enum mgmt_event {
    MGMT_COMMAND_COMPLETE = 0x0001,
    MGMT_COMMAND_STATUS = 0x0002,
    MGMT_INDEX_ADDED = 0x0004,
};

struct mgmt_packet {
    uint16_t code;   /* opcode or event */
    uint16_t index;  /* controller */
    uint16_t length; /* of the data */
    uint8_t data[1024];
};

/* Opens the mgmt socket; -1 with errno set when that fails. */
int mgmt_open(void);

/* Sends a command; 0, or -1 with errno set. */
int mgmt_send(int mgmt, uint16_t opcode, uint16_t index, const void *data, size_t length);

/* The next event within so many milliseconds (negative: for ever): 1; 0 when the
 * time ran out; -1 with errno set. */
int mgmt_read(int mgmt, struct mgmt_packet *packet, int timeout_ms);

/* Sends a command and waits for its answer, dropping other events.  The mgmt
 * status (0: success), or -1 with errno set.  The answer's own data, without
 * opcode and status, goes to reply when that is not null. */
int mgmt_call(int mgmt, uint16_t opcode, uint16_t index, const void *data, size_t length,
              struct mgmt_packet *reply);

/* One-byte settings such as MGMT_SET_POWERED. */
int mgmt_set(int mgmt, uint16_t opcode, uint16_t index, uint8_t value);

const char *mgmt_status_text(int status);

/* --- ATT ------------------------------------------------------------------ */

enum att_opcode {
    ATT_ERROR = 0x01,
    ATT_MTU_REQUEST = 0x02,
    ATT_MTU_RESPONSE = 0x03,
    ATT_FIND_INFORMATION_REQUEST = 0x04,
    ATT_FIND_INFORMATION_RESPONSE = 0x05,
    ATT_FIND_BY_VALUE_REQUEST = 0x06,
    ATT_FIND_BY_VALUE_RESPONSE = 0x07,
    ATT_READ_BY_TYPE_REQUEST = 0x08,
    ATT_READ_BY_TYPE_RESPONSE = 0x09,
    ATT_READ_REQUEST = 0x0a,
    ATT_READ_RESPONSE = 0x0b,
    ATT_READ_BLOB_REQUEST = 0x0c,
    ATT_READ_BLOB_RESPONSE = 0x0d,
    ATT_READ_BY_GROUP_REQUEST = 0x10,
    ATT_READ_BY_GROUP_RESPONSE = 0x11,
    ATT_WRITE_REQUEST = 0x12,
    ATT_WRITE_RESPONSE = 0x13,
    ATT_NOTIFICATION = 0x1b,
    ATT_INDICATION = 0x1d,
    ATT_CONFIRMATION = 0x1e,
    ATT_WRITE_COMMAND = 0x52,
};

enum att_error {
    ATT_INVALID_HANDLE = 0x01,
    ATT_READ_NOT_PERMITTED = 0x02,
    ATT_WRITE_NOT_PERMITTED = 0x03,
    ATT_INVALID_PDU = 0x04,
    ATT_REQUEST_NOT_SUPPORTED = 0x06,
    ATT_INVALID_OFFSET = 0x07,
    ATT_NOT_FOUND = 0x0a,
    ATT_UNSUPPORTED_GROUP = 0x10,
};

enum {
    GATT_PRIMARY_SERVICE = 0x2800,
    GATT_CHARACTERISTIC = 0x2803,
    GATT_CCCD = 0x2902,
};

enum { PROPERTY_READ = 0x02, PROPERTY_WRITE_COMMAND = 0x04, PROPERTY_WRITE = 0x08, PROPERTY_NOTIFY = 0x10,
       PROPERTY_INDICATE = 0x20 };

enum { ATT_MINIMUM_MTU = 23, ATT_MAXIMUM_MTU = 517 };

/* --- log ------------------------------------------------------------------ */

/* One line on standard error, with the seconds since the system started. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* say(), with errno's text when errno is set, then exit(1). */
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif

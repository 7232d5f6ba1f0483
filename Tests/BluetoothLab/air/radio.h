/* A peripheral's radio: takes a controller away from the kernel (HCI user channel), advertises, accepts one connection
 * and carries ATT packets over it.  bluetoothd and the other controllers don't notice. */
#ifndef LAB_RADIO_H
#define LAB_RADIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct radio_setup {
    uint16_t controller;
    const char *name;             /* in the scan response; null: none */
    uint8_t service[16];          /* in the advertisement */
    bool random;                  /* use the static random address below */
    uint8_t address[6];
    unsigned advertising_ms;      /* interval */
};

struct radio {
    struct radio_setup setup;
    bool advertising;
    bool connected;
    uint8_t own[6];
    uint8_t peer[6];
    /* Called by the radio. */
    void (*on_connect)(void *context);
    void (*on_disconnect)(void *context, const char *why);
    void (*on_receive)(void *context, const uint8_t *pdu, size_t length);
    void *context;
};

struct radio *radio_open(const struct radio_setup *setup);
void radio_advertise(struct radio *radio, bool on);
void radio_send(struct radio *radio, const uint8_t *pdu, size_t length);
void radio_hang_up(struct radio *radio);
/* To wait on; radio_read() once it is readable. */
int radio_descriptor(const struct radio *radio);
void radio_read(struct radio *radio);

#endif

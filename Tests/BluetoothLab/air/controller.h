/* Virtual LE controllers, as the kernel's vhci driver drives them: what they do on their own, and the links between
 * them. */
#ifndef LAB_CONTROLLER_H
#define LAB_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTROLLERS = 8, LINKS = 16, HELD = 32, ACCEPTED = 16, HEARD = 64 };
struct address {
    uint8_t type; /* 0 public, 1 random */
    uint8_t bytes[6];
};

struct packet {
    size_t length;
    uint8_t bytes[5 + 255];
};

struct controller_state {
    int fd;                    /* -1: unplugged */
    int index;                 /* hciN */
    bool ready;                /* the kernel has set it up */
    bool hung;                 /* swallows commands */
    uint8_t address[6];
    uint8_t random[6];

    bool advertising;
    uint8_t advertising_type, advertising_own;
    unsigned advertising_ms;
    double next_advertising;
    uint8_t data[1 + 31], response[1 + 31];

    bool scanning, scan_active, scan_filter_duplicates, scan_accept_list;
    struct address heard[HEARD];
    unsigned heard_count;

    bool initiating, initiate_accept_list;
    struct address initiate_peer;
    uint8_t initiate_own;
    uint8_t initiate_interval[2], initiate_latency[2], initiate_timeout[2];

    struct address accepted[ACCEPTED];
    unsigned accepted_count;
    unsigned refusals;         /* connections that are to fail */
};

/* A connection between a central, end 0, and a peripheral, end 1.  An end that
 * left without the other hearing of it is null. */
struct link {
    bool used;
    struct controller_state *end[2];
    uint16_t handle;
    unsigned timeout_ms;
    double apart_since;        /* 0: in range */
    struct packet held[2][HELD]; /* sent by end 0 or 1, not yet across */
    unsigned held_count[2];
};

extern struct controller_state controllers[CONTROLLERS];
extern struct link links[LINKS];
extern int controller_count;
extern int8_t strength[CONTROLLERS][CONTROLLERS]; /* how strongly one hears the other, dBm */
extern bool apart[CONTROLLERS][CONTROLLERS];      /* out of each other's range */
extern bool verbose;

double now(void);
int number(const struct controller_state *controller);
bool in_range(const struct controller_state *a, const struct controller_state *b);

/* Carries what was sent to the other end, as far as the two hear each other. */
void carry(struct link *link);
void end_link(struct link *link, uint8_t reason_central, uint8_t reason_peripheral);

/* One advertising event: who scans reports it, who waits for it connects. */
void advertise(struct controller_state *advertiser);

/* As at power-on. */
void reset(struct controller_state *controller);

/* One packet from the kernel. */
void from_host(struct controller_state *controller);

#endif

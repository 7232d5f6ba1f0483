// Linux interfaces that Swift's Glibc module leaves out.
#pragma once
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Not <sys/timex.h> or <time.h>: they would define struct timespec a second time, in this module.
struct timex;
extern int adjtimex(struct timex *);

// What the kernel knows of the clock: true once NTP or GPS has set it. A zeroed timex only asks.
static inline int clock_is_synchronised(void) {
    _Alignas(16) char question[512] = {0};
    int state = adjtimex((struct timex *)question);
    return state >= 0 && state != 5 /* TIME_ERROR */;
}

// No core dump of this process, and no look into its memory but root's: variadic, so out of Swift's reach.
static inline int forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Of <sys/timerfd.h>, which would define struct itimerspec a second time.
extern int timerfd_create(int clock, int flags);
extern int timerfd_settime(int descriptor, int flags, const void *value, void *old);

// A descriptor that is readable once the instant of timer_set has come, on the clock that runs on in suspend.
static inline int timer_open(void) {
    return timerfd_create(7 /* CLOCK_BOOTTIME */, 02000000 | 04000 /* TFD_CLOEXEC, TFD_NONBLOCK */);
}

// Readable no longer, and again from that instant on; 0 and 0 is never.
static inline int timer_set(int descriptor, long seconds, long nanoseconds) {
    const struct { long interval[2], seconds, nanoseconds; } value = {{0, 0}, seconds, nanoseconds};
    return timerfd_settime(descriptor, 1 /* TFD_TIMER_ABSTIME */, &value, 0);
}

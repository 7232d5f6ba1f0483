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

// prctl is variadic, so out of Swift's reach.

// No core dump of this process, and no look into its memory but root's.
static inline int forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Memory comes in small pages only. Otherwise the kernel may give a whole page of 2 MB to the top of a thread's stack.
static inline int refuse_huge_pages(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

// The calling thread's name, of which the kernel keeps 15 bytes.
static inline int name_this_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// Swift takes environ for a variable that threads share. Here it is only read.
extern char **environ;
static inline char *const *environment_of_this_process(void) { return environ; }

// A child that is started with these actions has no descriptor from this number on. <spawn.h> would define its types a
// second time, like <time.h>.
static inline int close_descriptors_from(void *actions, int first) {
    extern int posix_spawn_file_actions_addclosefrom_np(void *, int);
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

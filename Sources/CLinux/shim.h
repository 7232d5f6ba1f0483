// Linux interfaces that Swift's Glibc module leaves out.
#pragma once
#include <sys/eventfd.h>
#include <sys/timex.h>

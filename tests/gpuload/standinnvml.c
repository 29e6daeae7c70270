/* SPDX-License-Identifier: MIT
 * A stand-in for the driver's libnvidia-ml.so.1: one GPU at 00000000:17:00.0 with made figures, on which this process, its
 * parent's session (process 1 is in another) and a process that cannot be seen compute. It has the old name of one function
 * and lacks one that old drivers lack. Another at 00000000:18:00.0 fails in all but NVLink, which it tells three times, and
 * has more processes than anybody asks for. Those at 1a and 1b are seen from a container: the ids of the two processes, or
 * the one, that compute there are none of its own. */
#include <string.h>
#include <unistd.h>

typedef struct { unsigned gpu, memory; } Utilization;
typedef struct { unsigned long long total, free, used; } Memory;
typedef struct { unsigned pid; unsigned long long memory; unsigned gi, ci; } Process;
typedef struct {
    unsigned field, scope;
    long long timestamp, latency;
    int type, result;
    union { double real; unsigned long long whole; } value;
} Field;

static int gpu, crowded, crowdedReadings, contained, containedAlone;
static unsigned long long nvlinkKib = 1000;

int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device)
{
    if (strcmp(bus, "00000000:1a:00.0") == 0 || strcmp(bus, "00000000:1b:00.0") == 0) {
        *device = bus[10] == 'a' ? &contained : &containedAlone;
        return 0;
    }
    *device = strcmp(bus, "00000000:18:00.0") == 0 ? &crowded : &gpu;
    return *device == &crowded || strcmp(bus, "00000000:17:00.0") == 0 ? 0 : 6; /* not found */
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* use)
{
    *use = (Utilization){87, 40};
    return device == &gpu ? 0 : 2;
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory)
{
    *memory = (Memory){85899345920ull, 75161927680ull, 10737418240ull};
    return device == &gpu ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts)
{
    *milliwatts = 345678;
    return device == &gpu ? 0 : 2;
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* megahertz)
{
    *megahertz = type == 1 ? 1755 : type == 2 ? 2619 : 0;
    return device == &gpu ? 0 : 2;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits)
{
    *bits = 0x24; /* software power cap and software thermal slowdown */
    return device == &gpu ? 0 : 2;
}
int nvmlDeviceGetPcieThroughput(void* device, int direction, unsigned* kilobytes)
{
    *kilobytes = direction == 0 ? 12000 : 34000;
    return device == &gpu ? 0 : 2;
}
/* Each reading finds 1 MiB more; all links only. */
int nvmlDeviceGetFieldValues(void* device, int count, Field* fields)
{
    if (device == &crowded && ++crowdedReadings > 3)
        return 15; /* the GPU is lost */
    for (int i = 0; i < count; ++i) {
        fields[i].type = 3;
        fields[i].result = fields[i].scope == ~0u ? 0 : 2;
        fields[i].value.whole = fields[i].field == 138 ? (nvlinkKib += 1024) : 5000;
    }
    return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v2(void* device, unsigned* count, Process* processes)
{
    if (*count < 3 || device == &crowded)
        return 7; /* insufficient size */
    if (device == &contained || device == &containedAlone) {
        *count = device == &contained ? 2 : 1;
        processes[0] = (Process){4194305, 1ull << 30, 0, 0};
        processes[1] = (Process){4194306, 2ull << 30, 0, 0};
        return 0;
    }
    *count = 3;
    processes[0] = (Process){(unsigned)getpid(), 1ull << 30, 0, 0};
    processes[1] = (Process){1, 2ull << 30, 0, 0};
    processes[2] = (Process){4194305, ~0ull, 0, 0}; /* above every pid; its memory is not told */
    return device == &gpu ? 0 : 2;
}

/* SPDX-License-Identifier: MIT
 * A stand-in for the driver's libnvidia-ml.so.1: one GPU at 00000000:17:00.0 with made figures, on which this process, its
 * parent's session (process 1 is in another) and a process that cannot be seen compute. It has the old name of one function
 * and lacks one that old drivers lack. Another at 00000000:18:00.0 fails in all but NVLink, which it tells three times, and
 * has more processes than anybody asks for. Those at 1a and 1b are seen from a container: the ids of the two processes, or
 * the one, that compute there are none of its own.
 * By index there are three others, each with figures of its own. What computes on them stands in the file that the variable
 * STANDIN_NVML_PROCESSES names: in each line a GPU's index, a process, and MiB. */
#include <stdio.h>
#include <stdlib.h>
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

#define INDEXED 3
static int gpu, crowded, crowdedReadings, contained, containedAlone, indexed[INDEXED];
static unsigned long long nvlinkKib = 1000;

/* From 1; 0 for those by PCI address. */
static unsigned placeOf(void* device)
{
    for (unsigned i = 0; i < INDEXED; ++i)
        if (device == &indexed[i])
            return i + 1;
    return 0;
}
static int tells(void* device) { return device == &gpu || placeOf(device) ? 0 : 2; }

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
int nvmlDeviceGetCount_v2(unsigned* count)
{
    *count = INDEXED;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device)
{
    *device = &indexed[index % INDEXED];
    return index < INDEXED ? 0 : 6; /* not found */
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* use)
{
    *use = (Utilization){placeOf(device) ? placeOf(device) * 20 : 87, 40};
    return tells(device);
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory)
{
    *memory = (Memory){85899345920ull, 75161927680ull, 10737418240ull};
    if (placeOf(device))
        memory->used = (unsigned long long)placeOf(device) << 30;
    return tells(device);
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts)
{
    *milliwatts = placeOf(device) ? placeOf(device) * 100000 : 345678;
    return tells(device);
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* megahertz)
{
    *megahertz = type == 1 ? 1755 - placeOf(device) : type == 2 ? 2619 : 0;
    return tells(device);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits)
{
    *bits = placeOf(device) ? 1ull << placeOf(device) : 0x24; /* software power cap and software thermal slowdown */
    return tells(device);
}
int nvmlDeviceGetPcieThroughput(void* device, int direction, unsigned* kilobytes)
{
    *kilobytes = direction == 0 ? 12000 : 34000;
    return tells(device);
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
static int readProcesses(unsigned place, unsigned* count, Process* processes)
{
    const char* path = getenv("STANDIN_NVML_PROCESSES");
    FILE* file = path ? fopen(path, "r") : NULL;
    unsigned index, pid, mebibytes, found = 0;
    while (file && found < *count && fscanf(file, "%u %u %u", &index, &pid, &mebibytes) == 3)
        if (index + 1 == place)
            processes[found++] = (Process){pid, (unsigned long long)mebibytes << 20, 0, 0};
    if (file)
        fclose(file);
    *count = found;
    return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v2(void* device, unsigned* count, Process* processes)
{
    if (placeOf(device))
        return readProcesses(placeOf(device), count, processes);
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
    return tells(device);
}

/* Answers as libnvidia-ml.so.1 does on an H200, or as NVML_STUB says:
 *
 *   NVML_STUB="nvmlDeviceGetTemperature=15;nvmlDeviceGetPowerUsage=hang;cards=2"
 *
 * NAME=CODE returns it, NAME=hang never returns, NAME=crash is a SIGSEGV, NAME=absurd fills every
 * answer with ones, NAME=after:N:WHAT does so from its call after the N-th on. A name without its
 * version ("_v2", "WithFlags") stands for all of them, "*" for every function. The first name that
 * fits is taken. Build: benchmarks/nvml_stub.py. Layouts are those of nvml.h.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned int u32;
typedef unsigned long long u64;
typedef struct { u32 index; } Card;
typedef struct { u64 total, free, used; } Memory;
typedef struct { u32 version; u64 total, reserved, free, used; } MemoryV2;
typedef struct { u32 pid; u64 used; u32 gpu_instance, compute_instance; } Process;
typedef struct {
    u32 id, scope;
    long long timestamp, latency;
    u32 type, code;
    union { u64 ull; double d; } value;
} Field;

enum { OK = 0, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, ABSURD = -2 };
enum { CARDS = 8, ULL = 3, TEXT = 80 };
static Card cards[CARDS] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
static const u64 TOTAL = 150754820096ULL, RESERVED = 629145600ULL, USED = 2147483648ULL;

/* What NVML_STUB says of a name, or NULL; the name is whole, or lacks only its version. */
static const char *order(const char *name) {
    const char *at = getenv("NVML_STUB");
    while (at && *at) {
        size_t key = strcspn(at, "=;");
        int fits = key == 1 && *at == '*' && strncmp(name, "nvml", 4) == 0;
        if (!strncmp(name, at, key)) {
            const char *rest = name + key;
            fits |= !*rest || !strncmp(rest, "_v", 2) || !strcmp(rest, "WithFlags");
        }
        if (fits && at[key] == '=') return at + key + 1;
        at += strcspn(at, ";");
        at += *at == ';';
    }
    return NULL;
}

static int obey(const char *what, int calls) {
    if (!what) return OK;
    if (!strncmp(what, "after:", 6)) {
        char *end;
        long after = strtol(what + 6, &end, 10);
        return calls > after && *end == ':' ? obey(end + 1, calls) : OK;
    }
    if (!strncmp(what, "hang", 4)) for (;;) pause();
    if (!strncmp(what, "crash", 5)) raise(SIGSEGV);
    return strncmp(what, "absurd", 6) ? atoi(what) : ABSURD;
}

static u64 uptime_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static u32 count(void) {
    const char *said = order("cards");
    int wanted = said ? atoi(said) : 1;
    return wanted < 0 ? 0 : wanted > CARDS ? CARDS : wanted;
}

/* Runs before each answer: the order of this function, and ones over what it would fill. */
#define BEGIN(name)                                      \
    static int calls;                                    \
    int code = obey(order(name), ++calls);               \
    if (code > OK) return code
#define FILL(out, size)                                  \
    if (code == ABSURD) return memset(out, 0xff, size), OK

#define NUMBER(type, name, value)                        \
    int name(Card *card, type *out) {                    \
        BEGIN(#name);                                    \
        if (!card) return INVALID;                       \
        FILL(out, sizeof *out);                          \
        return *out = (value), OK;                       \
    }
#define CHOICE(name, value)                              \
    int name(Card *card, u32 kind, u32 *out) {           \
        BEGIN(#name);                                    \
        if (!card) return INVALID;                       \
        FILL(out, sizeof *out);                          \
        return *out = (value), OK;                       \
    }
#define PAIR(type, name, first, second)                  \
    int name(Card *card, type *a, type *b) {             \
        BEGIN(#name);                                    \
        if (!card) return INVALID;                       \
        if (code == ABSURD) memset(b, 0xff, sizeof *b);  \
        FILL(a, sizeof *a);                              \
        return *a = (first), *b = (second), OK;          \
    }
#define WORDS(name, ...)                                 \
    int name(Card *card, char *out, u32 size) {          \
        BEGIN(#name);                                    \
        if (!card) return INVALID;                       \
        FILL(out, size - 1);                             \
        return snprintf(out, size, __VA_ARGS__), OK;     \
    }
#define MISSING(name) int name(void) { BEGIN(#name); return NOT_SUPPORTED; }

int nvmlInitWithFlags(u32 flags) { BEGIN("nvmlInitWithFlags"); return flags ? INVALID : OK; }
int nvmlShutdown(void) { return OK; }

int nvmlSystemGetDriverVersion(char *out, u32 size) {
    BEGIN("nvmlSystemGetDriverVersion");
    FILL(out, size - 1);
    return snprintf(out, size, "580.159.04"), OK;
}

int nvmlDeviceGetCount_v2(u32 *out) {
    BEGIN("nvmlDeviceGetCount_v2");
    FILL(out, sizeof *out);
    return *out = count(), OK;
}

int nvmlDeviceGetHandleByIndex_v2(u32 index, Card **out) {
    BEGIN("nvmlDeviceGetHandleByIndex_v2");
    if (code == ABSURD) return *out = NULL, OK; /* a pointer of ones would be followed */
    return index < count() ? (*out = &cards[index], OK) : INVALID;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, Card **out) {
    BEGIN("nvmlDeviceGetHandleByUUID");
    if (code == ABSURD) return *out = NULL, OK;
    u32 index;
    if (sscanf(uuid, "GPU-%8x-", &index) != 1 || index >= count()) return NOT_FOUND;
    return *out = &cards[index], OK;
}

WORDS(nvmlDeviceGetName, "NVIDIA H200")
WORDS(nvmlDeviceGetUUID, "GPU-%08x-0000-0000-0000-000000000000", card->index)
NUMBER(u32, nvmlDeviceGetIndex, card->index)
PAIR(int, nvmlDeviceGetCudaComputeCapability, 9, 0)
NUMBER(u32, nvmlDeviceGetNumGpuCores, 16896)
NUMBER(u32, nvmlDeviceGetMemoryBusWidth, 6016)
NUMBER(u32, nvmlDeviceGetEnforcedPowerLimit, 700000)
NUMBER(u32, nvmlDeviceGetPowerManagementDefaultLimit, 700000)
PAIR(u32, nvmlDeviceGetPowerManagementLimitConstraints, 200000, 700000)
CHOICE(nvmlDeviceGetMaxClockInfo, kind == 2 ? 3201 : 1980)
CHOICE(nvmlDeviceGetClockInfo, kind == 2 ? 3201 : 1455)
CHOICE(nvmlDeviceGetTemperatureThreshold, 89)
CHOICE(nvmlDeviceGetTemperature, 61)
NUMBER(u64, nvmlDeviceGetSupportedClocksEventReasons, 511)
NUMBER(u64, nvmlDeviceGetSupportedClocksThrottleReasons, 511)
NUMBER(u64, nvmlDeviceGetCurrentClocksEventReasons, 4)
NUMBER(u64, nvmlDeviceGetCurrentClocksThrottleReasons, 4)
PAIR(u32, nvmlDeviceGetEccMode, 1, 1)
PAIR(u32, nvmlDeviceGetMigMode, 0, 0)
NUMBER(u32, nvmlDeviceGetPersistenceMode, 1)
NUMBER(u64, nvmlDeviceGetVirtualizationMode, 1)
NUMBER(u32, nvmlDeviceGetCurrPcieLinkGeneration, 5)
NUMBER(u32, nvmlDeviceGetMaxPcieLinkGeneration, 5)
NUMBER(u32, nvmlDeviceGetCurrPcieLinkWidth, 16)
NUMBER(u32, nvmlDeviceGetMaxPcieLinkWidth, 16)
NUMBER(u32, nvmlDeviceGetPowerUsage, 693000)
NUMBER(u64, nvmlDeviceGetTotalEnergyConsumption, 2967191 + uptime_ms() * 693)
MISSING(nvmlDeviceGetMaxMigDeviceCount)
MISSING(nvmlDeviceGetMigDeviceHandleByIndex)
MISSING(nvmlDeviceGetDeviceHandleFromMigDeviceHandle)
MISSING(nvmlDeviceGetAttributes_v2)

int nvmlDeviceGetUtilizationRates(Card *card, u32 out[2]) {
    BEGIN("nvmlDeviceGetUtilizationRates");
    if (!card) return INVALID;
    FILL(out, 2 * sizeof *out);
    return out[0] = 99, out[1] = 16, OK;
}

int nvmlDeviceGetMemoryInfo(Card *card, Memory *out) {
    BEGIN("nvmlDeviceGetMemoryInfo");
    if (!card) return INVALID;
    FILL(out, sizeof *out);
    return *out = (Memory){TOTAL, TOTAL - RESERVED - USED, RESERVED + USED}, OK;
}

int nvmlDeviceGetMemoryInfo_v2(Card *card, MemoryV2 *out) {
    BEGIN("nvmlDeviceGetMemoryInfo_v2");
    if (!card) return INVALID;
    FILL(out, sizeof *out);
    return *out = (MemoryV2){out->version, TOTAL, RESERVED, TOTAL - RESERVED - USED, USED}, OK;
}

static int processes(int code, u32 *room, Process *out) {
    if (*room < 1) return *room = 1, TOO_SMALL;
    *room = 1;
    FILL(out, sizeof *out);
    return *out = (Process){7, 1ULL << 30, ~0u, ~0u}, OK;
}

int nvmlDeviceGetComputeRunningProcesses_v2(Card *card, u32 *room, Process *out) {
    BEGIN("nvmlDeviceGetComputeRunningProcesses_v2");
    return card ? processes(code, room, out) : INVALID;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Card *card, u32 *room, Process *out) {
    BEGIN("nvmlDeviceGetComputeRunningProcesses_v3");
    return card ? processes(code, room, out) : INVALID;
}

int nvmlDeviceGetFieldValues(Card *card, int wanted, Field *out) {
    BEGIN("nvmlDeviceGetFieldValues");
    if (!card) return INVALID;
    for (int i = 0; i < wanted; i++) {
        u32 id = out[i].id;
        int known = (id >= 74 && id <= 81) || (id >= 269 && id <= 271) || id == 186;
        out[i].type = ULL;
        out[i].code = known ? OK : NOT_SUPPORTED;
        out[i].value.ull = id == 186 ? 720000 : id == 74 ? uptime_ms() * 1000000 : 0;
        if (code == ABSURD) out[i].value.ull = ~0ULL;
    }
    return OK;
}

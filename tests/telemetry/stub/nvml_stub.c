/* Answers as libnvidia-ml.so.1 does on an H200, or as NVML_STUB says:
 *
 *   NVML_STUB="nvmlDeviceGetTemperature=15;nvmlDeviceGetPowerUsage=hang;cards=2"
 *
 * NAME=CODE returns it, NAME=hang never returns, NAME=crash is a SIGSEGV, NAME=absurd fills every
 * answer with ones, NAME=value:N,M... answers these numbers in the order of the function's outputs,
 * NAME=after:N:WHAT does so from its call after the N-th on. A name without its version ("_v2",
 * "WithFlags") stands for all of them, "*" for every function. The first name that fits is taken.
 * Build: benchmarks/nvml_stub.py. Layouts are those of nvml.h.
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

typedef struct {
    char legacy[16];
    u32 domain, bus, device, id, subsystem;
    char name[32];
} Pci;
typedef struct { u32 version; int celsius; } Margin;
typedef struct { int none; } Events;
typedef struct { Card *card; u64 kind, data; u32 gpu_instance, compute_instance; } Event;

enum { OK = 0, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, TIMEOUT = 10, ABSURD = -2 };
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
    if (!strncmp(what, "value:", 6)) return OK;
    return strncmp(what, "absurd", 6) ? atoi(what) : ABSURD;
}

/* The number at a place of "value:N,M...", or what is answered without such an order. */
static u64 told(const char *name, int calls, int place, u64 otherwise) {
    const char *what = order(name);
    while (what && !strncmp(what, "after:", 6)) {
        char *end;
        if (calls <= strtol(what + 6, &end, 10)) return otherwise;
        what = end + 1;
    }
    if (!what || strncmp(what, "value:", 6)) return otherwise;
    for (what += 6; place; place--) {
        what += strcspn(what, ",;");
        if (*what++ != ',') return otherwise;
    }
    return strtoull(what, NULL, 0);
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
        return *out = (type)told(#name, calls, 0, value), OK; \
    }
/* Of values that are ordered, each kind has the place of its number. */
#define CHOICE(name, value)                              \
    int name(Card *card, u32 kind, u32 *out) {           \
        BEGIN(#name);                                    \
        if (!card) return INVALID;                       \
        FILL(out, sizeof *out);                          \
        return *out = (u32)told(#name, calls, kind, value), OK; \
    }
#define PAIR(type, name, first, second)                  \
    int name(Card *card, type *a, type *b) {             \
        BEGIN(#name);                                    \
        if (!card) return INVALID;                       \
        if (code == ABSURD) memset(b, 0xff, sizeof *b);  \
        FILL(a, sizeof *a);                              \
        *a = (type)told(#name, calls, 0, first);         \
        *b = (type)told(#name, calls, 1, second);        \
        return OK;                                       \
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

int nvmlSystemGetCudaDriverVersion(int *out) {
    BEGIN("nvmlSystemGetCudaDriverVersion");
    FILL(out, sizeof *out);
    return *out = (int)told("nvmlSystemGetCudaDriverVersion", calls, 0, 13000), OK;
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
NUMBER(u32, nvmlDeviceGetGpuMaxPcieLinkGeneration, 5)
NUMBER(u32, nvmlDeviceGetPcieReplayCounter, 1)
CHOICE(nvmlDeviceGetApplicationsClock, kind == 2 ? 3201 : 1980)
CHOICE(nvmlDeviceGetDefaultApplicationsClock, kind == 2 ? 3201 : 1980)
CHOICE(nvmlDeviceGetMaxCustomerBoostClock, kind == 2 ? 3201 : 1980)
NUMBER(u32, nvmlDeviceGetComputeMode, 0)
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
    out[0] = (u32)told("nvmlDeviceGetUtilizationRates", calls, 0, 99);
    return out[1] = 16, OK;
}

int nvmlDeviceGetMemoryInfo(Card *card, Memory *out) {
    BEGIN("nvmlDeviceGetMemoryInfo");
    if (!card) return INVALID;
    FILL(out, sizeof *out);
    u64 used = told("nvmlDeviceGetMemoryInfo", calls, 0, USED);
    return *out = (Memory){TOTAL, TOTAL - RESERVED - used, RESERVED + used}, OK;
}

int nvmlDeviceGetMemoryInfo_v2(Card *card, MemoryV2 *out) {
    BEGIN("nvmlDeviceGetMemoryInfo_v2");
    if (!card) return INVALID;
    FILL(out, sizeof *out);
    u64 used = told("nvmlDeviceGetMemoryInfo_v2", calls, 0, USED);
    return *out = (MemoryV2){out->version, TOTAL, RESERVED, TOTAL - RESERVED - used, used}, OK;
}

static int processes(int code, u32 wanted, u32 *room, Process *out) {
    if (*room < wanted) return *room = wanted, TOO_SMALL;
    *room = wanted;
    FILL(out, wanted * sizeof *out);
    for (u32 i = 0; i < wanted; i++) out[i] = (Process){7 + i, 1ULL << 30, ~0u, ~0u};
    return OK;
}

int nvmlDeviceGetComputeRunningProcesses_v2(Card *card, u32 *room, Process *out) {
    BEGIN("nvmlDeviceGetComputeRunningProcesses_v2");
    u32 wanted = (u32)told("nvmlDeviceGetComputeRunningProcesses_v2", calls, 0, 1);
    return card ? processes(code, wanted, room, out) : INVALID;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Card *card, u32 *room, Process *out) {
    BEGIN("nvmlDeviceGetComputeRunningProcesses_v3");
    u32 wanted = (u32)told("nvmlDeviceGetComputeRunningProcesses_v3", calls, 0, 1);
    return card ? processes(code, wanted, room, out) : INVALID;
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

int nvmlDeviceGetPciInfo_v3(Card *card, Pci *out) {
    BEGIN("nvmlDeviceGetPciInfo_v3");
    if (!card) return INVALID;
    FILL(out, sizeof *out);
    *out = (Pci){.bus = 0x18 + card->index, .id = 0x233510de};
    snprintf(out->legacy, sizeof out->legacy, "0000:%02x:00.0", out->bus);
    snprintf(out->name, sizeof out->name, "00000000:%02x:00.0", out->bus);
    return OK;
}

int nvmlDeviceGetMarginTemperature(Card *card, Margin *out) {
    BEGIN("nvmlDeviceGetMarginTemperature");
    if (!card) return INVALID;
    FILL(out, sizeof *out);
    return out->celsius = (int)told("nvmlDeviceGetMarginTemperature", calls, 0, 28), OK;
}

/* "value:VOLATILE,AGGREGATE", of uncorrected errors alone. */
int nvmlDeviceGetTotalEccErrors(Card *card, u32 kind, u32 counter, u64 *out) {
    BEGIN("nvmlDeviceGetTotalEccErrors");
    if (!card) return INVALID;
    FILL(out, sizeof *out);
    *out = kind == 1 ? told("nvmlDeviceGetTotalEccErrors", calls, (int)counter, 0) : 0;
    return OK;
}

int nvmlDeviceGetRemappedRows(Card *card, u32 *by_ce, u32 *by_ue, u32 *pending, u32 *failed) {
    BEGIN("nvmlDeviceGetRemappedRows");
    if (!card) return INVALID;
    u32 *outs[] = {by_ce, by_ue, pending, failed};
    for (int i = 0; i < 4; i++) {
        *outs[i] = (u32)told("nvmlDeviceGetRemappedRows", calls, i, 0);
        if (code == ABSURD) *outs[i] = ~0u;
    }
    return OK;
}

/* "value:1,1,0" are three links, the last of them down; without an order there are none. */
int nvmlDeviceGetNvLinkState(Card *card, u32 link, u32 *out) {
    BEGIN("nvmlDeviceGetNvLinkState");
    if (!card) return INVALID;
    FILL(out, sizeof *out);
    *out = (u32)told("nvmlDeviceGetNvLinkState", calls, (int)link, ~0u);
    return *out != ~0u ? OK : link ? INVALID : NOT_SUPPORTED;
}

/* "value:STATUS" of NVLink between any two cards (0: copies may go over it). */
int nvmlDeviceGetP2PStatus(Card *a, Card *b, u32 what, u32 *out) {
    BEGIN("nvmlDeviceGetP2PStatus");
    if (!a || !b) return INVALID;
    FILL(out, sizeof *out);
    return *out = (u32)told("nvmlDeviceGetP2PStatus", calls, 0, what == 2 ? 0 : 5), OK;
}

int nvmlDeviceGetTopologyCommonAncestor(Card *a, Card *b, u32 *out) {
    BEGIN("nvmlDeviceGetTopologyCommonAncestor");
    if (!a || !b) return INVALID;
    FILL(out, sizeof *out);
    return *out = (u32)told("nvmlDeviceGetTopologyCommonAncestor", calls, 0, 40), OK;
}

int nvmlEventSetCreate(Events **out) {
    BEGIN("nvmlEventSetCreate");
    static Events events;
    return *out = code == ABSURD ? NULL : &events, OK;
}

int nvmlDeviceRegisterEvents(Card *card, u64 kinds, Events *events) {
    BEGIN("nvmlDeviceRegisterEvents");
    return card && events && kinds == 8 ? OK : INVALID;
}

/* "value:N" is an Xid of that number, once. */
int nvmlEventSetWait_v2(Events *events, Event *out, u32 milliseconds) {
    BEGIN("nvmlEventSetWait_v2");
    if (!events) return INVALID;
    FILL(out, sizeof *out);
    u64 xid = calls == 1 ? told("nvmlEventSetWait_v2", calls, 0, 0) : 0;
    *out = (Event){&cards[0], 8, xid, ~0u, ~0u};
    return xid ? OK : TIMEOUT;
}

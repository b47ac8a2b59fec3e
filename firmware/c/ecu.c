/* An ECU with SecOC in C: the library libwaywarden behind the AUTOSAR-shaped module SecOC, whose stack
 * this file is. It takes the same record as the image in Rust: up to 8 periodic streams, 8 sending and 8
 * receiving ends with counters of their own and AES-CMAC.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <string.h>

#include "SecOC.h"
#include "link.h"

#define STREAMS_MAX 8U
#define ENDS_MAX 8U
#define KEYS_MAX 17U
/* The kind of record that this image takes: SecOC with keys in place. */
#define RECORD_SECOC 1
/* Slots of the counters: those of senders, then those of receivers. */
#define SLOTS (2U * ENDS_MAX)

/* The note of the image, which says what it is without running it. */
#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
__asm__(".pushsection .note.waywarden, \"\", %note\n"
        ".balign 4\n"
        ".long 2f - 1f, 4f - 3f, 1\n"
        "1: .asciz \"Waywarden\"\n"
        "2: .balign 4\n"
        "3: .ascii \"link=" TEXT(LINK_VERSION) " machine=mps2-an386 record=" TEXT(RECORD_SECOC) "\"\n"
        "4: .balign 4\n"
        ".popsection");

enum content { CONTENT_COUNTER = 0, CONTENT_RANDOM = 1, CONTENT_CONSTANT = 2 };

/* A periodic stream and its state. */
typedef struct {
    link_frame frame;
    uint64_t period, offset, jitter, nominal, release, instances;
    enum content content;
    bool is_waiting;
    message_name message;
} stream;

/* The identifier by which a stream goes, beside that of its frames. */
typedef struct {
    uint32_t name, frame;
    uint8_t form;
} end_names;

typedef struct {
    uint16_t id;
    uint8_t bytes[16];
} named_key;

static stream streams[STREAMS_MAX];
static size_t stream_count;
static SecOC_PduProcessingType senders[ENDS_MAX], receivers[ENDS_MAX];
static end_names sender_names[ENDS_MAX], receiver_names[ENDS_MAX];
static SecOC_ConfigType config = {senders, 0, receivers, 0};
static named_key keys[KEYS_MAX];
static size_t key_count;
static uint64_t retained[SLOTS];

/* Blocks that are to be written, and are not yet. */
static uint64_t to_write[SLOTS];
static bool is_to_write[SLOTS];
/* The message that is being protected, and that being checked. */
static message_name protecting, checking;
static bool is_protecting;
static uint32_t checking_name;
static uint8_t checked_payload[64], checked_length;
static SecOC_VerificationResultType verdict;
static bool has_verdict;
static uint64_t random_state;

/* SplitMix64, as the simulated ECU has it: for payloads and jitter, never for keys. */
static uint64_t random_next(void)
{
    random_state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = random_state;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ mixed >> 31;
}

/* The upper half of a product of 128 bits: a number below the bound. */
static uint64_t random_below(uint64_t bound)
{
    const uint64_t number = random_next();
    const uint64_t low = (number & UINT32_MAX) * (bound & UINT32_MAX);
    const uint64_t first = (number >> 32) * (bound & UINT32_MAX) + (low >> 32);
    const uint64_t second = (number & UINT32_MAX) * (bound >> 32) + (first & UINT32_MAX);
    return (number >> 32) * (bound >> 32) + (first >> 32) + (second >> 32);
}

static void seed_random(const uint8_t seed[32])
{
    random_state = 0;
    for (size_t at = 0; at < 4; at++) {
        uint64_t word;
        memcpy(&word, &seed[8 * at], 8);
        random_state = (random_state << 17 | random_state >> 47) ^ word;
    }
}

/* What the module SecOC asks its stack for. */

static const uint8_t *key_of(uint32 job)
{
    for (size_t at = 0; at < key_count; at++) {
        if (keys[at].id == job) {
            return keys[at].bytes;
        }
    }
    return NULL;
}

Std_ReturnType Csm_MacGenerate(uint32 jobId, uint8 mode, const uint8 *dataPtr, uint32 dataLength,
                               uint8 *macPtr, uint32 *macLengthPtr)
{
    const uint8_t *key = key_of(jobId);
    (void)mode;
    if (key == NULL ||
        waywarden_aes_cmac(key, dataPtr, dataLength, macPtr) != WAYWARDEN_STATUS_OK) {
        return E_NOT_OK;
    }
    *macLengthPtr = 16;
    return E_OK;
}

/* Compares all bits, whichever differ. */
Std_ReturnType Csm_MacVerify(uint32 jobId, uint8 mode, const uint8 *dataPtr, uint32 dataLength,
                             const uint8 *macPtr, uint32 macLength, uint8 *verifyPtr)
{
    uint8 own[16], difference = 0;
    uint32 length = 0;
    *verifyPtr = 1;
    if (macLength == 0 || macLength > 128 ||
        Csm_MacGenerate(jobId, mode, dataPtr, dataLength, own, &length) != E_OK) {
        return E_NOT_OK;
    }
    for (uint32 at = 0; 8 * at < macLength; at++) {
        const uint32 left = macLength - 8 * at;
        const uint8 mask = left >= 8 ? 0xFF : (uint8)(0xFF << (8 - left));
        difference |= (own[at] ^ macPtr[at]) & mask;
    }
    *verifyPtr = difference != 0;
    return E_OK;
}

Std_ReturnType NvM_WriteBlock(uint16 BlockId, const void *NvM_SrcPtr)
{
    if (BlockId >= SLOTS || is_to_write[BlockId]) {
        return E_NOT_OK;
    }
    memcpy(&to_write[BlockId], NvM_SrcPtr, sizeof to_write[BlockId]);
    is_to_write[BlockId] = true;
    return E_OK;
}

Std_ReturnType PduR_SecOCTransmit(PduIdType TxPduId, const PduInfoType *PduInfoPtr)
{
    link_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.identifier = sender_names[TxPduId].frame;
    frame.form = sender_names[TxPduId].form;
    frame.length = (uint8_t)PduInfoPtr->SduLength;
    frame.message = protecting;
    memcpy(frame.data, PduInfoPtr->SduDataPtr, PduInfoPtr->SduLength);
    is_protecting = false;
    link_send(&frame);
    return E_OK;
}

void PduR_SecOCIfRxIndication(PduIdType RxPduId, const PduInfoType *PduInfoPtr)
{
    (void)RxPduId;
    checked_length = (uint8_t)PduInfoPtr->SduLength;
    memcpy(checked_payload, PduInfoPtr->SduDataPtr, PduInfoPtr->SduLength);
}

void SecOC_VerificationStatusCallout(SecOC_VerificationStatusType verificationStatus)
{
    verdict = verificationStatus.verificationStatus;
    has_verdict = true;
}

/* The record. */

static void read_stream(reader *record, stream *own)
{
    memset(own, 0, sizeof *own);
    (void)take(record, 1); /* the port, of which there is one */
    own->frame.identifier = (uint32_t)take(record, 4);
    const uint8_t format = (uint8_t)take(record, 1);
    own->frame.form = format == 0 ? FORM_CLASSIC : format == 1 ? FORM_FD : FORM_FD_SWITCHED;
    own->frame.length = (uint8_t)take(record, 1);
    own->period = take(record, 8);
    own->offset = take(record, 8);
    own->jitter = take(record, 8);
    own->content = (enum content)take(record, 1);
    if (own->content == CONTENT_CONSTANT) {
        take_bytes(record, own->frame.data, 64);
    }
    if (format > 2 || own->content > CONTENT_CONSTANT || own->frame.length > 64 ||
        own->period == 0 || own->jitter >= own->period) {
        link_failed("the record of the ECU: a stream has no such value");
    }
}

static void read_end(reader *record, SecOC_PduProcessingType *own, end_names *names, uint16_t slot)
{
    uint8_t profile[7], layout[3];
    waywarden_secoc_stream_options *options = &own->Stream;
    memset(own, 0, sizeof *own);
    take_bytes(record, profile, sizeof profile);
    options->profile = WAYWARDEN_SECOC_OWN;
    options->own.trip = profile[0];
    options->own.reset = profile[1];
    options->own.message = profile[2];
    options->own.flag = profile[3];
    options->own.freshness_bits = profile[4];
    options->own.code_bits = profile[5];
    options->own.attempts = profile[6];
    options->own.as_found = 1;
    options->flags = WAYWARDEN_SECOC_DATA_ID;
    names->form = FORM_CLASSIC;
    if (take(record, 1) != 0) {
        options->flags |= WAYWARDEN_FD;
        names->form = FORM_FD_SWITCHED;
    }
    take_bytes(record, layout, sizeof layout);
    options->shortest = layout[0];
    options->longest = layout[1];
    options->padding = layout[2];
    if (take(record, 1) != 0) {
        options->flags |= WAYWARDEN_SECOC_SECURED_AREA;
        options->secured_from = (uint8_t)take(record, 1);
        options->secured_to = (uint8_t)take(record, 1);
    }
    names->name = (uint32_t)take(record, 2);
    names->frame = (uint32_t)take(record, 4);
    options->identifier = names->frame & ~FRAME_EXTENDED;
    if ((names->frame & FRAME_EXTENDED) != 0) {
        options->flags |= WAYWARDEN_EXTENDED;
    }
    options->data_id = (uint16_t)take(record, 2);
    own->SecOCDataId = options->data_id;
    own->CsmJobId = (uint32)take(record, 2);
    own->NvMBlockId = slot;
    own->RetainedPtr = &retained[slot];
}

static size_t read_count(reader *record, size_t most)
{
    const size_t count = (size_t)take(record, 1);
    if (count > most) {
        link_failed("the record of the ECU: more entries than there is room for");
    }
    return count;
}

static void read_record(reader *record)
{
    if (take(record, 1) != RECORD_SECOC) {
        link_failed("the record of the ECU: of another kind than SecOC with keys in place: "
                    "use the image in Rust for it");
    }
    stream_count = read_count(record, STREAMS_MAX);
    for (size_t at = 0; at < stream_count; at++) {
        read_stream(record, &streams[at]);
    }
    if (take(record, 1) != 0) {
        link_failed("the record of the ECU: this image counts freshness itself, and has no part in "
                    "announcements: use secoc.elf");
    }
    config.TxCount = (uint16)read_count(record, ENDS_MAX);
    for (uint16_t at = 0; at < config.TxCount; at++) {
        read_end(record, &senders[at], &sender_names[at], at);
        senders[at].SecuredPduId = at;
    }
    config.RxCount = (uint16)read_count(record, ENDS_MAX);
    for (uint16_t at = 0; at < config.RxCount; at++) {
        read_end(record, &receivers[at], &receiver_names[at], (uint16_t)(ENDS_MAX + at));
    }
    key_count = read_count(record, KEYS_MAX);
    for (size_t at = 0; at < key_count; at++) {
        keys[at].id = (uint16_t)take(record, 2);
        (void)take(record, 1); /* the usage: each job has one */
        take_bytes(record, keys[at].bytes, sizeof keys[at].bytes);
    }
    if (record->is_short || record->left != 0) {
        link_failed("the record of the ECU: it does not end behind its last field");
    }
}

/* A slot has a counter, and its complement: a damaged one is found. */
static void read_retained(reader *slots)
{
    while (slots->left > 0) {
        const size_t slot = (size_t)take(slots, 1);
        const uint64_t value = take(slots, 8), complement = take(slots, 8);
        (void)take(slots, 8);
        (void)take(slots, 8);
        if (slots->is_short || slot >= SLOTS || value != ~complement) {
            link_failed("the retained values are damaged");
        }
        retained[slot] = value;
    }
}

static void store(uint16_t slot)
{
    uint8_t value[32] = {0};
    const uint64_t complement = ~to_write[slot];
    memcpy(value, &to_write[slot], 8);
    memcpy(&value[8], &complement, 8);
    link_store((uint8_t)slot, value);
    is_to_write[slot] = false;
    SecOC_NvMJobFinished(slot, E_OK);
}

/* The main loop. */

static void schedule(stream *own, uint64_t nominal)
{
    own->nominal = nominal;
    own->release = nominal + (own->jitter == 0 ? 0 : random_below(own->jitter + 1));
}

static void release(uint64_t now)
{
    for (size_t at = 0; at < stream_count; at++) {
        stream *own = &streams[at];
        if (own->release > now) {
            continue;
        }
        if (own->is_waiting) {
            link_skipped(own->message);
        }
        own->is_waiting = true;
        own->message = link_released((uint8_t)at);
        own->instances++;
        uint64_t nominal = own->nominal + own->period;
        /* After a long silence the past is not made up for. */
        schedule(own, nominal + own->period < now ? now + own->period : nominal);
    }
}

static void fill(stream *own)
{
    const uint64_t instance = own->instances - 1;
    if (own->content == CONTENT_COUNTER) {
        memset(own->frame.data, 0, sizeof own->frame.data);
        memcpy(own->frame.data, &instance, 8);
    } else if (own->content == CONTENT_RANDOM) {
        memset(own->frame.data, 0, sizeof own->frame.data);
        for (size_t at = 0; at < own->frame.length; at += 8) {
            const uint64_t word = random_next();
            memcpy(&own->frame.data[at], &word, 8);
        }
    }
}

/* Hands the next waiting instance to its end, or to the mailbox if it has none. */
static bool transmit(void)
{
    for (size_t at = 0; at < stream_count; at++) {
        stream *own = &streams[at];
        if (!own->is_waiting) {
            continue;
        }
        own->is_waiting = false;
        fill(own);
        link_sampled(own->message);
        own->frame.message = own->message;
        for (uint16_t end = 0; end < config.TxCount; end++) {
            if (sender_names[end].name == own->frame.identifier) {
                PduInfoType info = {own->frame.data, NULL, own->frame.length};
                protecting = own->message;
                is_protecting = SecOC_IfTransmit(end, &info) == E_OK;
                SecOC_MainFunctionTx();
                return true;
            }
        }
        link_send(&own->frame);
        return true;
    }
    return false;
}

static void receive(void)
{
    link_frame frame;
    if (!link_receive(&frame) || frame.form == FORM_REMOTE) {
        return;
    }
    for (uint16_t at = 0; at < config.RxCount; at++) {
        if (receiver_names[at].frame != frame.identifier) {
            continue;
        }
        PduInfoType info = {frame.data, NULL, frame.length};
        checking = frame.message;
        checking_name = receiver_names[at].name;
        has_verdict = false;
        SecOC_RxIndication(at, &info);
        SecOC_MainFunctionRx();
        if (!has_verdict || verdict == SECOC_AUTHENTICATIONBUILDFAILURE) {
            link_not_checked();
            continue;
        }
        const uint8_t outcome = verdict == SECOC_VERIFICATIONSUCCESS ? 0
                                : verdict == SECOC_FRESHNESSFAILURE  ? 2
                                                                     : 1;
        link_checked(outcome, checking_name, checked_payload, checked_length, checking);
    }
}

/* Does one thing; false if there is nothing to do. */
static bool step(void)
{
    if (status.has_frame) {
        receive();
        return true;
    }
    for (uint16_t slot = 0; slot < SLOTS; slot++) {
        if (is_to_write[slot]) {
            store(slot);
            return true;
        }
    }
    if (is_protecting && status.is_sent) {
        SecOC_MainFunctionTx();
        return !is_protecting;
    }
    return status.is_sent && !is_protecting && transmit();
}

_Noreturn void ecu_main(void)
{
    uint8_t seed[32];
    reader slots, record;
    link_boot(seed, &slots, &record);
    seed_random(seed);
    read_retained(&slots);
    read_record(&record);
    SecOC_Init(&config);
    if (SecOC_GetState() != SECOC_INIT) {
        link_failed("the record of the ECU: SecOC refuses it");
    }
    for (size_t at = 0; at < stream_count; at++) {
        schedule(&streams[at], status.now + streams[at].offset);
    }
    for (;;) {
        release(link_now());
        if (step()) {
            continue;
        }
        uint64_t next = UINT64_MAX;
        for (size_t at = 0; at < stream_count; at++) {
            next = streams[at].release < next ? streams[at].release : next;
        }
        if (next > link_now()) {
            link_wait(next);
        }
    }
}

/* libwaywarden: security for vehicles, in C99.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Memory: every object is a plain struct of yours, aligned to 8 bytes, anywhere: static, on a stack,
 * in a pool. `..._init` fills it, `..._clear` wipes its key. Nothing is allocated, nothing is freed.
 * An object may be moved or copied only before `..._init`. An object of zeros is refused, as is one
 * of another type.
 *
 * Threads: an object serves one call at a time; a second one is refused with WAYWARDEN_STATUS_BUSY,
 * also from inside a call-back. Different objects are independent. Functions without an object may be
 * called at any time. No function waits, but for your call-backs.
 *
 * Errors: each function returns waywarden_status, and changes nothing unless it is
 * WAYWARDEN_STATUS_OK, if its comment does not say otherwise. waywarden_status_text() says it in words.
 * Pointers may not be null unless a comment says so; a null pointer is refused.
 *
 * Units: lengths in bytes, times in nanoseconds of a monotonic clock of yours.
 */

#ifndef WAYWARDEN_H
#define WAYWARDEN_H

/* Written by cbindgen from bindings/c/src; make c-header writes it again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The identifier has 29 bits.
 */
#define WAYWARDEN_EXTENDED 1

/**
 * A CAN FD frame.
 */
#define WAYWARDEN_FD 2

/**
 * The bit rate is switched in the data phase (CAN FD).
 */
#define WAYWARDEN_BIT_RATE_SWITCH 4

/**
 * A remote frame: `length` is its length code, and there are no data (classic CAN).
 */
#define WAYWARDEN_REMOTE 8

/**
 * The sender is error-passive (CAN FD).
 */
#define WAYWARDEN_ERROR_STATE_INDICATOR 16

/**
 * A tree with the orchestrator in each logical ECU: it first agrees with each ECU.
 */
#define WAYWARDEN_GROUP_TREE 0

/**
 * A tree in which the orchestrator is a member like the others.
 */
#define WAYWARDEN_GROUP_TREE_OF_MEMBERS 1

/**
 * The orchestrator agrees with each ECU, and distributes a secret.
 */
#define WAYWARDEN_GROUP_DISTRIBUTION 2

/**
 * AES-128-CMAC (RFC 4493).
 */
#define WAYWARDEN_AES_CMAC 0

/**
 * HMAC-SHA-256, its first 128 bits.
 */
#define WAYWARDEN_HMAC_SHA256 1

/**
 * SipHash-2-4 with 128 bits.
 */
#define WAYWARDEN_SIPHASH 2

/**
 * SpongentMac.
 */
#define WAYWARDEN_SPONGENT 3

/**
 * Number of permissions that a security module has room for.
 */
#define WAYWARDEN_LASAN_PERMISSIONS 32

/**
 * Number of streams that an ECU can send and receive.
 */
#define WAYWARDEN_LASAN_STREAMS 16

/**
 * ML-KEM-768 and ML-DSA-44: category 2 of NIST against quantum computers; keys of 1,312 bytes.
 */
#define WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_44 2

/**
 * ML-KEM-768 and ML-DSA-65: category 3; keys of 1,952 bytes.
 */
#define WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_65 3

/**
 * X25519 with ML-KEM-768, and ML-DSA-65: the agreement holds as long as one of the two does.
 */
#define WAYWARDEN_SUITE_X25519_ML_KEM_768_ML_DSA_65 4

/**
 * The parties know each other's public keys.
 */
#define WAYWARDEN_LASAN_KEYS 0

/**
 * They know digests of them: each sends its key when it authenticates itself.
 */
#define WAYWARDEN_LASAN_DIGESTS 1

/**
 * They know who issues certificates: each sends its own.
 */
#define WAYWARDEN_LASAN_CERTIFICATES 2

/**
 * The frames of vatiCAN: the code has the identifier above that of the message.
 */
#define WAYWARDEN_VATICAN 0

/**
 * The frames of LeiA: identifiers of 29 bits that begin with that of the message.
 */
#define WAYWARDEN_LEIA 1

/**
 * No time: nothing waits.
 */
#define WAYWARDEN_NEVER UINT64_MAX

/**
 * Answer of a call-back: the value is stored and will be there after a reset.
 */
#define WAYWARDEN_STORED 0

/**
 * Answer of a call-back: the value is being stored; `..._retained` will say when it is, or with 0
 * that it was not.
 */
#define WAYWARDEN_LATER 1

/**
 * FourQ: keys of 32 bytes, the fastest on every board.
 */
#define WAYWARDEN_SUITE_FOURQ 0

/**
 * NIST P-256.
 */
#define WAYWARDEN_SUITE_P256 1

/**
 * Number of ECUs that a role has room for, the orchestrator or the security module not counted.
 */
#define WAYWARDEN_ROLE_ECUS 16

/**
 * AUTOSAR's profile 1: a counter, 8 bits of it travel, 24 bits of code.
 */
#define WAYWARDEN_SECOC_AUTOSAR_1 1

/**
 * AUTOSAR's profile 2 as published: 24 bits of code and no freshness. **Replays are authentic.**
 */
#define WAYWARDEN_SECOC_AUTOSAR_2 2

/**
 * The frames of AUTOSAR's profile 2 with freshness that does not travel.
 */
#define WAYWARDEN_SECOC_AUTOSAR_2_SYNCHRONISED 3

/**
 * AUTOSAR's profile 3 (JASPAR): 64 bits of freshness, 4 of them travel, 28 bits of code.
 */
#define WAYWARDEN_SECOC_JASPAR 4

/**
 * The profile of a large maker.
 */
#define WAYWARDEN_SECOC_PRODUCTION 5

/**
 * The parameters in `own`.
 */
#define WAYWARDEN_SECOC_OWN 0

/**
 * `data_id` is to be used; without, it is the identifier, which then has 11 bits.
 */
#define WAYWARDEN_SECOC_DATA_ID 32

/**
 * The part of the payload from `secured_from` to `secured_to` is authenticated. **Any node may
 * change the rest.**
 */
#define WAYWARDEN_SECOC_SECURED_AREA 64

/**
 * NIST P-256.
 */
#define WAYWARDEN_P256 0

/**
 * NIST P-384.
 */
#define WAYWARDEN_P384 1

/**
 * brainpoolP256r1.
 */
#define WAYWARDEN_BRAINPOOL_P256R1 2

/**
 * brainpoolP384r1.
 */
#define WAYWARDEN_BRAINPOOL_P384R1 3

/**
 * The answer of a function. Only `WAYWARDEN_STATUS_OK` is a success; after any other nothing
 * changed unless the function says so.
 */
enum waywarden_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * It is done.
     */
    WAYWARDEN_STATUS_OK = 0,
    /**
     * A pointer is null that may not be.
     */
    WAYWARDEN_STATUS_NULL_POINTER = 1,
    /**
     * The object was not initialised, was cleared, or is one of another type.
     */
    WAYWARDEN_STATUS_NOT_INITIALISED = 2,
    /**
     * The object is in use: by another thread, or by the call that called back.
     */
    WAYWARDEN_STATUS_BUSY = 3,
    /**
     * The memory of an object is not aligned to 8 bytes.
     */
    WAYWARDEN_STATUS_ALIGNMENT = 4,
    /**
     * A number, or a bit of flags, is out of its range.
     */
    WAYWARDEN_STATUS_ARGUMENT = 5,
    /**
     * An identifier has more than 11 bits, with WAYWARDEN_EXTENDED more than 29.
     */
    WAYWARDEN_STATUS_IDENTIFIER = 6,
    /**
     * The stream has no payloads of this length.
     */
    WAYWARDEN_STATUS_LENGTH = 7,
    /**
     * The parameters of a profile contradict each other.
     */
    WAYWARDEN_STATUS_PROFILE = 8,
    /**
     * Payload, freshness and code do not fit the frame.
     */
    WAYWARDEN_STATUS_STREAM = 9,
    /**
     * No announcement of the freshness master was heard yet.
     */
    WAYWARDEN_STATUS_UNSYNCHRONISED = 10,
    /**
     * The counter goes on once what was asked for is retained.
     */
    WAYWARDEN_STATUS_UNRETAINED = 11,
    /**
     * The counter is at its end: another key, or the next announcement.
     */
    WAYWARDEN_STATUS_EXHAUSTED = 12,
    /**
     * The call-back that retains reported a failure.
     */
    WAYWARDEN_STATUS_RETENTION = 13,
    /**
     * The key may not be used for that, or the call-back of the code reported a failure.
     */
    WAYWARDEN_STATUS_KEY = 14,
    /**
     * The frame is none: a length or flags that no frame has.
     */
    WAYWARDEN_STATUS_FRAME = 15,
    /**
     * The signature is not that of the key over the digest.
     */
    WAYWARDEN_STATUS_SIGNATURE = 16,
    /**
     * A public key, or a point of a signature or certificate, is no point of the curve.
     */
    WAYWARDEN_STATUS_POINT = 17,
    /**
     * The memory for a result is too small.
     */
    WAYWARDEN_STATUS_SPACE = 18,
    /**
     * A fault in the library: please report it. The object must not be used again.
     */
    WAYWARDEN_STATUS_FAULT = 19,
    /**
     * A file, a folder, trust or a list cannot be used: the error says why.
     */
    WAYWARDEN_STATUS_INPUT = 20,
    /**
     * A message is not signed or not decrypted: the error says why.
     */
    WAYWARDEN_STATUS_REFUSED = 21,
    /**
     * There is no key yet, or no longer.
     */
    WAYWARDEN_STATUS_NO_KEY = 22,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waywarden_status waywarden_status;
#else
typedef int32_t waywarden_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Kind of an event of group keys.
 */
enum waywarden_group_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * There is none.
     */
    WAYWARDEN_GROUP_EVENT_KIND_NONE = 0,
    /**
     * The secret of the logical ECU `address` is known.
     */
    WAYWARDEN_GROUP_EVENT_KIND_FORMED = 1,
    /**
     * The group key of `epoch` is in use: to be taken by `..._key`.
     */
    WAYWARDEN_GROUP_EVENT_KIND_CONFIRMED = 2,
    /**
     * An exchange of the logical ECU `address` failed, by `failure`.
     */
    WAYWARDEN_GROUP_EVENT_KIND_FAILED = 3,
    /**
     * There is a newer key, of `epoch`, than this member's: it has reported so.
     */
    WAYWARDEN_GROUP_EVENT_KIND_MISSED = 4,
    /**
     * This member was ordered into `count` agreements in a row that gave it no key.
     */
    WAYWARDEN_GROUP_EVENT_KIND_STARVED = 5,
    /**
     * The orchestrator goes on without the ECU `address`, which does not answer.
     */
    WAYWARDEN_GROUP_EVENT_KIND_UNRESPONSIVE = 6,
    /**
     * The orchestrator removed the ECU `address`.
     */
    WAYWARDEN_GROUP_EVENT_KIND_REMOVED = 7,
    /**
     * The ECU `address` takes part again.
     */
    WAYWARDEN_GROUP_EVENT_KIND_INCLUDED = 8,
    /**
     * A renewal that waited begins.
     */
    WAYWARDEN_GROUP_EVENT_KIND_RENEWING = 9,
    /**
     * `count` members have not acknowledged the key of `epoch`.
     */
    WAYWARDEN_GROUP_EVENT_KIND_UNACKNOWLEDGED = 10,
    /**
     * Another event, of a newer version of the protocol.
     */
    WAYWARDEN_GROUP_EVENT_KIND_OTHER = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waywarden_group_event_kind waywarden_group_event_kind;
#else
typedef int32_t waywarden_group_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Cause of a failed exchange.
 */
enum waywarden_group_failure
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * None.
     */
    WAYWARDEN_GROUP_FAILURE_NONE = 0,
    /**
     * The orchestrator's signature is wrong, or not fresh.
     */
    WAYWARDEN_GROUP_FAILURE_ORCHESTRATION = 1,
    /**
     * This ECU lacks the secret of the logical ECU that it should act for.
     */
    WAYWARDEN_GROUP_FAILURE_SECRET_MISSING = 2,
    /**
     * A share is no point of the curve, or one that must not be used.
     */
    WAYWARDEN_GROUP_FAILURE_SHARE = 3,
    /**
     * A participant's signature is wrong.
     */
    WAYWARDEN_GROUP_FAILURE_CONFIRMATION = 4,
    /**
     * Not all came in time.
     */
    WAYWARDEN_GROUP_FAILURE_TIMEOUT = 5,
    /**
     * A public key is missing.
     */
    WAYWARDEN_GROUP_FAILURE_PUBLIC_KEY_MISSING = 6,
    /**
     * Another cause, of a newer version of the protocol.
     */
    WAYWARDEN_GROUP_FAILURE_OTHER = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waywarden_group_failure waywarden_group_failure;
#else
typedef int32_t waywarden_group_failure;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Kind of an event of LASAN.
 */
enum waywarden_lasan_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * There is none.
     */
    WAYWARDEN_LASAN_EVENT_KIND_NONE = 0,
    /**
     * The security module has begun `epoch`.
     */
    WAYWARDEN_LASAN_EVENT_KIND_STARTED = 1,
    /**
     * An ECU and the security module have authenticated each other: this ECU in `epoch`; for the
     * security module the ECU `address`.
     */
    WAYWARDEN_LASAN_EVENT_KIND_AUTHENTICATED = 2,
    /**
     * An authentication failed, by `reason`.
     */
    WAYWARDEN_LASAN_EVENT_KIND_FAILED = 3,
    /**
     * The session with the security module is over.
     */
    WAYWARDEN_LASAN_EVENT_KIND_SESSION_LOST = 4,
    /**
     * The key of `stream`, of `generation`, is there: for this ECU, sent by `address`; for the
     * security module, the ECU `address` has it.
     */
    WAYWARDEN_LASAN_EVENT_KIND_GRANTED = 5,
    /**
     * This ECU may not send `stream`, or lost its key; for the security module: a request of the
     * ECU `address` was refused. By `reason`.
     */
    WAYWARDEN_LASAN_EVENT_KIND_DENIED = 6,
    /**
     * The key of `stream` has come to the end of its time.
     */
    WAYWARDEN_LASAN_EVENT_KIND_EXPIRED = 7,
    /**
     * The security module has made a key of `stream`, of `generation`.
     */
    WAYWARDEN_LASAN_EVENT_KIND_KEYED = 8,
    /**
     * No ECU gets the key of `stream` any more.
     */
    WAYWARDEN_LASAN_EVENT_KIND_REVOKED = 9,
    /**
     * The ECU `address` was taken into the network.
     */
    WAYWARDEN_LASAN_EVENT_KIND_ENROLLED = 10,
    /**
     * The ECU `address` was taken out of the network.
     */
    WAYWARDEN_LASAN_EVENT_KIND_RETIRED = 11,
    /**
     * Another event, of a newer version of the protocol.
     */
    WAYWARDEN_LASAN_EVENT_KIND_OTHER = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waywarden_lasan_event_kind waywarden_lasan_event_kind;
#else
typedef int32_t waywarden_lasan_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Reason of a failed authentication or of a refusal.
 */
enum waywarden_lasan_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * None.
     */
    WAYWARDEN_LASAN_REASON_NONE = 0,
    /**
     * The list does not allow this sender this stream.
     */
    WAYWARDEN_LASAN_REASON_NOT_ALLOWED = 1,
    /**
     * It does, but not at this time.
     */
    WAYWARDEN_LASAN_REASON_NOT_NOW = 2,
    /**
     * It did, and does not any more.
     */
    WAYWARDEN_LASAN_REASON_REVOKED = 3,
    /**
     * The other did not answer in time.
     */
    WAYWARDEN_LASAN_REASON_TIMEOUT = 4,
    /**
     * No ECU of that address takes part, or not any more.
     */
    WAYWARDEN_LASAN_REASON_UNKNOWN = 5,
    /**
     * The key is not the one that is enrolled.
     */
    WAYWARDEN_LASAN_REASON_KEY = 6,
    /**
     * The start-up message is of an epoch that is over.
     */
    WAYWARDEN_LASAN_REASON_EPOCH = 7,
    /**
     * The signature is wrong.
     */
    WAYWARDEN_LASAN_REASON_SIGNATURE = 8,
    /**
     * The offer or answer is none.
     */
    WAYWARDEN_LASAN_REASON_AGREEMENT = 9,
    /**
     * The other has not shown that it has the key.
     */
    WAYWARDEN_LASAN_REASON_PROOF = 10,
    /**
     * Another reason, of a newer version of the protocol.
     */
    WAYWARDEN_LASAN_REASON_OTHER = 11,
    /**
     * The certificate is not to be believed.
     */
    WAYWARDEN_LASAN_REASON_CERTIFICATE = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waywarden_lasan_reason waywarden_lasan_reason;
#else
typedef int32_t waywarden_lasan_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Kind of a received frame.
 */
enum waywarden_outcome_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing: a frame of others, or one whose second part is to come.
     */
    WAYWARDEN_OUTCOME_KIND_NONE = 0,
    /**
     * A message that is genuine, unchanged, and newer than any before. The only one whose payload
     * may be used.
     */
    WAYWARDEN_OUTCOME_KIND_AUTHENTIC = 1,
    /**
     * The code does not belong to the message.
     */
    WAYWARDEN_OUTCOME_KIND_WRONG_CODE = 2,
    /**
     * The freshness was taken before; no code was computed.
     */
    WAYWARDEN_OUTCOME_KIND_REPLAY = 3,
    /**
     * A message whose code did not come in time, or which others displaced.
     */
    WAYWARDEN_OUTCOME_KIND_MISSING = 4,
    /**
     * A code without its message.
     */
    WAYWARDEN_OUTCOME_KIND_CODE_WITHOUT_DATA = 5,
    /**
     * The freshness of the receiver is not known, or not retained yet.
     */
    WAYWARDEN_OUTCOME_KIND_OUT_OF_STEP = 6,
    /**
     * The freshness of the receiver is known again.
     */
    WAYWARDEN_OUTCOME_KIND_RESYNCHRONISED = 7,
    /**
     * A frame of no stream.
     */
    WAYWARDEN_OUTCOME_KIND_UNKNOWN_IDENTIFIER = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waywarden_outcome_kind waywarden_outcome_kind;
#else
typedef int32_t waywarden_outcome_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * An ECU of a group, as the others know it.
 */
typedef struct waywarden_group_party {
    /**
     * Its address, 1 to 255.
     */
    uint8_t address;
    /**
     * Of the members of a logical ECU, the one with the lowest rank acts for it: the cheapest
     * first.
     */
    uint8_t rank;
    /**
     * Its public key, of `waywarden_group_public_key`: 32 bytes of FourQ and 32 zeros, or 64 bytes
     * of P-256.
     */
    uint8_t key[64];
} waywarden_group_party;

/**
 * A group: the facts on which all its ECUs agree.
 */
typedef struct waywarden_group_options {
    /**
     * The members. Read during the call of `..._init` that is given the options.
     */
    const struct waywarden_group_party *members;
    /**
     * Number of them, 1 to WAYWARDEN_ROLE_ECUS.
     */
    size_t member_count;
    /**
     * The orchestrator; its rank is not looked at.
     */
    struct waywarden_group_party orchestrator;
    /**
     * WAYWARDEN_SUITE_FOURQ or WAYWARDEN_SUITE_P256.
     */
    uint8_t suite;
    /**
     * WAYWARDEN_GROUP_TREE, _TREE_OF_MEMBERS or _DISTRIBUTION.
     */
    uint8_t scheme;
    /**
     * WAYWARDEN_FD for CAN FD frames, WAYWARDEN_EXTENDED for identifiers of 29 bits.
     */
    uint8_t flags;
    /**
     * Bits that all identifiers of the group have, where `identifier_mask` has ones; the other
     * bits are the protocol's.
     */
    uint32_t identifier_base;
    /**
     * The bits that are fixed.
     */
    uint32_t identifier_mask;
    /**
     * Time from an order to the last confirmation, in nanoseconds: twice what the slowest two ECUs
     * need.
     */
    uint64_t exchange;
    /**
     * Time from the proof of a key to the last acknowledgement, in nanoseconds.
     */
    uint64_t answer;
    /**
     * Time between two repetitions of the proof, in nanoseconds; 0 for none.
     */
    uint64_t beacon;
} waywarden_group_options;

/**
 * A member of a group: agrees on the group key with the others. 7,680 bytes. It may not be moved
 * once it is initialised.
 */
typedef struct waywarden_group_member {
    /**
     * Not to be touched.
     */
    uint64_t opaque[960];
} waywarden_group_member;

/**
 * A value that the retention has from an earlier run.
 */
typedef struct waywarden_retained_slot {
    /**
     * Its slot.
     */
    uint8_t slot;
    /**
     * The value.
     */
    uint8_t value[32];
} waywarden_retained_slot;

/**
 * Keeps 32 bytes over resets, in a slot of their own. Called from inside a function, in its
 * thread, with the `context` of the retention; it may not call functions on the same object, which
 * answer WAYWARDEN_STATUS_BUSY.
 *
 * Returns WAYWARDEN_STORED, WAYWARDEN_LATER, or another number for a failure: then the function
 * returns WAYWARDEN_STATUS_RETENTION, no frame leaves, and the value is asked for again by the
 * next call.
 */
typedef int32_t (*waywarden_retain_slot_function)(void *context, uint8_t slot, const uint8_t *value);

/**
 * The call-back that keeps what a role must have after a reset. The values are no secrets, but
 * must not be changed by others.
 */
typedef struct waywarden_slot_retention {
    /**
     * The function.
     */
    waywarden_retain_slot_function retain;
    /**
     * Handed to the function as it is. Must live as long as the object.
     */
    void *context;
} waywarden_slot_retention;

/**
 * The start of a role: what it gets besides the description of its network.
 */
typedef struct waywarden_role_start {
    /**
     * Address of this ECU.
     */
    uint8_t address;
    /**
     * 32 bytes from a good random source that only this ECU knows, the same at each start: its
     * signing key comes of them. Read during the call.
     */
    const uint8_t *secret;
    /**
     * 32 unpredictable bytes, fresh at each start. Read during the call.
     */
    const uint8_t *seed;
    /**
     * The values of the retention, in any order; null where `retained_count` is 0, at the first
     * start. Read during the call.
     */
    const struct waywarden_retained_slot *retained;
    /**
     * Number of values.
     */
    size_t retained_count;
    /**
     * Keeps values over resets.
     */
    struct waywarden_slot_retention retention;
    /**
     * Time of the start, in nanoseconds of this ECU's monotonic clock.
     */
    uint64_t now;
} waywarden_role_start;

/**
 * A frame.
 */
typedef struct waywarden_can_frame {
    /**
     * 0 to 0x7FF; with WAYWARDEN_EXTENDED 0 to 0x1FFFFFFF.
     */
    uint32_t identifier;
    /**
     * Any of WAYWARDEN_EXTENDED, _FD, _BIT_RATE_SWITCH, _REMOTE, _ERROR_STATE_INDICATOR.
     */
    uint8_t flags;
    /**
     * Bytes of data: 0 to 8; with WAYWARDEN_FD 0 to 8, 12, 16, 20, 24, 32, 48, 64.
     */
    uint8_t length;
    /**
     * The data. Bytes behind `length` are not read, and are zero in frames of the library.
     */
    uint8_t data[64];
} waywarden_can_frame;

/**
 * An event of a role.
 */
typedef struct waywarden_group_event {
    /**
     * Its kind.
     */
    waywarden_group_event_kind kind;
    /**
     * Cause of a failed exchange.
     */
    waywarden_group_failure failure;
    /**
     * An epoch; 0 unless the kind names it.
     */
    uint64_t epoch;
    /**
     * A number; 0 unless the kind names it.
     */
    uint32_t count;
    /**
     * An address; 0 unless the kind names it.
     */
    uint8_t address;
} waywarden_group_event;

/**
 * The orchestrator of a group: says who agrees with whom, and makes sure that all have the key.
 * 12,800 bytes. It may not be moved once it is initialised.
 */
typedef struct waywarden_group_orchestrator {
    /**
     * Not to be touched.
     */
    uint64_t opaque[1600];
} waywarden_group_orchestrator;

/**
 * An ECU or the security module, as the others know it.
 */
typedef struct waywarden_lasan_party {
    /**
     * Its address, 1 to 127.
     */
    uint8_t address;
    /**
     * Its name: six bytes, of which nothing is asked.
     */
    uint8_t name[6];
    /**
     * Its public key, of `waywarden_lasan_public_key`: 32 bytes of FourQ and a zero, or 33 bytes
     * of P-256. With WAYWARDEN_LASAN_DIGESTS 32 bytes of `waywarden_lasan_digest` and a zero. Not
     * looked at with certificates, and where the options have `keys`.
     */
    uint8_t key[33];
} waywarden_lasan_party;

/**
 * A permission to send a stream.
 */
typedef struct waywarden_lasan_permission {
    /**
     * The stream: a number of the network's, its CAN identifier for one.
     */
    uint32_t stream;
    /**
     * Address of the only ECU that may send it.
     */
    uint8_t sender;
    /**
     * Bit n of the first is address n of a receiver, of the second address 64 + n.
     */
    uint64_t receivers[2];
    /**
     * First time at which it holds, in milliseconds of the network's time.
     */
    uint64_t from;
    /**
     * Its end, that time excluded; UINT64_MAX for none.
     */
    uint64_t until;
} waywarden_lasan_permission;

/**
 * A network: the facts on which all its parties agree.
 */
typedef struct waywarden_lasan_options {
    /**
     * All parties, the security module among them. Read during the call of `..._init` that is
     * given the options.
     */
    const struct waywarden_lasan_party *parties;
    /**
     * Number of them, 2 to WAYWARDEN_ROLE_ECUS + 1.
     */
    size_t party_count;
    /**
     * The permissions; only the security module needs them. Read during the call, too.
     */
    const struct waywarden_lasan_permission *permissions;
    /**
     * Number of them, 0 to WAYWARDEN_LASAN_PERMISSIONS.
     */
    size_t permission_count;
    /**
     * Address of the security module.
     */
    uint8_t security_module;
    /**
     * WAYWARDEN_SUITE_FOURQ or WAYWARDEN_SUITE_P256; for objects of `waywarden_lasan_quantum_...`
     * one of the others.
     */
    uint8_t suite;
    /**
     * WAYWARDEN_FD for CAN FD frames, WAYWARDEN_EXTENDED for identifiers of 29 bits. On classic
     * CAN a stream's key is for SecOC or another message authentication.
     */
    uint8_t flags;
    /**
     * The way in which keys are known: WAYWARDEN_LASAN_KEYS, _DIGESTS or _CERTIFICATES.
     */
    uint8_t credentials;
    /**
     * Name of who issues certificates.
     */
    uint8_t authority[6];
    /**
     * Its public key, as long as those of the suite; null without certificates. Must stay until
     * the object is cleared, as the next two must.
     */
    const uint8_t *authority_key;
    /**
     * The certificate that this party presents, of `waywarden_lasan_issue`; with digests its
     * public key; null where keys are known.
     */
    const uint8_t *credential;
    /**
     * Length of the credential.
     */
    size_t credential_length;
    /**
     * Public keys of the parties in their order, one behind the other, where keys are known and
     * longer than 33 bytes; null where `parties` has them.
     */
    const uint8_t *keys;
    /**
     * Bits that all identifiers of the protocol have, where `identifier_mask` has ones; the other
     * bits are the protocol's.
     */
    uint32_t identifier_base;
    /**
     * The bits that are fixed.
     */
    uint32_t identifier_mask;
    /**
     * The network's time, in milliseconds, at which the security module's clock is 0.
     */
    uint64_t time_at_zero;
    /**
     * Time from an invitation to the ECU's confirmation, in nanoseconds: twice what the slowest
     * ECU and its frames need.
     */
    uint64_t authentication;
    /**
     * Time from a short message to its answer or repetition, in nanoseconds.
     */
    uint64_t answer;
    /**
     * Longest pause between repetitions, in nanoseconds.
     */
    uint64_t patience;
    /**
     * Lifetime of a stream's key, in nanoseconds: in half of it no stream may have more than
     * 32,768 frames.
     */
    uint64_t stream_key;
} waywarden_lasan_options;

/**
 * The content of a certificate.
 */
typedef struct waywarden_lasan_statement {
    /**
     * WAYWARDEN_SUITE_FOURQ or another, of the authority and of the key.
     */
    uint8_t suite;
    /**
     * True for the security module, false for an ECU.
     */
    bool is_module;
    /**
     * The authority's name.
     */
    uint8_t authority[6];
    /**
     * Name of the party, as `waywarden_lasan_party` has it.
     */
    uint8_t subject[6];
    /**
     * Its public key, as long as keys of the suite are. Read during the call.
     */
    const uint8_t *key;
    /**
     * First time at which it holds, in milliseconds of the network's time.
     */
    uint64_t first;
    /**
     * Last time at which it holds; UINT64_MAX for no end.
     */
    uint64_t last;
} waywarden_lasan_statement;

/**
 * An ECU of a network: authenticates itself to the security module, and gets the keys of its
 * streams. 8,192 bytes. It may not be moved once it is initialised.
 */
typedef struct waywarden_lasan_ecu {
    /**
     * Not to be touched.
     */
    uint64_t opaque[1024];
} waywarden_lasan_ecu;

/**
 * An event of a role.
 */
typedef struct waywarden_lasan_event {
    /**
     * Its kind.
     */
    waywarden_lasan_event_kind kind;
    /**
     * Reason of a failure or refusal.
     */
    waywarden_lasan_reason reason;
    /**
     * An epoch; 0 unless the kind names it.
     */
    uint64_t epoch;
    /**
     * A stream; 0 unless the kind names it.
     */
    uint32_t stream;
    /**
     * A generation, counted up with each new key of a stream; 0 unless the kind names it.
     */
    uint32_t generation;
    /**
     * An address; 0 unless the kind names it.
     */
    uint8_t address;
} waywarden_lasan_event;

/**
 * The security module of a network: authenticates the ECUs, and gives them the keys of streams.
 * 20,992 bytes. It may not be moved once it is initialised.
 */
typedef struct waywarden_lasan_module {
    /**
     * Not to be touched.
     */
    uint64_t opaque[2624];
} waywarden_lasan_module;

/**
 * An ECU of a network with WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_44, _65 or
 * WAYWARDEN_SUITE_X25519_ML_KEM_768_ML_DSA_65. 31,744 bytes. It may not be moved once it is
 * initialised.
 */
typedef struct waywarden_lasan_quantum_ecu {
    /**
     * Not to be touched.
     */
    uint64_t opaque[3968];
} waywarden_lasan_quantum_ecu;

/**
 * The security module of such a network. 106,496 bytes. It may not be moved once it is
 * initialised.
 */
typedef struct waywarden_lasan_quantum_module {
    /**
     * Not to be touched.
     */
    uint64_t opaque[13312];
} waywarden_lasan_quantum_module;

/**
 * The outcome of a frame.
 */
typedef struct waywarden_outcome {
    /**
     * Its kind.
     */
    waywarden_outcome_kind kind;
    /**
     * Bytes of payload, 0 to 64; 0 unless authentic.
     */
    uint8_t length;
    /**
     * The payload; zeros unless authentic.
     */
    uint8_t payload[64];
} waywarden_outcome;

/**
 * Protects the messages of a stream, and answers receivers that ask where it stands. 512
 * bytes.
 */
typedef struct waywarden_paired_sender {
    /**
     * Not to be touched.
     */
    uint64_t opaque[64];
} waywarden_paired_sender;

/**
 * Computes the code of a message: 16 bytes into `code`, its first bit first. Returns 0 if it did.
 * A hardware security module, or a job of a crypto service manager, may be behind it.
 */
typedef int32_t (*waywarden_code_function)(void *context,
                                           const uint8_t *message,
                                           size_t length,
                                           uint8_t *code);

/**
 * Compares the first `bits` bits of the code of a message with those of `code`, in constant time.
 * Returns 0 if they are equal, 1 if they are not, another number if it failed. For keys that may
 * check and not compute.
 */
typedef int32_t (*waywarden_check_function)(void *context,
                                            const uint8_t *message,
                                            size_t length,
                                            const uint8_t *code,
                                            size_t bits);

/**
 * The key of an end: `bytes`, or one or both of `compute` and `check`.
 */
typedef struct waywarden_key {
    /**
     * The 16 bytes of the key, copied and wiped by `..._clear`; null where the key is elsewhere.
     */
    const uint8_t *bytes;
    /**
     * WAYWARDEN_AES_CMAC and others; not looked at where the key is elsewhere.
     */
    uint8_t algorithm;
    /**
     * Computes codes where the key is elsewhere: needed by a sender; a receiver uses it where
     * there is no `check`.
     */
    waywarden_code_function compute;
    /**
     * Checks codes where the key is elsewhere.
     */
    waywarden_check_function check;
    /**
     * Handed to both as it is. Must live as long as the object.
     */
    void *context;
} waywarden_key;

/**
 * Keeps a value over resets. Called from inside a function, in its thread, with the `context` of
 * the retention; it may not call functions on the same object, which answer WAYWARDEN_STATUS_BUSY.
 *
 * Returns WAYWARDEN_STORED, WAYWARDEN_LATER, or another number for a failure: then the message
 * that needed it is refused with WAYWARDEN_STATUS_RETENTION, and the value is asked for again with
 * the next one.
 */
typedef int32_t (*waywarden_retain_function)(void *context, uint64_t value);

/**
 * The call-back that keeps what must survive a reset.
 */
typedef struct waywarden_retention {
    /**
     * The function; `waywarden_retain_nothing` where the device never starts again under this key.
     */
    waywarden_retain_function retain;
    /**
     * Handed to the function as it is. Must live as long as the object.
     */
    void *context;
} waywarden_retention;

/**
 * Checks the messages of a stream. It asks its sender where the stream stands, and takes
 * nothing before the answer. 1,024 bytes.
 */
typedef struct waywarden_paired_receiver {
    /**
     * Not to be touched.
     */
    uint64_t opaque[128];
} waywarden_paired_receiver;

/**
 * Parameters of a profile, in bits unless said otherwise.
 */
typedef struct waywarden_secoc_profile_parameters {
    /**
     * Trip counter of a freshness master, 0 to 24; with `reset`, or neither.
     */
    uint8_t trip;
    /**
     * Reset counter of a freshness master, 0 to 24.
     */
    uint8_t reset;
    /**
     * Counter of messages, 0 to 64.
     */
    uint8_t message;
    /**
     * Low bits of the reset counter that travel with each message, 0 to 2.
     */
    uint8_t flag;
    /**
     * Low bits of the freshness value in a frame.
     */
    uint8_t freshness_bits;
    /**
     * Bits of code in a frame, 24 to 128; 8 to 128 with `as_found`.
     */
    uint8_t code_bits;
    /**
     * Values that a receiver tries, 1 to 8. Each makes forging that much easier.
     */
    uint8_t attempts;
    /**
     * Not 0: allows a code of fewer than 24 bits, which **can be guessed**.
     */
    uint8_t as_found;
} waywarden_secoc_profile_parameters;

/**
 * A stream of secured messages between one sender and its receivers.
 */
typedef struct waywarden_secoc_stream_options {
    /**
     * Identifier of its frames: 0 to 0x7FF, with WAYWARDEN_EXTENDED 0 to 0x1FFFFFFF.
     */
    uint32_t identifier;
    /**
     * Identifier of the cryptographic PDU, with as many bits; for `waywarden_secoc_separate_...`
     * alone.
     */
    uint32_t cryptographic_identifier;
    /**
     * Data id, with WAYWARDEN_SECOC_DATA_ID. Under one key each stream needs its own.
     */
    uint16_t data_id;
    /**
     * Any of WAYWARDEN_EXTENDED, WAYWARDEN_FD, WAYWARDEN_SECOC_DATA_ID,
     * WAYWARDEN_SECOC_SECURED_AREA.
     */
    uint8_t flags;
    /**
     * WAYWARDEN_SECOC_AUTOSAR_1 and others; WAYWARDEN_SECOC_OWN takes `own`.
     */
    uint8_t profile;
    /**
     * Bytes of the shortest payload, 0 to 64.
     */
    uint8_t shortest;
    /**
     * Bytes of the longest payload, `shortest` to 64.
     */
    uint8_t longest;
    /**
     * First byte of the part that is authenticated, with WAYWARDEN_SECOC_SECURED_AREA.
     */
    uint8_t secured_from;
    /**
     * The byte behind it.
     */
    uint8_t secured_to;
    /**
     * Byte that fills CAN FD frames up.
     */
    uint8_t padding;
    /**
     * Parameters of WAYWARDEN_SECOC_OWN; not looked at for other profiles.
     */
    struct waywarden_secoc_profile_parameters own;
} waywarden_secoc_stream_options;

/**
 * Follows a freshness master: one for all streams of an ECU. 256 bytes.
 */
typedef struct waywarden_freshness_follower {
    /**
     * Not to be touched.
     */
    uint64_t opaque[32];
} waywarden_freshness_follower;

/**
 * The announcements of a freshness master.
 */
typedef struct waywarden_announcement_options {
    /**
     * Identifier of the announcements, 0 to 0x7FF.
     */
    uint32_t identifier;
    /**
     * WAYWARDEN_FD for CAN FD frames, or 0.
     */
    uint8_t flags;
    /**
     * The profile whose counters they carry.
     */
    uint8_t profile;
    /**
     * Bits of code in an announcement, 24 to 128; 64 in most cars.
     */
    uint8_t code_bits;
    /**
     * Parameters of WAYWARDEN_SECOC_OWN.
     */
    struct waywarden_secoc_profile_parameters own;
} waywarden_announcement_options;

/**
 * Epochs in which messages may be now. Plain values, which may be copied.
 */
typedef struct waywarden_freshness_state {
    /**
     * Not to be touched.
     */
    uint64_t opaque[8];
} waywarden_freshness_state;

/**
 * Counts trips and resets, and announces them: one for each key of announcements. 256 bytes.
 */
typedef struct waywarden_freshness_master {
    /**
     * Not to be touched.
     */
    uint64_t opaque[32];
} waywarden_freshness_master;

/**
 * Protects the messages of one stream. 256 bytes, key and retention included.
 */
typedef struct waywarden_secoc_sender {
    /**
     * Not to be touched.
     */
    uint64_t opaque[32];
} waywarden_secoc_sender;

/**
 * Checks the messages of one stream. 256 bytes, key and retention included.
 */
typedef struct waywarden_secoc_receiver {
    /**
     * Not to be touched.
     */
    uint64_t opaque[32];
} waywarden_secoc_receiver;

/**
 * Protects the messages of one stream in two frames each. 256 bytes.
 */
typedef struct waywarden_secoc_separate_sender {
    /**
     * Not to be touched.
     */
    uint64_t opaque[32];
} waywarden_secoc_separate_sender;

/**
 * Checks the messages of one stream in two frames each. 640 bytes: four payloads wait for
 * their codes.
 */
typedef struct waywarden_secoc_separate_receiver {
    /**
     * Not to be touched.
     */
    uint64_t opaque[80];
} waywarden_secoc_separate_receiver;

/**
 * Bytes behind a pointer.
 */
typedef struct waywarden_bytes {
    /**
     * The first byte; may be null where `length` is 0.
     */
    const uint8_t *data;
    /**
     * Number of bytes.
     */
    size_t length;
} waywarden_bytes;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Fills in the options of a group: FourQ, a tree with the orchestrator in each logical ECU, CAN FD
 * and identifiers of 29 bits without fixed ones, 500 ms for an exchange, 100 ms for an answer, a
 * proof each second. `members` must live until `..._init` is called with the options.
 */
waywarden_status waywarden_group_options_init(struct waywarden_group_options *options,
                                              const struct waywarden_group_party *orchestrator,
                                              const struct waywarden_group_party *members,
                                              size_t member_count);

/**
 * Writes the public key that belongs to the 32 bytes of an ECU's secret: 64 bytes into `key`, with
 * zeros behind the 32 of FourQ. Takes the time of a key generation.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library.
 */
waywarden_status waywarden_group_public_key(uint8_t suite_number,
                                            const uint8_t *secret,
                                            uint8_t *key);

/**
 * Initialises a member. It retains one value, in slot 0.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT (also an address that is there twice, or is that of no
 * member), _IDENTIFIER (the bits that are not fixed do not suffice), _KEY (the public key of this
 * address is not that of the secret).
 *
 * Time: one key generation. Needs about three times as much stack as the object has bytes.
 */
waywarden_status waywarden_group_member_init(struct waywarden_group_member *member,
                                             const struct waywarden_group_options *options,
                                             const struct waywarden_role_start *start);

/**
 * Gives a member a frame of the bus, of any kind; frames of others are ignored. Most frames take
 * microseconds; one that ends a step of the protocol takes the time of that, and up to 16 KiB of
 * stack: at most an agreement, two signatures and four verifications.
 * `now` is this ECU's monotonic clock, in nanoseconds; a time before the last one counts as the
 * last one.
 *
 * Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER; with _RETENTION the frame was taken, and
 * nothing leaves until the value is stored.
 */
waywarden_status waywarden_group_member_receive(struct waywarden_group_member *member,
                                                uint64_t now,
                                                const struct waywarden_can_frame *frame);

/**
 * Writes the next frame to send, and true into `is_due`; false if none is due. To be called after
 * each other call, at the deadline, and again after `..._sent`. There is no next frame before
 * `..._sent` has said what became of the last one.
 *
 * Refused with WAYWARDEN_STATUS_RETENTION: no frame leaves.
 */
waywarden_status waywarden_group_member_outgoing(struct waywarden_group_member *member,
                                                 uint64_t now,
                                                 struct waywarden_can_frame *frame,
                                                 bool *is_due);

/**
 * Says what became of the last frame of `..._outgoing`: true once it was acknowledged on the bus,
 * false if it was taken back.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT if there is no such frame.
 */
waywarden_status waywarden_group_member_sent(struct waywarden_group_member *member,
                                             uint64_t now,
                                             bool is_sent);

/**
 * Writes the time at which `..._outgoing` has to be called next, in nanoseconds;
 * WAYWARDEN_NEVER if nothing waits. Later is allowed.
 */
waywarden_status waywarden_group_member_deadline(struct waywarden_group_member *member,
                                                 uint64_t *deadline);

/**
 * Takes note that the value of a slot is stored, which the retention answered WAYWARDEN_LATER to;
 * with false that it could not be stored, and is to be asked for again.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a slot of which nothing is being stored.
 */
waywarden_status waywarden_group_member_retained(struct waywarden_group_member *member,
                                                 uint8_t slot,
                                                 bool is_stored);

/**
 * Writes the oldest event and forgets it; WAYWARDEN_GROUP_EVENT_KIND_NONE if there is none.
 */
waywarden_status waywarden_group_member_event(struct waywarden_group_member *member,
                                              struct waywarden_group_event *event);

/**
 * Writes the group key, 32 bytes into `key`, and its epoch, once it is confirmed.
 * `waywarden_derive_key` makes the key of a SecOC end of it.
 *
 * Refused with WAYWARDEN_STATUS_NO_KEY.
 */
waywarden_status waywarden_group_member_key(struct waywarden_group_member *member,
                                            uint64_t *epoch,
                                            uint8_t *key);

/**
 * Wipes a member with its keys.
 */
waywarden_status waywarden_group_member_clear(struct waywarden_group_member *member);

/**
 * Initialises an orchestrator, which waits for `waywarden_group_orchestrator_renew`. It retains
 * values in slots 0 and 1.
 *
 * Refused as `waywarden_group_member_init`.
 *
 * Time: one key generation. Needs about three times as much stack as the object has bytes.
 */
waywarden_status waywarden_group_orchestrator_init(struct waywarden_group_orchestrator *orchestrator,
                                                   const struct waywarden_group_options *options,
                                                   const struct waywarden_role_start *start);

/**
 * Has a new group key agreed on; the first time this starts the group. It breaks off what is under
 * way. With `gives_way` its frames lose arbitration to most others.
 */
waywarden_status waywarden_group_orchestrator_renew(struct waywarden_group_orchestrator *orchestrator,
                                                    bool gives_way);

/**
 * Has a new group key agreed on as soon as all ECUs have acknowledged the one before, or their
 * time for that is over.
 */
waywarden_status waywarden_group_orchestrator_renew_when_acknowledged(struct waywarden_group_orchestrator *orchestrator,
                                                                      bool gives_way);

/**
 * Removes an ECU from the group: all keys that it knew are renewed without it. Retained in slot 1.
 * Nothing happens for an address that is not a member's.
 */
waywarden_status waywarden_group_orchestrator_remove(struct waywarden_group_orchestrator *orchestrator,
                                                     uint8_t address);

/**
 * Takes a removed ECU back: the keys on its way up are renewed with it. Nothing happens for one
 * that is not removed.
 */
waywarden_status waywarden_group_orchestrator_readmit(struct waywarden_group_orchestrator *orchestrator,
                                                      uint8_t address);

/**
 * Gives an orchestrator a frame of the bus, of any kind; frames of others are ignored. Most frames
 * take microseconds; one that ends a step of the protocol takes the time of that, and up to 16 KiB
 * of stack: at most an agreement, two signatures and four verifications. `now` is this ECU's
 * monotonic clock, in nanoseconds; a time before the last one counts as the last one.
 *
 * Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER; with _RETENTION the frame was taken, and
 * nothing leaves until the value is stored.
 */
waywarden_status waywarden_group_orchestrator_receive(struct waywarden_group_orchestrator *orchestrator,
                                                      uint64_t now,
                                                      const struct waywarden_can_frame *frame);

/**
 * Writes the next frame to send, and true into `is_due`; false if none is due. To be called after
 * each other call, at the deadline, and again after `..._sent`. There is no next frame before
 * `..._sent` has said what became of the last one.
 *
 * Refused with WAYWARDEN_STATUS_RETENTION: no frame leaves.
 */
waywarden_status waywarden_group_orchestrator_outgoing(struct waywarden_group_orchestrator *orchestrator,
                                                       uint64_t now,
                                                       struct waywarden_can_frame *frame,
                                                       bool *is_due);

/**
 * Says what became of the last frame of `..._outgoing`: true once it was acknowledged on the bus,
 * false if it was taken back.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT if there is no such frame.
 */
waywarden_status waywarden_group_orchestrator_sent(struct waywarden_group_orchestrator *orchestrator,
                                                   uint64_t now,
                                                   bool is_sent);

/**
 * Writes the time at which `..._outgoing` has to be called next, in nanoseconds;
 * WAYWARDEN_NEVER if nothing waits. Later is allowed.
 */
waywarden_status waywarden_group_orchestrator_deadline(struct waywarden_group_orchestrator *orchestrator,
                                                       uint64_t *deadline);

/**
 * Takes note that the value of a slot is stored, which the retention answered WAYWARDEN_LATER to;
 * with false that it could not be stored, and is to be asked for again.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a slot of which nothing is being stored.
 */
waywarden_status waywarden_group_orchestrator_retained(struct waywarden_group_orchestrator *orchestrator,
                                                       uint8_t slot,
                                                       bool is_stored);

/**
 * Writes the oldest event and forgets it; WAYWARDEN_GROUP_EVENT_KIND_NONE if there is none.
 */
waywarden_status waywarden_group_orchestrator_event(struct waywarden_group_orchestrator *orchestrator,
                                                    struct waywarden_group_event *event);

/**
 * Writes the group key, 32 bytes into `key`, and its epoch, once it is confirmed.
 * `waywarden_derive_key` makes the key of a SecOC end of it.
 *
 * Refused with WAYWARDEN_STATUS_NO_KEY.
 */
waywarden_status waywarden_group_orchestrator_key(struct waywarden_group_orchestrator *orchestrator,
                                                  uint64_t *epoch,
                                                  uint8_t *key);

/**
 * Wipes an orchestrator with its keys.
 */
waywarden_status waywarden_group_orchestrator_clear(struct waywarden_group_orchestrator *orchestrator);

/**
 * Computes the AES-128-CMAC of `length` bytes of `message` under the 16 bytes of `key`: 16 bytes
 * into `code`. In constant time. For programs that have their own protocol.
 */
waywarden_status waywarden_aes_cmac(const uint8_t *key,
                                    const uint8_t *message,
                                    size_t length,
                                    uint8_t *code);

/**
 * Fills in the options of a network: FourQ, CAN FD and identifiers of 29 bits without fixed ones,
 * keys that are known, no permissions, 400 ms for an authentication, 50 ms for an answer, pauses
 * of at most 800 ms, and a new key of each stream every minute. `parties` must live until
 * `..._init` is called with the options.
 */
waywarden_status waywarden_lasan_options_init(struct waywarden_lasan_options *options,
                                              uint8_t security_module,
                                              const struct waywarden_lasan_party *parties,
                                              size_t party_count);

/**
 * Writes the lengths of public keys and of certificates of a suite, in bytes.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library.
 */
waywarden_status waywarden_lasan_lengths(uint8_t suite, size_t *public_key, size_t *certificate);

/**
 * Writes the public key that belongs to the 32 bytes of a party's secret into `key`: of a curve 33
 * bytes, with a zero behind the 32 of FourQ, so that it fits a `waywarden_lasan_party`; of another
 * suite as many as `waywarden_lasan_lengths` says. Takes the time of a key generation.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library.
 */
waywarden_status waywarden_lasan_public_key(uint8_t suite_number,
                                            const uint8_t *secret,
                                            uint8_t *key);

/**
 * Writes the digest of a public key of `length` bytes: 32 bytes, of which the network knows the
 * key with WAYWARDEN_LASAN_DIGESTS.
 */
waywarden_status waywarden_lasan_digest(const uint8_t *key, size_t length, uint8_t *digest);

/**
 * Writes a certificate, signed with the key that belongs to the 32 bytes of the authority's
 * `secret`, and its length. Takes the time of a signature.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library, _SPACE for a
 * `capacity` of fewer bytes than `waywarden_lasan_lengths` says.
 */
waywarden_status waywarden_lasan_issue(const struct waywarden_lasan_statement *statement,
                                       const uint8_t *secret,
                                       uint8_t *certificate,
                                       size_t capacity,
                                       size_t *length);

/**
 * Initialises an ECU. It retains one value, in slot 0.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT (also an address that is there twice, or is that of no
 * ECU), _IDENTIFIER (the bits that are not fixed do not suffice), _KEY (the public key of this
 * address is not that of the secret).
 *
 * Time: two key generations. Needs about three times as much stack as the object has bytes.
 */
waywarden_status waywarden_lasan_ecu_init(struct waywarden_lasan_ecu *ecu,
                                          const struct waywarden_lasan_options *options,
                                          const struct waywarden_role_start *start);

/**
 * Asks for the key of a stream that this ECU sends, as soon as that is possible, and for the next
 * key before it comes to its end.
 *
 * Refused with WAYWARDEN_STATUS_SPACE if there is no room for another stream.
 */
waywarden_status waywarden_lasan_ecu_request(struct waywarden_lasan_ecu *ecu, uint32_t stream);

/**
 * Says what time it is by a clock of this ECU: `time` in milliseconds of the network's time. An
 * ECU without a clock need not call it.
 */
waywarden_status waywarden_lasan_ecu_tell_time(struct waywarden_lasan_ecu *ecu, uint64_t time);

/**
 * Writes true if this ECU and the security module have authenticated each other.
 */
waywarden_status waywarden_lasan_ecu_is_authenticated(struct waywarden_lasan_ecu *ecu,
                                                      bool *is_authenticated);

/**
 * Gives an ECU a frame of the bus, of any kind; frames of others are ignored. Most frames take
 * microseconds; one that ends a step of the protocol takes the time of that, and up to 16 KiB of
 * stack: at most an agreement, a signature and a verification.
 * `now` is this ECU's monotonic clock, in nanoseconds; a time before the last one counts as the
 * last one.
 *
 * Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER; with _RETENTION the frame was taken, and
 * nothing leaves until the value is stored.
 */
waywarden_status waywarden_lasan_ecu_receive(struct waywarden_lasan_ecu *ecu,
                                             uint64_t now,
                                             const struct waywarden_can_frame *frame);

/**
 * Writes the next frame to send, and true into `is_due`; false if none is due. To be called after
 * each other call, at the deadline, and again after `..._sent`. There is no next frame before
 * `..._sent` has said what became of the last one.
 *
 * Refused with WAYWARDEN_STATUS_RETENTION: no frame leaves.
 */
waywarden_status waywarden_lasan_ecu_outgoing(struct waywarden_lasan_ecu *ecu,
                                              uint64_t now,
                                              struct waywarden_can_frame *frame,
                                              bool *is_due);

/**
 * Says what became of the last frame of `..._outgoing`: true once it was acknowledged on the bus,
 * false if it was taken back.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT if there is no such frame.
 */
waywarden_status waywarden_lasan_ecu_sent(struct waywarden_lasan_ecu *ecu,
                                          uint64_t now,
                                          bool is_sent);

/**
 * Writes the time at which `..._outgoing` has to be called next, in nanoseconds;
 * WAYWARDEN_NEVER if nothing waits. Later is allowed.
 */
waywarden_status waywarden_lasan_ecu_deadline(struct waywarden_lasan_ecu *ecu, uint64_t *deadline);

/**
 * Takes note that the value of a slot is stored, which the retention answered WAYWARDEN_LATER to;
 * with false that it could not be stored, and is to be asked for again.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a slot of which nothing is being stored.
 */
waywarden_status waywarden_lasan_ecu_retained(struct waywarden_lasan_ecu *ecu,
                                              uint8_t slot,
                                              bool is_stored);

/**
 * Writes the oldest event and forgets it; WAYWARDEN_LASAN_EVENT_KIND_NONE if there is none.
 */
waywarden_status waywarden_lasan_ecu_event(struct waywarden_lasan_ecu *ecu,
                                           struct waywarden_lasan_event *event);

/**
 * Wipes an ECU with its keys.
 */
waywarden_status waywarden_lasan_ecu_clear(struct waywarden_lasan_ecu *ecu);

/**
 * Initialises a security module, which waits for `waywarden_lasan_module_start`. It retains values
 * in slots 0 to WAYWARDEN_ROLE_ECUS. It authenticates up to four ECUs at a time.
 *
 * Refused as `waywarden_lasan_ecu_init`, and with WAYWARDEN_STATUS_ARGUMENT for a permission that
 * names an address of no ECU, or no receiver.
 *
 * Time: two key generations. Needs about three times as much stack as the object has bytes.
 */
waywarden_status waywarden_lasan_module_init(struct waywarden_lasan_module *module,
                                             const struct waywarden_lasan_options *options,
                                             const struct waywarden_role_start *start);

/**
 * Begins a new epoch: all ECUs are authenticated again. Sessions and keys of streams go on until
 * they are replaced.
 */
waywarden_status waywarden_lasan_module_start(struct waywarden_lasan_module *module);

/**
 * Takes an ECU out of the network: it is not authenticated any more, and streams that it sent or
 * received get a new key. Retained.
 */
waywarden_status waywarden_lasan_module_retire(struct waywarden_lasan_module *module,
                                               uint8_t address);

/**
 * Takes an ECU that was retired back, under its name of six bytes. Retained.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for an address that was never enrolled.
 */
waywarden_status waywarden_lasan_module_enrol(struct waywarden_lasan_module *module,
                                              uint8_t address,
                                              const uint8_t *name);

/**
 * Writes true if an ECU is authenticated.
 */
waywarden_status waywarden_lasan_module_is_authenticated(struct waywarden_lasan_module *module,
                                                         uint8_t address,
                                                         bool *is_authenticated);

/**
 * Gives a security module a frame of the bus, of any kind; frames of others are ignored. Most
 * frames take microseconds; one that ends a step of the protocol takes the time of that, and up to
 * 16 KiB of stack: at most an agreement, a signature and a verification. `now` is this ECU's
 * monotonic clock, in nanoseconds; a time before the last one counts as the last one.
 *
 * Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER; with _RETENTION the frame was taken, and
 * nothing leaves until the value is stored.
 */
waywarden_status waywarden_lasan_module_receive(struct waywarden_lasan_module *module,
                                                uint64_t now,
                                                const struct waywarden_can_frame *frame);

/**
 * Writes the next frame to send, and true into `is_due`; false if none is due. To be called after
 * each other call, at the deadline, and again after `..._sent`. There is no next frame before
 * `..._sent` has said what became of the last one.
 *
 * Refused with WAYWARDEN_STATUS_RETENTION: no frame leaves.
 */
waywarden_status waywarden_lasan_module_outgoing(struct waywarden_lasan_module *module,
                                                 uint64_t now,
                                                 struct waywarden_can_frame *frame,
                                                 bool *is_due);

/**
 * Says what became of the last frame of `..._outgoing`: true once it was acknowledged on the bus,
 * false if it was taken back.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT if there is no such frame.
 */
waywarden_status waywarden_lasan_module_sent(struct waywarden_lasan_module *module,
                                             uint64_t now,
                                             bool is_sent);

/**
 * Writes the time at which `..._outgoing` has to be called next, in nanoseconds;
 * WAYWARDEN_NEVER if nothing waits. Later is allowed.
 */
waywarden_status waywarden_lasan_module_deadline(struct waywarden_lasan_module *module,
                                                 uint64_t *deadline);

/**
 * Takes note that the value of a slot is stored, which the retention answered WAYWARDEN_LATER to;
 * with false that it could not be stored, and is to be asked for again.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a slot of which nothing is being stored.
 */
waywarden_status waywarden_lasan_module_retained(struct waywarden_lasan_module *module,
                                                 uint8_t slot,
                                                 bool is_stored);

/**
 * Writes the oldest event and forgets it; WAYWARDEN_LASAN_EVENT_KIND_NONE if there is none.
 */
waywarden_status waywarden_lasan_module_event(struct waywarden_lasan_module *module,
                                              struct waywarden_lasan_event *event);

/**
 * Wipes a security module with its keys.
 */
waywarden_status waywarden_lasan_module_clear(struct waywarden_lasan_module *module);

/**
 * Initialises an ECU in the memory of `object`, and writes into `ecu` what all other functions of
 * an ECU take: it points into the object. Otherwise as `waywarden_lasan_ecu_init`.
 *
 * Time: a few key generations. This and `waywarden_lasan_ecu_receive`, in which a step of the
 * protocol ends, need up to 448 KiB of stack (x86-64).
 */
waywarden_status waywarden_lasan_quantum_ecu_init(struct waywarden_lasan_quantum_ecu *object,
                                                  const struct waywarden_lasan_options *options,
                                                  const struct waywarden_role_start *start,
                                                  struct waywarden_lasan_ecu **ecu);

/**
 * Initialises a security module in the memory of `object`, and writes into `module` what all other
 * functions of a security module take: it points into the object. Otherwise as
 * `waywarden_lasan_module_init`; stack as `waywarden_lasan_quantum_ecu_init`.
 */
waywarden_status waywarden_lasan_quantum_module_init(struct waywarden_lasan_quantum_module *object,
                                                     const struct waywarden_lasan_options *options,
                                                     const struct waywarden_role_start *start,
                                                     struct waywarden_lasan_module **module);

/**
 * Takes a CAN FD frame of a stream in clear: `..._outgoing` has it next, encrypted (AES-256-GCM)
 * and with a code. The stream is named by the frame's identifier.
 *
 * Refused with WAYWARDEN_STATUS_NO_KEY (also if another ECU sends the stream), _LENGTH (no frame
 * has room for the protection), _ARGUMENT while an earlier frame of the stream
 * waits, _FRAME, _IDENTIFIER.
 */
waywarden_status waywarden_lasan_ecu_send(struct waywarden_lasan_ecu *ecu,
                                          const struct waywarden_can_frame *frame);

/**
 * Writes what came of the oldest protected frame, and its stream; WAYWARDEN_OUTCOME_KIND_NONE if
 * there is none. To be called after each `..._receive` and `..._outgoing` until there is none:
 * nothing further is opened before. A payload may have been filled with zeros up to a length that
 * a frame can have.
 */
waywarden_status waywarden_lasan_ecu_received(struct waywarden_lasan_ecu *ecu,
                                              uint32_t *stream,
                                              struct waywarden_outcome *outcome);

/**
 * Writes the key of a stream, 32 bytes into `key`, and its generation, for another message
 * authentication: `waywarden_derive_key` makes the key of a SecOC end of it.
 *
 * Refused with WAYWARDEN_STATUS_NO_KEY.
 */
waywarden_status waywarden_lasan_ecu_stream_key(struct waywarden_lasan_ecu *ecu,
                                                uint32_t stream,
                                                uint32_t *generation,
                                                uint8_t *key);

/**
 * Initialises a sender of the stream with the even identifier `identifier`, 0 to 0x7FE, in the
 * form WAYWARDEN_VATICAN or WAYWARDEN_LEIA. `retained` is the last value that the retention had
 * under this key; 0 under a key that was never used. The retention is asked once, before the first
 * message.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT, _IDENTIFIER (an odd one, too), _KEY, and _EXHAUSTED
 * behind the last epoch, 0xFFFFFFFF.
 */
waywarden_status waywarden_paired_sender_init(struct waywarden_paired_sender *sender,
                                              uint32_t identifier,
                                              uint8_t form,
                                              const struct waywarden_key *key,
                                              const struct waywarden_retention *retention,
                                              uint64_t retained);

/**
 * Protects a payload of 0 to 8 bytes. Writes the frame of the message, which leaves first, and
 * that of its code.
 *
 * Refused with WAYWARDEN_STATUS_LENGTH, _EXHAUSTED, _UNRETAINED, _RETENTION, _KEY.
 */
waywarden_status waywarden_paired_sender_protect(struct waywarden_paired_sender *sender,
                                                 const uint8_t *payload,
                                                 size_t length,
                                                 struct waywarden_can_frame *message,
                                                 struct waywarden_can_frame *code);

/**
 * Takes any frame of the bus: a receiver's question is answered by
 * `waywarden_paired_sender_outgoing`.
 *
 * Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER.
 */
waywarden_status waywarden_paired_sender_receive(struct waywarden_paired_sender *sender,
                                                 const struct waywarden_can_frame *frame);

/**
 * Writes the next frame of an answer that is due at `now`, nanoseconds of this ECU's monotonic
 * clock, and true into `is_due`; false if none is due. To be called until none is, and the frames
 * to be sent before the next message is protected. Answers are 5 ms apart at least.
 */
waywarden_status waywarden_paired_sender_outgoing(struct waywarden_paired_sender *sender,
                                                  uint64_t now,
                                                  struct waywarden_can_frame *frame,
                                                  bool *is_due);

/**
 * Writes the time at which `waywarden_paired_sender_outgoing` has something next, in nanoseconds;
 * WAYWARDEN_NEVER if nothing waits.
 */
waywarden_status waywarden_paired_sender_deadline(struct waywarden_paired_sender *sender,
                                                  uint64_t *deadline);

/**
 * Takes note that `value` is stored, which the retention answered WAYWARDEN_LATER to; with 0 that
 * it could not be stored, and is to be asked for again.
 */
waywarden_status waywarden_paired_sender_retained(struct waywarden_paired_sender *sender,
                                                  uint64_t value);

/**
 * Wipes a sender with its key.
 */
waywarden_status waywarden_paired_sender_clear(struct waywarden_paired_sender *sender);

/**
 * Initialises a receiver. `ask_identifier` is that of its questions, 0 to 0x7FF, which must be
 * this ECU's alone. `seed` is 16 unpredictable bytes, fresh at each start.
 */
waywarden_status waywarden_paired_receiver_init(struct waywarden_paired_receiver *receiver,
                                                uint32_t identifier,
                                                uint8_t form,
                                                uint32_t ask_identifier,
                                                const struct waywarden_key *key,
                                                const uint8_t *seed);

/**
 * Takes any frame of the bus, and writes what it was. `now` is this ECU's monotonic clock in
 * nanoseconds: a message waits 20 ms for its code.
 *
 * Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER, _KEY.
 */
waywarden_status waywarden_paired_receiver_accept(struct waywarden_paired_receiver *receiver,
                                                  uint64_t now,
                                                  const struct waywarden_can_frame *frame,
                                                  struct waywarden_outcome *outcome);

/**
 * Writes the question that is due at `now`, and true into `is_due`; false if none is due.
 */
waywarden_status waywarden_paired_receiver_outgoing(struct waywarden_paired_receiver *receiver,
                                                    uint64_t now,
                                                    struct waywarden_can_frame *frame,
                                                    bool *is_due);

/**
 * Writes the outcome of a message whose code did not come in time; WAYWARDEN_OUTCOME_KIND_NONE if
 * there is none. To be called until there is none.
 */
waywarden_status waywarden_paired_receiver_expire(struct waywarden_paired_receiver *receiver,
                                                  uint64_t now,
                                                  struct waywarden_outcome *outcome);

/**
 * Writes the time at which `..._outgoing` or `..._expire` has something next, in nanoseconds;
 * WAYWARDEN_NEVER if nothing waits.
 */
waywarden_status waywarden_paired_receiver_deadline(struct waywarden_paired_receiver *receiver,
                                                    uint64_t *deadline);

/**
 * Wipes a receiver with its key.
 */
waywarden_status waywarden_paired_receiver_clear(struct waywarden_paired_receiver *receiver);

/**
 * Keeps nothing and says that it did: for tests, and for keys that are used for one run alone.
 * **After a reset under the same key, messages of the run before are taken once more.**
 */
int32_t waywarden_retain_nothing(void *_context, uint64_t _value);

/**
 * Derives the key of one stream from the 32 bytes of a group key or of a stream key of LASAN: 16
 * bytes into `key`, for a SecOC end. `authentication` is a number of the network's for its message
 * authentication, `stream` the identifier of the stream. HKDF-SHA-256 with the salt `waywarden
 * stream key` over both as 8 bytes, the highest first: as ECUs of a simulation derive theirs.
 */
waywarden_status waywarden_derive_key(const uint8_t *from,
                                      uint64_t authentication,
                                      uint64_t stream,
                                      uint8_t *key);

/**
 * Fills `options` in for a stream of payloads of `length` bytes in classic frames under an
 * identifier of 11 bits, which is its data id, too. What differs is set behind it.
 *
 * Refused with WAYWARDEN_STATUS_NULL_POINTER. The rest is checked where the options are used.
 */
waywarden_status waywarden_secoc_stream_options_init(struct waywarden_secoc_stream_options *options,
                                                     uint32_t identifier,
                                                     uint8_t profile,
                                                     uint8_t length);

/**
 * Initialises a follower. `retained` is the last value that the retention had under this key, 0 if
 * there was none: trip * 2^32 + reset. `resets_ahead` is the number of resets that are marked as
 * used in advance: with 16, one announcement in 8 is retained.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT, _IDENTIFIER, _PROFILE (freshness of the profile does not
 * come from a master, or does not fit the frame), _KEY.
 */
waywarden_status waywarden_freshness_follower_init(struct waywarden_freshness_follower *follower,
                                                   const struct waywarden_announcement_options *options,
                                                   const struct waywarden_key *key,
                                                   const struct waywarden_retention *retention,
                                                   uint64_t retained,
                                                   uint32_t resets_ahead);

/**
 * Takes any frame of the bus, and writes what it was: an announcement newer than the last is
 * WAYWARDEN_OUTCOME_KIND_RESYNCHRONISED. Asks the retention for what must survive a reset; until
 * it is stored, the epoch before goes on.
 *
 * Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER, _KEY; with _RETENTION the announcement was
 * heard, and is in use once `waywarden_freshness_follower_accept` with the next one, or
 * `..._retained`, succeeds.
 */
waywarden_status waywarden_freshness_follower_accept(struct waywarden_freshness_follower *follower,
                                                     const struct waywarden_can_frame *frame,
                                                     struct waywarden_outcome *outcome);

/**
 * Takes note that `value` is stored, which the retention answered WAYWARDEN_LATER to; with 0 that
 * it could not be stored, and is to be asked for again.
 */
waywarden_status waywarden_freshness_follower_retained(struct waywarden_freshness_follower *follower,
                                                       uint64_t value);

/**
 * Writes the epochs in which messages of this ECU's streams may be now, for
 * `waywarden_secoc_sender_protect` and its like. To be called again behind each announcement.
 */
waywarden_status waywarden_freshness_follower_state(struct waywarden_freshness_follower *follower,
                                                    struct waywarden_freshness_state *state);

/**
 * Wipes a follower with its key.
 */
waywarden_status waywarden_freshness_follower_clear(struct waywarden_freshness_follower *follower);

/**
 * Initialises a master, which begins a trip: one more than `retained`, the last value that the
 * retention had under this key; 0 if there was none. It announces every `cycle` nanoseconds, the
 * first time at once.
 *
 * Refused as a follower is, and with WAYWARDEN_STATUS_EXHAUSTED at the end of the trip counter.
 */
waywarden_status waywarden_freshness_master_init(struct waywarden_freshness_master *master,
                                                 const struct waywarden_announcement_options *options,
                                                 const struct waywarden_key *key,
                                                 const struct waywarden_retention *retention,
                                                 uint64_t retained,
                                                 uint64_t cycle);

/**
 * Writes the announcement that is due at `now`, nanoseconds of this ECU's monotonic clock, and
 * true into `is_due`; false if none is due. Asks the retention for each new trip first.
 *
 * Refused with WAYWARDEN_STATUS_UNRETAINED while the trip is being stored, _RETENTION, _KEY.
 */
waywarden_status waywarden_freshness_master_announce(struct waywarden_freshness_master *master,
                                                     uint64_t now,
                                                     struct waywarden_can_frame *frame,
                                                     bool *is_due);

/**
 * Takes note that `value` is stored, which the retention answered WAYWARDEN_LATER to; with 0 that
 * it could not be stored, and is to be asked for again.
 */
waywarden_status waywarden_freshness_master_retained(struct waywarden_freshness_master *master,
                                                     uint64_t value);

/**
 * Writes the epochs in which messages of the master's own ECU may be now.
 */
waywarden_status waywarden_freshness_master_state(struct waywarden_freshness_master *master,
                                                  struct waywarden_freshness_state *state);

/**
 * Wipes a master with its key.
 */
waywarden_status waywarden_freshness_master_clear(struct waywarden_freshness_master *master);

/**
 * Initialises a sender. `retained` is the last value that the retention had under this key; 0
 * under a key that was never used. Asks for nothing yet.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT, _IDENTIFIER, _PROFILE, _STREAM for options, _KEY for a
 * key.
 */
waywarden_status waywarden_secoc_sender_init(struct waywarden_secoc_sender *sender,
                                             const struct waywarden_secoc_stream_options *options,
                                             const struct waywarden_key *key,
                                             const struct waywarden_retention *retention,
                                             uint64_t retained);

/**
 * Protects a payload of `length` bytes, and writes the frame to send. Its freshness is used up,
 * even if it is never sent. Asks the retention first for what must survive a reset.
 *
 * `freshness` is of this ECU's follower or master; null for profiles whose streams count for
 * themselves.
 *
 * Refused with WAYWARDEN_STATUS_LENGTH, _UNSYNCHRONISED, _UNRETAINED, _EXHAUSTED, _RETENTION,
 * _KEY; then there is no frame.
 *
 * Time: one code of the payload, and one key schedule where the key is in the object.
 */
waywarden_status waywarden_secoc_sender_protect(struct waywarden_secoc_sender *sender,
                                                const uint8_t *payload,
                                                size_t length,
                                                const struct waywarden_freshness_state *freshness,
                                                struct waywarden_can_frame *frame);

/**
 * Takes note that `value` is stored, which the retention answered WAYWARDEN_LATER to; with 0 that
 * it could not be stored, and is to be asked for again.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a value above the last one that was asked for.
 */
waywarden_status waywarden_secoc_sender_retained(struct waywarden_secoc_sender *sender,
                                                 uint64_t value);

/**
 * Protects under the 16 bytes of another key from now on. Counters go on.
 *
 * Refused with WAYWARDEN_STATUS_KEY where the key is behind a call-back.
 */
waywarden_status waywarden_secoc_sender_roll_over(struct waywarden_secoc_sender *sender,
                                                  const uint8_t *key);

/**
 * Wipes a sender with its key.
 */
waywarden_status waywarden_secoc_sender_clear(struct waywarden_secoc_sender *sender);

/**
 * Initialises a receiver: as a sender. After a reset up to 33 messages are lost, for counters are
 * retained 32 ahead.
 */
waywarden_status waywarden_secoc_receiver_init(struct waywarden_secoc_receiver *receiver,
                                               const struct waywarden_secoc_stream_options *options,
                                               const struct waywarden_key *key,
                                               const struct waywarden_retention *retention,
                                               uint64_t retained);

/**
 * Takes any frame of the bus, and writes what it was. Only WAYWARDEN_OUTCOME_KIND_AUTHENTIC has a
 * payload.
 *
 * Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER, _RETENTION, _KEY; then nothing was taken.
 *
 * Time: at most as many codes as the profile has attempts (twice as many while keys are rolled
 * over), none for frames of others and replays.
 */
waywarden_status waywarden_secoc_receiver_accept(struct waywarden_secoc_receiver *receiver,
                                                 const struct waywarden_can_frame *frame,
                                                 const struct waywarden_freshness_state *freshness,
                                                 struct waywarden_outcome *outcome);

/**
 * Takes note that `value` is stored: see `waywarden_secoc_sender_retained`.
 */
waywarden_status waywarden_secoc_receiver_retained(struct waywarden_secoc_receiver *receiver,
                                                   uint64_t value);

/**
 * Takes messages under the 16 bytes of another key, and under the one before until a message
 * under the new one came. Counters go on.
 */
waywarden_status waywarden_secoc_receiver_roll_over(struct waywarden_secoc_receiver *receiver,
                                                    const uint8_t *key);

/**
 * Wipes a receiver with its key.
 */
waywarden_status waywarden_secoc_receiver_clear(struct waywarden_secoc_receiver *receiver);

/**
 * Initialises a sender: see `waywarden_secoc_sender_init`. Payloads have one length, all of it is
 * authenticated, and frames are filled up with zeros.
 */
waywarden_status waywarden_secoc_separate_sender_init(struct waywarden_secoc_separate_sender *sender,
                                                      const struct waywarden_secoc_stream_options *options,
                                                      const struct waywarden_key *key,
                                                      const struct waywarden_retention *retention,
                                                      uint64_t retained);

/**
 * Protects a payload: see `waywarden_secoc_sender_protect`. Writes the authentic PDU, which leaves
 * first, and the cryptographic one.
 */
waywarden_status waywarden_secoc_separate_sender_protect(struct waywarden_secoc_separate_sender *sender,
                                                         const uint8_t *payload,
                                                         size_t length,
                                                         const struct waywarden_freshness_state *freshness,
                                                         struct waywarden_can_frame *authentic,
                                                         struct waywarden_can_frame *cryptographic);

/**
 * Takes note that `value` is stored: see `waywarden_secoc_sender_retained`.
 */
waywarden_status waywarden_secoc_separate_sender_retained(struct waywarden_secoc_separate_sender *sender,
                                                          uint64_t value);

/**
 * Wipes a sender with its key.
 */
waywarden_status waywarden_secoc_separate_sender_clear(struct waywarden_secoc_separate_sender *sender);

/**
 * Initialises a receiver: see `waywarden_secoc_receiver_init`.
 */
waywarden_status waywarden_secoc_separate_receiver_init(struct waywarden_secoc_separate_receiver *receiver,
                                                        const struct waywarden_secoc_stream_options *options,
                                                        const struct waywarden_key *key,
                                                        const struct waywarden_retention *retention,
                                                        uint64_t retained);

/**
 * Takes any frame of the bus: see `waywarden_secoc_receiver_accept`. `now` is this ECU's monotonic
 * clock in nanoseconds: a message waits 20 ms for its code.
 *
 * Time: at most four times as many codes as the profile has attempts.
 */
waywarden_status waywarden_secoc_separate_receiver_accept(struct waywarden_secoc_separate_receiver *receiver,
                                                          uint64_t now,
                                                          const struct waywarden_can_frame *frame,
                                                          const struct waywarden_freshness_state *freshness,
                                                          struct waywarden_outcome *outcome);

/**
 * Writes the outcome of a message whose code did not come in time; WAYWARDEN_OUTCOME_KIND_NONE if
 * there is none. To be called until there is none.
 */
waywarden_status waywarden_secoc_separate_receiver_expire(struct waywarden_secoc_separate_receiver *receiver,
                                                          uint64_t now,
                                                          struct waywarden_outcome *outcome);

/**
 * Takes note that `value` is stored: see `waywarden_secoc_sender_retained`.
 */
waywarden_status waywarden_secoc_separate_receiver_retained(struct waywarden_secoc_separate_receiver *receiver,
                                                            uint64_t value);

/**
 * Wipes a receiver with its key.
 */
waywarden_status waywarden_secoc_separate_receiver_clear(struct waywarden_secoc_separate_receiver *receiver);

/**
 * Returns one sentence about an answer, in English, that ends with a zero byte and is never freed;
 * of a number that is no answer, a sentence that says so.
 */
const char *waywarden_status_text(int32_t status);

/**
 * Version of the library: major * 65536 + minor * 256 + patch. Objects of one major version (of
 * one minor version while it is 0) keep their size.
 */
uint32_t waywarden_version(void);

/**
 * Verifies an ECDSA signature. `key` is a point in the form of SEC 1, compressed or not; `digest`
 * 32 or 48 bytes; `r` and `s` are big-endian, each as long as a coordinate (32 or 48 bytes).
 *
 * Refused with WAYWARDEN_STATUS_SIGNATURE, _POINT for a key that is no point of the curve,
 * _ARGUMENT for a length or a curve that there is not.
 */
waywarden_status waywarden_ecdsa_verify(uint8_t curve,
                                        struct waywarden_bytes key,
                                        struct waywarden_bytes digest,
                                        const uint8_t *r,
                                        const uint8_t *s);

/**
 * Rebuilds the public key of an implicit certificate (ECQV, in the form of IEEE 1609.2 §5.3.2):
 * e P + C. `hash` is e, 32 or 48 bytes; `reconstruction` P and `issuer` C are points in the form
 * of SEC 1. Writes the uncompressed point into `key`, which has room for `capacity` bytes: 65 or
 * 97 are needed, and `length` is set to what was, or would be, written.
 *
 * Refused with WAYWARDEN_STATUS_POINT, _ARGUMENT, _SPACE.
 */
waywarden_status waywarden_ecqv_rebuild(uint8_t curve,
                                        struct waywarden_bytes hash,
                                        struct waywarden_bytes reconstruction,
                                        struct waywarden_bytes issuer,
                                        uint8_t *key,
                                        size_t capacity,
                                        size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAYWARDEN_H */

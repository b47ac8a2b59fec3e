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
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waywarden_status waywarden_status;
#else
typedef int32_t waywarden_status;
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
 * Computes the AES-128-CMAC of `length` bytes of `message` under the 16 bytes of `key`: 16 bytes
 * into `code`. In constant time. For programs that have their own protocol.
 */
waywarden_status waywarden_aes_cmac(const uint8_t *key,
                                    const uint8_t *message,
                                    size_t length,
                                    uint8_t *code);

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

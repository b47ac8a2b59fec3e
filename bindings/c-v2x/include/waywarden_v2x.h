/* libwaywarden: V2X messages (IEEE 1609.2, ETSI TS 103 097) on a host, in C99.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Memory: objects are made by ..._new and its like, and freed by ..._free; what a function writes into a
 * waywarden_buffer is freed by waywarden_buffer_free. Text and bytes that a function returns live as long as
 * the object. Arguments are copied: they may be freed when the call returns.
 *
 * Threads: a verifier, a verdict, a signer and trust may be used by any number of threads at a time, until one
 * frees it.
 *
 * Errors: functions return waywarden_status. Where `error` is not null, it is set to an error with a sentence
 * that names file, place and remedy, to be freed by waywarden_error_free; to null on success.
 *
 * Units: times in microseconds since 2004-01-01 00:00:00 UTC without leap seconds (TAI), 0 for now; positions in
 * 10^-7 degrees.
 */

#ifndef WAYWARDEN_V2X_H
#define WAYWARDEN_V2X_H

/* Written by cbindgen from bindings/c-v2x/src; xtask/c-header writes it again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waywarden.h"

/**
 * `latitude` and `longitude` are to be used.
 */
#define WAYWARDEN_HAS_PLACE 1

/**
 * `psid` is to be used.
 */
#define WAYWARDEN_HAS_PSID 2

/**
 * The message came from a file of the caller's and not from strangers: it may have up to 16 MiB.
 */
#define WAYWARDEN_FROM_FILE 4

/**
 * The message is judged at its generation time, whatever `at` is: for recordings.
 */
#define WAYWARDEN_AT_GENERATION 8

/**
 * The message has the certificate of its signer.
 */
#define WAYWARDEN_SIGNER_CERTIFICATE 0

/**
 * The message has the hash of the certificate.
 */
#define WAYWARDEN_SIGNER_DIGEST 1

/**
 * The message has the certificates up to the root.
 */
#define WAYWARDEN_SIGNER_CHAIN 2

/**
 * The header has a generation location.
 */
#define WAYWARDEN_HAS_LOCATION 1

/**
 * The header has an expiry time.
 */
#define WAYWARDEN_HAS_LIFETIME 2

/**
 * r is given as an x-coordinate.
 */
#define WAYWARDEN_X_ONLY 4

/**
 * Messages that deviate from the profile of the application are signed, too.
 */
#define WAYWARDEN_SIGN_LENIENT 8

/**
 * Drops what ETSI TS 103 097 demands beyond IEEE 1609.2.
 */
#define WAYWARDEN_LENIENT 1

/**
 * Takes an implicit certificate that a message brings as the issuer of another.
 */
#define WAYWARDEN_UNKNOWN_IMPLICIT_ISSUERS 2

/**
 * Does not compare payloads with the certificate of their signer.
 */
#define WAYWARDEN_NO_PAYLOAD_CHECK 4

/**
 * A message must give r as the profile of its application says.
 */
#define WAYWARDEN_NONCE_BY_PROFILE 0

/**
 * A message may give r in any form.
 */
#define WAYWARDEN_NONCE_ANY 1

/**
 * A message must give r as a point.
 */
#define WAYWARDEN_NONCE_POINT 2

/**
 * A message must give r as an x-coordinate.
 */
#define WAYWARDEN_NONCE_X_ONLY 3

/**
 * An error: a sentence, a stable name of the cause, the place in the input.
 */
typedef struct waywarden_error waywarden_error;

/**
 * Signs payloads with a certificate and its private key. Any number of threads may use it; they
 * take turns.
 */
typedef struct waywarden_signer waywarden_signer;

/**
 * The certificates that a receiver is to trust. Any number of threads may use it.
 */
typedef struct waywarden_trust waywarden_trust;

/**
 * A verdict. Any number of threads may read it.
 */
typedef struct waywarden_verdict waywarden_verdict;

/**
 * Verifies messages and certificates, from any number of threads at a time. It remembers the
 * certificates and messages that it accepted: a message is accepted once.
 */
typedef struct waywarden_verifier waywarden_verifier;

/**
 * Bytes of the library, which `waywarden_buffer_free` frees. A zero byte follows them that does
 * not count, so that text is a C string.
 */
typedef struct waywarden_buffer {
    /**
     * The first byte; null if it was freed.
     */
    uint8_t *data;
    /**
     * Number of bytes.
     */
    size_t length;
} waywarden_buffer;

/**
 * Period of a certificate.
 */
typedef struct waywarden_pki_period {
    /**
     * Start of the validity in microseconds since 2004 (TAI); 0 for now.
     */
    uint64_t start;
    /**
     * Longest validity, such as `1w`, `90d` or `24h`; null for the default of the certificate.
     */
    const char *validity;
} waywarden_pki_period;

/**
 * A station, and what it asks a server for.
 */
typedef struct waywarden_pki_station {
    /**
     * The server: `http://HOST[:PORT][/PATH]`. Requests are encrypted by themselves.
     */
    const char *url;
    /**
     * Name of the station in its folder: `waywarden_signer_from_pki` takes its tickets by it.
     */
    const char *name;
    /**
     * Its canonical identifier, which is registered there.
     */
    const char *canonical_id;
    /**
     * File of its canonical private key.
     */
    const char *canonical_key;
    /**
     * Folder with the certificate of the root that it trusts.
     */
    const char *trust;
    /**
     * Period of its credential; three years where there is no validity.
     */
    struct waywarden_pki_period credential;
    /**
     * True for a new credential, asked for with the one that it has.
     */
    bool renews;
    /**
     * Number of authorization tickets, 0 to 1,000.
     */
    uint32_t tickets;
    /**
     * Permissions of the tickets, as `waywarden_pki_issue` takes them; none for CAM and DENM.
     */
    const char *const *permissions;
    /**
     * Number of permissions, at most 64.
     */
    size_t permission_count;
    /**
     * Period of the tickets; 168 hours where there is no validity. The server moves its beginning
     * to that of a week, or of the cell of its grid.
     */
    struct waywarden_pki_period ticket;
    /**
     * Longest time of one request with its repetitions, in seconds: 1 to 3,600.
     */
    uint32_t timeout_s;
} waywarden_pki_station;

/**
 * Time, place and medium of reception.
 */
typedef struct waywarden_reception {
    /**
     * Microseconds since 2004-01-01 (TAI) at which the message is judged; 0 for now.
     */
    uint64_t at;
    /**
     * The application that messages have to be of, with WAYWARDEN_HAS_PSID.
     */
    uint64_t psid;
    /**
     * Position of the receiver in 10^-7 degrees north, with WAYWARDEN_HAS_PLACE.
     */
    int32_t latitude;
    /**
     * In 10^-7 degrees east.
     */
    int32_t longitude;
    /**
     * Any of WAYWARDEN_HAS_PLACE, WAYWARDEN_HAS_PSID, WAYWARDEN_FROM_FILE,
     * WAYWARDEN_AT_GENERATION.
     */
    uint32_t flags;
} waywarden_reception;

/**
 * Header and form of a message.
 */
typedef struct waywarden_message_options {
    /**
     * The application: 36 for CAM, 37 for DENM, 32 for BSM.
     */
    uint64_t psid;
    /**
     * Generation time in microseconds since 2004 (TAI); 0 for now.
     */
    uint64_t time;
    /**
     * Generation location in 10^-7 degrees north, with WAYWARDEN_HAS_LOCATION.
     */
    int32_t latitude;
    /**
     * In 10^-7 degrees east.
     */
    int32_t longitude;
    /**
     * In 10^-1 metres above the ellipsoid, -4,095 to 61,439.
     */
    int32_t elevation;
    /**
     * Milliseconds until the message expires, 1 to 65,535, with WAYWARDEN_HAS_LIFETIME.
     */
    uint16_t lifetime;
    /**
     * WAYWARDEN_SIGNER_CERTIFICATE and others.
     */
    uint8_t signer;
    /**
     * Any of WAYWARDEN_HAS_LOCATION, WAYWARDEN_HAS_LIFETIME, WAYWARDEN_X_ONLY,
     * WAYWARDEN_SIGN_LENIENT.
     */
    uint32_t flags;
} waywarden_message_options;

/**
 * Settings of a verifier.
 */
typedef struct waywarden_verifier_options {
    /**
     * Certificates of messages that are remembered, 1 to 2^26.
     */
    size_t certificates;
    /**
     * Messages that are remembered, so that each is accepted once, 1 to 2^26.
     */
    size_t messages;
    /**
     * Bytes for tables of keys that are met again, of all threads together, 0 to 2^36.
     */
    size_t table_bytes;
    /**
     * Threads that have tables, 1 to 1,024.
     */
    size_t threads;
    /**
     * Any of WAYWARDEN_LENIENT, WAYWARDEN_UNKNOWN_IMPLICIT_ISSUERS, WAYWARDEN_NO_PAYLOAD_CHECK.
     */
    uint32_t flags;
    /**
     * WAYWARDEN_NONCE_BY_PROFILE and others.
     */
    uint8_t nonce_form;
} waywarden_verifier_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Wipes and frees the bytes of a buffer; null, and a buffer without bytes, are allowed.
 */
void waywarden_buffer_free(struct waywarden_buffer *buffer);

/**
 * Encrypts data with AES-128-CCM: to the holders of `count` certificates, which have encryption
 * keys, or under the 16 bytes of `shared_key`; the other is 0 and null. `data` is secured data of
 * IEEE 1609.2 as `waywarden_signer_sign` makes it; with `is_payload` any bytes.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT.
 */
waywarden_status waywarden_encrypt(waywarden_bytes data,
                                   bool is_payload,
                                   const waywarden_bytes *certificates,
                                   size_t count,
                                   const uint8_t *shared_key,
                                   struct waywarden_buffer *message,
                                   struct waywarden_error **error);

/**
 * Decrypts a message with the private key in the file `key` of the certificate in the file
 * `certificate`, both null without, or under the 16 bytes of `shared_key`, null without. Writes
 * the secured data in it, which is not verified.
 *
 * Refused with WAYWARDEN_STATUS_REFUSED for a message that is for other keys or was changed,
 * _ARGUMENT, _INPUT for files.
 */
waywarden_status waywarden_decrypt(waywarden_bytes message,
                                   const char *certificate,
                                   const char *key,
                                   waywarden_bytes passphrase,
                                   const uint8_t *shared_key,
                                   struct waywarden_buffer *data,
                                   struct waywarden_error **error);

/**
 * Returns the sentence of an error, with file, place and remedy, in UTF-8; an empty text for null.
 * It lives as long as the error.
 */
const char *waywarden_error_message(const struct waywarden_error *error);

/**
 * Returns the stable name of the cause, for programs, such as `argument` or `trust`; an empty text
 * for null. It lives as long as the error.
 */
const char *waywarden_error_code(const struct waywarden_error *error);

/**
 * Returns the place in the input, a file or an argument; null if there is none. It lives as long
 * as the error.
 */
const char *waywarden_error_place(const struct waywarden_error *error);

/**
 * Frees an error; null is allowed.
 */
void waywarden_error_free(struct waywarden_error *error);

/**
 * Writes what is in a message, a certificate or a list in JSON, as a row of
 * `waywarden inspect --format json`. Nothing is verified. `issuer` is the certificate of an
 * implicit certificate's issuer, whose public key is then rebuilt; no bytes if there is none.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for an issuer that is not that of the certificate. A
 * message that cannot be read to its end is no error: `error` in the JSON says why.
 */
waywarden_status waywarden_inspect(waywarden_bytes message,
                                   waywarden_bytes issuer,
                                   struct waywarden_buffer *json,
                                   struct waywarden_error **error);

/**
 * Reads a message that stands alone, without IEEE 1609.2 and packet headers around it, and writes
 * it in JSON: an object of `kind`, `release` (not of SAE J2735), `standard` (not of a content that
 * the layout keeps as bytes), `remark` (what other releases make of the bytes, and faults that do
 * not keep them from being read; not where there is nothing to say) and `value`, the message
 * itself after ITU-T X.697. `kind` is one of `waywarden_message_kinds`, or null for the one that
 * the header names; `release` is that of ETSI ITS, or 0 for the one that can read the bytes.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT, also where several releases read the bytes in different
 * ways and `release` is 0. The place of such an error is one in the bytes, as `byte 7`.
 */
waywarden_status waywarden_message_decode(waywarden_bytes message,
                                          const char *kind,
                                          uint8_t release,
                                          struct waywarden_buffer *json,
                                          struct waywarden_error **error);

/**
 * Writes a message from the JSON of its value, as `value` of `waywarden_message_decode` has it.
 * `kind` is one of `waywarden_message_kinds`; `release` is that of ETSI ITS, or 0 for the one that
 * has such a value.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT for a value that the message cannot have, also for one
 * with the number of another kind in its header; the place of the error is one in the value, as
 * `header.stationID`. An object with a key twice is refused, too.
 */
waywarden_status waywarden_message_encode(const char *kind,
                                          uint8_t release,
                                          waywarden_bytes json,
                                          struct waywarden_buffer *message,
                                          struct waywarden_error **error);

/**
 * Writes the messages that have a layout in JSON: a list of objects of `kind`, `release` (null for
 * SAE J2735), `standard` and `port` (of BTP; null without one).
 */
waywarden_status waywarden_message_kinds(struct waywarden_buffer *json,
                                         struct waywarden_error **error);

/**
 * Issues an enrolment credential to a station, and writes it; certificate and key are in the
 * folder of the PKI under `name`. `period` may be null: then three years from now. `passphrase` is
 * that of the PKI's keys, without bytes for one whose keys are not encrypted.
 *
 * Refused with WAYWARDEN_STATUS_INPUT (the folder is no PKI, the name is another holder's, a wrong
 * passphrase, what the operating system refuses), _ARGUMENT; then nothing is changed.
 */
waywarden_status waywarden_pki_enrol(const char *folder,
                                     const char *name,
                                     const struct waywarden_pki_period *period_or_null,
                                     waywarden_bytes passphrase,
                                     struct waywarden_buffer *credential,
                                     struct waywarden_error **error);

/**
 * Issues a certificate that signs messages to a station, such as an authorization ticket, and
 * writes it; certificate and key are in the folder of the PKI under `name`, from which
 * `waywarden_signer_from_pki` takes them. `permissions` are `count` texts as `waywarden pki issue`
 * takes them, such as `36:010000`; none for CAM and DENM, or BSM. `period` may be null: then the
 * current week and the next. `passphrase` as in `waywarden_pki_enrol`.
 *
 * Refused as `waywarden_pki_enrol`, and for what the issuer may not give.
 */
waywarden_status waywarden_pki_issue(const char *folder,
                                     const char *name,
                                     const char *const *permissions,
                                     size_t count,
                                     const struct waywarden_pki_period *period_or_null,
                                     waywarden_bytes passphrase,
                                     struct waywarden_buffer *ticket,
                                     struct waywarden_error **error);

/**
 * Issues a certificate again: a new key, the same contents, a new period; and writes it. `name`
 * may be a HashedId8. The old certificate and its key stay.
 *
 * Refused as `waywarden_pki_enrol`.
 */
waywarden_status waywarden_pki_renew(const char *folder,
                                     const char *name,
                                     const struct waywarden_pki_period *period_or_null,
                                     waywarden_bytes passphrase,
                                     struct waywarden_buffer *renewed,
                                     struct waywarden_error **error);

/**
 * Issues pseudonyms to a vehicle of an American PKI: `per_week` (1 to 100) for each of `weeks` (1
 * to 1,000) weeks from that of `start` on, microseconds since 2004 (TAI), 0 for now. Writes how
 * many the vehicle has then. A call that was broken off is made again: it issues what is missing.
 * `waywarden_signer_from_pki` takes one by its index in the week.
 *
 * Refused as `waywarden_pki_enrol`, and for a European PKI.
 */
waywarden_status waywarden_pki_pseudonyms(const char *folder,
                                          const char *name,
                                          uint16_t weeks,
                                          uint8_t per_week,
                                          uint64_t start,
                                          waywarden_bytes passphrase,
                                          uint64_t *certificates,
                                          struct waywarden_error **error);

/**
 * Makes the revocation lists of a PKI, in its folder, where its trust is read with them, and in
 * the file or folder `output` as well unless that is null. `next` is the time until the next ones,
 * such as `24h`, which null is. Writes the number of lists, of which an American PKI with revoked
 * vehicles has two.
 *
 * Refused as `waywarden_pki_enrol`; also where vehicles are revoked and cannot be listed, though
 * the other list is made then.
 */
waywarden_status waywarden_pki_crl(const char *folder,
                                   const char *output_or_null,
                                   const char *next_or_null,
                                   waywarden_bytes passphrase,
                                   size_t *lists,
                                   struct waywarden_error **error);

/**
 * Makes the trust list of a European PKI (CTL), and writes it; it is in the folder of the PKI,
 * too. `url` is the address under which its authorities are reached; null for that of the list
 * before. `next` is the time until the next one, such as `7d`, which null is.
 *
 * Refused as `waywarden_pki_enrol`, and for an American PKI.
 */
waywarden_status waywarden_pki_ctl(const char *folder,
                                   const char *url_or_null,
                                   const char *next_or_null,
                                   waywarden_bytes passphrase,
                                   struct waywarden_buffer *list,
                                   struct waywarden_error **error);

/**
 * Gets a station its certificates of a PKI behind HTTP (ETSI TS 102 941): an enrolment credential,
 * unless it has one that is valid, and with that authorization tickets. `folder` is that of the
 * station, new or of an earlier call, from which `waywarden_signer_from_pki` signs. Writes the
 * number of tickets. `passphrase` is that of the canonical key and of the keys in the folder,
 * without bytes where these are not encrypted.
 *
 * Waits for the server: a request that the network loses is sent again, up to three times.
 *
 * Refused with WAYWARDEN_STATUS_INPUT (what the server or the operating system refuses, the folder
 * or a file that is not what it has to be), _ARGUMENT. What was issued before a refusal is kept
 * and counted.
 */
waywarden_status waywarden_pki_enrol_from(const char *folder,
                                          const struct waywarden_pki_station *station,
                                          waywarden_bytes passphrase,
                                          size_t *tickets,
                                          struct waywarden_error **error);

/**
 * Fills `reception` in for a message of a radio that is judged now.
 */
waywarden_status waywarden_reception_init(struct waywarden_reception *reception);

/**
 * Takes a certificate and its private key in files, PKCS#8 (`.p8`) or raw bytes (`.vkey`), with
 * the `count` files of the certificates above it. `passphrase` has no bytes for a key that is not
 * encrypted.
 *
 * Refused with WAYWARDEN_STATUS_INPUT: a file that cannot be used, a key that is not the
 * certificate's, a wrong passphrase.
 */
waywarden_status waywarden_signer_from_files(const char *certificate,
                                             const char *key,
                                             const char *const *chain,
                                             size_t count,
                                             waywarden_bytes passphrase,
                                             struct waywarden_signer **signer,
                                             struct waywarden_error **error);

/**
 * Takes a certificate of a PKI in a folder, as `waywarden pki` makes it, by its name or HashedId8:
 * of several the newest that is valid at `at`, microseconds since 2004 (TAI), 0 for now. Of a
 * vehicle with pseudonyms it is the one with this index in the week.
 *
 * Refused with WAYWARDEN_STATUS_INPUT.
 */
waywarden_status waywarden_signer_from_pki(const char *folder,
                                           const char *name,
                                           uint64_t at,
                                           uint8_t index,
                                           waywarden_bytes passphrase,
                                           struct waywarden_signer **signer,
                                           struct waywarden_error **error);

/**
 * Fills `options` in for a message of an application, made now, with the signer's certificate and
 * neither location nor expiry time.
 */
waywarden_status waywarden_message_options_init(struct waywarden_message_options *options,
                                                uint64_t psid);

/**
 * Signs a payload of at most 1 MiB, and writes secured data of IEEE 1609.2.
 *
 * Refused with WAYWARDEN_STATUS_REFUSED where the certificate does not permit the message or the
 * profile of the application demands something else, _ARGUMENT.
 */
waywarden_status waywarden_signer_sign(const struct waywarden_signer *signer,
                                       waywarden_bytes payload,
                                       const struct waywarden_message_options *options,
                                       struct waywarden_buffer *message,
                                       struct waywarden_error **error);

/**
 * Returns the certificate, which lives as long as the signer; no bytes for null.
 */
waywarden_bytes waywarden_signer_certificate(const struct waywarden_signer *signer);

/**
 * Returns the HashedId8 of the certificate, in hexadecimal digits, which lives as long as the
 * signer; null for null.
 */
const char *waywarden_signer_id(const struct waywarden_signer *signer);

/**
 * Wipes the key of a signer and frees it; null is allowed.
 */
void waywarden_signer_free(struct waywarden_signer *signer);

/**
 * Makes trust in nothing.
 */
waywarden_status waywarden_trust_new(struct waywarden_trust **trust);

/**
 * Adds the certificates of a folder or a file, or a trust store of `waywarden pki trust`. Those
 * that issued themselves are trusted; others are taken if their chain ends at one of those.
 *
 * Refused with WAYWARDEN_STATUS_INPUT if it cannot be read, or has no certificate.
 */
waywarden_status waywarden_trust_add_path(struct waywarden_trust *trust,
                                          const char *path,
                                          struct waywarden_error **error);

/**
 * Adds a certificate.
 */
waywarden_status waywarden_trust_add_certificate(struct waywarden_trust *trust,
                                                 waywarden_bytes certificate,
                                                 struct waywarden_error **error);

/**
 * Frees trust; null is allowed. Verifiers that were made with it go on.
 */
void waywarden_trust_free(struct waywarden_trust *trust);

/**
 * Returns true if the message is accepted; false for null.
 */
bool waywarden_verdict_accepted(const struct waywarden_verdict *verdict);

/**
 * Returns the standard's name for the result, such as `success` (IEEE 1609.2); null for null. It
 * lives as long as the verdict. A message whose payload contradicts its certificate has `success`
 * and is not accepted.
 */
const char *waywarden_verdict_code(const struct waywarden_verdict *verdict);

/**
 * Returns the reason in words; null if there is none. It lives as long as the verdict.
 */
const char *waywarden_verdict_reason(const struct waywarden_verdict *verdict);

/**
 * Returns the HashedId8 of the signer's certificate, in hexadecimal digits; null if there is none.
 * It lives as long as the verdict.
 */
const char *waywarden_verdict_signer(const struct waywarden_verdict *verdict);

/**
 * Writes the PSID (ITS-AID) of the application, and returns true; false if there is none.
 */
bool waywarden_verdict_psid(const struct waywarden_verdict *verdict, uint64_t *psid);

/**
 * Writes the generation time in the header, in microseconds since 2004 (TAI), and returns true;
 * false if there is none.
 */
bool waywarden_verdict_generation_time(const struct waywarden_verdict *verdict, uint64_t *time);

/**
 * Returns the payload of an accepted message, which lives as long as the verdict; no bytes of a
 * refused one, whose payload may be anybody's: `waywarden_inspect` shows it.
 */
waywarden_bytes waywarden_verdict_payload(const struct waywarden_verdict *verdict);

/**
 * Writes the verdict in JSON on one line, as `waywarden verify --format jsonl` prints it.
 */
waywarden_status waywarden_verdict_json(const struct waywarden_verdict *verdict,
                                        struct waywarden_buffer *json,
                                        struct waywarden_error **error);

/**
 * Frees a verdict; null is allowed.
 */
void waywarden_verdict_free(struct waywarden_verdict *verdict);

/**
 * Fills `options` in with what `waywarden verify` has: 4,096 certificates, 65,536 messages, a
 * thread for each core with 1 MiB of tables.
 */
waywarden_status waywarden_verifier_options_init(struct waywarden_verifier_options *options);

/**
 * Makes a verifier with trust, which may be freed behind it. `options` may be null: then they are
 * those of `waywarden_verifier_options_init`.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT, _INPUT.
 */
waywarden_status waywarden_verifier_new(const struct waywarden_trust *trust,
                                        const struct waywarden_verifier_options *options,
                                        struct waywarden_verifier **verifier,
                                        struct waywarden_error **error);

/**
 * Verifies a signed revocation list, and refuses from now on what it revokes. `at` is the time at
 * which it is judged, in microseconds since 2004 (TAI); 0 for now.
 *
 * Refused with WAYWARDEN_STATUS_INPUT: nothing is revoked then.
 */
waywarden_status waywarden_verifier_apply_crl(const struct waywarden_verifier *verifier,
                                              waywarden_bytes list,
                                              uint64_t at,
                                              struct waywarden_error **error);

/**
 * Verifies a message or certificate, and makes a verdict. `reception` may be null: a message of a
 * radio that is judged now. A message that cannot be read or is refused is no error: the verdict
 * says it.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT.
 *
 * Time: at most three signatures of a radio's message; hashing of its bytes.
 */
waywarden_status waywarden_verifier_verify(const struct waywarden_verifier *verifier,
                                           waywarden_bytes message,
                                           const struct waywarden_reception *reception,
                                           struct waywarden_verdict **verdict,
                                           struct waywarden_error **error);

/**
 * Verifies `count` messages as if one came after the other, on up to `threads` threads, and makes
 * as many verdicts. Their number changes how long it takes and no verdict.
 *
 * Refused with WAYWARDEN_STATUS_ARGUMENT: nothing is verified, and no verdict made, then.
 */
waywarden_status waywarden_verifier_verify_many(const struct waywarden_verifier *verifier,
                                                const waywarden_bytes *messages,
                                                size_t count,
                                                const struct waywarden_reception *reception,
                                                size_t threads,
                                                struct waywarden_verdict **verdicts,
                                                struct waywarden_error **error);

/**
 * Forgets messages that are too old to come again under any profile: more than ten minutes before
 * `at`, microseconds since 2004 (TAI), 0 for now. To be called every now and then.
 */
waywarden_status waywarden_verifier_forget_old(const struct waywarden_verifier *verifier,
                                               uint64_t at);

/**
 * Frees a verifier, which no thread uses any more; null is allowed.
 */
void waywarden_verifier_free(struct waywarden_verifier *verifier);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAYWARDEN_V2X_H */

/* A station and a receiver: signs, verifies, is refused the second time, encrypts, decrypts; then threads
 * on one verifier and one signer, and random arguments.
 *
 *   station PKI CERTIFICATE KEY ROUNDS SEED
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waywarden_v2x.h>

#define DEMAND(condition) \
    do { \
        if (!(condition)) { \
            printf("line %d: %s: %s\n", __LINE__, #condition, waywarden_error_message(error)); \
            exit(1); \
        } \
    } while (0)

static waywarden_error *error;
static waywarden_signer *signer;
static waywarden_verifier *verifier;
static const waywarden_bytes nothing = {NULL, 0};

static waywarden_bytes text(const char *own)
{
    waywarden_bytes bytes = {(const uint8_t *)own, strlen(own)};
    return bytes;
}

static waywarden_bytes view(const waywarden_buffer *buffer)
{
    waywarden_bytes bytes = {buffer->data, buffer->length};
    return bytes;
}

static void sign(waywarden_buffer *message)
{
    waywarden_message_options options;
    DEMAND(waywarden_message_options_init(&options, 37) == WAYWARDEN_STATUS_OK);
    options.latitude = 520000000;
    options.longitude = 130000000;
    options.flags = WAYWARDEN_HAS_LOCATION;
    DEMAND(waywarden_signer_sign(signer, text("a hazard"), &options, message, &error) ==
           WAYWARDEN_STATUS_OK);
}

static void works(const char *certificate, const char *key)
{
    waywarden_buffer message = {NULL, 0}, sealed = {NULL, 0}, opened = {NULL, 0}, json = {NULL, 0};
    waywarden_verdict *verdict = NULL;
    uint64_t psid = 0, time = 0;
    sign(&message);
    DEMAND(waywarden_verifier_verify(verifier, view(&message), NULL, &verdict, &error) ==
           WAYWARDEN_STATUS_OK);
    if (!waywarden_verdict_accepted(verdict)) {
        printf("%s: %s\n", waywarden_verdict_code(verdict), waywarden_verdict_reason(verdict));
        exit(1);
    }
    waywarden_bytes payload = waywarden_verdict_payload(verdict);
    DEMAND(payload.length == 8 && memcmp(payload.data, "a hazard", 8) == 0);
    DEMAND(waywarden_verdict_psid(verdict, &psid) && psid == 37);
    DEMAND(waywarden_verdict_generation_time(verdict, &time) && time > 0);
    DEMAND(strcmp(waywarden_verdict_code(verdict), "success") == 0);
    DEMAND(strcmp(waywarden_verdict_signer(verdict), waywarden_signer_id(signer)) == 0);
    DEMAND(waywarden_verdict_reason(verdict) == NULL);
    waywarden_verdict_free(verdict);

    /* The same message again, and a changed one. */
    DEMAND(waywarden_verifier_verify(verifier, view(&message), NULL, &verdict, &error) ==
           WAYWARDEN_STATUS_OK);
    DEMAND(!waywarden_verdict_accepted(verdict) && waywarden_verdict_reason(verdict) != NULL);
    DEMAND(waywarden_verdict_payload(verdict).length == 0);
    waywarden_verdict_free(verdict);
    message.data[message.length - 1] ^= 1;
    DEMAND(waywarden_verifier_verify(verifier, view(&message), NULL, &verdict, &error) ==
           WAYWARDEN_STATUS_OK);
    DEMAND(!waywarden_verdict_accepted(verdict));
    waywarden_verdict_free(verdict);
    message.data[message.length - 1] ^= 1;

    DEMAND(waywarden_inspect(view(&message), nothing, &json, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(strstr((const char *)json.data, "headerInfo") != NULL);
    waywarden_buffer_free(&json);

    /* To the holder of the certificate, and under a shared key. */
    waywarden_bytes to = waywarden_signer_certificate(signer);
    DEMAND(waywarden_encrypt(view(&message), false, &to, 1, NULL, &sealed, &error) ==
           WAYWARDEN_STATUS_OK);
    DEMAND(waywarden_decrypt(view(&sealed), certificate, key, nothing, NULL, &opened, &error) ==
           WAYWARDEN_STATUS_OK);
    DEMAND(opened.length == message.length &&
           memcmp(opened.data, message.data, message.length) == 0);
    waywarden_buffer_free(&opened);
    sealed.data[sealed.length - 1] ^= 1;
    DEMAND(waywarden_decrypt(view(&sealed), certificate, key, nothing, NULL, &opened, &error) ==
           WAYWARDEN_STATUS_REFUSED);
    DEMAND(strcmp(waywarden_error_code(error), "not-decrypted") == 0);
    waywarden_error_free(error);
    error = NULL;
    waywarden_buffer_free(&sealed);
    static const uint8_t SHARED[16] = {5};
    DEMAND(waywarden_encrypt(text("any bytes"), true, NULL, 0, SHARED, &sealed, &error) ==
           WAYWARDEN_STATUS_OK);
    DEMAND(waywarden_decrypt(view(&sealed), NULL, NULL, nothing, SHARED, &opened, &error) ==
           WAYWARDEN_STATUS_OK);
    waywarden_buffer_free(&sealed);
    waywarden_buffer_free(&opened);
    waywarden_buffer_free(&message);
}

static void refusals(const char *pki)
{
    waywarden_signer *none = NULL;
    waywarden_buffer message = {NULL, 0};
    waywarden_message_options options;
    DEMAND(waywarden_signer_from_pki(pki, "nobody", 0, 0, nothing, &none, &error) ==
           WAYWARDEN_STATUS_INPUT);
    DEMAND(none == NULL && strstr(waywarden_error_message(error), "nobody") != NULL);
    waywarden_error_free(error);
    waywarden_message_options_init(&options, 9999);
    DEMAND(waywarden_signer_sign(signer, text("x"), &options, &message, &error) ==
           WAYWARDEN_STATUS_REFUSED);
    waywarden_error_free(error);
    options.flags = 1u << 30;
    DEMAND(waywarden_signer_sign(signer, text("x"), &options, &message, &error) ==
           WAYWARDEN_STATUS_ARGUMENT);
    DEMAND(strcmp(waywarden_error_place(error), "flags") == 0);
    waywarden_error_free(error);
    error = NULL;
    DEMAND(waywarden_signer_sign(NULL, text("x"), &options, &message, NULL) ==
           WAYWARDEN_STATUS_NULL_POINTER);
    DEMAND(message.data == NULL);
    waywarden_error_free(NULL);
    waywarden_verdict_free(NULL);
    waywarden_buffer_free(NULL);
    waywarden_buffer_free(&message);
}

enum { THREADS = 6, EACH = 20 };

static void *hammer(void *of)
{
    unsigned *accepted = of;
    for (unsigned at = 0; at < EACH; at++) {
        waywarden_buffer message = {NULL, 0};
        waywarden_verdict *verdict = NULL;
        waywarden_error *own = NULL;
        sign(&message);
        if (waywarden_verifier_verify(verifier, view(&message), NULL, &verdict, &own) ==
            WAYWARDEN_STATUS_OK) {
            *accepted += waywarden_verdict_accepted(verdict);
        }
        waywarden_verdict_free(verdict);
        waywarden_error_free(own);
        waywarden_buffer_free(&message);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    unsigned accepted[THREADS] = {0}, sum = 0;
    for (unsigned at = 0; at < THREADS; at++) {
        pthread_create(&all[at], NULL, hammer, &accepted[at]);
    }
    for (unsigned at = 0; at < THREADS; at++) {
        pthread_join(all[at], NULL);
        sum += accepted[at];
    }
    DEMAND(sum == THREADS * EACH);
}

static uint64_t state;

static uint64_t next(uint64_t bound)
{
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = (state ^ (state >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (mixed ^ (mixed >> 31)) % bound;
}

/* Messages with changed, cut and random bytes, alone and many at once: none is accepted but the untouched
 * ones, once each. */
static void hostile(unsigned long rounds)
{
    enum { MANY = 16 };
    waywarden_buffer real = {NULL, 0};
    unsigned long accepted = 0;
    sign(&real);
    for (unsigned long at = 0; at < rounds; at += MANY) {
        static uint8_t bytes[MANY][4096];
        waywarden_bytes messages[MANY];
        waywarden_verdict *verdicts[MANY] = {NULL};
        waywarden_reception reception;
        waywarden_reception_init(&reception);
        reception.flags = (uint32_t)next(20);
        for (unsigned one = 0; one < MANY; one++) {
            size_t length = next(3) ? real.length : (size_t)next(real.length + 1);
            memcpy(bytes[one], real.data, length);
            if (length > 0) {
                bytes[one][next(length)] ^= (uint8_t)(1 + next(255));
            }
            messages[one].data = next(50) ? bytes[one] : NULL;
            messages[one].length = length;
        }
        waywarden_status status =
            waywarden_verifier_verify_many(verifier, messages, MANY, next(9) ? &reception : NULL,
                                           (size_t)next(4), verdicts, next(2) ? &error : NULL);
        DEMAND(status == WAYWARDEN_STATUS_OK || status == WAYWARDEN_STATUS_ARGUMENT ||
               status == WAYWARDEN_STATUS_NULL_POINTER);
        for (unsigned one = 0; one < MANY; one++) {
            DEMAND((verdicts[one] != NULL) == (status == WAYWARDEN_STATUS_OK));
            accepted += waywarden_verdict_accepted(verdicts[one]);
            waywarden_verdict_free(verdicts[one]);
        }
        waywarden_error_free(error);
        error = NULL;
        waywarden_buffer json = {NULL, 0};
        if (waywarden_inspect(messages[0], next(2) ? messages[1] : nothing, &json, NULL) !=
            WAYWARDEN_STATUS_OK) {
            DEMAND(json.data == NULL);
        }
        waywarden_buffer_free(&json);
    }
    waywarden_buffer_free(&real);
    DEMAND(accepted == 0);
}

int main(int argc, char **argv)
{
    waywarden_trust *trust = NULL;
    if (argc != 6) {
        return 2;
    }
    state = strtoul(argv[5], NULL, 10);
    DEMAND(waywarden_trust_new(&trust) == WAYWARDEN_STATUS_OK);
    DEMAND(waywarden_trust_add_path(trust, "/nonexistent", &error) == WAYWARDEN_STATUS_INPUT);
    DEMAND(strstr(waywarden_error_message(error), "/nonexistent") != NULL);
    waywarden_error_free(error);
    char anchors[4096];
    snprintf(anchors, sizeof anchors, "%s/trust", argv[1]);
    DEMAND(waywarden_trust_add_path(trust, anchors, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(waywarden_verifier_new(trust, NULL, &verifier, &error) == WAYWARDEN_STATUS_OK);
    waywarden_trust_free(trust);
    DEMAND(waywarden_signer_from_pki(argv[1], "car", 0, 0, nothing, &signer, &error) ==
           WAYWARDEN_STATUS_OK);
    works(argv[2], argv[3]);
    refusals(argv[1]);
    threads();
    hostile(strtoul(argv[4], NULL, 10));
    DEMAND(waywarden_verifier_forget_old(verifier, 0) == WAYWARDEN_STATUS_OK);
    waywarden_signer_free(signer);
    waywarden_verifier_free(verifier);
    printf("the station works\n");
    return 0;
}

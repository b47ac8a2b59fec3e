/* A station's calls of a PKI: a credential, a ticket that signs, its renewal, lists, pseudonyms; and what
 * is refused, with place and remedy.
 *
 *   pki EUROPEAN AMERICAN
 */
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
static const waywarden_bytes nothing = {NULL, 0};

static void refused(waywarden_status status, waywarden_status expected, const char *code)
{
    DEMAND(status == expected);
    DEMAND(strcmp(waywarden_error_code(error), code) == 0);
    DEMAND(strlen(waywarden_error_message(error)) > 10);
    printf("refused: %s\n", waywarden_error_message(error));
    waywarden_error_free(error);
    error = NULL;
}

/* Signs with the certificate of a name, and returns the number of bytes of the message. */
static size_t signs(const char *folder, const char *name, uint8_t index, uint64_t psid)
{
    waywarden_signer *signer = NULL;
    waywarden_buffer message = {NULL, 0};
    waywarden_message_options options;
    DEMAND(waywarden_signer_from_pki(folder, name, 0, index, nothing, &signer, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(waywarden_message_options_init(&options, psid) == WAYWARDEN_STATUS_OK);
    options.flags = WAYWARDEN_SIGN_LENIENT;
    waywarden_bytes payload = {(const uint8_t *)"payload", 7};
    DEMAND(waywarden_signer_sign(signer, payload, &options, &message, &error) == WAYWARDEN_STATUS_OK);
    waywarden_signer_free(signer);
    size_t length = message.length;
    waywarden_buffer_free(&message);
    return length;
}

int main(int count, char **words)
{
    if (count != 3) {
        return 2;
    }
    const char *european = words[1], *american = words[2];
    waywarden_buffer first = {NULL, 0}, second = {NULL, 0};
    size_t lists = 0;
    uint64_t pseudonyms = 0;
    DEMAND(waywarden_pki_enrol(european, "car-credential", NULL, nothing, &first, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(first.length > 100);
    waywarden_buffer_free(&first);

    const char *permissions[] = {"36:010000", "37"};
    waywarden_pki_period period = {0, "3d"};
    DEMAND(waywarden_pki_issue(european, "car", permissions, 1, &period, nothing, &first, &error) ==
           WAYWARDEN_STATUS_OK);
    DEMAND(signs(european, "car", 0, 36) > first.length);
    DEMAND(waywarden_pki_renew(european, "car", NULL, nothing, &second, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(first.length > 100 && second.length > 100 &&
           (first.length != second.length || memcmp(first.data, second.data, first.length) != 0));
    waywarden_buffer_free(&first);
    waywarden_buffer_free(&second);
    DEMAND(waywarden_pki_crl(european, NULL, NULL, nothing, &lists, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(lists == 1);
    refused(waywarden_pki_ctl(european, NULL, NULL, nothing, &first, &error), WAYWARDEN_STATUS_INPUT, "pki");
    DEMAND(waywarden_pki_ctl(european, "https://pki.example", "3d", nothing, &first, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(first.length > 200);
    waywarden_buffer_free(&first);
    DEMAND(waywarden_pki_pseudonyms(american, "bus", 2, 3, 0, nothing, &pseudonyms, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(pseudonyms == 6);
    DEMAND(signs(american, "bus", 2, 32) > 50);

    period.validity = "soon";
    refused(waywarden_pki_issue(european, "car", NULL, 0, &period, nothing, &first, &error),
            WAYWARDEN_STATUS_ARGUMENT, "argument");
    permissions[0] = "CAMS";
    refused(waywarden_pki_issue(european, "car", permissions, 1, NULL, nothing, &first, &error),
            WAYWARDEN_STATUS_ARGUMENT, "argument");
    refused(waywarden_pki_issue(european, "car", permissions, 65, NULL, nothing, &first, &error),
            WAYWARDEN_STATUS_ARGUMENT, "argument");
    refused(waywarden_pki_enrol("/nowhere", "car", NULL, nothing, &first, &error), WAYWARDEN_STATUS_INPUT, "pki");
    refused(waywarden_pki_renew(european, "nobody", NULL, nothing, &first, &error), WAYWARDEN_STATUS_INPUT, "pki");
    refused(waywarden_pki_pseudonyms(european, "bus", 1, 1, 0, nothing, &pseudonyms, &error),
            WAYWARDEN_STATUS_INPUT, "pki");
    refused(waywarden_pki_ctl(american, NULL, NULL, nothing, &first, &error), WAYWARDEN_STATUS_INPUT, "pki");
    refused(waywarden_pki_crl(european, NULL, "never", nothing, &lists, &error), WAYWARDEN_STATUS_ARGUMENT,
            "argument");
    DEMAND(waywarden_pki_enrol(NULL, NULL, NULL, nothing, NULL, NULL) == WAYWARDEN_STATUS_NULL_POINTER);
    DEMAND(waywarden_pki_enrol(european, "x", NULL, nothing, NULL, NULL) == WAYWARDEN_STATUS_NULL_POINTER);
    printf("the PKI works\n");
    return 0;
}

/* A station that gets its certificates of a server: a credential, tickets that sign, more of them; and
 * what is refused.
 *
 *   enrol URL FOLDER KEY TRUST
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

static void refused(waywarden_status status, waywarden_status expected)
{
    DEMAND(status == expected);
    DEMAND(strlen(waywarden_error_message(error)) > 10);
    printf("refused: %s\n", waywarden_error_message(error));
    waywarden_error_free(error);
    error = NULL;
}

int main(int count, char **words)
{
    if (count != 5) {
        return 2;
    }
    const char *folder = words[2];
    size_t tickets = 9;
    waywarden_pki_station station;
    memset(&station, 0, sizeof station);
    station.url = words[1];
    station.name = "car";
    station.canonical_id = "NOBODY";
    station.canonical_key = words[3];
    station.trust = words[4];
    station.tickets = 2;
    station.timeout_s = 30;
    refused(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error), WAYWARDEN_STATUS_INPUT);
    DEMAND(tickets == 0);

    station.canonical_id = "WAYWARDEN-0001";
    DEMAND(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(tickets == 2);
    /* With the credential that it has. */
    station.tickets = 1;
    DEMAND(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(tickets == 1);

    waywarden_signer *signer = NULL;
    waywarden_buffer message = {NULL, 0};
    waywarden_message_options options;
    DEMAND(waywarden_signer_from_pki(folder, "car", 0, 0, nothing, &signer, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(waywarden_message_options_init(&options, 36) == WAYWARDEN_STATUS_OK);
    options.flags = WAYWARDEN_SIGN_LENIENT;
    waywarden_bytes payload = {(const uint8_t *)"payload", 7};
    DEMAND(waywarden_signer_sign(signer, payload, &options, &message, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(message.length > 100);
    waywarden_signer_free(signer);
    waywarden_buffer_free(&message);

    station.tickets = 1001;
    refused(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error), WAYWARDEN_STATUS_ARGUMENT);
    station.tickets = 1;
    station.timeout_s = 0;
    refused(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error), WAYWARDEN_STATUS_ARGUMENT);
    station.timeout_s = 1;
    const char *permissions[] = {"CAMS"};
    station.permissions = permissions;
    station.permission_count = 1;
    refused(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error), WAYWARDEN_STATUS_ARGUMENT);
    /* Not to be had: the refusal counts what was issued before, which is nothing. */
    permissions[0] = "38";
    refused(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error), WAYWARDEN_STATUS_INPUT);
    DEMAND(tickets == 0);
    station.permission_count = 0;
    station.url = "https://127.0.0.1:9";
    refused(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error), WAYWARDEN_STATUS_INPUT);
    station.url = "http://127.0.0.1:9";
    refused(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error), WAYWARDEN_STATUS_INPUT);
    station.trust = "/nowhere";
    refused(waywarden_pki_enrol_from(folder, &station, nothing, &tickets, &error), WAYWARDEN_STATUS_INPUT);
    DEMAND(waywarden_pki_enrol_from(folder, NULL, nothing, &tickets, NULL) == WAYWARDEN_STATUS_NULL_POINTER);
    DEMAND(waywarden_pki_enrol_from(folder, &station, nothing, NULL, NULL) == WAYWARDEN_STATUS_NULL_POINTER);
    printf("the station is enrolled\n");
    return 0;
}

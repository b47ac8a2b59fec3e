/* Verifies the messages of a file, one in a line of hexadecimal digits with an optional label before it,
 * and prints each verdict in JSON.
 *
 *   cc -std=c99 verify_v2x.c $(pkg-config --cflags --libs waywarden) -o verify_v2x
 *   ./verify_v2x examples/v2x/trust examples/v2x/messages.hex
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waywarden_v2x.h>

enum { LINE_MAX = 1 << 16 };

static int fail(const char *what, waywarden_status status, waywarden_error *error)
{
    fprintf(stderr, "%s: %s\n", what,
            error != NULL ? waywarden_error_message(error) : waywarden_status_text(status));
    waywarden_error_free(error);
    return 2;
}

/* Reads the last word of a line as hexadecimal digits; returns how many bytes, 0 if it has none. */
static size_t bytes_of(const char *line, uint8_t *bytes)
{
    const char *word = strrchr(line, ' ');
    size_t count = 0;
    unsigned value;
    word = word != NULL ? word + 1 : line;
    while (word[2 * count] != '\0' && word[2 * count + 1] != '\0' &&
           sscanf(&word[2 * count], "%2x", &value) == 1) {
        bytes[count++] = (uint8_t)value;
    }
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: verify_v2x TRUST MESSAGES\n");
        return 2;
    }
    waywarden_trust *trust = NULL;
    waywarden_verifier *verifier = NULL;
    waywarden_error *error = NULL;
    waywarden_status status = waywarden_trust_new(&trust);
    if (status == WAYWARDEN_STATUS_OK) {
        status = waywarden_trust_add_path(trust, argv[1], &error);
    }
    if (status == WAYWARDEN_STATUS_OK) {
        status = waywarden_verifier_new(trust, NULL, &verifier, &error);
    }
    waywarden_trust_free(trust);
    FILE *file = fopen(argv[2], "r");
    if (status != WAYWARDEN_STATUS_OK || file == NULL) {
        if (file != NULL) {
            fclose(file);
        }
        waywarden_verifier_free(verifier);
        return fail(argv[1], status, error);
    }

    waywarden_reception reception;
    waywarden_reception_init(&reception);
    reception.flags = WAYWARDEN_FROM_FILE | WAYWARDEN_AT_GENERATION;
    char *line = malloc(LINE_MAX);
    uint8_t *bytes = malloc(LINE_MAX / 2);
    int refused = 0;
    while (line != NULL && bytes != NULL && status == WAYWARDEN_STATUS_OK &&
           fgets(line, LINE_MAX, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        waywarden_bytes message = {bytes, 0};
        message.length = line[0] != '#' ? bytes_of(line, bytes) : 0;
        if (message.length == 0) {
            continue;
        }
        waywarden_verdict *verdict = NULL;
        waywarden_buffer json = {NULL, 0};
        status = waywarden_verifier_verify(verifier, message, &reception, &verdict, &error);
        if (status == WAYWARDEN_STATUS_OK) {
            status = waywarden_verdict_json(verdict, &json, &error);
        }
        if (status == WAYWARDEN_STATUS_OK) {
            puts((const char *)json.data);
            refused |= !waywarden_verdict_accepted(verdict);
        }
        waywarden_buffer_free(&json);
        waywarden_verdict_free(verdict);
    }
    free(line);
    free(bytes);
    fclose(file);
    waywarden_verifier_free(verifier);
    return status == WAYWARDEN_STATUS_OK ? refused : fail(argv[2], status, error);
}

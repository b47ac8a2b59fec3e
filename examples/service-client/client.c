/* Sign a payload and verify it: client SOCKET PSID TEXT. Build it with: cc -o client client.c */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define MOST (1 << 20)                  /* the longest frame, without its length */
static uint8_t frame[MOST + 64];        /* of a request, then of its response */
static uint8_t *const body = frame + 18; /* behind length, version, operation, id and deadline */

static uint8_t *put(uint8_t *to, uint64_t value, int bytes) {
    while (bytes-- > 0) *to++ = (uint8_t)(value >> (8 * bytes));
    return to;
}

static uint64_t get(const uint8_t *from, int bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | *from++;
    return value;
}

static void fail(const char *what) {
    fprintf(stderr, "client: %s\n", what);
    exit(1);
}

/* Sends the request whose body ends at `end`; returns the body of the response. */
static uint8_t *ask(int service, int operation, uint8_t *end) {
    size_t length = (size_t)(end - frame);
    put(put(put(put(put(frame, length - 4, 4), 1, 1), operation, 1), 7, 8), 0, 4);
    if (send(service, frame, length, 0) != (ssize_t)length) fail("the request is not sent");
    if (recv(service, frame, 4, MSG_WAITALL) != 4) fail("no response");
    length = get(frame, 4);
    if (length < 12 || length > MOST) fail("no frame");
    if (recv(service, frame, length, MSG_WAITALL) != (ssize_t)length) fail("half a response");
    if (get(frame + 10, 2) != 0) {
        fprintf(stderr, "refused: %.*s\n", (int)get(frame + 12, 2), (char *)frame + 14);
        exit(1);
    }
    return frame + 12;
}

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 4 || strlen(words[3]) > 65536) fail("SOCKET PSID TEXT are expected");
    strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
    int service = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(service, (struct sockaddr *)&address, sizeof address)) fail("no connection");

    /* Sign (1): flags, PSID, payload. The response has the message and its expiry. */
    size_t length = strlen(words[3]);
    uint8_t *payload = put(put(put(body, 0, 1), strtoull(words[2], NULL, 0), 8), length, 4);
    memcpy(payload, words[3], length);
    uint8_t *response = ask(service, 1, payload + length);
    length = get(response, 4);
    if (length > MOST - 32) fail("no message");
    printf("signed: %zu bytes\n", length);

    /* Verify (2): flags, message. The response begins with flags, result and report. */
    memmove(body + 5, response + 4, length);
    put(put(body, 0, 1), length, 4);
    response = ask(service, 2, body + 5 + length);
    printf("verified: result %d, report %d\n", response[1], response[2]);
    /* The report is 0 for accepted messages alone: with result 0, too, the payload may be one that
       the certificate does not permit. */
    return response[2] != 0;
}

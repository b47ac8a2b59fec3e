/* Sign a payload and verify it: client SOCKET PSID TEXT. Build: cc -o client client.c */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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

/* Sends a request and reads its response over it; returns the body, behind a status that is ok. */
static uint8_t *ask(FILE *service, uint8_t *frame, int operation, uint8_t *end, uint8_t *body_end[1]) {
    put(put(put(put(put(frame, (uint64_t)(end - frame - 4), 4), 1, 1), operation, 1), 7, 8), 0, 4);
    if (fwrite(frame, 1, (size_t)(end - frame), service) != (size_t)(end - frame)) fail("not sent");
    if (fflush(service) || fread(frame, 4, 1, service) != 1) fail("no response");
    size_t length = get(frame, 4);
    if (length < 12 || length > 1 << 20 || fread(frame, length, 1, service) != 1) fail("no frame");
    if (get(frame + 10, 2) != 0) {
        fprintf(stderr, "refused: %.*s\n", (int)get(frame + 12, 2), (char *)frame + 14);
        exit(1);
    }
    *body_end = frame + length;
    return frame + 12;
}

int main(int count, char **words) {
    static uint8_t frame[4 + (1 << 20)];
    uint8_t *body = frame + 18, *end, *body_end; /* behind length, version, operation, id, deadline */
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 4 || strlen(words[3]) > 65536) fail("SOCKET PSID TEXT are expected");
    strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
    int handle = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(handle, (struct sockaddr *)&address, sizeof address)) fail("no connection");
    FILE *service = fdopen(handle, "r+");
    /* Sign (1): no flags, the PSID, the payload. The response has the message and its expiry. */
    size_t length = strlen(words[3]);
    end = put(put(put(body, 0, 1), strtoull(words[2], NULL, 0), 8), length, 4);
    memcpy(end, words[3], length);
    uint8_t *signed_data = ask(service, frame, 1, end + length, &body_end);
    length = get(signed_data, 4);
    printf("signed: %zu bytes\n", length);
    /* Verify (2): no flags, the message. The response has flags, result, report and a reason. */
    memmove(body + 5, signed_data + 4, length);
    put(put(body, 0, 1), length, 4);
    uint8_t *verdict = ask(service, frame, 2, body + 5 + length, &body_end);
    printf("verified: result %d, report %d\n", verdict[1], verdict[2]);
    return verdict[1];
}

/* Messages read into JSON and written again; faults with their places; random arguments.
 *
 *   messages ROUNDS SEED
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

static const uint8_t CAM[] = {
    0x02, 0x02, 0xF3, 0x72, 0x48, 0xB4, 0xEA, 0x00, 0x00, 0x5A, 0x8A, 0xC6, 0x78, 0xCE, 0x17, 0x59,
    0x97, 0x62, 0x30, 0x22, 0xC6, 0xDE, 0x3E, 0x23, 0x96, 0x58, 0xAD, 0x00, 0xE0, 0xDE, 0xFE, 0x02,
    0xC6, 0x8A, 0x3F, 0x33, 0xF4, 0x01, 0xFF, 0xBA, 0x20, 0x3F, 0xFF, 0x94, 0x59, 0x80,
};

static waywarden_bytes of(const void *data, size_t length)
{
    waywarden_bytes bytes = {data, length};
    return bytes;
}

/* Returns the value in the JSON of a message: what stands behind "value":, without the last brace. */
static waywarden_bytes value_in(const waywarden_buffer *json)
{
    const char *from = strstr((const char *)json->data, "\"value\":");
    DEMAND(from != NULL);
    from += strlen("\"value\":");
    return of(from, json->length - 1 - (size_t)(from - (const char *)json->data));
}

static void is_refused(waywarden_status status, const char *code, const char *place)
{
    DEMAND(status == WAYWARDEN_STATUS_ARGUMENT);
    if (strcmp(waywarden_error_code(error), code) != 0 ||
        strcmp(waywarden_error_place(error), place) != 0) {
        printf("%s at %s: %s\n", waywarden_error_code(error), waywarden_error_place(error),
               waywarden_error_message(error));
        exit(1);
    }
    waywarden_error_free(error);
    error = NULL;
}

static void works(void)
{
    waywarden_buffer json = {NULL, 0}, again = {NULL, 0};
    DEMAND(waywarden_message_kinds(&json, &error) == WAYWARDEN_STATUS_OK);
    DEMAND(strstr((const char *)json.data, "\"J2735-MessageFrame\"") != NULL);
    DEMAND(strstr((const char *)json.data, "\"port\":2001") != NULL);
    waywarden_buffer_free(&json);

    DEMAND(waywarden_message_decode(of(CAM, sizeof CAM), NULL, 0, &json, &error) ==
           WAYWARDEN_STATUS_OK);
    const char *said = (const char *)json.data;
    DEMAND(strstr(said, "\"kind\":\"CAM\"") != NULL && strstr(said, "\"release\":") != NULL &&
           strstr(said, "\"standard\":\"") != NULL && strstr(said, "\"remark\":\"") != NULL);
    DEMAND(waywarden_message_encode("CAM", 0, value_in(&json), &again, &error) ==
           WAYWARDEN_STATUS_OK);
    DEMAND(again.length == sizeof CAM && memcmp(again.data, CAM, sizeof CAM) == 0);
    waywarden_buffer_free(&again);
    waywarden_buffer_free(&json);
}

static void refusals(void)
{
    waywarden_buffer out = {NULL, 0};
    static const char VERSION[] = "{\"header\": {\"protocolVersion\": 300}}";
    static const char TWICE[] = "{\"header\": {}, \"header\": {}}";
    is_refused(waywarden_message_decode(of(CAM, sizeof CAM), "BSM", 0, &out, &error), "kind",
               "message");
    is_refused(waywarden_message_decode(of(CAM, sizeof CAM), "CAM", 9, &out, &error), "release",
               "message");
    is_refused(waywarden_message_decode(of("\xFF\xFF", 2), NULL, 0, &out, &error), "no-header",
               "message");
    is_refused(waywarden_message_encode("CAM", 1, of("{", 1), &out, &error), "argument", "json");
    is_refused(waywarden_message_encode("CAM", 1, of(TWICE, strlen(TWICE)), &out, &error),
               "argument", "json");
    is_refused(waywarden_message_encode("CAM", 1, of(VERSION, strlen(VERSION)), &out, &error),
               "value", "header.protocolVersion");
    DEMAND(waywarden_message_decode(of(CAM, 20), NULL, 0, &out, &error) ==
           WAYWARDEN_STATUS_ARGUMENT);
    DEMAND(strncmp(waywarden_error_place(error), "byte ", 5) == 0);
    waywarden_error_free(error);
    error = NULL;
    DEMAND(waywarden_message_encode(NULL, 1, of("{}", 2), &out, NULL) ==
           WAYWARDEN_STATUS_NULL_POINTER);
    DEMAND(waywarden_message_decode(of(NULL, 3), NULL, 0, &out, NULL) ==
           WAYWARDEN_STATUS_NULL_POINTER);
    DEMAND(waywarden_message_kinds(NULL, NULL) == WAYWARDEN_STATUS_NULL_POINTER);
    DEMAND(out.data == NULL);
}

static uint64_t state;

static uint64_t next(uint64_t bound)
{
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = (state ^ (state >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (mixed ^ (mixed >> 31)) % bound;
}

/* Changed messages: what is read is written byte for byte, but with the number of another kind it is
   refused; and changed JSON. */
static void hostile(unsigned long rounds)
{
    static const char *const KINDS[] = {"CAM", "DENM", "CPM", "SPATEM", "J2735-MessageFrame", "x"};
    static const uint8_t NUMBERS[] = {2, 1, 14, 4, 0, 0};
    unsigned long read = 0;
    for (unsigned long at = 0; at < rounds; at++) {
        uint8_t bytes[sizeof CAM];
        size_t length = next(3) ? sizeof CAM : (size_t)next(sizeof CAM + 1);
        memcpy(bytes, CAM, sizeof CAM);
        for (uint64_t flips = next(4); flips > 0 && length > 0; flips--) {
            bytes[next(length)] ^= (uint8_t)(1u << next(8));
        }
        size_t chosen = next(4) ? 0 : (size_t)next(6);
        const char *kind = KINDS[chosen];
        uint8_t release = (uint8_t)(next(20) ? 1 + next(2) : next(256));
        waywarden_buffer json = {NULL, 0}, again = {NULL, 0};
        if (waywarden_message_decode(of(bytes, length), kind, release, &json, NULL) ==
            WAYWARDEN_STATUS_OK) {
            read++;
            waywarden_status status =
                waywarden_message_encode(kind, release, value_in(&json), &again, &error);
            if (NUMBERS[chosen] != 0 && bytes[1] != NUMBERS[chosen]) {
                is_refused(status, "value", release == 1 ? "header.messageID" : "header.messageId");
                DEMAND(strstr((const char *)json.data, "\"remark\":\"") != NULL);
            } else {
                DEMAND(status == WAYWARDEN_STATUS_OK);
                DEMAND(again.length == length && memcmp(again.data, bytes, length) == 0);
            }
            waywarden_buffer_free(&again);
            waywarden_bytes value = value_in(&json);
            json.data[next(json.length)] = (uint8_t)next(256);
            value = next(9) ? value : of(json.data, json.length);
            if (waywarden_message_encode(kind, release, value, &again, NULL) !=
                WAYWARDEN_STATUS_OK) {
                DEMAND(again.data == NULL);
            }
            waywarden_buffer_free(&again);
        }
        waywarden_buffer_free(&json);
    }
    DEMAND(rounds < 1000 || read > 0);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    state = strtoul(argv[2], NULL, 10);
    works();
    refusals();
    hostile(strtoul(argv[1], NULL, 10));
    printf("the messages work\n");
    return 0;
}

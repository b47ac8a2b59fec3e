/* The smallest program: one SecOC sender. `xtask/soak/c-library` prints what it links for a
 * microcontroller. */
#include <stddef.h>

#include <waywarden.h>

static uint64_t kept;

static int32_t retain(void *context, uint64_t value)
{
    (void)context;
    kept = value;
    return WAYWARDEN_STORED;
}

static waywarden_secoc_sender sender;
static waywarden_can_frame frame;

int main(void)
{
    static const uint8_t KEY[16] = {0x2B, 0x7E};
    waywarden_key key = {0};
    waywarden_retention retention = {retain, NULL};
    waywarden_secoc_stream_options stream;

    key.bytes = KEY;
    waywarden_secoc_stream_options_init(&stream, 0x120, WAYWARDEN_SECOC_AUTOSAR_1, 4);
    waywarden_secoc_sender_init(&sender, &stream, &key, &retention, kept);
    return (int)waywarden_secoc_sender_protect(&sender, KEY, 4, NULL, &frame);
}

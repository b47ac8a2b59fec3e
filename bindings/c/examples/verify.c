/* An ECDSA signature of RFC 6979, appendix A.2.5: P-256, SHA-256 of "sample".
 *
 *   cc -std=c99 verify.c $(pkg-config --cflags --libs waywarden) -o verify && ./verify
 */
#include <stdio.h>
#include <string.h>

#include <waywarden.h>

/* Reads hexadecimal digits. */
static size_t bytes_of(const char *text, uint8_t *bytes)
{
    static const char DIGITS[] = "0123456789ABCDEF";
    size_t count = strlen(text) / 2;
    for (size_t at = 0; at < count; at++) {
        size_t high = (size_t)(strchr(DIGITS, text[2 * at]) - DIGITS);
        size_t low = (size_t)(strchr(DIGITS, text[2 * at + 1]) - DIGITS);
        bytes[at] = (uint8_t)(16 * high + low);
    }
    return count;
}

int main(void)
{
    uint8_t key[65], digest[32], r[32], s[32];
    bytes_of("04"
             "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
             "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299",
             key);
    bytes_of("AF2BDBE1AA9B6EC1E2ADE1D694F41FC71A831D0268E9891562113D8A62ADD1BF", digest);
    bytes_of("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716", r);
    bytes_of("F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8", s);

    waywarden_bytes public_key = {key, sizeof key};
    waywarden_bytes hash = {digest, sizeof digest};
    waywarden_status right = waywarden_ecdsa_verify(WAYWARDEN_P256, public_key, hash, r, s);
    printf("the signature: %s\n", waywarden_status_text(right));

    digest[0] ^= 1;
    waywarden_status wrong = waywarden_ecdsa_verify(WAYWARDEN_P256, public_key, hash, r, s);
    printf("another digest: %s\n", waywarden_status_text(wrong));

    key[1] ^= 1;
    waywarden_status outside = waywarden_ecdsa_verify(WAYWARDEN_P256, public_key, hash, r, s);
    printf("another key: %s\n", waywarden_status_text(outside));
    return right == WAYWARDEN_STATUS_OK && wrong == WAYWARDEN_STATUS_SIGNATURE &&
                   outside == WAYWARDEN_STATUS_POINT
               ? 0
               : 1;
}

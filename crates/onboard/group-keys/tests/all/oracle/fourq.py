"""FourQ and SchnorrQ in affine coordinates, from their papers: slow, not constant-time."""

import hashlib

P = 2**127 - 1
N = 0x0029CBC14E5E0A72F05397829CBC14E5DFBD004DFE0F79992FB2540EC7768CE7
COFACTOR = 392


def add2(a, b):
    return ((a[0] + b[0]) % P, (a[1] + b[1]) % P)


def sub2(a, b):
    return ((a[0] - b[0]) % P, (a[1] - b[1]) % P)


def mul2(a, b):
    return ((a[0] * b[0] - a[1] * b[1]) % P, (a[0] * b[1] + a[1] * b[0]) % P)


def inverse2(a):
    norm = pow(a[0] * a[0] + a[1] * a[1], -1, P)
    return (a[0] * norm % P, -a[1] * norm % P)


def root(a):
    """A square root in GF(p), or None; p is 3 modulo 4."""
    candidate = pow(a, (P + 1) // 4, P)
    return candidate if candidate * candidate % P == a % P else None


def root2(a):
    """A square root in GF(p^2), or None."""
    if a[1] == 0:
        real = root(a[0])
        return (real, 0) if real is not None else (0, root(-a[0] % P))
    norm = root((a[0] * a[0] + a[1] * a[1]) % P)
    for sign in (1, -1) if norm is not None else ():
        real = root((a[0] + sign * norm) * pow(2, -1, P) % P)
        if real:
            return (real, a[1] * pow(2 * real, -1, P) % P)
    return None


D = (4205857648805777768770, 125317048443780598345676279555970305165)
ONE, ZERO = (1, 0), (0, 0)
NEUTRAL = (ZERO, ONE)
G = (
    (0x1A3472237C2FB305286592AD7B3833AA, 0x1E1F553F2878AA9C96869FB360AC77F6),
    (0x0E3FEE9BA120785AB924A2462BCBB287, 0x6E1C4AF8630E024249A7C344844C8B5C),
)


def add(a, b):
    """The complete law of -x^2 + y^2 = 1 + d x^2 y^2."""
    (x1, y1), (x2, y2) = a, b
    xy, yx, xx, yy = mul2(x1, y2), mul2(y1, x2), mul2(x1, x2), mul2(y1, y2)
    t = mul2(D, mul2(xx, yy))
    x = mul2(add2(xy, yx), inverse2(add2(ONE, t)))
    return (x, mul2(add2(yy, xx), inverse2(sub2(ONE, t))))


def multiply(k, point):
    result = NEUTRAL
    for bit in bin(k)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def sign_of(x):
    return (x[0] or x[1]) >> 126


def encode_y(y):
    return y[0].to_bytes(16, "little") + y[1].to_bytes(16, "little")


def encode(point):
    data = bytearray(encode_y(point[1]))
    data[31] |= sign_of(point[0]) << 7
    return bytes(data)


def decode(data):
    y = (int.from_bytes(data[:16], "little"), int.from_bytes(data[16:], "little") & P)
    yy = mul2(y, y)
    x = root2(mul2(sub2(yy, ONE), inverse2(add2(mul2(D, yy), ONE))))
    if sign_of(x) != data[31] >> 7:
        x = sub2(ZERO, x)
    return (x, y)


def share(k):
    return encode(multiply(k % N, G))


def extract(k, other):
    return encode_y(multiply(k % N, multiply(COFACTOR, decode(other)))[1])


def number(*parts):
    """The first half of SHA-512 over the parts, modulo N."""
    digest = hashlib.sha512(b"".join(parts)).digest()
    return int.from_bytes(digest[:32], "little") % N


def public_key(secret):
    return share(number(secret))


def sign(secret, message):
    nonce_key = hashlib.sha512(secret).digest()[32:]
    nonce, public = number(nonce_key, message), public_key(secret)
    first = share(nonce)
    second = (nonce - number(secret) * number(first, public, message)) % N
    return first + second.to_bytes(32, "little")

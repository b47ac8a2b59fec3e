#include "backend.hpp"

#include <waywarden.hpp>

namespace waywarden_for_vanetza {

namespace sec = vanetza::security;

namespace {

// The point in the form of SEC 1.
vanetza::ByteBuffer point(const sec::PublicKey &key)
{
    vanetza::ByteBuffer made;
    switch (key.compression) {
    case sec::KeyCompression::NoCompression: made.push_back(4); break;
    case sec::KeyCompression::Y0: made.push_back(2); break;
    case sec::KeyCompression::Y1: made.push_back(3); break;
    }
    made.insert(made.end(), key.x.begin(), key.x.end());
    if (key.compression == sec::KeyCompression::NoCompression) {
        made.insert(made.end(), key.y.begin(), key.y.end());
    }
    return made;
}

} // namespace

bool Backend::verify_digest(const sec::PublicKey &key, const vanetza::ByteBuffer &digest,
                            const sec::Signature &signature)
{
    if (signature.type != key.type) {
        return false;
    }
    std::uint8_t curve = WAYWARDEN_P256;
    switch (key.type) {
    case sec::KeyType::NistP256: break;
    case sec::KeyType::BrainpoolP256r1: curve = WAYWARDEN_BRAINPOOL_P256R1; break;
    case sec::KeyType::BrainpoolP384r1: curve = WAYWARDEN_BRAINPOOL_P384R1; break;
    default: return false;
    }
    // Lengths that do not fit the curve are refused there.
    return static_cast<bool>(waywarden::verify(curve, point(key), digest, signature.r, signature.s));
}

bool Backend::verify_data(const sec::ecdsa256::PublicKey &key, const vanetza::ByteBuffer &data,
                          const sec::EcdsaSignature &signature)
{
    sec::PublicKey own;
    own.x.assign(key.x.begin(), key.x.end());
    own.y.assign(key.y.begin(), key.y.end());
    own.type = sec::KeyType::NistP256;
    own.compression = sec::KeyCompression::NoCompression;
    sec::Signature plain;
    plain.r = sec::convert_for_signing(signature.R);
    plain.s = signature.s;
    plain.type = sec::KeyType::NistP256;
    return verify_digest(own, calculate_hash(sec::HashAlgorithm::SHA256, data), plain);
}

} // namespace waywarden_for_vanetza

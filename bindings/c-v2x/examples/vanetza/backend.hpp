// A back end of vanetza whose signatures libwaywarden verifies.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
#ifndef WAYWARDEN_FOR_VANETZA_BACKEND_HPP
#define WAYWARDEN_FOR_VANETZA_BACKEND_HPP

#include <memory>

#include <vanetza/security/backend.hpp>

namespace waywarden_for_vanetza {

/// Verifies by libwaywarden; signing, hashes and points are another back end's, for the library has no
/// ECDSA keys without a certificate.
class Backend : public vanetza::security::Backend {
public:
    /// `other` does the rest; it must not be null.
    explicit Backend(std::unique_ptr<vanetza::security::Backend> other) : m_other(std::move(other)) {}

    vanetza::security::EcdsaSignature sign_data(const vanetza::security::ecdsa256::PrivateKey &key,
                                                const vanetza::ByteBuffer &data) override
    {
        return m_other->sign_data(key, data);
    }
    vanetza::security::Signature sign_digest(const vanetza::security::PrivateKey &key,
                                             const vanetza::ByteBuffer &digest) override
    {
        return m_other->sign_digest(key, digest);
    }
    bool verify_data(const vanetza::security::ecdsa256::PublicKey &key, const vanetza::ByteBuffer &data,
                     const vanetza::security::EcdsaSignature &signature) override;
    bool verify_digest(const vanetza::security::PublicKey &key, const vanetza::ByteBuffer &digest,
                       const vanetza::security::Signature &signature) override;
    boost::optional<vanetza::security::Uncompressed>
    decompress_point(const vanetza::security::EccPoint &point) override
    {
        return m_other->decompress_point(point);
    }
    vanetza::ByteBuffer calculate_hash(vanetza::security::HashAlgorithm algorithm,
                                       const vanetza::ByteBuffer &data) override
    {
        return m_other->calculate_hash(algorithm, data);
    }
    vanetza::security::ecdsa256::KeyPair generate_key_pair() override { return m_other->generate_key_pair(); }

private:
    std::unique_ptr<vanetza::security::Backend> m_other;
};

} // namespace waywarden_for_vanetza

#endif

// A verify service of vanetza that gives each message to a verifier of libwaywarden: chains, revocation,
// times, places, replays and the profile of the application are checked there.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
#ifndef WAYWARDEN_FOR_VANETZA_VERIFY_SERVICE_HPP
#define WAYWARDEN_FOR_VANETZA_VERIFY_SERVICE_HPP

#include <memory>
#include <string>

#include <vanetza/common/runtime.hpp>
#include <vanetza/security/v3/certificate_cache.hpp>
#include <vanetza/security/verify_service.hpp>
#include <waywarden_v2x.h>

namespace waywarden_for_vanetza {

/// SN-VERIFY by libwaywarden, for messages of version 3 (IEEE 1609.2, ETSI TS 103 097 v1.3 and later).
class VerifyService : public vanetza::security::VerifyService {
public:
    /// Trusts the certificates and trust stores of a file or folder. Messages are judged at the time of
    /// `runtime`. `cache` has the certificates of accepted messages, for the permissions of those that
    /// name theirs by its hash; it is filled here, too. Both must outlive the service. Throws
    /// std::runtime_error with file, place and remedy.
    VerifyService(const std::string &trust, const vanetza::Runtime &runtime,
                  vanetza::security::v3::CertificateCache &cache);

    vanetza::security::VerifyConfirm verify(const vanetza::security::VerifyRequest &request) override;

    /// Verifies the bytes of a message, for a caller that still has them: vanetza hands over a parsed
    /// message, whose bytes have to be written again.
    vanetza::security::VerificationReport verify(const vanetza::ByteBuffer &message);

private:
    struct Free {
        void operator()(waywarden_verifier *verifier) const { waywarden_verifier_free(verifier); }
    };
    std::unique_ptr<waywarden_verifier, Free> m_verifier;
    const vanetza::Runtime &m_runtime;
    vanetza::security::v3::CertificateCache &m_cache;
};

} // namespace waywarden_for_vanetza

#endif

#include "verify_service.hpp"

#include <chrono>
#include <cstring>
#include <stdexcept>

namespace waywarden_for_vanetza {

namespace sec = vanetza::security;
using sec::VerificationReport;

namespace {

struct Text {
    const char *code;
    VerificationReport report;
};

// Codes of IEEE 1609.2 that TS 102 723-8 has a name for; the others are about certificates.
const Text REPORTS[] = {
    {"spduCryptoVerificationFailure", VerificationReport::False_Signature},
    {"spduParsingCertificateNotFound", VerificationReport::Signer_Certificate_Not_Found},
    {"spduParsingInvalidInput", VerificationReport::Incompatible_Protocol},
    {"spduParsingUnsupportedCriticalInformationField", VerificationReport::Incompatible_Protocol},
    {"spduParsingGenerationTimeNotAvailable", VerificationReport::Invalid_Timestamp},
    {"spduParsingGenerationLocationNotAvailable", VerificationReport::Invalid_Mobility_Data},
    {"spduCertificateChainNotEnoughInformationToConstructChain", VerificationReport::Inconsistent_Chain},
    {"spduCertificateChainChainEndedAtUntrustedRoot", VerificationReport::Inconsistent_Chain},
    {"spduCertificateChainInconsistentExpiryTimes", VerificationReport::Inconsistent_Chain},
    {"spduCertificateChainInconsistentStartTimes", VerificationReport::Inconsistent_Chain},
    {"spduCertificateChainInconsistentChainPermissions", VerificationReport::Inconsistent_Chain},
    {"spduCertificateChainCertificateRevoked", VerificationReport::Revoked_Certificate},
    {"spduRelevanceGenerationTimeTooFarInPast", VerificationReport::Invalid_Timestamp},
    {"spduRelevanceGenerationTimeTooFarInFuture", VerificationReport::Invalid_Timestamp},
    {"spduRelevanceExpiryTimeInPast", VerificationReport::Invalid_Timestamp},
    {"spduInternalConsistencyExpiryTimeBeforeGenerationTime", VerificationReport::Invalid_Timestamp},
    {"spduRelevanceGenerationLocationTooDistant", VerificationReport::Invalid_Mobility_Data},
    {"spduRelevanceReplayedSpdu", VerificationReport::Duplicate_Message},
};

VerificationReport report_of(const waywarden_verdict *verdict)
{
    if (waywarden_verdict_accepted(verdict)) {
        return VerificationReport::Success;
    }
    const char *code = waywarden_verdict_code(verdict);
    for (const Text &known : REPORTS) {
        if (code != nullptr && std::strcmp(code, known.code) == 0) {
            return known.report;
        }
    }
    return VerificationReport::Invalid_Certificate;
}

// The message of version 3, if it is one.
struct OfVersion3 : boost::static_visitor<const sec::v3::SecuredMessage *> {
    const sec::v3::SecuredMessage *operator()(const sec::v2::SecuredMessage &) const { return nullptr; }
    const sec::v3::SecuredMessage *operator()(const sec::v3::SecuredMessage &message) const { return &message; }
};

// Ends with the words of the library. `error` is a reference, for a call in front of it sets it.
void require(waywarden_status status, waywarden_error *const &error)
{
    if (status != WAYWARDEN_STATUS_OK) {
        const std::string words =
            error != nullptr ? waywarden_error_message(error) : waywarden_status_text(status);
        waywarden_error_free(error);
        throw std::runtime_error(words);
    }
}

} // namespace

VerifyService::VerifyService(const std::string &path, const vanetza::Runtime &runtime,
                             sec::v3::CertificateCache &cache)
    : m_runtime(runtime), m_cache(cache)
{
    struct FreeTrust {
        void operator()(waywarden_trust *trust) const { waywarden_trust_free(trust); }
    };
    waywarden_trust *made = nullptr;
    waywarden_error *error = nullptr;
    require(waywarden_trust_new(&made), nullptr);
    const std::unique_ptr<waywarden_trust, FreeTrust> trust(made);
    require(waywarden_trust_add_path(trust.get(), path.c_str(), &error), error);
    waywarden_verifier *verifier = nullptr;
    require(waywarden_verifier_new(trust.get(), nullptr, &verifier, &error), error);
    m_verifier.reset(verifier);
}

VerificationReport VerifyService::verify(const vanetza::ByteBuffer &message)
{
    waywarden_reception reception;
    if (waywarden_reception_init(&reception) != WAYWARDEN_STATUS_OK) {
        return VerificationReport::Configuration_Problem;
    }
    // As vanetza takes its clock for the times of messages: microseconds since 2004, of TAI where the
    // runtime follows the standards.
    const auto since = std::chrono::duration_cast<std::chrono::microseconds>(m_runtime.now().time_since_epoch());
    reception.at = static_cast<std::uint64_t>(since.count());
    waywarden_verdict *verdict = nullptr;
    const waywarden_status status =
        waywarden_verifier_verify(m_verifier.get(), {message.data(), message.size()}, &reception, &verdict, nullptr);
    if (status != WAYWARDEN_STATUS_OK) {
        return VerificationReport::Configuration_Problem;
    }
    const VerificationReport report = report_of(verdict);
    waywarden_verdict_free(verdict);
    return report;
}

sec::VerifyConfirm VerifyService::verify(const sec::VerifyRequest &request)
{
    sec::VerifyConfirm confirm;
    confirm.its_aid = sec::get_its_aid(request.secured_message);
    OfVersion3 of_version_3;
    const sec::v3::SecuredMessage *message = request.secured_message.apply_visitor(of_version_3);
    if (message == nullptr) {
        confirm.report = VerificationReport::Incompatible_Protocol;
        return confirm;
    }
    if (!message->is_signed()) {
        confirm.report = VerificationReport::Unsigned_Message;
        return confirm;
    }
    confirm.report = verify(message->encode());
    const auto signer = message->signer_identifier();
    confirm.certificate_id = sec::v3::get_certificate_id(signer);
    if (confirm.report != VerificationReport::Success) {
        if (confirm.report == VerificationReport::Invalid_Certificate) {
            confirm.certificate_validity = sec::CertificateInvalidReason::Invalid_Signer;
        }
        return confirm;
    }
    if (const auto *certificate = sec::v3::get_certificate(signer)) {
        m_cache.store(sec::v3::Certificate(*certificate));
        confirm.permissions = sec::v3::get_app_permissions(*certificate, confirm.its_aid);
    } else if (confirm.certificate_id) {
        if (const auto *certificate = m_cache.lookup(*confirm.certificate_id)) {
            confirm.permissions = sec::v3::get_app_permissions(*certificate->content(), confirm.its_aid);
        }
    }
    return confirm;
}

} // namespace waywarden_for_vanetza

// Verifies messages in hexadecimal digits, one a line, as of the time that they were made, and prints the
// reports of the service: verify TRUST FILE
#include <fstream>
#include <iostream>

#include <vanetza/common/archives.hpp>
#include <vanetza/common/manual_runtime.hpp>

#include "verify_service.hpp"

namespace {

int run(char **words)
{
    vanetza::ManualRuntime runtime{vanetza::Clock::time_point{}};
    vanetza::security::v3::CertificateCache cache;
    waywarden_for_vanetza::VerifyService service(words[1], runtime, cache);
    std::ifstream file(words[2]);
    std::string line;
    unsigned accepted = 0, all = 0;
    while (std::getline(file, line)) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        line.erase(0, line.rfind(' ') + 1);
        vanetza::ByteBuffer bytes;
        for (std::size_t at = 0; at + 1 < line.size(); at += 2) {
            bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(at, 2), nullptr, 16)));
        }
        vanetza::security::v3::SecuredMessage parsed;
        if (!parsed.decode(bytes)) {
            std::cout << "no message for vanetza\n";
            continue;
        }
        if (const auto time = parsed.generation_time()) {
            const std::chrono::microseconds since(*time);
            runtime.trigger(vanetza::Clock::time_point(since));
        }
        const vanetza::security::SecuredMessage message = parsed;
        const vanetza::security::VerifyRequest request{vanetza::security::SecuredMessageView(message)};
        const auto confirm = service.verify(request);
        all++;
        accepted += confirm.report == vanetza::security::VerificationReport::Success;
        std::cout << "report " << static_cast<int>(confirm.report) << ", ITS-AID " << confirm.its_aid
                  << ", permissions of " << confirm.permissions.size() << " bytes\n";
    }
    std::cout << accepted << " of " << all << " accepted\n";
    return 0;
}

} // namespace

int main(int count, char **words)
{
    if (count != 3) {
        std::cerr << "usage: verify TRUST FILE\n";
        return 2;
    }
    try {
        return run(words);
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

// Microseconds of the processor for a verification by vanetza's back ends and by ours, in turns, the median of the rounds:
// measure [ROUNDS]. Pin it to a processor: taskset -c 1 ./measure
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "backend.hpp"

#include <vanetza/security/backend_openssl.hpp>

namespace sec = vanetza::security;

namespace {

struct Sample {
    sec::PublicKey key;
    vanetza::ByteBuffer digest;
    sec::Signature signature;
};

constexpr unsigned SAMPLES = 64;

double microseconds(sec::Backend &backend, const std::vector<Sample> &samples)
{
    const std::clock_t begin = std::clock();
    for (const Sample &sample : samples) {
        if (!backend.verify_digest(sample.key, sample.digest, sample.signature)) {
            std::cerr << "a signature is refused\n";
            std::exit(1);
        }
    }
    const double took = static_cast<double>(std::clock() - begin) * 1e6 / CLOCKS_PER_SEC;
    return took / static_cast<double>(samples.size());
}

// A key for a measurement: below the order of each curve.
sec::PrivateKey drawn(sec::KeyType type)
{
    static std::mt19937_64 random(1);
    sec::PrivateKey key;
    key.type = type;
    key.key.resize(sec::key_length(type));
    for (auto &byte : key.key) {
        byte = static_cast<std::uint8_t>(random());
    }
    key.key[0] &= 0x7F;
    return key;
}

double median(std::vector<double> &all)
{
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

} // namespace

int main(int count, char **words)
{
    const int rounds = count > 1 ? std::atoi(words[1]) : 25;
    sec::BackendOpenSsl signer;
    std::map<std::string, std::unique_ptr<sec::Backend>> backends;
    for (const char *name : {"OpenSSL", "CryptoPP"}) {
        if (auto backend = sec::create_backend(name)) {
            backends[name] = std::move(backend);
        }
    }
    backends["waywarden"] =
        std::make_unique<waywarden_for_vanetza::Backend>(sec::create_backend_or_throw("OpenSSL"));
    const std::pair<const char *, sec::KeyType> curves[] = {
        {"P-256", sec::KeyType::NistP256},
        {"brainpoolP256r1", sec::KeyType::BrainpoolP256r1},
        {"brainpoolP384r1", sec::KeyType::BrainpoolP384r1},
    };
    for (const auto &[curve, type] : curves) {
        std::vector<Sample> samples;
        for (unsigned at = 0; at < SAMPLES; at++) {
            const sec::PrivateKey key = drawn(type);
            Sample sample;
            const auto hash = type == sec::KeyType::BrainpoolP384r1 ? sec::HashAlgorithm::SHA384
                                                                     : sec::HashAlgorithm::SHA256;
            sample.digest = signer.calculate_hash(hash, vanetza::ByteBuffer(200, static_cast<std::uint8_t>(at)));
            sample.key = sec::openssl::derive_public_key(key);
            sample.signature = signer.sign_digest(key, sample.digest);
            samples.push_back(sample);
        }
        std::map<std::string, std::vector<double>> times;
        for (int round = 0; round < rounds; round++) {
            for (const auto &[name, backend] : backends) {
                times[name].push_back(microseconds(*backend, samples));
            }
        }
        for (auto &[name, all] : times) {
            std::cout << curve << ", " << name << ": " << median(all) << " us\n";
        }
    }
    return 0;
}

// A group of one member and an orchestrator in C++: objects clear themselves, results cannot be
// forgotten.
//
//   c++ -std=c++17 roles.cpp $(pkg-config --cflags --libs waywarden) -o roles && ./roles
#include <array>
#include <cstdio>
#include <cstring>

#include <waywarden.hpp>

namespace {

// Stands for a flash.
struct store {
    std::array<std::uint8_t, 64> slots{};
    std::int32_t retain(std::uint8_t slot, const std::uint8_t *value) noexcept
    {
        std::memcpy(slots.data() + slot * 32, value, 32);
        return WAYWARDEN_STORED;
    }
};

// Hands all frames of one role that are due to another.
template <typename From, typename To> bool carry(From &from, To &to, std::uint64_t now)
{
    for (;;) {
        auto next = from.outgoing(now);
        if (!next || !next.value()) {
            return static_cast<bool>(next);
        }
        if (!to.receive(now, *next.value()) || !from.sent(now, true)) {
            return false;
        }
    }
}

} // namespace

int main()
{
    std::array<std::array<std::uint8_t, 32>, 2> secrets{}, seeds{};
    std::array<waywarden_group_party, 2> parties{};
    std::array<store, 2> stores;
    std::array<waywarden_role_start, 2> starts{};
    for (std::size_t at = 0; at < 2; at++) {
        secrets[at].fill(static_cast<std::uint8_t>(at + 1)); // in a car: drawn when the ECU is made
        seeds[at].fill(static_cast<std::uint8_t>(at + 80));  // in a car: of a random generator
        parties[at].address = static_cast<std::uint8_t>(at + 1);
        waywarden_group_public_key(WAYWARDEN_SUITE_P256, secrets[at].data(), parties[at].key);
        starts[at].address = parties[at].address;
        starts[at].secret = secrets[at].data();
        starts[at].seed = seeds[at].data();
        starts[at].retention = waywarden::slot_retention(stores[at]);
    }
    waywarden_group_options options;
    waywarden_group_options_init(&options, &parties[1], parties.data(), 1);
    options.suite = WAYWARDEN_SUITE_P256;

    waywarden::group_member member;
    waywarden::group_orchestrator orchestrator;
    for (const auto &made : {member.init(options, starts[0]), orchestrator.init(options, starts[1]),
                             orchestrator.renew()}) {
        if (!made) {
            std::fprintf(stderr, "%s\n", made.what());
            return 1;
        }
    }
    for (std::uint64_t now = 0; now < 100'000'000; now += 1'000'000) {
        if (!carry(orchestrator, member, now) || !carry(member, orchestrator, now)) {
            return 1;
        }
    }
    const auto mine = member.key();
    const auto theirs = orchestrator.key();
    if (!mine || !theirs || (*mine).key != (*theirs).key) {
        std::fprintf(stderr, "no key: %s\n", mine.what());
        return 1;
    }
    const auto of_stream = waywarden::derive_key((*mine).key, 0, 0x120);
    std::printf("the group has a key: %s\n", of_stream ? "derived" : of_stream.what());
    return of_stream ? 0 : 1;
}

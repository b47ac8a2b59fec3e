// One SecOC stream in C++17.
//
//   c++ -std=c++17 secoc.cpp $(pkg-config --cflags --libs waywarden) -o secoc_cpp && ./secoc_cpp
#include <cstdio>
#include <string_view>

#include <waywarden.hpp>

namespace {

/// Where a counter survives a reset. In a car: flash.
struct store {
    std::uint64_t value = 0;
    std::int32_t retain(std::uint64_t wanted) noexcept
    {
        value = wanted;
        return WAYWARDEN_STORED;
    }
};

waywarden::bytes bytes_of(std::string_view text)
{
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

} // namespace

int main()
{
    const waywarden::key_bytes key{0x2B, 0x7E, 0x15, 0x16};
    store sent, taken;
    const auto stream = waywarden::secoc_stream(0x120, WAYWARDEN_SECOC_AUTOSAR_1, 4);
    waywarden::secoc_sender sender;
    waywarden::secoc_receiver receiver;
    const auto ready =
        sender.init(stream, waywarden::key(key), waywarden::retention(sent), sent.value);
    const auto other =
        receiver.init(stream, waywarden::key(key), waywarden::retention(taken), taken.value);
    if (!ready || !other) {
        std::fprintf(stderr, "%s, %s\n", ready.what(), other.what());
        return 1;
    }

    auto message = sender.protect(bytes_of("40 %"));
    if (!message) {
        std::fprintf(stderr, "%s\n", message.what());
        return 1;
    }
    const auto first = receiver.accept(*message);
    const auto again = receiver.accept(*message);
    if (!first || !*first || !again || *again) {
        std::fprintf(stderr, "wrong\n");
        return 1;
    }
    std::printf("authentic: %.*s\n", static_cast<int>(first.value().payload().size()),
                reinterpret_cast<const char *>(first.value().payload().data()));

    const auto wrong = sender.protect(bytes_of("a payload that is too long"));
    std::printf("too long: %s\n", wrong.what());
    return wrong.error() == WAYWARDEN_STATUS_LENGTH ? 0 : 1;
}

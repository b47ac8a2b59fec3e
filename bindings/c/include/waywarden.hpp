// libwaywarden for C++17: objects that clear themselves, results that cannot be forgotten.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Nothing here allocates or throws. A result<T> has a value or a status; value() without one ends the
// program, as dereferencing an empty std::optional should have. What the functions do, their units and
// errors, stand in waywarden.h. Objects cannot be copied: two senders with one state would use each
// freshness twice.
#ifndef WAYWARDEN_HPP
#define WAYWARDEN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#if __cplusplus >= 202002L
#include <span>
#endif

#include "waywarden.h"

namespace waywarden {

#if __cplusplus >= 202002L
using bytes = std::span<const std::uint8_t>;
#else
/// Bytes that belong to somebody else; std::span<const std::uint8_t> from C++20 on.
class bytes {
public:
    constexpr bytes() noexcept = default;
    constexpr bytes(const std::uint8_t *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N>
    constexpr bytes(const std::uint8_t (&array)[N]) noexcept : data_(array), size_(N) {}
    template <typename Container, typename = decltype(std::declval<const Container &>().data())>
    constexpr bytes(const Container &all) noexcept : data_(all.data()), size_(all.size()) {}
    constexpr const std::uint8_t *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr const std::uint8_t *begin() const noexcept { return data_; }
    constexpr const std::uint8_t *end() const noexcept { return data_ + size_; }
    constexpr std::uint8_t operator[](std::size_t at) const noexcept { return data_[at]; }

private:
    const std::uint8_t *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

using key_bytes = std::array<std::uint8_t, 16>;

/// One sentence about a status.
inline const char *text(waywarden_status status) noexcept { return waywarden_status_text(status); }

/// A value, or the status that says why there is none.
template <typename T> class [[nodiscard]] result {
public:
    result(T value) noexcept : value_(std::move(value)), status_(WAYWARDEN_STATUS_OK) {}
    result(waywarden_status status) noexcept : status_(status) {}
    explicit operator bool() const noexcept { return value_.has_value(); }
    bool has_value() const noexcept { return value_.has_value(); }
    waywarden_status error() const noexcept { return status_; }
    const char *what() const noexcept { return text(status_); }
    T &value() & noexcept { return checked(); }
    T &&value() && noexcept { return std::move(checked()); }
    const T &value() const & noexcept { return const_cast<result *>(this)->checked(); }
    T &operator*() & noexcept { return checked(); }
    const T &operator*() const & noexcept { return const_cast<result *>(this)->checked(); }
    T *operator->() noexcept { return &checked(); }

private:
    T &checked() noexcept
    {
        if (!value_) {
            std::abort();
        }
        return *value_;
    }
    std::optional<T> value_;
    waywarden_status status_;
};

/// Success, or the status that says why not.
template <> class [[nodiscard]] result<void> {
public:
    result() noexcept : status_(WAYWARDEN_STATUS_OK) {}
    result(waywarden_status status) noexcept : status_(status) {}
    explicit operator bool() const noexcept { return status_ == WAYWARDEN_STATUS_OK; }
    bool has_value() const noexcept { return status_ == WAYWARDEN_STATUS_OK; }
    waywarden_status error() const noexcept { return status_; }
    const char *what() const noexcept { return text(status_); }

private:
    waywarden_status status_;
};

/// The outcome of a received frame.
class outcome {
public:
    explicit outcome(const waywarden_outcome &raw) noexcept : raw_(raw) {}
    /// True for a message that is genuine, unchanged, and newer than any before.
    explicit operator bool() const noexcept
    {
        return raw_.kind == WAYWARDEN_OUTCOME_KIND_AUTHENTIC;
    }
    waywarden_outcome_kind kind() const noexcept { return raw_.kind; }
    /// The payload of an authentic message; empty of any other. Lives as long as this.
    bytes payload() const & noexcept { return bytes(raw_.payload, raw_.length); }
    bytes payload() const && = delete;

private:
    waywarden_outcome raw_;
};

/// A key in memory, or behind a call-back.
class key {
public:
    /// A key for AES-128-CMAC, or another algorithm. It must live until the object is made.
    explicit key(const key_bytes &own, std::uint8_t algorithm = WAYWARDEN_AES_CMAC) noexcept
    {
        raw_.bytes = own.data();
        raw_.algorithm = algorithm;
    }
    /// A key elsewhere; `context` must live as long as the object.
    key(waywarden_code_function compute, void *context) noexcept
    {
        raw_.compute = compute;
        raw_.context = context;
    }
    const waywarden_key *raw() const noexcept { return &raw_; }

private:
    waywarden_key raw_{};
};

/// Keeps what must survive a reset; `store` must live as long as the object. Store is a type with
/// `std::int32_t retain(std::uint64_t) noexcept`, which returns WAYWARDEN_STORED, WAYWARDEN_LATER, or
/// another number for a failure.
template <typename Store> waywarden_retention retention(Store &store) noexcept
{
    return {[](void *context, std::uint64_t value) -> std::int32_t {
                return static_cast<Store *>(context)->retain(value);
            },
            &store};
}

/// Keeps nothing. **After a reset under the same key, messages of the run before are taken again.**
inline waywarden_retention retains_nothing() noexcept { return {waywarden_retain_nothing, nullptr}; }

/// Options of a SecOC stream: see waywarden_secoc_stream_options.
inline waywarden_secoc_stream_options secoc_stream(std::uint32_t identifier, std::uint8_t profile,
                                                   std::uint8_t length) noexcept
{
    waywarden_secoc_stream_options options;
    waywarden_secoc_stream_options_init(&options, identifier, profile, length);
    return options;
}

namespace detail {

/// An object that clears itself.
template <typename Raw, waywarden_status (*Clear)(Raw *)> class owned {
public:
    owned() noexcept : raw_{} {}
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    ~owned() { Clear(&raw_); }
    Raw *raw() noexcept { return &raw_; }

protected:
    Raw raw_;
};

/// Both ends of a SecOC stream are made alike.
template <typename Raw, waywarden_status (*Clear)(Raw *),
          waywarden_status (*Init)(Raw *, const waywarden_secoc_stream_options *,
                                   const waywarden_key *, const waywarden_retention *,
                                   std::uint64_t),
          waywarden_status (*Retained)(Raw *, std::uint64_t)>
class secoc_end : public owned<Raw, Clear> {
public:
    /// Initialises; clears what was there before. `retained` is the last value that was retained
    /// under this key, 0 under a key that was never used.
    result<void> init(const waywarden_secoc_stream_options &options, const key &key,
                      waywarden_retention retention, std::uint64_t retained) noexcept
    {
        Clear(&this->raw_);
        return Init(&this->raw_, &options, key.raw(), &retention, retained);
    }
    /// Takes note that a value is stored, which the retention answered WAYWARDEN_LATER to.
    result<void> retained(std::uint64_t value) noexcept { return Retained(&this->raw_, value); }
};

} // namespace detail

/// Protects the messages of one SecOC stream.
class secoc_sender
    : public detail::secoc_end<waywarden_secoc_sender, waywarden_secoc_sender_clear,
                               waywarden_secoc_sender_init, waywarden_secoc_sender_retained> {
public:
    result<waywarden_can_frame> protect(bytes payload, const waywarden_freshness_state *freshness = nullptr) noexcept
    {
        waywarden_can_frame made;
        const waywarden_status status = waywarden_secoc_sender_protect(&raw_, payload.data(), payload.size(),
                                                             freshness, &made);
        return status == WAYWARDEN_STATUS_OK ? result<waywarden_can_frame>(made) : result<waywarden_can_frame>(status);
    }
    result<void> roll_over(const key_bytes &key) noexcept
    {
        return waywarden_secoc_sender_roll_over(&raw_, key.data());
    }
};

/// Checks the messages of one SecOC stream.
class secoc_receiver
    : public detail::secoc_end<waywarden_secoc_receiver, waywarden_secoc_receiver_clear,
                               waywarden_secoc_receiver_init, waywarden_secoc_receiver_retained> {
public:
    result<outcome> accept(const waywarden_can_frame &received,
                           const waywarden_freshness_state *freshness = nullptr) noexcept
    {
        waywarden_outcome raw;
        const waywarden_status status = waywarden_secoc_receiver_accept(&raw_, &received, freshness, &raw);
        return status == WAYWARDEN_STATUS_OK ? result<outcome>(outcome(raw))
                                             : result<outcome>(status);
    }
    result<void> roll_over(const key_bytes &key) noexcept
    {
        return waywarden_secoc_receiver_roll_over(&raw_, key.data());
    }
};

using long_key = std::array<std::uint8_t, 32>;

/// Derives the key of a stream of a group key or a stream key of LASAN: see waywarden_derive_key.
inline result<key_bytes> derive_key(const long_key &from, std::uint64_t authentication,
                                    std::uint64_t stream) noexcept
{
    key_bytes key;
    const waywarden_status status = waywarden_derive_key(from.data(), authentication, stream, key.data());
    return status == WAYWARDEN_STATUS_OK ? result<key_bytes>(key) : result<key_bytes>(status);
}

/// Keeps slots of 32 bytes that must survive a reset; `store` must live as long as the object. Store is
/// a type with `std::int32_t retain(std::uint8_t slot, const std::uint8_t *value) noexcept`.
template <typename Store> waywarden_slot_retention slot_retention(Store &store) noexcept
{
    return {[](void *context, std::uint8_t slot, const std::uint8_t *value) -> std::int32_t {
                return static_cast<Store *>(context)->retain(slot, value);
            },
            &store};
}

namespace detail {

/// What all roles of key protocols have in common.
template <typename Raw, typename Options, typename Event, waywarden_status (*Clear)(Raw *),
          waywarden_status (*Init)(Raw *, const Options *, const waywarden_role_start *),
          waywarden_status (*Receive)(Raw *, std::uint64_t, const waywarden_can_frame *),
          waywarden_status (*Outgoing)(Raw *, std::uint64_t, waywarden_can_frame *, bool *),
          waywarden_status (*Sent)(Raw *, std::uint64_t, bool),
          waywarden_status (*Deadline)(Raw *, std::uint64_t *),
          waywarden_status (*Retained)(Raw *, std::uint8_t, bool),
          waywarden_status (*NextEvent)(Raw *, Event *)>
class role : public owned<Raw, Clear> {
public:
    /// Initialises; clears what was there before.
    result<void> init(const Options &options, const waywarden_role_start &start) noexcept
    {
        Clear(&this->raw_);
        return Init(&this->raw_, &options, &start);
    }
    result<void> receive(std::uint64_t now, const waywarden_can_frame &frame) noexcept
    {
        return Receive(&this->raw_, now, &frame);
    }
    /// The next frame to send, if one is due.
    result<std::optional<waywarden_can_frame>> outgoing(std::uint64_t now) noexcept
    {
        waywarden_can_frame frame;
        bool is_due = false;
        const waywarden_status status = Outgoing(&this->raw_, now, &frame, &is_due);
        if (status != WAYWARDEN_STATUS_OK) {
            return status;
        }
        return is_due ? std::optional<waywarden_can_frame>(frame) : std::nullopt;
    }
    result<void> sent(std::uint64_t now, bool is_sent) noexcept { return Sent(&this->raw_, now, is_sent); }
    result<std::uint64_t> deadline() noexcept
    {
        std::uint64_t next = 0;
        const waywarden_status status = Deadline(&this->raw_, &next);
        return status == WAYWARDEN_STATUS_OK ? result<std::uint64_t>(next) : result<std::uint64_t>(status);
    }
    result<void> retained(std::uint8_t slot, bool is_stored) noexcept
    {
        return Retained(&this->raw_, slot, is_stored);
    }
    /// The oldest event; one of kind ..._NONE if there is none.
    result<Event> event() noexcept
    {
        Event next;
        const waywarden_status status = NextEvent(&this->raw_, &next);
        return status == WAYWARDEN_STATUS_OK ? result<Event>(next) : result<Event>(status);
    }
};

} // namespace detail

/// A group key, and its epoch.
struct group_key {
    std::uint64_t epoch;
    long_key key;
};

/// A member of a group.
class group_member
    : public detail::role<waywarden_group_member, waywarden_group_options, waywarden_group_event,
                          waywarden_group_member_clear, waywarden_group_member_init,
                          waywarden_group_member_receive, waywarden_group_member_outgoing,
                          waywarden_group_member_sent, waywarden_group_member_deadline,
                          waywarden_group_member_retained, waywarden_group_member_event> {
public:
    result<group_key> key() noexcept
    {
        group_key found;
        const waywarden_status status = waywarden_group_member_key(&raw_, &found.epoch, found.key.data());
        return status == WAYWARDEN_STATUS_OK ? result<group_key>(found) : result<group_key>(status);
    }
};

/// The orchestrator of a group.
class group_orchestrator
    : public detail::role<waywarden_group_orchestrator, waywarden_group_options, waywarden_group_event,
                          waywarden_group_orchestrator_clear, waywarden_group_orchestrator_init,
                          waywarden_group_orchestrator_receive, waywarden_group_orchestrator_outgoing,
                          waywarden_group_orchestrator_sent, waywarden_group_orchestrator_deadline,
                          waywarden_group_orchestrator_retained, waywarden_group_orchestrator_event> {
public:
    result<void> renew(bool gives_way = false) noexcept
    {
        return waywarden_group_orchestrator_renew(&raw_, gives_way);
    }
    result<void> renew_when_acknowledged(bool gives_way = false) noexcept
    {
        return waywarden_group_orchestrator_renew_when_acknowledged(&raw_, gives_way);
    }
    result<void> remove(std::uint8_t address) noexcept
    {
        return waywarden_group_orchestrator_remove(&raw_, address);
    }
    result<void> readmit(std::uint8_t address) noexcept
    {
        return waywarden_group_orchestrator_readmit(&raw_, address);
    }
    result<group_key> key() noexcept
    {
        group_key found;
        const waywarden_status status =
            waywarden_group_orchestrator_key(&raw_, &found.epoch, found.key.data());
        return status == WAYWARDEN_STATUS_OK ? result<group_key>(found) : result<group_key>(status);
    }
};

/// The key of a stream, and its generation.
struct stream_key {
    std::uint32_t generation;
    long_key key;
};

/// An ECU of LASAN.
class lasan_ecu
    : public detail::role<waywarden_lasan_ecu, waywarden_lasan_options, waywarden_lasan_event,
                          waywarden_lasan_ecu_clear, waywarden_lasan_ecu_init,
                          waywarden_lasan_ecu_receive, waywarden_lasan_ecu_outgoing,
                          waywarden_lasan_ecu_sent, waywarden_lasan_ecu_deadline,
                          waywarden_lasan_ecu_retained, waywarden_lasan_ecu_event> {
public:
    result<void> request(std::uint32_t stream) noexcept { return waywarden_lasan_ecu_request(&raw_, stream); }
    result<void> tell_time(std::uint64_t time) noexcept { return waywarden_lasan_ecu_tell_time(&raw_, time); }
    result<void> send(const waywarden_can_frame &clear) noexcept
    {
        return waywarden_lasan_ecu_send(&raw_, &clear);
    }
    /// What came of the oldest protected frame, and its stream.
    result<std::pair<std::uint32_t, outcome>> received() noexcept
    {
        std::uint32_t stream = 0;
        waywarden_outcome heard;
        const waywarden_status status = waywarden_lasan_ecu_received(&raw_, &stream, &heard);
        if (status != WAYWARDEN_STATUS_OK) {
            return status;
        }
        return std::pair<std::uint32_t, outcome>(stream, outcome(heard));
    }
    result<stream_key> key(std::uint32_t stream) noexcept
    {
        stream_key found;
        const waywarden_status status =
            waywarden_lasan_ecu_stream_key(&raw_, stream, &found.generation, found.key.data());
        return status == WAYWARDEN_STATUS_OK ? result<stream_key>(found) : result<stream_key>(status);
    }
};

/// The security module of LASAN.
class lasan_module
    : public detail::role<waywarden_lasan_module, waywarden_lasan_options, waywarden_lasan_event,
                          waywarden_lasan_module_clear, waywarden_lasan_module_init,
                          waywarden_lasan_module_receive, waywarden_lasan_module_outgoing,
                          waywarden_lasan_module_sent, waywarden_lasan_module_deadline,
                          waywarden_lasan_module_retained, waywarden_lasan_module_event> {
public:
    result<void> start() noexcept { return waywarden_lasan_module_start(&raw_); }
    result<void> retire(std::uint8_t address) noexcept { return waywarden_lasan_module_retire(&raw_, address); }
};

/// Verifies an ECDSA signature: see waywarden_ecdsa_verify.
inline result<void> verify(std::uint8_t curve, bytes key, bytes digest, bytes r, bytes s) noexcept
{
    const std::size_t length =
        curve == WAYWARDEN_P256 || curve == WAYWARDEN_BRAINPOOL_P256R1 ? 32 : 48;
    if (r.size() != length || s.size() != length) {
        return WAYWARDEN_STATUS_ARGUMENT;
    }
    return waywarden_ecdsa_verify(curve, {key.data(), key.size()}, {digest.data(), digest.size()},
                                  r.data(), s.data());
}

} // namespace waywarden

#endif // WAYWARDEN_HPP

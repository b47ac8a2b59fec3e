// vanetza's maker of back ends, which hands out ours over the one of that name. To be preloaded.
#include "backend.hpp"

namespace vanetza::security {

std::unique_ptr<Backend> create_backend(const std::string &name, const Factory<Backend> &factory)
{
    auto own = name == "default" ? factory.create() : factory.create(name);
    if (!own || name == "Null") {
        return own;
    }
    return std::make_unique<waywarden_for_vanetza::Backend>(std::move(own));
}

} // namespace vanetza::security

#include "commit.hpp"

#include "rung_commit.hpp"

namespace rung::cli {

std::string_view built_from() { return RUNG_COMMIT; }

}  // namespace rung::cli

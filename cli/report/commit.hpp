// Which commit this binary was built from. Its header is written anew by each commit: one file alone includes it.
#pragma once
#include <string_view>

namespace rung::cli {

/// "abc1234"; "abc1234+changes" where sources differed from the commit; empty where the build was not of a checkout.
std::string_view built_from();

}  // namespace rung::cli

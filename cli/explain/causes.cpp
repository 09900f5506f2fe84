// From counters to words: why a line costs what it costs, and which kernel does without.
#include "../text.hpp"
#include "report.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rung::cli {
namespace {

using sim::Tally;
using sim::Traffic;

bool is_global(Traffic t) { return t == Traffic::global_load || t == Traffic::global_store; }
bool is_shared(Traffic t) { return t == Traffic::shared_load || t == Traffic::shared_store; }

std::string bytes_apart(std::int64_t stride) {
  const std::int64_t distance = std::abs(stride);
  return std::to_string(distance) + (distance == 1 ? " byte" : " bytes") + " apart";
}

std::string count(std::uint64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

/// How the lanes lie: "lanes are 512 bytes apart".
std::string layout(const sim::Pattern& p) {
  if (!p.regular) return "the lanes' addresses follow no one stride";
  const bool beside = std::abs(p.inner) == p.size;
  if (p.group == p.lanes)
    return beside         ? "lanes lie side by side"
           : p.inner == 0 ? "lanes share an address"
                          : "lanes are " + bytes_apart(p.inner);
  const std::string inside = beside ? " side by side" : p.inner == 0 ? " on one address" : " " + bytes_apart(p.inner);
  return "groups of " + count(p.group, "lane", "lanes") + inside + ", the groups " + bytes_apart(p.outer);
}

std::string for_ideal(const sim::Pattern& p, const char* one, const char* many) {
  return count(p.units, one, many) + " for " + std::to_string(p.ideal);
}

std::string global_cause(const sim::Pattern& p) {
  constexpr unsigned sector = 32;
  if (p.regular && p.group == p.lanes && std::abs(p.inner) == p.size)
    return "the lanes' " + count(p.bytes, "byte lies", "bytes lie") + " side by side, but start " +
           count(p.into, "byte", "bytes") + " into a sector: " + for_ideal(p, "sector", "sectors");
  const std::string text = layout(p) + ": ";
  if (p.units == p.lanes)
    return text + "each of the " + count(p.lanes, "lane", "lanes") + " touches another sector, " +
           for_ideal(p, "sector", "sectors");
  return text + for_ideal(p, "sector", "sectors") + ", of whose " + std::to_string(p.units * sector) + " bytes " +
         std::to_string(p.bytes) + " are asked for";
}

std::string shared_cause(const sim::Pattern& p) {
  return layout(p) + ": " + count(p.busiest, "lane meets", "lanes meet") + " in one bank with different words, " +
         for_ideal(p, "wavefront", "wavefronts");
}

/// Excess of loads and stores of one memory, or of all atomics.
std::uint64_t excess_of_kind(const sim::Profile& profile, Traffic traffic) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < sim::traffic_names.size(); ++k) {
    const auto other = static_cast<Traffic>(k);
    if (is_global(other) == is_global(traffic) && is_shared(other) == is_shared(traffic))
      sum += profile.of(other).excess();
  }
  return sum;
}

std::uint64_t whole_excess(const sim::Profile& profile) {
  std::uint64_t sum = 0;
  for (const Tally& t : profile.total) sum += t.excess();
  return sum;
}

/// The rows that ran without a fault, those after `row` before those above it, and how many are after it.
std::pair<std::vector<const ExplainRow*>, std::size_t> other_rows(const ExplainReport& report, const ExplainRow& row) {
  std::vector<const ExplainRow*> after, before;
  bool passed = false;
  for (const ExplainRow& other : report.rows) {
    if (&other == &row)
      passed = true;
    else if (!other.skipped() && other.findings.empty())
      (passed ? after : before).push_back(&other);
  }
  const std::size_t count_after = after.size();
  after.insert(after.end(), before.begin(), before.end());
  return {after, count_after};
}

double lanes_each(const Tally& t) {
  return t.requests == 0 ? 0 : static_cast<double>(t.lanes) / static_cast<double>(t.requests);
}

double ratio(const Tally& t) { return t.ideal == 0 ? 1 : static_cast<double>(t.units) / static_cast<double>(t.ideal); }

}  // namespace

const char* unit_of(Traffic traffic) {
  return is_global(traffic) ? "sectors" : is_shared(traffic) ? "wavefronts" : "turns";
}

std::string cause_of(Traffic traffic, const sim::Pattern& p) {
  if (is_global(traffic)) return global_cause(p);
  if (is_shared(traffic)) return shared_cause(p);
  return count(p.units, "lane meets", "lanes meet") + " at one address: " + for_ideal(p, "turn", "turns");
}

std::optional<Remedy> remedy_for(const ExplainReport& report, const ExplainRow& row, Traffic traffic) {
  const auto [others, above] = other_rows(report, row);
  constexpr double as_good_as_ideal = 1.05, much_less = 0.75;
  const double own = ratio(row.profile.of(traffic));
  const std::uint64_t excess = excess_of_kind(row.profile, traffic);
  std::optional<Remedy> less;
  for (std::size_t k = 0; k < others.size(); ++k) {
    const ExplainRow* other = others[k];
    const Tally& tally = other->profile.of(traffic);
    // A rung below has not come to this yet; and one that pays elsewhere is no cure.
    if (tally.requests == 0 && (k >= above || whole_excess(other->profile) >= whole_excess(row.profile))) continue;
    if (excess_of_kind(other->profile, traffic) > excess / 2) continue;  // it went elsewhere, or stayed
    if (ratio(tally) <= as_good_as_ideal) return Remedy{other->name, true, tally};
    if (!less && ratio(tally) <= much_less * own) less = Remedy{other->name, false, tally};
  }
  return less;
}

const sim::Line* idle_line(const ExplainRow& row) {
  constexpr std::uint64_t warp = 32, half = 16, quarter = 4;
  std::uint64_t requests = 0, most = 0;
  for (const Tally& t : row.profile.total) requests += t.requests;
  const sim::Line* worst = nullptr;
  if (requests < warp) return worst;  // too little to speak of
  for (const sim::Line& line : row.profile.lines) {
    const Tally& t = line.tally;
    const std::uint64_t idle = t.requests * warp - t.lanes;
    if (t.lanes >= t.requests * half || t.requests * quarter < requests || idle <= most) continue;
    most = idle;
    worst = &line;
  }
  return worst;
}

std::optional<Remedy> fuller_kernel(const ExplainReport& report, const ExplainRow& row, Traffic traffic) {
  const Tally& own = row.profile.of(traffic);
  for (const ExplainRow* other : other_rows(report, row).first) {
    const Tally& t = other->profile.of(traffic);
    if (t.requests != 0 && 3 * t.requests <= 2 * own.requests && lanes_each(t) >= 2 * lanes_each(own))
      return Remedy{other->name, true, t};
  }
  return std::nullopt;
}

const sim::LaunchEvent& main_launch(const sim::Profile& profile) {
  static const sim::LaunchEvent none;
  const auto threads = [](const sim::LaunchEvent& l) { return l.blocks() * l.threads(); };
  const auto most = std::max_element(profile.launches.begin(), profile.launches.end(),
                                     [&](const auto& a, const auto& b) { return threads(a) < threads(b); });
  return most == profile.launches.end() ? none : *most;
}

std::optional<double> lanes_per_request(const sim::Profile& profile) {
  std::uint64_t lanes = 0, requests = 0;
  for (const Tally& t : profile.total) {
    lanes += t.lanes;
    requests += t.requests;
  }
  if (requests == 0) return std::nullopt;
  return static_cast<double>(lanes) / static_cast<double>(requests);
}

std::optional<double> efficiency(const sim::Profile& profile) {
  const Tally &loads = profile.of(Traffic::global_load), &stores = profile.of(Traffic::global_store);
  const std::uint64_t units = loads.units + stores.units;
  if (units == 0) return std::nullopt;
  return static_cast<double>(loads.ideal + stores.ideal) / static_cast<double>(units);
}

}  // namespace rung::cli

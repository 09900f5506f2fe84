#include "profile.hpp"

#include "access.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <utility>

namespace rung::sim {
namespace {

constexpr unsigned lanes_of_warp = 32;

Traffic traffic_of(Space space, Access kind) {
  const unsigned first = space == Space::global ? 0 : 3;
  return static_cast<Traffic>(first + static_cast<unsigned>(kind));
}

Cost cost_of(Traffic traffic, const Request& request) {
  switch (traffic) {
    case Traffic::global_load:
    case Traffic::global_store:
      return sectors(request);
    case Traffic::shared_load:
    case Traffic::shared_store:
      return wavefronts(request);
    case Traffic::global_atomic:
    case Traffic::shared_atomic:
      break;
  }
  return turns(request);
}

/// A form of request and what it cost above the ideal, over all that had it.
struct Form {
  Pattern pattern;
  std::uint64_t excess = 0;
};

void add_form(std::vector<Form>& forms, const Pattern& pattern, std::uint64_t excess) {
  for (Form& form : forms)
    if (form.pattern.like(pattern)) {
      form.excess += excess;
      return;
    }
  // A kernel whose addresses depend on the data has as many forms as requests: those that came first stand for all.
  constexpr std::size_t most = 64;
  if (forms.size() < most) forms.push_back({pattern, excess});
}

/// What was counted of the requests of a place.
struct Count {
  Tally tally;
  std::vector<Form> forms;

  void add(Traffic traffic, const Request& request) {
    const Cost cost = cost_of(traffic, request);
    tally.add({1, cost.lanes, cost.bytes, cost.units, cost.ideal});
    if (cost.excess() != 0) add_form(forms, pattern_of(request, cost), cost.excess());
  }
};

/// A place in the machine code, and what it did. g++ may copy a value of 16 bytes in pieces, where nvcc, which knows
/// its alignment, has one instruction. Sites whose accesses always lie side by side are therefore also counted as one:
/// the first of them leads, and `pieces` are the others.
struct Site {
  Place place;
  Traffic traffic;
  std::uint32_t size;
  Count alone{}, joined{};
  std::size_t seen = 0;  ///< times that a warp settled requests here
  bool placed = false;   ///< it has been looked at whether it leads
  bool piece = false;    ///< of a leader
  std::vector<std::uint32_t> pieces{};
};

/// Requests of one warp at one site that lanes may still join.
struct Open {
  std::array<std::uint32_t, lanes_of_warp> next{};  ///< by lane: the request that its next access belongs to
  std::vector<Request> requests;
};

}  // namespace

struct Profiler::State {
  Profile profile;
  std::vector<Site> sites;
  std::unordered_map<std::uint64_t, std::uint32_t> number;  ///< of a site, by its place, traffic and size
  std::vector<std::vector<Open>> open;                      ///< by warp and site
  std::uint64_t static_low = ~std::uint64_t{0}, static_high = 0;

  std::uint32_t site_of(const AccessEvent& e) {
    const Traffic traffic = traffic_of(e.space, e.kind);
    const std::uint64_t key =
        std::uint64_t{e.place} << 32 | std::uint64_t{e.size} << 3 | static_cast<std::uint64_t>(traffic);
    const auto [found, fresh] = number.try_emplace(key, static_cast<std::uint32_t>(sites.size()));
    if (fresh) sites.push_back({e.place, traffic, e.size});
    return found->second;
  }
  void settle();
  void find_pieces(const std::vector<Open>& warp, std::uint32_t leader);
  bool has_before(const std::vector<Open>& warp, std::uint32_t site) const;
  void count_joined(const std::vector<Open>& warp, std::uint32_t leader);
};

namespace {

/// Whether each lane of `b` accesses what lies `distance` bytes behind its access of `a`, in every request.
bool follows(const Open& a, const Open& b, std::uint64_t distance) {
  if (a.requests.empty() || a.requests.size() != b.requests.size()) return false;
  for (std::size_t k = 0; k < a.requests.size(); ++k) {
    const Request &first = a.requests[k], &second = b.requests[k];
    if (first.mask != second.mask) return false;
    for (std::uint32_t m = first.mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(m));
      if (second.offset[lane] != first.offset[lane] + distance) return false;
    }
  }
  return true;
}

bool aligned(const Open& a, std::uint64_t bytes) {
  for (const Request& r : a.requests)
    for (std::uint32_t m = r.mask; m != 0; m &= m - 1)
      if (r.offset[static_cast<unsigned>(std::countr_zero(m))] % bytes != 0) return false;
  return true;
}

}  // namespace

bool Profiler::State::has_before(const std::vector<Open>& warp, std::uint32_t site) const {
  for (std::uint32_t k = 0; k < warp.size(); ++k)
    if (k != site && !sites[k].piece && sites[k].traffic == sites[site].traffic && sites[k].size == sites[site].size &&
        follows(warp[k], warp[site], sites[k].size))
      return true;
  return false;
}

void Profiler::State::find_pieces(const std::vector<Open>& warp, std::uint32_t leader) {
  constexpr std::uint32_t widest = 16;
  Site& site = sites[leader];
  site.placed = true;
  if (site.traffic == Traffic::global_atomic || site.traffic == Traffic::shared_atomic) return;
  if (site.piece || site.size >= widest || !std::has_single_bit(site.size) || has_before(warp, leader)) return;
  std::uint32_t bytes = site.size;
  for (bool found = true; found && bytes < widest;) {
    found = false;
    for (std::uint32_t k = 0; k < warp.size() && !found; ++k)
      // Not one that ran before its leader did: what it counted then would be lost.
      if (k != leader && !sites[k].piece && sites[k].seen == site.seen && sites[k].pieces.empty() &&
          sites[k].traffic == site.traffic && sites[k].size == site.size && follows(warp[leader], warp[k], bytes)) {
        site.pieces.push_back(k);
        bytes += site.size;
        found = true;
      }
  }
  bytes = std::bit_floor(bytes);
  while (bytes > site.size && !aligned(warp[leader], bytes)) bytes /= 2;
  site.pieces.resize(bytes / site.size - 1);
  for (const std::uint32_t k : site.pieces) sites[k].piece = true;
}

/// Or gives the pieces up, where they were not side by side this time.
void Profiler::State::count_joined(const std::vector<Open>& warp, std::uint32_t leader) {
  Site& site = sites[leader];
  const auto bytes = static_cast<std::uint32_t>((site.pieces.size() + 1) * site.size);
  static const Open none;
  const auto open_of = [&](std::uint32_t k) -> const Open& { return k < warp.size() ? warp[k] : none; };
  const Open& first = open_of(leader);
  bool together = first.requests.empty() || aligned(first, bytes);
  for (std::size_t k = 0; k < site.pieces.size(); ++k) {
    const Open& piece = open_of(site.pieces[k]);
    together =
        together && ((first.requests.empty() && piece.requests.empty()) || follows(first, piece, (k + 1) * site.size));
  }
  if (!together) {
    for (const std::uint32_t k : site.pieces) sites[k].piece = false;
    site.pieces.clear();
    return;
  }
  for (Request request : first.requests) {
    request.size = bytes;
    site.joined.add(site.traffic, request);
  }
}

/// Every lane of the block has met: what is open is complete.
void Profiler::State::settle() {
  for (auto& warp : open) {
    for (std::uint32_t k = 0; k < warp.size(); ++k) sites[k].seen += !warp[k].requests.empty();
    for (std::uint32_t k = 0; k < warp.size(); ++k) {
      for (const Request& request : warp[k].requests) sites[k].alone.add(sites[k].traffic, request);
      if (!sites[k].placed && !warp[k].requests.empty()) find_pieces(warp, k);
    }
    for (std::uint32_t k = 0; k < sites.size(); ++k)
      if (!sites[k].pieces.empty()) count_joined(warp, k);
    for (Open& site : warp) {
      site.requests.clear();
      site.next.fill(0);
    }
  }
}

void Tally::add(const Tally& more) {
  requests += more.requests;
  lanes += more.lanes;
  bytes += more.bytes;
  units += more.units;
  ideal += more.ideal;
}

double occupancy(const LaunchEvent& launch, std::uint64_t static_shared) {
  constexpr std::uint64_t most_warps = 64, most_blocks = 32, shared = std::uint64_t{228} << 10, reserved = 1024;
  const std::uint64_t warps = (launch.threads() + lanes_of_warp - 1) / lanes_of_warp;
  if (warps == 0) return 0;
  const std::uint64_t blocks =
      std::min({most_blocks, most_warps / warps, shared / (launch.shared + static_shared + reserved)});
  return static_cast<double>(blocks * warps) / static_cast<double>(most_warps);
}

Profiler::Profiler() : state_(std::make_unique<State>()) {}
Profiler::~Profiler() = default;

void Profiler::begin_launch(const LaunchEvent& launch) {
  state_->profile.launches.push_back(launch);
  state_->profile.blocks += launch.blocks();
  state_->profile.threads += launch.blocks() * launch.threads();
}

void Profiler::begin_block(std::uint32_t threads) {
  state_->open.resize(std::max<std::size_t>(state_->open.size(), (threads + lanes_of_warp - 1) / lanes_of_warp));
}

void Profiler::access(const AccessEvent& e) {
  State& s = *state_;
  const std::uint32_t site = s.site_of(e);
  auto& warp = s.open[e.thread / lanes_of_warp];
  if (warp.size() <= site) warp.resize(site + 1);
  Open& open = warp[site];
  const unsigned lane = e.thread % lanes_of_warp;
  const std::uint32_t turn = open.next[lane]++;
  if (open.requests.size() <= turn) open.requests.resize(turn + 1);
  Request& request = open.requests[turn];
  request.size = e.size;
  request.mask |= 1u << lane;
  request.offset[lane] = e.offset;
  if (e.space == Space::shared && e.offset >= dynamic_shared_most) {
    s.static_low = std::min(s.static_low, e.offset);
    s.static_high = std::max(s.static_high, e.offset + e.size);
  }
}

void Profiler::block_barrier() {
  ++state_->profile.barriers;
  state_->settle();
}

void Profiler::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  const auto each_lane = [mask](const auto& visit) {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) visit(static_cast<unsigned>(std::countr_zero(m)));
  };
  // Lanes outside of the mask may be ahead, or behind: they go on by their own count.
  for (Open& open : state_->open[warp]) {
    std::uint32_t furthest = 0;
    each_lane([&](unsigned lane) { furthest = std::max(furthest, open.next[lane]); });
    each_lane([&](unsigned lane) { open.next[lane] = furthest; });
  }
}

void Profiler::end_block() { state_->settle(); }

Profile Profiler::take() {
  State& s = *state_;
  Profile profile = std::move(s.profile);
  if (s.static_high > s.static_low) profile.static_shared = s.static_high - s.static_low;
  std::map<std::pair<std::string, Traffic>, std::pair<Line, std::vector<Form>>> lines;
  std::vector<std::string> text;
  for (const Site& site : s.sites) text.push_back(text_of_place(site.place));
  for (std::size_t k = 0; k < s.sites.size(); ++k) {
    Site& leader = s.sites[k];
    const auto elsewhere = [&](std::uint32_t piece) { return text[piece] != text[k]; };
    if (std::any_of(leader.pieces.begin(), leader.pieces.end(), elsewhere)) {
      for (const std::uint32_t piece : leader.pieces) s.sites[piece].piece = false;
      leader.pieces.clear();
    }
  }
  for (std::size_t k = 0; k < s.sites.size(); ++k) {
    const Site& site = s.sites[k];
    if (site.piece) continue;
    const Count& count = site.pieces.empty() ? site.alone : site.joined;
    profile.total[static_cast<std::size_t>(site.traffic)].add(count.tally);
    auto& [line, forms] = lines[{text[k], site.traffic}];
    line.at = text[k];
    line.traffic = site.traffic;
    line.tally.add(count.tally);
    for (const Form& form : count.forms) add_form(forms, form.pattern, form.excess);
  }
  for (auto& [key, found] : lines) {
    auto& [line, forms] = found;
    const auto worst =
        std::max_element(forms.begin(), forms.end(), [](const Form& a, const Form& b) { return a.excess < b.excess; });
    if (worst != forms.end()) line.worst = worst->pattern;
    profile.lines.push_back(std::move(line));
  }
  std::stable_sort(profile.lines.begin(), profile.lines.end(),
                   [](const Line& a, const Line& b) { return a.tally.excess() > b.tally.excess(); });
  *state_ = State{};
  return profile;
}

}  // namespace rung::sim

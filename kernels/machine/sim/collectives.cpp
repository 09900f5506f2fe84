// Where CUDA threads meet: the block barrier, and the collectives of a warp.
#include "engine.hpp"

#include <algorithm>

namespace rung::sim {

unsigned Engine::barrier(bool predicate, Place place) {
  Thread& me = *current_;
  ++progress_;
  barrier_count_ += predicate;
  if (waiting_ == 0) barrier_place_ = place;
  if (place != barrier_place_) log(Fault::barrier_divergence, place, barrier_place_, waiters_[0]);
  waiters_[waiting_++] = me.id;
  if (waiting_ < alive_) {
    wait(me, Wait::block_barrier);
  } else {
    --waiting_;  // the last to come does not wait
    release_barrier();
  }
  return barrier_result_;
}

void barrier(const void* at) { InEngine()->barrier(false, record_place(at)); }
int barrier_count(bool predicate, const void* at) {
  return static_cast<int>(InEngine()->barrier(predicate, record_place(at)));
}
void Engine::release_barrier() {
  if (exited_ != 0) log(Fault::exit_before_barrier, barrier_place_, nowhere, Finding::none, &threads_[waiters_[0]]);
  barrier_result_ = barrier_count_;
  barrier_count_ = 0;
  ++clock_.epoch;
  for (unsigned i = 0; i < waiting_; ++i) make_ready(threads_[waiters_[i]]);
  waiting_ = 0;
  if (recorder_) recorder_->block_barrier();
}

/// Each lane brings a value and names the lane it reads; the last to come computes every lane's result, so that any
/// masks and widths work, and disjoint groups side by side.
std::uint64_t Engine::meet(Collective kind, unsigned operation, std::uint32_t mask, std::uint64_t value,
                           unsigned source, Place place) {
  Thread& me = *current_;
  Warp& warp = warps_[me.warp];
  const std::uint32_t bit = 1u << me.lane;
  mask &= warp.all;  // lanes past the end of the block do not exist
  if (!(mask & bit)) log(Fault::collective_mask, place);
  if (mask & ~warp.alive & ~warp.stopped) log(Fault::collective_exited, place);
  mask = (mask & warp.alive) | bit;

  Warp::Meeting* meeting = nullptr;
  for (unsigned k = 0; k < warp.meetings_used && !meeting; ++k)
    if (Warp::Meeting& m = warp.meetings[k]; m.mask == mask && !(m.arrived & bit)) meeting = &m;
  for (unsigned k = 0; k < warp_lanes && !meeting; ++k)
    if (Warp::Meeting& m = warp.meetings[k]; m.mask == 0) {
      m.mask = mask;
      m.arrived = 0;
      m.kind = kind;
      m.operation = static_cast<std::uint8_t>(operation);
      m.place = place;
      meeting = &m;
      warp.meetings_used = std::max(warp.meetings_used, k + 1);
    }
  if (!meeting) fault(Fault::collective_divergence, place);
  if (meeting->place != place) log(Fault::collective_divergence, place, meeting->place);
  meeting->values[me.lane] = value;
  meeting->sources[me.lane] = static_cast<std::uint8_t>(source);
  meeting->arrived |= bit;
  if (meeting->arrived == mask)
    complete(me.warp, *meeting, &me);
  else
    wait(me, Wait::warp_collective);
  return me.result;
}

namespace {

std::int64_t reduced(Reduce operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case Reduce::add:
      return a + b;
    case Reduce::min:
      return std::min(a, b);
    case Reduce::max:
      return std::max(a, b);
    case Reduce::bit_and:
      return a & b;
    case Reduce::bit_or:
      return a | b;
    case Reduce::bit_xor:
      break;
  }
  return a ^ b;
}

unsigned lowest(std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

/// The one result of a ballot or a reduction.
std::uint64_t common_result(const Warp::Meeting& meeting) {
  if (meeting.kind == Collective::ballot) {
    std::uint64_t votes = 0;
    for (std::uint32_t m = meeting.mask; m; m &= m - 1) votes |= (meeting.values[lowest(m)] & 1) << lowest(m);
    return votes;
  }
  if (meeting.kind != Collective::reduce) return 0;
  auto total = static_cast<std::int64_t>(meeting.values[lowest(meeting.mask)]);
  for (std::uint32_t m = meeting.mask & (meeting.mask - 1); m; m &= m - 1)
    total =
        reduced(static_cast<Reduce>(meeting.operation), total, static_cast<std::int64_t>(meeting.values[lowest(m)]));
  return static_cast<std::uint64_t>(total);
}

std::uint64_t lanes_like(const Warp::Meeting& meeting, unsigned lane) {
  std::uint64_t same = 0;
  for (std::uint32_t m = meeting.mask; m; m &= m - 1)
    if (meeting.values[lowest(m)] == meeting.values[lane]) same |= 1u << lowest(m);
  return same;
}

}  // namespace

void Engine::complete(unsigned warp, Warp::Meeting& meeting, const Thread* last) {
  Warp& w = warps_[warp];
  if (meeting.kind == Collective::barrier) clock_.warps[warp].join(meeting.mask, meeting.mask == w.all);
  if (recorder_) recorder_->warp_barrier(warp, meeting.mask);
  const std::uint64_t common = common_result(meeting);
  for (std::uint32_t m = meeting.mask; m; m &= m - 1) {
    const unsigned lane = lowest(m);
    Thread& thread = threads_[warp * warp_lanes + lane];
    thread.result = common;
    if (meeting.kind == Collective::match) thread.result = lanes_like(meeting, lane);
    if (meeting.kind == Collective::shuffle) {
      const unsigned source = meeting.sources[lane];
      thread.result = meeting.values[source];
      if (!(meeting.mask >> source & 1) && !(w.stopped >> source & 1))
        log(Fault::shuffle_source, meeting.place, nowhere, warp * warp_lanes + source, &thread);
    }
    if (&thread != last) make_ready(thread);
  }
  meeting.mask = meeting.arrived = 0;
  while (w.meetings_used > 0 && w.meetings[w.meetings_used - 1].mask == 0) --w.meetings_used;
}

/// A lane exited, or was stopped: those that wait for it go on without it.
void Engine::lane_left(Thread& thread) {
  Warp& warp = warps_[thread.warp];
  const std::uint32_t bit = 1u << thread.lane;
  warp.alive &= ~bit;
  for (unsigned k = 0; k < warp.meetings_used; ++k) {
    Warp::Meeting& meeting = warp.meetings[k];
    if (!(meeting.mask & bit)) continue;
    if (!(warp.stopped & bit)) log(Fault::collective_exited, meeting.place);
    meeting.mask &= ~bit;
    if (meeting.mask != 0 && meeting.arrived == meeting.mask) complete(thread.warp, meeting, nullptr);
  }
}

}  // namespace rung::sim
